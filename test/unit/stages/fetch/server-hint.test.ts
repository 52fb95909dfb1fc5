import fc from "fast-check";
import { expect, test } from "vitest";
import { serverHint } from "../../../../src/stages/fetch/server-hint.ts";

const NOW = Date.UTC(2026, 0, 1, 12);
const DATE = "Thu, 01 Jan 2026 13:00:00 GMT";

function hint(headers: Readonly<Record<string, string | readonly string[]>>) {
  const all = (name: string): readonly string[] => [headers[name] ?? []].flat();
  return serverHint({ get: (name) => all(name)[0], all, entries: () => [] }, NOW);
}

test("an answer without such headers says nothing", () => {
  expect(hint({ "retry-after": "7" })).toBeNull();
});

test("what is left of a window is spread over it", () => {
  expect(hint({ ratelimit: '"default";r=50;t=30' })).toEqual({ gap: 600, closedFor: 0, concurrent: null });
});

test("nothing left closes the host until the reset", () => {
  expect(hint({ ratelimit: '"default";r=0;t=30' })).toEqual({ gap: 0, closedFor: 30_000, concurrent: null });
});

test("a quota per window is a ceiling of the rate, the strictest of several", () => {
  expect(hint({ "ratelimit-policy": '"burst";q=100;w=60, "daily";q=1000;w=86400' })?.gap).toBe(86_400);
  expect(hint({ "ratelimit-policy": ['"burst";q=100;w=60', '"slow";q=1;w=2'] })?.gap).toBe(2_000);
  expect(hint({ "ratelimit-policy": '"burst";q=100;w=60', ratelimit: '"burst";r=50;t=5' })?.gap).toBe(600);
});

test("concurrent requests are a ceiling, and bytes are none of our requests", () => {
  expect(hint({ "ratelimit-policy": '"c";q=3;qu="concurrent-requests"' })).toEqual({ gap: 0, closedFor: 0, concurrent: 3 });
  expect(hint({ "ratelimit-policy": '"b";q=9000;w=60;qu="content-bytes"', ratelimit: '"b";r=0;t=60' })).toBeNull();
});

test("the earlier forms mean the same", () => {
  expect(hint({ ratelimit: "limit=100, remaining=50, reset=5" })?.gap).toBe(100);
  expect(hint({ "ratelimit-limit": "100", "ratelimit-remaining": "0", "ratelimit-reset": "5" })?.closedFor).toBe(5_000);
  expect(hint({ "x-ratelimit-limit": "100", "x-ratelimit-remaining": "10", "x-ratelimit-reset": "60" })?.gap).toBe(6_000);
  expect(hint({ "x-rate-limit-remaining": "0", "x-rate-limit-reset": "9" })?.closedFor).toBe(9_000);
});

test("a reset that is an instant is measured from the server's own clock", () => {
  const at = Date.UTC(2026, 0, 1, 13, 2) / 1_000;
  expect(hint({ "x-ratelimit-remaining": "0", "x-ratelimit-reset": String(at), date: DATE })?.closedFor).toBe(120_000);
  expect(hint({ "x-ratelimit-remaining": "0", "x-ratelimit-reset": String(at * 1_000), date: DATE })?.closedFor).toBe(120_000);
  expect(hint({ "x-ratelimit-remaining": "0", "x-ratelimit-reset": String(NOW / 1_000 + 7) })?.closedFor).toBe(7_000);
});

test("a cached answer's are somebody else's", () => {
  expect(hint({ ratelimit: '"default";r=0;t=30', age: "12" })).toBeNull();
  expect(hint({ ratelimit: '"default";r=0;t=30', age: "0" })).not.toBeNull();
});

test("Retry-After outranks a closed window", () => {
  expect(hint({ ratelimit: '"default";r=0;t=30, "other";r=10;t=5', "retry-after": "3" })).toEqual({
    gap: 500,
    closedFor: 0,
    concurrent: null,
  });
});

test.each(['"default";r=x;t=30', "r=0", ";;;=,", '"default";r=-1;t=30', '"default";t=30', "remaining=, reset=5"])(
  "%j is ignored",
  (value) => {
    expect(hint({ ratelimit: value })).toBeNull();
  },
);

test("nothing is honoured for more than a day", () => {
  expect(hint({ ratelimit: '"default";r=0;t=999999999' })?.closedFor).toBe(86_400_000);
  expect(hint({ ratelimit: '"default";r=1;t=999999999' })?.gap).toBe(86_400_000);
});

test("any text is null or a hint within its bounds", () => {
  const text = fc.oneof(fc.string(), fc.stringMatching(/^[ "a-z;=,0-9.]*$/));
  fc.assert(
    fc.property(text, text, text, text, (item, policy, left, reset) => {
      const got = hint({ ratelimit: item, "ratelimit-policy": policy, "x-ratelimit-remaining": left, "x-ratelimit-reset": reset });
      if (got === null) return;
      for (const value of [got.gap, got.closedFor]) expect(value >= 0 && value <= 86_400_000).toBe(true);
      expect(got.concurrent === null || got.concurrent >= 1).toBe(true);
    }),
  );
});
