// Frontier, store stage and store as the pipeline wires them, without fetching. For frontier.mjs and memory.mjs.
import { SqliteStore } from "../dist/adapters/store-sqlite/sqlite-store.js";
import { AdaptiveLimiter } from "../dist/flow/adaptive-limiter.js";
import { Fingerprinter } from "../dist/kernel/fingerprint.js";
import { LinkResolver } from "../dist/kernel/link-resolver.js";
import { Frontier } from "../dist/stages/frontier/frontier.js";
import { RobotsGate } from "../dist/stages/frontier/robots-gate.js";
import { StoreStage } from "../dist/stages/store/store-stage.js";

/** @param known URLs that the store at `path` holds already. */
export function openFrontier(path, known = 0) {
  const clock = {
    now: () => performance.now(),
    epoch: () => Date.now(),
    after(delay, run) {
      const timer = setTimeout(run, delay);
      return () => clearTimeout(timer);
    },
  };
  const store = SqliteStore.open(path);
  const stop = (error) => {
    console.error(error);
    process.exit(1);
  };
  const stage = new StoreStage({ store, clock, inFlight: () => [], onCommitted() {}, onTrouble: stop, onGivenUp: stop }, 0, known);
  const resolver = new LinkResolver();
  let woken = () => {};
  const frontier = new Frontier({
    clock,
    store,
    log: stage,
    resolver,
    fingerprinter: new Fingerprinter(new Int32Array(resolver.scratch.buffer), [1, 2, 3, 4]),
    rules: { judge: () => null, crowds: () => false },
    newLimiter: () => new AdaptiveLimiter({ ceiling: 8, gap: 0 }),
    newRobots: () => new RobotsGate(false, "weir"),
    onWork: () => woken(),
    onStoreTrouble: stop,
  });
  const work = () =>
    new Promise((resolve) => {
      woken = resolve;
    });
  return { store, stage, frontier, work, clock };
}
