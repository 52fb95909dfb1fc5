import { expect, test } from "vitest";
import type { ScriptedAnswer } from "../../src/simulate/scripted-web.ts";
import { figure, MINUTE, play, SECOND, SEEDS } from "./overload.ts";
import { status, tree, World } from "./world.ts";

const SERVICE = { ms: 300, jitter: 0.3 };

test.each(SEEDS)("5: a site that halves its tolerance is followed in one or two events (seed %i)", async (seed) => {
  const played = await play(
    {
      crawler: { hostCeiling: 32 },
      hosts: [
        {
          name: "cap.example",
          service: SERVICE,
          tolerance: { concurrent: 8 },
          timeline: [{ atMinutes: 5, tolerance: { concurrent: 4 } }],
        },
      ],
    },
    seed,
  );
  await played.simulation.advance(5 * MINUTE);
  const cutsBefore = played.cutsOf("cap.example");
  await played.simulation.advance(MINUTE);
  const events = played.cutsOf("cap.example") - cutsBefore;
  const limit = played.limitOf("cap.example");
  await played.simulation.advance(24 * MINUTE);
  const first = played.count("reject", 5 * MINUTE, 6 * MINUTE);
  const perHour = played.count("reject", 6 * MINUTE, 30 * MINUTE) * (60 / 24);
  const result = await played.end();
  figure("5 tolerance halves", seed, { first, perHour, events, limit, retryShare: result.retryShare });
  expect(first).toBeLessThanOrEqual(6);
  expect(perHour).toBeLessThanOrEqual(30);
  expect(events).toBeLessThanOrEqual(2);
  expect(limit).toBeLessThanOrEqual(4);
});

test.each(SEEDS)("6: one request per ten seconds is found and kept (seed %i)", async (seed) => {
  const played = await play(
    { crawler: { hostCeiling: 32 }, hosts: [{ name: "slow.example", service: SERVICE, tolerance: { perSecond: 0.1 } }] },
    seed,
  );
  await played.simulation.advance(60 * MINUTE);
  const rejects = played.count("reject", 0, 60 * MINUTE);
  const share = played.goodput(5 * MINUTE, 60 * MINUTE) / 0.1;
  const result = await played.end();
  figure("6 one per 10 s", seed, { rejects, share, retryShare: result.retryShare });
  expect(rejects).toBeLessThanOrEqual(20);
  expect(share).toBeGreaterThanOrEqual(0.7);
});

test.each(SEEDS)("7: a site that doubles its tolerance is used within 30 minutes (seed %i)", async (seed) => {
  const timeline = [{ atMinutes: 5, tolerance: { concurrent: 8 } }];
  const played = await play(
    { crawler: { hostCeiling: 32 }, hosts: [{ name: "cap.example", service: SERVICE, tolerance: { concurrent: 4 }, timeline }] },
    seed,
  );
  await played.simulation.advance(35 * MINUTE);
  const ideal = 8 / 0.3;
  let within = 30;
  for (let minute = 6; minute < 35; minute++) {
    if (played.goodput(minute * MINUTE, (minute + 1) * MINUTE) < 0.9 * ideal) continue;
    within = minute - 4;
    break;
  }
  const share = played.goodput(34 * MINUTE, 35 * MINUTE) / ideal;
  const rejects = played.count("reject", 5 * MINUTE, 35 * MINUTE) / played.startsIn(5 * MINUTE, 35 * MINUTE);
  const result = await played.end();
  figure("7 tolerance doubles", seed, { within, share, rejects, retryShare: result.retryShare });
  expect(share).toBeGreaterThanOrEqual(0.9);
  expect(rejects).toBeLessThanOrEqual(0.01);
});

