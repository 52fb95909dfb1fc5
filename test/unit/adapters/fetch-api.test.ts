import { expect, test } from "vitest";
import { ApiRoute } from "../../../src/adapters/fetch-api/api-route.ts";
import type { ApiOptions } from "../../../src/adapters/fetch-api/options.ts";
import { parseJsonPath } from "../../../src/kernel/json-path.ts";
import type { FetchResult } from "../../../src/ports/fetch-route.ts";
import { ScriptedRoute } from "../../../src/simulate/scripted-route.ts";
import type { ScriptedAnswer, ScriptedCall } from "../../../src/simulate/scripted-web.ts";
import { VirtualClock } from "../../../src/simulate/virtual-clock.ts";
import { turn } from "../../fixtures/turn.ts";

const ENVELOPE = {
  status: parseJsonPath("$.status"),
  body: parseJsonPath("$.html"),
  finalUrl: parseJsonPath("$.url"),
  credits: parseJsonPath("$.cost"),
};
const BASE: ApiOptions = {
  name: "api",
  request: "https://api.test/v1?key=s3cret&url={url}",
  headers: [["X-Key", "s3cret"]],
  ...ENVELOPE,
  busy: [429],
  exhausted: [402, 509],
  render: "&render=true",
  country: "&country=de",
  session: "",
  forwardsHeaders: false,
  deadline: 120_000,
  secrets: ["s3cret"],
};

async function ask(answer: ScriptedAnswer, more: Partial<ApiOptions> = {}, url = "http://shop.test/a?b=1&c=2", timeout = 60_000) {
  const clock = new VirtualClock(turn);
  const calls: ScriptedCall[] = [];
  const inner = new ScriptedRoute(clock, { answer: () => answer, onStart: (call) => calls.push(call) });
  const route = new ApiRoute(
    { inner, judge: () => Promise.resolve({ kind: "failed", code: "private-address", message: "no" }), clock },
    { ...BASE, ...more },
  );
  const result = await clock.run(
    new Promise<FetchResult>((done) => {
      const request = {
        url,
        headers: [["accept-language", "de"]] as const,
        maxBody: 1_000,
        timeout,
        credit: { draw: () => true },
        decide: () => "read" as const,
      };
      route.start(request, done);
    }),
    600_000,
  );
  return { result, call: calls[0], route };
}

const json = (value: unknown, status = 200, headers: readonly (readonly [string, string])[] = []): ScriptedAnswer => ({
  kind: "response",
  status,
  headers,
  body: JSON.stringify(value),
  ttfb: 3_000,
});
const text = (result: FetchResult) => (result.kind === "response" ? new TextDecoder().decode(result.body) : "");

test("the page's URL goes into the request, encoded, with the parts for rendering and country", async () => {
  const { call } = await ask(json({ status: 200, html: "x", url: "http://shop.test/a?b=1&c=2", cost: 1 }));
  expect(call.url).toBe("https://api.test/v1?key=s3cret&url=http%3A%2F%2Fshop.test%2Fa%3Fb%3D1%26c%3D2&render=true&country=de");
  expect(call.headers).toEqual([["X-Key", "s3cret"]]);
  const robots = await ask(json({ status: 404, html: "" }), {}, "http://shop.test/robots.txt");
  expect(robots.call.url).not.toContain("render");
  const forwarded = await ask(json({ status: 404, html: "" }), { forwardsHeaders: "Fwd-" });
  expect(forwarded.call.headers).toEqual([
    ["X-Key", "s3cret"],
    ["Fwd-accept-language", "de"],
  ]);
});

test("the envelope tells status, body, final URL and credits of the target; its time says nothing of the site", async () => {
  const { result } = await ask(json({ status: 200, html: "<title>ß</title>", url: "http://shop.test/b", cost: 5 }));
  expect(result).toMatchObject({ kind: "response", status: 200, finalUrl: "http://shop.test/b", measure: { credits: 5, ttfb: null } });
  expect(text(result)).toBe("<title>ß</title>");
  expect(result.kind === "response" && [...result.body.subarray(0, 3)], "UTF-8 whatever the page says").toEqual([0xef, 0xbb, 0xbf]);
});

