import { brotliCompressSync, gzipSync } from "node:zlib";
import { afterEach, expect, test } from "vitest";
import type { FetchRequest, FetchResult, FetchRoute } from "../../src/ports/fetch-route.ts";
import { openSite, type Site, type SiteManner } from "../fixtures/contract-site.ts";

/** Deadlines of the routes under test, so that each test takes its own time and no more. */
export const DEADLINES = {
  connectTimeout: 2_000,
  tlsTimeout: 2_000,
  dnsTimeout: 2_000,
  firstByteTimeout: 400,
  leastRate: { bytesPerSecond: 1_024, window: 400, grace: 400 },
} as const;

const MIB = 1 << 20;
const PAGE = `<html>${"The weir holds back the river. ".repeat(300)}</html>`;
const LARGE = Buffer.alloc(3 * MIB, "0123456789abcdef");

type Draw = FetchRequest["credit"]["draw"];

/**
 * What every route owes its caller, over real sockets. `open` gives a route through which the site can be reached; the bytes that
 * left and came are counted by whoever stands at the other end of its sockets.
 */
export function fetchRouteContract(
  name: string,
  manner: SiteManner,
  open: (site: Site) => Promise<{ readonly route: FetchRoute; readonly bytes: () => number; readonly close: () => Promise<void> }>,
): void {
  const cleanUps: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
  });

  const start = async (answer: Parameters<typeof openSite>[1]) => {
    const site = await openSite(manner, answer);
    cleanUps.push(site.close);
    const opened = await open(site);
    cleanUps.push(opened.close);
    return { site, route: opened.route, bytes: opened.bytes };
  };
  const requestFor = (url: string, more: Partial<FetchRequest> = {}): FetchRequest => ({
    url,
    headers: [],
    maxBody: 8 * MIB,
    timeout: 5_000,
    credit: { draw: () => true },
    decide: () => "read",
    ...more,
  });
  const get = (route: FetchRoute, url: string, more: Partial<FetchRequest> = {}): Promise<FetchResult> =>
    new Promise((resolve) => {
      route.start(requestFor(url, more), resolve);
    });
  const endOf = (result: FetchResult): string =>
    result.kind === "response"
      ? `response ${result.status}`
      : result.kind === "refusal"
        ? `refusal ${result.by}`
        : `${result.code} ${result.phase}`;
  const textOf = (result: FetchResult): string =>
    result.kind === "response" ? Buffer.from(result.body).toString("latin1") : endOf(result);
  const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

  test(`${name}: a page comes with its status, its headers in order, and its body`, async () => {
    const { site, route } = await start((_request, response) => {
      response.writeHead(203, { "content-type": "text/html", "set-cookie": ["a=1", "b=2"], etag: '"x-\xe9"' });
      response.end(PAGE);
    });
    const result = await get(route, `${site.url}a?b=1`, { headers: [["Cookie", "c=3"]] });
    expect(textOf(result)).toBe(PAGE);
    if (result.kind !== "response") return;
    expect([result.status, result.headers.get("etag"), result.headers.all("set-cookie")]).toEqual([203, '"x-\xe9"', ["a=1", "b=2"]]);
    expect(result.headers.get("absent")).toBeUndefined();
    expect(site.requests).toMatchObject([{ path: "/a?b=1", headers: { cookie: "c=3", "user-agent": "weir-test/0 (+https://weir.test)" } }]);
  });

  test(`${name}: codings are undone, and a broken one is no half page`, async () => {
    const { site, route } = await start((request, response) => {
      const whole = request.path === "/br" ? brotliCompressSync(PAGE) : gzipSync(PAGE);
      response.writeHead(200, { "content-encoding": request.path === "/br" ? "br" : "gzip" });
      response.end(request.path === "/half" ? whole.subarray(0, whole.length / 2) : whole);
    });
    expect(textOf(await get(route, `${site.url}br`))).toBe(PAGE);
    expect(textOf(await get(route, `${site.url}gzip`))).toBe(PAGE);
    expect(endOf(await get(route, `${site.url}half`))).toBe("incomplete body");
  });

  test(`${name}: a large body is the same in every byte, many at a time`, async () => {
    const { site, route } = await start((_request, response) => response.end(LARGE));
    const results = await Promise.all([1, 2, 3, 4].map((n) => get(route, `${site.url}${n}`)));
    for (const result of results) expect(result.kind === "response" && Buffer.compare(result.body, LARGE) === 0, endOf(result)).toBe(true);
  });

  test(`${name}: connections are kept, and the bytes of all fetches sum to what the other end counts`, async () => {
    const { site, route, bytes } = await start((request, response) => {
      response.writeHead(request.path === "/4" ? 404 : 200);
      response.end(PAGE);
    });
    const results: FetchResult[] = [];
    for (let n = 1; n <= 6; n += 1) results.push(await get(route, `${site.url}${n}`));
    expect(results.map(({ measure }) => measure.connected)).toEqual([true, false, false, false, false, false]);
    await route.close();
    await wait(30);
    const counted = results.reduce((sum, { measure }) => sum + measure.bytesIn + measure.bytesOut, 0);
    expect(Math.abs(counted - bytes())).toBeLessThanOrEqual(0.01 * bytes());
    for (const { measure } of results)
      expect((measure.setup ?? 0) + (measure.heads ?? 0)).toBeLessThanOrEqual(measure.bytesIn + measure.bytesOut);
  });

  test(`${name}: a body to be thrown away costs no page, and the next fetch works`, async () => {
    const { site, route } = await start((request, response) => {
      if (request.path === "/long") response.writeHead(200, { "content-length": LARGE.length });
      response.end(request.path === "/long" ? LARGE : PAGE);
    });
    for (const path of ["short", "long", "short"]) {
      const result = await get(route, `${site.url}${path}`, { decide: () => "discard" });
      expect([endOf(result), result.kind === "response" && result.body.length]).toEqual(["response 200", 0]);
    }
    expect(textOf(await get(route, `${site.url}page`))).toBe(PAGE);
  });

  test(`${name}: a body beyond the cap ends as that, promised or not, coded or not`, async () => {
    const { site, route } = await start((request, response) => {
      if (request.path === "/promised") response.writeHead(200, { "content-length": LARGE.length });
      if (request.path === "/bomb") response.writeHead(200, { "content-encoding": "gzip" });
      response.end(request.path === "/bomb" ? gzipSync(LARGE) : LARGE);
    });
    for (const path of ["promised", "found", "bomb"])
      expect(endOf(await get(route, `${site.url}${path}`, { maxBody: MIB })), path).toBe("too-large body");
    const beginning = await get(route, `${site.url}found`, { maxBody: 1_000, decide: () => "begin" });
    expect(textOf(beginning)).toBe(LARGE.toString("latin1", 0, 1_000));
  });

  test(`${name}: silence, half a body and a dribble end on time, each with its name`, async () => {
    const { site, route } = await start((request, response) => {
      if (request.path === "/silence") return;
      response.writeHead(200);
      response.write("half");
      if (request.path === "/dribble") {
        const drops = setInterval(() => (response.destroyed ? clearInterval(drops) : response.write("x")), 50);
        response.on("close", () => clearInterval(drops));
      }
    });
    const before = performance.now();
    expect(endOf(await get(route, `${site.url}silence`))).toBe("timeout headers");
    expect(endOf(await get(route, `${site.url}dribble`))).toBe("too-slow body");
    expect(endOf(await get(route, `${site.url}half`, { timeout: 300 }))).toBe("timeout body");
    expect(performance.now() - before).toBeLessThan(5_000);
  });

  test(`${name}: a connection that is cut leaves no half page`, async () => {
    const { site, route } = await start((request, response) => {
      if (request.path === "/before") return site.cut();
      response.writeHead(200, { "content-length": 1_000 });
      response.write("half");
      setTimeout(() => site.cut(), 30);
    });
    expect(endOf(await get(route, `${site.url}before`))).toBe("connect headers");
    expect(endOf(await get(route, `${site.url}in-the-middle`))).toBe("incomplete body");
  });

  test(`${name}: credit that is refused stops the body until it is granted, and the wait counts towards no deadline`, async () => {
    const { site, route } = await start((_request, response) => response.end(LARGE));
    let granted: (() => void) | undefined;
    let drawn = 0;
    const draw: Draw = (bytes, whenGranted) => {
      drawn += bytes;
      if (granted !== undefined) return true;
      granted = whenGranted;
      return false;
    };
    const fetched = get(route, site.url, { timeout: 400, credit: { draw } });
    while (granted === undefined) await wait(10);
    await wait(600);
    granted();
    const result = await fetched;
    expect(result.kind === "response" && Buffer.compare(result.body, LARGE) === 0, endOf(result)).toBe(true);
    expect([result.measure.paused > 400, drawn >= LARGE.length - 64 * 1024]).toEqual([true, true]);
  });

  test(`${name}: an abort ends a fetch once, at any moment, and the route goes on`, async () => {
    const { site, route } = await start((request, response) => {
      if (request.path === "/silence") return;
      response.writeHead(200);
      response.write(PAGE);
      if (request.path !== "/body") response.end();
    });
    for (const [path, ms] of [
      ["silence", 0],
      ["silence", 50],
      ["body", 50],
    ] as const) {
      const ends: string[] = [];
      const abort = route.start(requestFor(`${site.url}${path}`), (result) => ends.push(endOf(result)));
      if (ms > 0) await wait(ms);
      abort();
      abort();
      await wait(20);
      expect(ends).toEqual(["connect aborted"]);
    }
    expect(textOf(await get(route, `${site.url}page`))).toBe(PAGE);
  });

  test(`${name}: closing ends what runs, and nothing starts any more`, async () => {
    const { site, route } = await start(() => undefined);
    const running = get(route, site.url);
    await wait(30);
    await route.close();
    expect([endOf(await running), endOf(await get(route, site.url))]).toEqual(["connect aborted", "protocol aborted"]);
  });

  test(`${name}: what is no http URL is refused, later`, async () => {
    const { route } = await start(() => undefined);
    const ends: string[] = [];
    route.start(requestFor("ftp://127.0.0.1/"), (result) => ends.push(endOf(result)));
    expect(ends).toEqual([]);
    await wait(10);
    expect(ends).toEqual(["protocol local"]);
  });
}
