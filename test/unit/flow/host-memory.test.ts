import { describe, expect, test } from "vitest";
import type { HostSignal } from "../../../src/flow/host-limiter.ts";
import { HostMemory } from "../../../src/flow/host-memory.ts";
import type { Signal } from "../../../src/kernel/signal.ts";

const OK: Signal = { kind: "ok", ttfb: 100 };
const FORBIDDEN: Signal = { kind: "forbidden" };
const ERROR: Signal = { kind: "server-error", status: 500 };
const CHALLENGE: Signal = { kind: "blocked", mark: "challenge-page" };
const HOUR = 3_600_000;
const MINUTE = 60_000;

/** Hears one signal a second; each began half a second before. */
function told(...signals: readonly Signal[]): HostSignal[] {
  const memory = new HostMemory();
  return signals.map((signal, index) => memory.hear(signal, index * 1_000 + 500, (index + 1) * 1_000));
}

const causes = (heard: readonly HostSignal[]): string[] => heard.map((one) => (one.kind === "congestion" ? one.cause : one.kind));

describe("a 403", () => {
  test("alone among successes is that page's refusal", () => {
    expect(causes(told(OK, OK, FORBIDDEN, OK, OK, OK, OK, OK, OK, OK, FORBIDDEN, OK))).not.toContain("forbidden");
  });

  test("that follows another one at a host that was answering is a block", () => {
    expect(causes(told(OK, OK, FORBIDDEN, FORBIDDEN))).toEqual(["ok", "ok", "neutral", "forbidden"]);
  });

  test("is a block when three of the last ten answers are 403", () => {
    expect(causes(told(OK, FORBIDDEN, OK, FORBIDDEN, OK, FORBIDDEN)).at(-1)).toBe("forbidden");
    const spread = [FORBIDDEN, OK, OK, OK, OK, FORBIDDEN, OK, OK, OK, OK, FORBIDDEN];
    expect(causes(told(...spread)).at(-1)).toBe("neutral");
  });

  test("of a host that never answered well is a block from the third on", () => {
    expect(causes(told(FORBIDDEN, FORBIDDEN, FORBIDDEN))).toEqual(["neutral", "neutral", "forbidden"]);
  });

  test("two after an hour without an answer are not yet a run", () => {
    const memory = new HostMemory();
    memory.hear(OK, 0, 10);
    memory.hear(FORBIDDEN, HOUR + 10, HOUR + 20);
    expect(memory.hear(FORBIDDEN, HOUR + 20, HOUR + 30).kind).toBe("neutral");
  });

  test("judged a block closes for no fixed time: a members' area gives runs of 403 too", () => {
    expect(told(OK, FORBIDDEN, FORBIDDEN).at(-1)).toEqual({ kind: "congestion", cause: "forbidden", retryAfter: null });
  });
});

describe("a 5xx without overload meaning", () => {
  test("changes nothing until three in a row, and then asks for less with each", () => {
    expect(causes(told(ERROR, ERROR, OK, ERROR, ERROR, ERROR, ERROR))).toEqual([
      "neutral",
      "neutral",
      "ok",
      "neutral",
      "neutral",
      "errors",
      "errors",
    ]);
  });
});

describe("a challenge", () => {
  test("closes the host for five minutes at least, doubling up to an hour, and anew after a success", () => {
    const memory = new HostMemory();
    const gates: unknown[] = [];
    for (let n = 1; n <= 6; n++) {
      const heard = memory.hear(CHALLENGE, n * HOUR, n * HOUR + 100);
      gates.push(heard.kind === "congestion" && heard.retryAfter);
    }
    expect(gates).toEqual([5, 10, 20, 40, 60, 60].map((minutes) => minutes * MINUTE));
    memory.hear(OK, 7 * HOUR, 7 * HOUR + 1);
    expect(memory.hear(CHALLENGE, 8 * HOUR, 8 * HOUR + 1)).toMatchObject({ cause: "block", retryAfter: 5 * MINUTE });
  });

  test("of eight requests under way at once is one event", () => {
    const memory = new HostMemory();
    for (let n = 0; n < 8; n++) expect(memory.hear(CHALLENGE, 1_000 + n, 2_000 + n)).toMatchObject({ retryAfter: 5 * MINUTE });
  });
});

test("signals of the host reach its limiter, each with its own cause", () => {
  expect(
    causes(
      told(
        { kind: "throttled", status: 429, retryAfter: 7_000 },
        { kind: "reset" },
        { kind: "timeout", phase: "connect" },
        { kind: "timeout", phase: "headers" },
        { kind: "dribble" },
      ),
    ),
  ).toEqual(["throttle", "reset", "timeout", "timeout", "dribble"]);
  expect(told({ kind: "throttled", status: 429, retryAfter: 7_000 })[0]).toMatchObject({ retryAfter: 7_000 });
});

test("what is not the host's leaves its limiter alone", () => {
  const others: Signal[] = [
    { kind: "page-fault" },
    { kind: "aborted" },
    { kind: "local", cause: "dns" },
    { kind: "provider-busy", retryAfter: null },
    { kind: "endpoint-down" },
    { kind: "credits-exhausted", resetAt: null },
    { kind: "misconfigured", detail: "" },
  ];
  expect(causes(told(...others)).every((cause) => cause === "neutral")).toBe(true);
});

test("the last refusal is kept with its cause and its time", () => {
  const memory = new HostMemory();
  expect(memory.lastRefusal).toBe(null);
  memory.hear(OK, 0, 1);
  memory.hear({ kind: "throttled", status: 503, retryAfter: null }, 2, 3);
  memory.hear(OK, 4, 5);
  expect(memory.lastRefusal).toEqual({ cause: "throttle", at: 3, what: "http-503" });
});
