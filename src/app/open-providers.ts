import { ApiRoute } from "../adapters/fetch-api/api-route.ts";
import { DirectRoute } from "../adapters/fetch-direct/direct-route.ts";
import { FIXED } from "../config/fixed.ts";
import type { ProviderSettings, ScrapingApiSettings } from "../config/providers.ts";
import type { Settings } from "../config/settings.ts";
import { parseJsonPath } from "../kernel/json-path.ts";
import type { ProviderSpec } from "../pipeline/provider-lane.ts";
import type { Clock, Random } from "../ports/clock.ts";
import type { FetchRoute } from "../ports/fetch-route.ts";
import { openGateway } from "./open-gateway.ts";

const MICRO = 1_000_000;
const GB = 1_000_000_000;

interface RouteDeps {
  readonly clock: Clock;
  readonly random: Random;
}

/** The ways to the web that the configuration names, besides the direct one. Only those that some host goes by are opened. */
export function openProviders(settings: Settings, direct: FetchRoute, deps: RouteDeps): readonly ProviderSpec[] {
  const used = new Set([settings.provider, ...Object.values(settings.hosts.overrides).map(({ provider }) => provider)]);
  return Object.entries(settings.providers)
    .filter(([name]) => used.has(name))
    .map(([name, provider]) => specOf(name, provider, settings, direct, deps));
}

function specOf(name: string, provider: ProviderSettings, settings: Settings, direct: FetchRoute, deps: RouteDeps): ProviderSpec {
  const { concurrency, retries } = provider;
  if (provider.kind === "gateway") {
    const route = openGateway({ name, ...provider }, settings, deps);
    const plan = concurrency === undefined ? {} : { concurrency };
    return { name, kind: provider.kind, route, ...plan, account: accountOf(provider), retries, price: (provider.pricePerGB * MICRO) / GB };
  }
  return {
    name,
    kind: provider.kind,
    route: apiRoute(name, provider, settings, direct, deps),
    concurrency: concurrency ?? null,
    account: accountOf(provider),
    retries,
    price: provider.pricePerCredit * MICRO,
  };
}

/** What it spends, and when that is filled again. */
export function accountOf({ kind, balance, resetAt }: ProviderSettings): NonNullable<ProviderSpec["account"]> {
  const filled = { balance: balance ?? null, resetAt: resetAt ?? null };
  return kind === "gateway"
    ? { unit: "bytes", least: FIXED.gateway.reserve, ...filled }
    : { unit: "credits", least: FIXED.api.reserve, ...filled };
}

/** The API is asked directly; it may take as long as the retries that it makes itself. */
function apiRoute(name: string, api: ScrapingApiSettings, settings: Settings, direct: FetchRoute, deps: RouteDeps): ApiRoute {
  const deadline = Math.max(FIXED.api.deadline, settings.timeout * (1 + api.retries));
  const { clock } = deps;
  const inner = new DirectRoute(
    { clock },
    {
      ...FIXED.route,
      accept: api.body === undefined ? FIXED.route.accept : FIXED.api.accept,
      firstByteTimeout: deadline,
      leastRate: { ...FIXED.route.leastRate, grace: deadline },
      userAgent: settings.userAgent,
      // Whoever names an API means it, wherever it is.
      allowPrivate: settings.allowPrivate,
      allowAddresses: [...settings.allowAddresses, hostOf(api.request)],
      connectionsPerHost: api.concurrency ?? settings.concurrency,
    },
  );
  const path = (text: string | undefined) => (text === undefined ? null : parseJsonPath(text));
  return new ApiRoute(
    { inner, judge: (hostname, port, signal) => direct.resolve(hostname, port, signal), clock },
    {
      name,
      request: api.request,
      headers: api.headers,
      status: path(api.status),
      body: path(api.body),
      finalUrl: path(api.finalUrl),
      credits: path(api.credits),
      busy: api.busy,
      exhausted: api.exhausted,
      render: api.render ?? "",
      country: api.country ?? "",
      session: api.session ?? "",
      forwardsHeaders: api.forwardsHeaders,
      deadline,
      secrets: api.secrets,
    },
  );
}

function hostOf(request: string): string {
  const { hostname, port, protocol } = new URL(request.replaceAll("{url}", "x"));
  return `${hostname}:${port === "" ? (protocol === "https:" ? 443 : 80) : port}`;
}
