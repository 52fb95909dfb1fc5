import { SystemClock } from "../../src/adapters/clock-system/system-clock.ts";
import { DirectRoute } from "../../src/adapters/fetch-direct/direct-route.ts";
import { GatewayRoute } from "../../src/adapters/fetch-gateway/gateway-route.ts";
import type { HttpOptions } from "../../src/adapters/http1/options.ts";
import { Endpoints } from "../../src/flow/endpoints.ts";
import { CERT, type Site } from "../fixtures/contract-site.ts";
import { ProxyServer } from "../fixtures/proxy-server.ts";
import { DEADLINES, fetchRouteContract } from "./fetch-route.contract.ts";

const OPTIONS: HttpOptions = {
  ...DEADLINES,
  userAgent: "weir-test/0 (+https://weir.test)",
  accept: null,
  codings: "br, gzip",
  isMetered: false,
  connectionsPerHost: 8,
  maxConnections: 64,
  keepAlive: 60_000,
  tls: { verify: true, ca: CERT },
  allowPrivate: true,
  allowAddresses: [],
};

async function direct(site: Site) {
  const route = new DirectRoute({ clock: new SystemClock() }, OPTIONS);
  return { route, bytes: site.bytes, close: () => route.close() };
}

const gateway = (kind: "http" | "socks5", tls: boolean) => async () => {
  const proxy = await ProxyServer.open({ kind, tls, password: "secret" });
  const endpoints = [{ url: proxy.url(), region: null }];
  const route = new GatewayRoute(
    { clock: new SystemClock(), random: Math.random, exits: new Endpoints(endpoints, 1) },
    {
      ...OPTIONS,
      name: "home",
      endpoints,
      sessionUser: "{user}-{session}",
      tunnelTimeout: 2_000,
      exhausted: [402],
      busy: [429],
      isMetered: true,
    },
  );
  const close = async (): Promise<void> => {
    await route.close();
    await proxy.close();
  };
  return { route, bytes: () => proxy.bytes.in + proxy.bytes.out, close };
};

fetchRouteContract("direct, http", "http", direct);
fetchRouteContract("direct, https", "https", direct);
fetchRouteContract("direct, h2", "h2", async (site) => {
  const route = new DirectRoute({ clock: new SystemClock() }, { ...OPTIONS, http2For: () => true });
  return { route, bytes: site.bytes, close: () => route.close() };
});
fetchRouteContract("CONNECT, http", "http", gateway("http", false));
fetchRouteContract("CONNECT, https", "https", gateway("http", false));
fetchRouteContract("CONNECT over TLS, https", "https", gateway("http", true));
fetchRouteContract("SOCKS5, http", "http", gateway("socks5", false));
fetchRouteContract("SOCKS5, https", "https", gateway("socks5", false));
