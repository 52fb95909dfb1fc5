import { expect, test } from "vitest";
import { Endpoints, type ExitTaken } from "../../../src/flow/endpoints.ts";
import { seededRandom } from "../../../src/simulate/random.ts";

const three = [{ region: "de" }, { region: "de" }, { region: "us" }];
const random = (): number => 0.5;
const hosts = Array.from({ length: 60 }, (_, i) => `h${i}.example`);

/** Closes an endpoint as its own hosts would see it. */
function close(endpoints: Endpoints, index: number, now: number): void {
  const refused: [string, ExitTaken][] = [];
  for (const host of hosts) {
    const taken = endpoints.start(host, now, random);
    if (taken === null) throw new Error("not admitted");
    if (taken.endpoint === index) refused.push([host, taken]);
    else endpoints.end(host, taken, "ok", now, random);
  }
  for (const [host, taken] of refused) endpoints.end(host, taken, "refused", now, random);
}

function homes(endpoints: Endpoints, now: number): number[] {
  return hosts.map((host) => {
    const taken = endpoints.start(host, now, random);
    if (taken === null) return -1;
    endpoints.end(host, taken, "neutral", now, random);
    return taken.endpoint;
  });
}

test("a host keeps its endpoint and its session while they work, and hosts are spread", () => {
  const endpoints = new Endpoints(three, 7);
  const seen = new Map<string, Set<string>>();
  for (let now = 0; now < 100_000; now += 1_000)
    for (const host of hosts) {
      const taken = endpoints.start(host, now, random);
      if (taken === null) throw new Error("not admitted");
      seen.set(host, (seen.get(host) ?? new Set()).add(`${taken.endpoint}/${taken.session}`));
      endpoints.end(host, taken, "ok", now, random);
    }
  expect([...seen.values()].every((one) => one.size === 1)).toBe(true);
  expect(new Set([...seen.values()].map((one) => [...one][0].split("/")[1])).size).toBe(hosts.length);
  const counts = [0, 1, 2].map((index) => homes(endpoints, 100_000).filter((one) => one === index).length);
  expect(Math.min(...counts)).toBeGreaterThan(8);
  // Sessions of another run are others.
  expect(new Endpoints(three, 8).start("h0.example", 0, random)?.session).not.toBe([...(seen.get("h0.example") ?? [])][0].split("/")[1]);
});

test("one failure closes nothing; three in a row close an endpoint, and its gate doubles with each failed probe", () => {
  const endpoints = new Endpoints([{ region: null }], 1);
  const [only] = endpoints.endpoints;
  const end = (host: string, outcome: "ok" | "refused", now: number): void => {
    const taken = endpoints.start(host, now, random);
    if (taken === null) throw new Error(`not admitted at ${now}`);
    endpoints.end(host, taken, outcome, now, random);
  };
  end("a", "refused", 0);
  end("b", "refused", 0);
  expect(only.isOpen).toBe(true);
  end("c", "refused", 0);
  expect([only.isOpen, only.gateUntil]).toEqual([false, 750]);
  expect(endpoints.start("d", 749, random)).toBeNull();
  expect(endpoints.admitAt("d", 0)).toBe(750);
  end("d", "refused", 750);
  expect(only.gateUntil).toBe(750 + 1_500);
  end("e", "refused", 2_250);
  expect(only.gateUntil).toBe(2_250 + 3_000);
  end("f", "ok", 5_250);
  expect([only.isOpen, only.failures]).toEqual([true, { row: 0, events: 0 }]);
});

test("while half open one probe is out, and only one", () => {
  const endpoints = new Endpoints([{ region: null }], 1);
  for (const host of ["a", "b", "c"]) endpoints.end(host, endpoints.start(host, 0, random) as ExitTaken, "refused", 0, random);
  const probe = endpoints.start("x", 1_000, random) as ExitTaken;
  expect(probe).not.toBeNull();
  expect(endpoints.start("y", 1_000, random)).toBeNull();
  expect(endpoints.admitAt("y", 1_000)).toBe(2_000);
  // A probe that taught nothing lets another one go.
  endpoints.end("x", probe, "neutral", 1_100, random);
  expect(endpoints.admitAt("y", 1_100)).toBe(2_100);
  const second = endpoints.start("y", 2_100, random) as ExitTaken;
  endpoints.end("y", second, "kept", 2_200, random);
  expect(endpoints.endpoints[0].isOpen).toBe(true);
});

test("refusals that were in flight when an endpoint closed lengthen nothing", () => {
  const endpoints = new Endpoints([{ region: null }], 1);
  const taken = hosts.slice(0, 20).map((host) => [host, endpoints.start(host, 0, random) as ExitTaken] as const);
  for (const [host, one] of taken) endpoints.end(host, one, "refused", 10, random);
  expect([endpoints.endpoints[0].gateUntil, endpoints.endpoints[0].failures]).toEqual([10 + 750, { row: 3, events: 1 }]);
});

