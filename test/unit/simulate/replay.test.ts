import { describe, expect, test } from "vitest";
import { POLICIES, type PolicyName, replayHistory, type SpendingOptions, type SpendingRow } from "../../../src/app/simulation/spending.ts";
import { rowsText } from "../../../src/cli/simulate-history.ts";
import { ConfigError } from "../../../src/kernel/errors.ts";
import { seededRandom } from "../../../src/simulate/random.ts";
import { readHistory } from "../../../src/simulate/read-history.ts";

const DAY = 86_400;
const START = 1_600_000_000;
const io = { settle: () => Promise.resolve(), progress: () => undefined };
const options: SpendingOptions = {
  budgets: [{ text: "4 requests / day", perDay: 4 }],
  policies: ["index"],
  interval: 1,
  objective: "freshness",
  window: null,
  values: "file",
  seed: 1,
  warmUp: 0.33,
  maxAge: 365,
};

/** Pages with Poisson changes over `days`, rates spread over three decades. */
function poissonHistory(pages: number, days: number, seed: number): [string, number[]][] {
  const random = seededRandom(seed);
  return Array.from({ length: pages }, (_, page) => {
    const rate = 10 ** (-2.5 + 3 * random());
    const times = [START];
    for (let at = 0; ; times.push(Math.round(START + at * DAY))) {
      at -= Math.log(1 - random()) / rate;
      if (at > days) break;
    }
    return [`https://site.example/${page}`, times];
  });
}

async function row(history: unknown, policy: PolicyName, more: Partial<SpendingOptions> = {}): Promise<SpendingRow> {
  const rows = await replayHistory(history, "h.json", { ...options, policies: [policy], ...more }, io);
  return rows[0];
}

describe("a replay of recorded changes", () => {
  test("one page, visited once a day: freshness, counts and cost by hand", async () => {
    // Replay of ten days (the last change ends it). Visits at day 1…9. Changes at day 2.5 and 5.25: stale for .5 and .75 days.
    const history = [["a", [START, START + 2.5 * DAY, START + 5.25 * DAY, START + 10 * DAY]]];
    const got = await row(history, "uniform", { budgets: [{ text: "1 request / day", perDay: 1 }], warmUp: 0 });
    expect(got).toEqual({
      policy: "uniform",
      budget: "1 request / day",
      visits: 9,
      cost: 9,
      freshness: expect.closeTo((10 - 0.5 - 0.75) / 10, 9),
      changesCaught: 2,
      changes: 3,
      costPerChange: 4.5,
      unchangedShare: expect.closeTo(7 / 9, 9),
    });
  });

  test("the budget is spent evenly and to the visit by every policy that pulls ahead, at several costs", async () => {
    const history = poissonHistory(60, 200, 2).map(([page, times], at) => [page, times, [1, 3, 10, 30][at % 4], [1, 2.5][at % 2]]);
    for (const policy of ["index", "c5", "uniform", "proportional"] as const) {
      const { cost } = await row(history, policy);
      expect(cost, policy).toBeGreaterThan(4 * 200 * 0.97);
      expect(cost, policy).toBeLessThanOrEqual(4 * 200);
    }
    const { cost } = await row(history, "adaptive");
    expect(cost).toBeLessThanOrEqual(4 * 200);
  });

  test("the same seed gives the same rows to the last digit, another seed other weights", async () => {
    const history = poissonHistory(40, 120, 3);
    const more = { values: "drawn", policies: POLICIES } as const;
    const once = await replayHistory(history, "h.json", { ...options, ...more }, io);
    expect(await replayHistory(history, "h.json", { ...options, ...more }, io)).toEqual(once);
    expect((await replayHistory(history, "h.json", { ...options, ...more, seed: 2 }, io))[0].freshness).not.toBe(once[0].freshness);
    expect(once.map(({ policy }) => policy)).toEqual(POLICIES);
    expect(rowsText(once, { seed: 1 }).split("\n")).toHaveLength(POLICIES.length + 2);
  });

  test("learned on the way, the index keeps pages fresher than every other policy", async () => {
    const history = poissonHistory(300, 300, 4);
    const budgets = [{ text: "10 requests / day", perDay: 10 }];
    const fresh = async (policy: PolicyName): Promise<number> => (await row(history, policy, { budgets, values: "drawn" })).freshness ?? 0;
    const index = await fresh("index");
    // The plain formula with an interval of one day underrates what changes slower than the budget comes round.
    expect(index - (await fresh("c5"))).toBeGreaterThan(0.03);
    expect(index - (await fresh("uniform"))).toBeGreaterThan(0.01);
    expect(index - (await fresh("proportional"))).toBeGreaterThan(0.03);
    expect(index - (await fresh("adaptive"))).toBeGreaterThan(0.03);
  });

  test("under events more changes are caught than under freshness", async () => {
    const history = poissonHistory(200, 300, 5);
    const budgets = [{ text: "20 requests / day", perDay: 20 }];
    const events = await row(history, "index", { budgets, objective: "events" });
    expect(events.changesCaught).toBeGreaterThan(1.1 * (await row(history, "index", { budgets })).changesCaught);
  });

  test("no page waits longer than the max age, fast or slow", async () => {
    const fast = Array.from({ length: 900 }, (_, i) => START + (i * DAY) / 3);
    const history = [
      ["fast", fast],
      ["slow", [START, START + 290 * DAY]],
    ];
    const wait = await row(history, "c5", { budgets: [{ text: "", perDay: 0.5 }], maxAge: 30 });
    expect(wait.changesCaught).toBeGreaterThanOrEqual(9);
  });
});

describe("a history file", () => {
  const read = (value: unknown, window: number | null = null) => readHistory(value, { window, values: "file", random: seededRandom(1) });

  test("a page exists from its first entry on; with a window the pages that are older than it, as just visited", () => {
    const value = [
      ["late", [START + 90 * DAY, START + 95 * DAY]],
      ["early", [START + 100 * DAY, START, START + 85 * DAY]],
    ];
    const all = read(value);
    if (!("born" in all)) throw new Error("not read");
    expect([...all.born]).toEqual([90, 0]);
    expect([...all.changes]).toEqual([95, 85, 100]);
    const last = read(value, 20);
    if (!("born" in last)) throw new Error("not read");
    expect(last.names).toEqual(["early"]);
    expect([...last.born]).toEqual([0]);
    expect([...last.changes]).toEqual([5, 20]);
  });

  test.each([
    ["no array", { a: 1 }, "the file"],
    ["an entry that is none", [["a", [1]], 7], "[1]"],
    ["a name that is no text", [[3, [1]]], "[0][0]"],
    ["a time that is none", [["a", [1, 2, "x"]]], "[0] a[1][2]"],
    ["a time before 1970", [["a", [-1]]], "[0] a[1][0]"],
    ["a value of nothing", [["a", [1, 2], 0]], "[0] a[2]"],
    ["a cost below zero", [["a", [1, 2], 1, -1]], "[0] a[3]"],
    [
      "a page twice",
      [
        ["a", [1, 2]],
        ["a", [1, 2]],
      ],
      "[1] a",
    ],
    ["no change at all", [["a", []]], "the file"],
  ])("%s is told with page and position", async (_what, value, path) => {
    const problems = read(value);
    expect(problems).toEqual([expect.objectContaining({ path })]);
    await expect(replayHistory(value, "h.json", options, io)).rejects.toThrow(ConfigError);
  });

  test("a broken file tells its first problems, not a million", () => {
    expect(read(Array.from({ length: 1000 }, () => 1))).toHaveLength(20);
  });
});
