import { describe, expect, test } from "vitest";
import { FETCH_ERRORS, type FetchErrorCode } from "../../../../src/kernel/outcome.ts";
import type { FetchResult } from "../../../../src/ports/fetch-route.ts";
import { verdictOf } from "../../../../src/stages/fetch/verdict.ts";

const MEASURE = { ttfb: 120, total: 300, paused: 0, bytesOut: 200, bytesIn: 900, connected: false };

function response(status: number, headers: Readonly<Record<string, string>> = {}): FetchResult {
  const view = {
    get: (name: string) => headers[name],
    all: (name: string) => (headers[name] === undefined ? [] : [headers[name]]),
    entries: () => [],
  };
  return { kind: "response", status, headers: view, body: new Uint8Array(0), measure: MEASURE };
}

type Phase = (FetchResult & { kind: "failure" })["phase"];
const failure = (code: FetchErrorCode, phase: Phase): FetchResult => ({
  kind: "failure",
  code,
  phase,
  message: "what came",
  measure: MEASURE,
});

/** One line: what the host hears, and what becomes of the URL. */
function line(result: FetchResult): string {
  const { signal, next } = verdictOf(result, 0);
  const heard =
    signal.kind === "throttled" ? `throttled ${signal.retryAfter}` : signal.kind === "timeout" ? `timeout ${signal.phase}` : signal.kind;
  const becomes = next.kind === "retry" || next.kind === "settle" ? `${next.kind} ${next.outcome} ${next.code}` : next.kind;
  return `${heard} | ${becomes}`;
}

const OK = [200, 201, 202, 203, 207, 226, 299];
const ABSENT = [404, 410];
const SLOW_DOWN = [429, 503];
const REFUSED = [401, 403];
const PASSING = [408, 425, 500, 502, 504, 520, 521, 522, 523, 524];
const FOLLOWED = [301, 302, 303, 307, 308];

test("every status from 200 to 599 has its verdict", () => {
  for (let status = 200; status < 600; status++) {
    const got = line(response(status, { location: "/there" }));
    const code = `http-${status}`;
    let expected = `ok | settle failed ${code}`;
    if (status === 206) expected = "ok | settle failed incomplete";
    else if (status < 300 && status !== 204 && status !== 205) expected = "ok | parse";
    else if (status === 304) expected = "ok | not-modified";
    else if (FOLLOWED.includes(status)) expected = "ok | redirect";
    else if (ABSENT.includes(status)) expected = `ok | settle absent ${code}`;
    else if (status === 429) expected = `throttled null | retry blocked ${code}`;
    else if (status === 503) expected = `throttled null | retry failed ${code}`;
    else if (REFUSED.includes(status)) expected = `${status === 403 ? "forbidden" : "page-fault"} | settle blocked ${code}`;
    else if (PASSING.includes(status)) expected = `${status < 500 ? "page-fault" : "server-error"} | retry failed ${code}`;
    else if (status >= 500) expected = `server-error | settle failed ${code}`;
    expect(got, String(status)).toBe(expected);
  }
  expect(OK.every((status) => line(response(status)) === "ok | parse")).toBe(true);
});

test.each(SLOW_DOWN)("%i hands its Retry-After on, by the server's own clock", (status) => {
  expect(line(response(status, { "retry-after": "7" }))).toContain("throttled 7000 |");
  const dates = { "retry-after": "Tue, 01 Jan 2030 00:02:00 GMT", date: "Tue, 01 Jan 2030 00:00:00 GMT" };
  expect(line(response(status, dates))).toContain("throttled 120000 |");
  expect(line(response(status, { "retry-after": "soon" }))).toContain("throttled null |");
});

test("a redirect without a Location is a failure", () => {
  expect(line(response(301))).toBe("ok | settle failed http-301");
  expect(verdictOf(response(301, { location: "/x" }), 0).next).toEqual({ kind: "redirect", location: "/x" });
});

describe("a failure", () => {
  const RETRIED = ["timeout", "too-slow", "incomplete", "connect", "dns", "protocol"];
  const LISTED = FETCH_ERRORS.filter((code) => code !== "private-address");

  test.each(LISTED)("%s is tried again only when that can help", (code) => {
    const { next } = verdictOf(failure(code, "body"), 0);
    expect(next).toMatchObject({ kind: RETRIED.includes(code) ? "retry" : "settle", outcome: "failed", code });
  });

  test("a private address is skipped, whatever the phase, and nobody slows down for it", () => {
    for (const phase of ["resolve", "connect"] as const)
      expect(line(failure("private-address", phase))).toBe("page-fault | settle skipped private-address");
  });

  test.each<[FetchErrorCode, Phase, string]>([
    ["timeout", "connect", "timeout connect"],
    ["connect", "connect", "timeout connect"],
    ["dns", "resolve", "timeout connect"],
    ["timeout", "headers", "timeout headers"],
    ["connect", "headers", "reset"],
    ["incomplete", "headers", "reset"],
    ["protocol", "headers", "ok"],
    ["decode", "headers", "ok"],
    ["too-large", "headers", "ok"],
    ["tls", "tls", "page-fault"],
    ["timeout", "tls", "timeout connect"],
    ["connect", "tls", "reset"],
    ["timeout", "body", "dribble"],
    ["too-slow", "body", "dribble"],
    ["incomplete", "body", "ok"],
    ["too-large", "body", "ok"],
    ["decode", "body", "ok"],
    ["timeout", "local", "local"],
    ["connect", "local", "local"],
    ["timeout", "aborted", "aborted"],
  ])("%s while %s says: %s", (code, phase, heard) => {
    expect(line(failure(code, phase)).split(" | ")[0]).toBe(heard);
  });
});

test("a challenge that says what it is never counts as the page, whatever its status", () => {
  for (const status of [200, 403, 503]) {
    expect(line(response(status, { "cf-mitigated": "challenge" })), String(status)).toBe("blocked | settle blocked challenge");
  }
});
