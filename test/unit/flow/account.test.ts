import fc from "fast-check";
import { expect, test } from "vitest";
import { Account, type Reservation } from "../../../src/flow/account.ts";
import { nextReset, parseResetRule } from "../../../src/kernel/reset-rule.ts";

const DAY = 86_400_000;
const NOON = Date.UTC(2026, 10, 30, 12);
const MIDNIGHT = Date.UTC(2026, 11, 1);
const NEVER = Number.POSITIVE_INFINITY;

test("money is reserved before a call and settled after it; starts stop when less than one reserve is free", () => {
  const account = new Account({ least: 1, balance: 3, resetAt: null }, NOON);
  const calls = [account.start(), account.start(), account.start()];
  expect(account.opensAt(NOON)).toBe(NEVER);
  account.settle(calls[0], 0, true);
  expect(account.opensAt(NOON)).toBe(NOON);
  account.settle(calls[1], 1, true);
  account.settle(calls[2], 1, true);
  expect(account).toMatchObject({ spent: 2, left: 1, reserved: 0 });
});

test("an account that is spent by our own count is shut until its reset, and full again then", () => {
  const account = new Account({ least: 1, balance: 2, resetAt: { kind: "day", minute: 0 } }, NOON);
  for (let i = 0; i < 2; i++) account.settle(account.start(), 1, true);
  expect(account.opensAt(NOON)).toBe(MIDNIGHT);
  expect(account.opensAt(MIDNIGHT - 1)).toBe(MIDNIGHT);
  expect(account.opensAt(MIDNIGHT)).toBe(MIDNIGHT);
  expect(account.left).toBe(2);
});

test("after the first refusal nothing starts; others that were in flight change nothing, and good answers are kept", () => {
  const account = new Account({ least: 1, balance: null, resetAt: { kind: "day", minute: 0 } }, NOON);
  const calls = Array.from({ length: 20 }, () => account.start());
  account.exhausted(calls[0], null, NOON);
  expect(account.opensAt(NOON)).toBe(MIDNIGHT);
  for (const call of calls.slice(1, 10)) account.exhausted(call, null, NOON + 500);
  for (const call of calls.slice(10)) account.settle(call, 1, true);
  expect(account.opensAt(NOON + 500)).toBe(MIDNIGHT);
  expect(account).toMatchObject({ spent: 10, reserved: 0 });
});

test("after the reset one call goes first; the others follow when it got through", () => {
  const account = new Account({ least: 1, balance: null, resetAt: { kind: "day", minute: 0 } }, NOON);
  const late = account.start();
  account.exhausted(account.start(), null, NOON);
  expect(account.opensAt(MIDNIGHT)).toBe(MIDNIGHT);
  const probe = account.start();
  expect(account.opensAt(MIDNIGHT)).toBe(NEVER);
  // One from before the reset proves nothing, either way.
  account.settle(late, 1, true);
  expect(account.opensAt(MIDNIGHT)).toBe(NEVER);
  account.settle(probe, 1, true);
  expect(account.opensAt(MIDNIGHT)).toBe(MIDNIGHT);
});

test("a provider whose day begins later than ours is asked again by the minute, not the next day", () => {
  const account = new Account({ least: 1, balance: null, resetAt: { kind: "day", minute: 0 } }, NOON);
  account.exhausted(account.start(), null, NOON);
  account.opensAt(MIDNIGHT);
  account.exhausted(account.start(), null, MIDNIGHT + 100);
  expect(account.opensAt(MIDNIGHT + 100)).toBe(MIDNIGHT + 100 + 60_000);
  account.opensAt(MIDNIGHT + 61_000);
  account.exhausted(account.start(), null, MIDNIGHT + 61_000);
  expect(account.opensAt(MIDNIGHT + 61_000)).toBe(MIDNIGHT + 61_000 + 120_000);
});

test("the provider's word on when it is filled counts before the calendar's", () => {
  const account = new Account({ least: 1, balance: null, resetAt: { kind: "day", minute: 0 } }, NOON);
  account.exhausted(account.start(), NOON + 3_000, NOON);
  expect(account.opensAt(NOON)).toBe(NOON + 3_000);
});

