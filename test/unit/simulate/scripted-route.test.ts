import { expect, test } from "vitest";
import type { FetchRequest, FetchResult } from "../../../src/ports/fetch-route.ts";
import { ScriptedRoute } from "../../../src/simulate/scripted-route.ts";
import type { ScriptedAnswer } from "../../../src/simulate/scripted-web.ts";
import { VirtualClock } from "../../../src/simulate/virtual-clock.ts";
import { turn } from "../../fixtures/turn.ts";

const MiB = 1_048_576;

function setting(answer: ScriptedAnswer) {
  const clock = new VirtualClock(turn);
  const route = new ScriptedRoute(clock, { answer: () => answer });
  const ends: { readonly result: FetchResult; readonly at: number }[] = [];
  const start = (more: Partial<FetchRequest> = {}): (() => void) => {
    const request: FetchRequest = {
      url: "http://a.test/x",
      headers: [],
      maxBody: 10 * MiB,
      timeout: 60_000,
      credit: { draw: () => true },
      decide: () => "read",
      ...more,
    };
    return route.start(request, (result) => ends.push({ result, at: clock.now() }));
  };
  return { clock, route, ends, start };
}

const body = (bytes: number, ttfb = 100, transfer = 400): ScriptedAnswer => ({
  kind: "response",
  status: 200,
  headers: [["content-type", "text/html"]],
  body: new Uint8Array(bytes),
  ttfb,
  transfer,
});

test("an answer comes after its times, with its parts and measures", async () => {
  const { clock, ends, start } = setting(body(1_000));
  start();
  expect(ends).toEqual([]);
  await clock.advance(499);
  expect(ends).toEqual([]);
  await clock.advance(1);
  expect(ends[0].result).toMatchObject({ kind: "response", status: 200, measure: { ttfb: 100, total: 500, paused: 0, connected: true } });
});

test("even an answer at once is never given inside start", async () => {
  const { clock, ends, start } = setting({ kind: "response", status: 204, ttfb: 0 });
  start();
  expect(ends.length).toBe(0);
  await clock.advance(0);
  expect(ends.length).toBe(1);
});

test("a body without credit pauses, and the pause counts neither as time of the fetch nor twice", async () => {
  const { clock, route, ends, start } = setting(body(MiB, 100, 400));
  const waits: (() => void)[] = [];
  start({ timeout: 600, credit: { draw: (_bytes, granted) => waits.push(granted) > 1 } });
  await clock.advance(5_000);
  expect([ends.length, waits.length, route.heldBytes]).toEqual([0, 1, MiB / 4]);
  waits[0]();
  await clock.advance(1_000);
  expect(ends[0].result).toMatchObject({ kind: "response", measure: { paused: 4_700, total: 5_200 } });
  expect([route.heldBytes, route.mostHeldBytes]).toEqual([0, MiB]);
});

test("the deadline ends a late answer in its headers, and a slow body in its body", async () => {
  const late = setting(body(10, 2_000, 0));
  late.start({ timeout: 1_000 });
  await late.clock.advance(1_000);
  expect(late.ends[0].result).toMatchObject({ kind: "failure", code: "timeout", phase: "headers" });
  const slow = setting(body(MiB, 100, 10_000));
  slow.start({ timeout: 5_000 });
  await slow.clock.advance(20_000);
  expect(slow.ends).toMatchObject([{ at: 5_000, result: { kind: "failure", code: "timeout", phase: "body", status: 200 } }]);
  expect(slow.route.heldBytes).toBe(0);
});

test("a body beyond the cap ends as too large, a discarded one comes empty", async () => {
  const large = setting(body(3 * MiB));
  large.start({ maxBody: MiB });
  await large.clock.advance(1_000);
  expect(large.ends[0].result).toMatchObject({ kind: "failure", code: "too-large", phase: "body" });
  const discarded = setting(body(3 * MiB));
  discarded.start({ decide: () => "discard" });
  await discarded.clock.advance(100);
  expect(discarded.ends[0].result).toMatchObject({ kind: "response", body: new Uint8Array(0) });
});

test("an abort ends a fetch once, at any moment, and closing ends all", async () => {
  for (const after of [0, 50, 100, 300]) {
    const { clock, route, ends, start } = setting(body(MiB));
    const abort = start();
    start();
    await clock.advance(after);
    abort();
    abort();
    expect(ends.length, "not inside the call").toBe(0);
    await clock.advance(0);
    expect(ends.map((end) => end.result)).toMatchObject([{ kind: "failure", phase: "aborted" }]);
    await route.close();
    await clock.advance(10_000);
    expect(ends.length).toBe(2);
    expect([route.inFlight, route.heldBytes, route.inFlightOf("a.test")]).toEqual([0, 0, 0]);
  }
});

test("look-ups answer as the web says, by default at once", async () => {
  const clock = new VirtualClock(turn);
  const { signal } = new AbortController();
  const answer = (): ScriptedAnswer => ({ kind: "response", status: 204, ttfb: 0 });
  const plain = new ScriptedRoute(clock, { answer });
  expect(await plain.resolve("a.test", 443, signal)).toMatchObject({ kind: "resolved" });
  const scripted = new ScriptedRoute(clock, {
    answer,
    address: (name) =>
      name === "a.test" ? { kind: "resolved", addresses: ["192.0.2.1"], after: 30 } : { kind: "failed", code: "dns", after: 10 },
  });
  expect(await clock.run(scripted.resolve("a.test", 443, signal), 100)).toEqual({ kind: "resolved", addresses: ["192.0.2.1"] });
  expect(await clock.run(scripted.resolve("b.test", 443, signal), 100)).toMatchObject({ kind: "failed", code: "dns" });
  expect(clock.now()).toBe(40);
});