test("the target's 429 and 503 inside the envelope are the target's, and free", async () => {
  for (const status of [429, 503]) {
    const { result } = await ask(json({ status, html: "" }));
    expect(result).toMatchObject({ kind: "response", status, measure: { credits: 0 } });
  }
});

test.each([
  [429, "plan", [["retry-after", "7"]], 7_000],
  [509, "credits", [], null],
  [402, "credits", [], null],
  [401, "auth", [], null],
  [403, "auth", [], null],
  [500, "endpoint", [], null],
  [502, "endpoint", [], null],
] as const)("the API's own %d is a refusal by %s", async (status, by, headers, wait) => {
  const { result } = await ask(json({ error: "no" }, status, headers));
  expect(result).toMatchObject({ kind: "refusal", by, status, retryAfter: wait, measure: { credits: 0 } });
});

test("statuses of another API are set", async () => {
  expect((await ask(json({}, 403), { exhausted: [403] })).result).toMatchObject({ kind: "refusal", by: "credits" });
  expect((await ask(json({}, 503), { busy: [503] })).result).toMatchObject({ kind: "refusal", by: "plan" });
});

test("silence and cut answers are the API's trouble, and may have been charged for", async () => {
  const lost = await ask({ kind: "failure", code: "incomplete", phase: "body", after: 100 });
  expect(lost.result).toMatchObject({ kind: "refusal", by: "endpoint", measure: { credits: 1 } });
  const down = await ask({ kind: "failure", code: "connect", phase: "connect", after: 100 });
  expect(down.result).toMatchObject({ kind: "refusal", by: "endpoint", measure: { credits: 0 } });
});

test("a call has the API's deadline, not the page's shorter one", async () => {
  const slow = { ...json({ status: 200, html: "late" }), ttfb: 100_000 };
  expect((await ask(slow, {}, "http://shop.test/", 5_000)).result).toMatchObject({ kind: "response", status: 200 });
});

test("an answer that is not what the configuration says fails the page, and names what is missing", async () => {
  for (const answer of [json({ html: "x" }), json({ status: 200 }), { ...json(1), body: "<html>" }, json({ error: "bad url" }, 400)]) {
    const { result } = await ask(answer);
    expect(result).toMatchObject({ kind: "failure", code: "proxy" });
    expect(JSON.stringify(result)).not.toContain("s3cret");
  }
});

test("without a path to the body the answer is the page, and its 404 the page's", async () => {
  const plain = { status: null, body: null, finalUrl: null, credits: null };
  const { result } = await ask({ kind: "response", status: 200, body: "<p>page", ttfb: 10 }, plain);
  expect(result).toMatchObject({ kind: "response", status: 200, measure: { credits: 1 } });
  expect(text(result)).toBe("<p>page");
  expect((await ask({ kind: "response", status: 404, ttfb: 10 }, plain)).result).toMatchObject({ kind: "response", status: 404 });
  expect((await ask({ kind: "response", status: 403, ttfb: 10 }, plain)).result).toMatchObject({ kind: "response", status: 403 });
  expect((await ask({ kind: "response", status: 429, ttfb: 10 }, plain)).result).toMatchObject({ kind: "refusal", by: "plan" });
});

test("a page beyond the cap is too large; names are the API's to look up, literal private addresses are refused here", async () => {
  const { result, route } = await ask(json({ status: 200, html: "x".repeat(1_200) }));
  expect(result).toMatchObject({ kind: "failure", code: "too-large" });
  const { signal } = new AbortController();
  expect(await route.resolve("shop.test", 80, signal)).toMatchObject({ kind: "resolved" });
  for (const name of ["10.0.0.1", "[::1]", "localhost"]) expect(await route.resolve(name, 80, signal)).toMatchObject({ kind: "failed" });
});
