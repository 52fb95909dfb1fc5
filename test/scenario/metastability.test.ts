import { expect, test } from "vitest";
import { FAULT_SEEDS, figure, MINUTE, play } from "./overload.ts";

const SERVICE = { ms: 400, jitter: 0.3 };
const during = (change: object, back: object): object => ({
  hosts: [
    {
      name: "site.example",
      count: 2,
      service: SERVICE,
      timeline: [
        { atMinutes: 1, ...change },
        { atMinutes: 2, ...back },
      ],
    },
  ],
});
const fails = (as: string | number, share = 1): object => during({ service: { fails: { share, as } } }, { service: { fails: null } });
const refuses = (tolerance: object): object =>
  during({ tolerance: { concurrent: 0, ...tolerance } }, { tolerance: { concurrent: null, answer: 429, retryAfter: null } });
const ours = (kind: string): object => ({
  hosts: [{ name: "site.example", count: 12, service: { ms: 2_400, jitter: 0.3 } }],
  faults: [{ kind, atMinutes: 1, seconds: 60 }],
});

/** Each of a minute, on every host at once. */
const FAULTS: Readonly<Record<string, object>> = {
  "429 to everything": refuses({}),
  "429 with Retry-After": refuses({ retryAfter: 20 }),
  "503 to everything": refuses({ answer: 503 }),
  "every connection reset": fails("reset"),
  "silence after the request": fails("silent"),
  "no connection": fails("dead"),
  "connections refused": fails("refused"),
  "a stalled TLS handshake": fails("tls-stall"),
  "a tarpit": fails("tarpit"),
  "500 to everything": fails(500),
  "one in ten 502": fails(502, 0.1),
  "a third 502": fails(502, 1 / 3),
  "half 502": fails(502, 0.5),
  "half of connections reset": fails("reset", 0.5),
  "half silent": fails("silent", 0.5),
  "half 429": fails(429, 0.5),
  "half 503": fails(503, 0.5),
  "ten times slower": during({ service: { ms: 4_000 } }, { service: { ms: 400 } }),
  "a stopped parser": ours("parser"),
  "a stalled store": ours("store"),
  "a full disk": ours("disk-full"),
  "no egress": ours("egress"),
  "no DNS": ours("dns"),
  "a blocked event loop": ours("event-loop"),
};

test.each(Object.keys(FAULTS))("after a minute of %s the crawl is back within a minute", async (name) => {
  for (const seed of FAULT_SEEDS) {
    const played = await play({ crawler: { hostCeiling: 4 }, ...FAULTS[name] }, seed);
    await played.simulation.advance(4 * MINUTE);
    const before = played.goodput(0.5 * MINUTE, MINUTE);
    const back = played.goodput(3 * MINUTE, 4 * MINUTE) / before;
    const result = await played.end();
    figure(`back after ${name}`, seed, { back, retryShare: result.retryShare });
    expect(before).toBeGreaterThan(10);
    expect(back, `with seed ${seed}`).toBeGreaterThanOrEqual(0.9);
  }
});