test.each(SEEDS)("8: 32 refusals at once are one event, and one probe follows the gate (seed %i)", async (seed) => {
  let refusing = false;
  const world = await World.open({
    seeds: "http://burst.test/",
    seed,
    config: { hosts: { ceiling: 32 }, ipCeiling: 32 },
    answer: (call): ScriptedAnswer => (refusing ? status(429, [], 2_000) : tree(call, 100_000, 20, 200)),
  });
  const limiter = (): { readonly limit: number; readonly cuts: number; readonly gateUntil: number } => {
    const pipeline = world.run.pipeline;
    if (pipeline === null) throw new Error("not begun");
    return pipeline.frontier.hostOf("http://burst.test/").limiter;
  };
  await world.clock.advance(0);
  while (limiter().limit < 32 || world.route.inFlight < 32) await world.clock.advance(100);
  // Long enough for what was asked before to end, and for as many to be asked again: all of them are refused.
  refusing = true;
  await world.clock.advance(1_900);
  const before = limiter().limit;
  const refused = world.route.inFlight;
  while (limiter().cuts === 0) await world.clock.advance(1);
  const shut = limiter().gateUntil;
  await world.clock.advance(shut - world.clock.now() - 1);
  const after = limiter().limit;
  const early = world.starts.filter((call) => call.at > shut - 900 && call.at < shut).length;
  refusing = false;
  await world.clock.advance(100);
  const probes = world.starts.filter((call) => call.at >= shut && call.at <= world.clock.now()).length;
  figure("8 burst of refusals", seed, { refused, before, after, cuts: limiter().cuts, probes });
  expect(refused).toBe(32);
  expect(after).toBe(before * 0.5);
  expect(limiter().cuts).toBe(1);
  expect(early).toBe(0);
  expect(probes).toBe(1);
  world.run.stop();
  await world.finish();
});

const HOUR_OFF = 3_600_000;
const RETRY_AFTER = {
  "in seconds": () => [["retry-after", "120"]] as const,
  "as a date by a clock that is an hour off": (epoch: number) => {
    const theirs = epoch - HOUR_OFF;
    return [
      ["date", new Date(theirs).toUTCString()],
      ["retry-after", new Date(theirs + 120_000).toUTCString()],
    ] as const;
  },
};
const WAITS = SEEDS.flatMap((seed) => Object.entries(RETRY_AFTER).map(([how, headersAt]) => [how, seed, headersAt] as const));
test.each(WAITS)("9: Retry-After %s is waited for (seed %i)", async (how, seed, headersAt) => {
  let asked = 0;
  const world: World = await World.open({
    seed,
    seeds: "http://busy.test/",
    answer: (call) => {
      asked += 1;
      return asked === 3 ? status(429, headersAt(world.clock.epoch()), 50) : tree(call, 100, 5, 50);
    },
  });
  while (asked < 3) await world.clock.advance(10);
  const refusedAt = world.clock.now() + 50;
  await world.clock.advance(200 * SECOND);
  const next = world.starts.filter((call) => !call.url.endsWith("/robots.txt"))[3]?.at ?? Number.POSITIVE_INFINITY;
  const waited = (next - refusedAt) / 1000;
  figure(`9 Retry-After ${how}`, seed, { waited });
  expect(waited).toBeGreaterThanOrEqual(119.9);
  expect(waited).toBeLessThanOrEqual(126);
  world.run.stop();
  await world.finish();
});

test.each(SEEDS)("10: a site whose answers take three times as long is not driven into its queue (seed %i)", async (seed) => {
  const timeline = [
    { atMinutes: 10, service: { ms: 750 } },
    { atMinutes: 20, service: { ms: 250 } },
  ];
  const played = await play(
    { crawler: { hostCeiling: 32 }, hosts: [{ name: "queue.example", service: { ms: 250, jitter: 0.3, workers: 4 }, timeline }] },
    seed,
  );
  await played.simulation.advance(10 * MINUTE);
  const limitBefore = played.limitOf("queue.example");
  await played.simulation.advance(20 * MINUTE);
  const p95 = played.p95(11 * MINUTE, 20 * MINUTE) / 750;
  const share = played.goodput(11 * MINUTE, 20 * MINUTE) / (4 / 0.75);
  const early = played.goodput(11 * MINUTE, 14 * MINUTE) / (4 / 0.75);
  const back = played.goodput(29 * MINUTE, 30 * MINUTE) / played.goodput(9 * MINUTE, 10 * MINUTE);
  const limit = played.limitOf("queue.example") / limitBefore;
  const result = await played.end();
  figure("10 latency triples", seed, { p95, share, early, back, limit, retryShare: result.retryShare });
  expect(p95).toBeLessThanOrEqual(2);
  expect(share).toBeGreaterThanOrEqual(0.95);
  expect(early).toBeGreaterThanOrEqual(0.95);
  expect(limit).toBeLessThanOrEqual(1.5);
  expect(back).toBeGreaterThanOrEqual(0.95);
});