test("the load of a closed endpoint moves a tenth at a time every ten seconds, and never faster", () => {
  const endpoints = new Endpoints([{ region: null }, { region: null }], 3);
  const mine = hosts.filter((host) => endpoints.start(host, 0, random)?.endpoint === 0);
  const ask = (now: number): number => {
    let left = 0;
    for (const host of mine) {
      const taken = endpoints.start(host, now, random);
      if (taken === null) continue;
      left += taken.endpoint === 1 ? 1 : 0;
      endpoints.end(host, taken, taken.endpoint === 0 && now >= 60_000 ? "refused" : "ok", now, random);
    }
    return left;
  };
  // One start a second for each host, then the endpoint is gone.
  for (let now = 1_000; now < 60_000; now += 1_000) ask(now);
  const spans = Array.from({ length: 14 }, (_, span) => {
    let moved = 0;
    for (let now = 60_000 + span * 10_000; now < 70_000 + span * 10_000; now += 1_000) moved += ask(now);
    return moved / (10 * mine.length);
  });
  for (let i = 0; i < 10; i += 1) expect(spans[i]).toBeLessThanOrEqual(0.1 * (i + 1) + 0.05);
  expect(spans[4]).toBeGreaterThan(0.4);
  expect(spans[12]).toBeGreaterThan(0.95);
});

test("a host that moved stays where it is, and comes back a tenth of the hosts every ten seconds", () => {
  const endpoints = new Endpoints([{ region: null }, { region: null }], 3);
  const mine = hosts.filter((host) => endpoints.start(host, 0, random)?.endpoint === 0);
  for (const host of mine) endpoints.end(host, { endpoint: 0, session: "" }, "refused", 0, random);
  // Long after: all have moved, the endpoint stays dead.
  const place = (now: number, outcome: "ok" | "refused"): Map<string, number> => {
    const places = new Map<string, number>();
    for (const host of mine) {
      const taken = endpoints.start(host, now, random);
      if (taken === null) continue;
      if (taken.endpoint === 1) places.set(host, 1);
      else places.set(host, 0);
      endpoints.end(host, taken, taken.endpoint === 0 ? outcome : "ok", now, random);
    }
    return places;
  };
  for (let now = 10_000; now < 200_000; now += 1_000) place(now, "refused");
  // All but the one that probes.
  expect(endpoints.moved).toBeGreaterThanOrEqual(mine.length - 1);
  // It works again: its next probe opens it.
  let now = 200_000;
  while (!endpoints.endpoints[0].isOpen) place((now += 1_000), "ok");
  const start = endpoints.moved;
  const away: number[] = [];
  for (let span = 0; span < 12; span += 1) {
    for (let i = 0; i < 10; i += 1) place((now += 1_000), "ok");
    away.push(endpoints.moved);
  }
  expect(start - away[0]).toBeLessThanOrEqual(Math.ceil(0.1 * mine.length) + 1);
  expect(away[3]).toBeGreaterThan(0);
  expect(away[11]).toBe(0);
});

test("fail-over stays in the region while there is an endpoint left in it", () => {
  const endpoints = new Endpoints(three, 5);
  const german = hosts.filter((_host, i) => homes(endpoints, 0)[i] === 0);
  close(endpoints, 0, 1_000);
  const went = new Set<number>();
  for (let now = 2_000; now < 40_000; now += 100)
    for (const host of german) {
      const taken = endpoints.start(host, now, random);
      if (taken === null) continue;
      if (taken.endpoint !== 0) went.add(taken.endpoint);
      endpoints.end(host, taken, taken.endpoint === 0 ? "refused" : "ok", now, random);
    }
  expect([...went]).toEqual([1]);
});

test("a host that is refused while others get through is the one to blame, and its session is replaced each time", () => {
  const endpoints = new Endpoints([{ region: null }], 1);
  const blamed: string[] = [];
  const sessions = new Set<string>();
  let now = 0;
  for (let i = 0; i < 3; i += 1) {
    now = Math.max(now, endpoints.admitAt("dead.example", now));
    const taken = endpoints.start("dead.example", now, random) as ExitTaken;
    sessions.add(taken.session);
    blamed.push(endpoints.end("dead.example", taken, "refused", now, random));
    endpoints.end("fine.example", endpoints.start("fine.example", now, random) as ExitTaken, "ok", now, random);
  }
  expect(blamed).toEqual(["endpoint", "endpoint", "host"]);
  expect(sessions.size).toBe(3);
  expect(endpoints.endpoints[0].isOpen).toBe(true);
  // Alone with a gateway that refuses, nobody knows that it is the host: nothing is ever blamed on it.
  const alone = new Endpoints([{ region: null }], 1);
  for (let i = 0, at = 0; i < 30; i += 1) {
    at = Math.max(at, alone.admitAt("dead.example", at));
    const taken = alone.start("dead.example", at, random);
    if (taken === null) at += 1_000;
    else expect(alone.end("dead.example", taken, "refused", at, random)).toBe("endpoint");
  }
});

test("whatever happens, `start` keeps what `admitAt` says, and never more than one probe is out", () => {
  for (let seed = 1; seed <= 10; seed += 1) {
    const draw = seededRandom(seed);
    const endpoints = new Endpoints(three, seed);
    const out: [string, ExitTaken][] = [];
    for (let now = 0, i = 0; i < 3_000; i += 1) {
      now += draw() * 400;
      const host = hosts[Math.floor(draw() * 12)];
      const at = endpoints.admitAt(host, now);
      const taken = endpoints.start(host, now, draw);
      if ((taken !== null) !== at <= now) expect.fail(`seed ${seed}, step ${i}: admitAt ${at} at ${now}, start ${JSON.stringify(taken)}`);
      if (taken !== null) out.push([host, taken]);
      if (out.length > 6 || draw() < 0.5) {
        const [ended] = out.splice(Math.floor(draw() * out.length), 1);
        if (ended !== undefined) {
          const bad = ended[1].endpoint === Math.floor(now / 100_000) % 3;
          endpoints.end(ended[0], ended[1], bad ? "refused" : draw() < 0.1 ? "neutral" : "ok", now, draw);
        }
      }
    }
  }
});