test("without a reset it waits for a person; a top-up opens it at once, with what was added", () => {
  const account = new Account({ least: 1, balance: null, resetAt: null }, NOON);
  account.exhausted(account.start(), null, NOON);
  expect(account.opensAt(NOON + 40 * DAY)).toBe(NEVER);
  account.topUp(5);
  expect(account.opensAt(NOON)).toBe(NOON);
  expect(account.left).toBe(5);
  const known = new Account({ least: 1, balance: 1, resetAt: null }, NOON);
  known.settle(known.start(), 1, true);
  known.opensAt(NOON);
  known.topUp(null);
  expect(known).toMatchObject({ left: 1, shut: null });
});

test("calls that cost more are reserved for: nine of ten cost no more than the reserve", () => {
  const account = new Account({ least: 1, balance: 1_000, resetAt: null }, NOON);
  for (let i = 0; i < 40; i++) account.settle(account.start(), 5, true);
  expect(account.start().held).toBe(5);
});

test("a restart knows what was spent, what was left, and counts what was in flight as spent", () => {
  const options = { least: 1, balance: 10, resetAt: { kind: "day", minute: 0 } } as const;
  const account = new Account(options, NOON);
  for (let i = 0; i < 4; i++) account.settle(account.start(), 1, true);
  account.start();
  const state = JSON.parse(JSON.stringify(account.state()));
  const next = new Account(options, NOON);
  next.restore(state, NOON + 1_000);
  expect(next).toMatchObject({ spent: 5, left: 5, reserved: 0 });
  const tomorrow = new Account(options, MIDNIGHT + 1);
  tomorrow.restore(state, MIDNIGHT + 1);
  expect(tomorrow.left).toBe(10);
});

test("a shut account stays shut over a restart", () => {
  const options = { least: 1, balance: null, resetAt: { kind: "day", minute: 0 } } as const;
  const account = new Account(options, NOON);
  account.exhausted(account.start(), null, NOON);
  const next = new Account(options, NOON);
  next.restore(account.state(), NOON + 1);
  expect(next.opensAt(NOON + 1)).toBe(MIDNIGHT);
});

test("whatever calls cost, the account is never overdrawn by more than what was in flight", () => {
  const step = fc.record({ start: fc.boolean(), cost: fc.integer({ min: 0, max: 25 }) });
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 200 }), fc.array(step, { maxLength: 200 }), (balance, steps) => {
      const account = new Account({ least: 1, balance, resetAt: null }, NOON);
      const open: Reservation[] = [];
      let most = 0;
      for (const { start, cost } of steps) {
        if (start && account.opensAt(NOON) <= NOON) {
          open.push(account.start());
          most = 25 * open.length;
        }
        const ending = start ? undefined : open.shift();
        if (ending === undefined) continue;
        account.settle(ending, cost, true);
        expect(-(account.left ?? 0)).toBeLessThanOrEqual(most);
      }
      expect(account.reserved).toBe(open.reduce((sum, { held }) => sum + held, 0));
    }),
    { numRuns: 200 },
  );
});

test("resets follow the calendar of UTC", () => {
  expect(nextReset({ kind: "hour" }, NOON + 1)).toBe(NOON + 3_600_000);
  expect(nextReset({ kind: "day", minute: 0 }, NOON)).toBe(MIDNIGHT);
  expect(nextReset({ kind: "day", minute: 360 }, NOON)).toBe(MIDNIGHT + 6 * 3_600_000);
  expect(nextReset({ kind: "day", minute: 780 }, NOON)).toBe(NOON + 3_600_000);
  expect(nextReset({ kind: "month" }, NOON)).toBe(MIDNIGHT);
  expect(nextReset({ kind: "month" }, Date.UTC(2026, 11, 5))).toBe(Date.UTC(2027, 0, 1));
  expect(nextReset({ kind: "at", at: MIDNIGHT }, NOON)).toBe(MIDNIGHT);
  expect(nextReset({ kind: "at", at: MIDNIGHT }, MIDNIGHT)).toBe(null);
});

test.each([
  ["day", { kind: "day", minute: 0 }],
  ["Month", { kind: "month" }],
  ["06:30", { kind: "day", minute: 390 }],
  ["2026-12-01T00:00:00Z", { kind: "at", at: MIDNIGHT }],
  ["2026-12-01", { kind: "at", at: MIDNIGHT }],
  ["tomorrow", null],
  ["24:00", null],
  ["2026-13-01", null],
  ["2026-12-01T00:00", null],
] as const)("resetAt %s", (text, rule) => {
  expect(parseResetRule(text)).toEqual(rule);
});
