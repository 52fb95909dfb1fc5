import { CrawlRun } from "../../src/app/crawl-run.ts";
import type { CrawlSummary } from "../../src/app/crawl-types.ts";
import { openPass, passIdentity } from "../../src/app/pass.ts";
import { pipelineOptions } from "../../src/app/pipeline-options.ts";
import type { Config } from "../../src/config/define-config.ts";
import { resolveSettings } from "../../src/config/resolve.ts";
import type { SettledUrl } from "../../src/kernel/settled-url.ts";
import type { Millis } from "../../src/kernel/units.ts";
import { Admission } from "../../src/pipeline/admission.ts";
import type { ContinuousOptions } from "../../src/pipeline/continuous.ts";
import { Pipeline } from "../../src/pipeline/pipeline.ts";
import type { ProviderSpec } from "../../src/pipeline/provider-lane.ts";
import { NO_CRASHES } from "../../src/pipeline/suspects.ts";
import type { BlobStore } from "../../src/ports/blob-store.ts";
import type { LoopLag } from "../../src/ports/loop-lag.ts";
import type { ParseLane } from "../../src/ports/parse-lane.ts";
import type { Sink } from "../../src/ports/sink.ts";
import type { SettledRow, Store } from "../../src/ports/store.ts";
import { MemoryStore } from "../../src/simulate/memory-store.ts";
import { seededRandom } from "../../src/simulate/random.ts";
import { ScriptedLag } from "../../src/simulate/scripted-lag.ts";
import { ScriptedRoute } from "../../src/simulate/scripted-route.ts";
import type { ScriptedAnswer, ScriptedCall, ScriptedWeb } from "../../src/simulate/scripted-web.ts";
import { VirtualClock } from "../../src/simulate/virtual-clock.ts";
import { turn } from "../fixtures/turn.ts";

export const HOUR: Millis = 3_600_000;
/** Of the crawls here. */
export const THIS_YEAR = 2026;

export interface WorldOptions {
  /** What each URL answers; robots.txt is 404 unless `robots` says otherwise. */
  readonly answer: (call: ScriptedCall) => ScriptedAnswer;
  readonly robots?: (call: ScriptedCall) => ScriptedAnswer;
  readonly address?: ScriptedWeb["address"];
  readonly seeds: string | readonly string[];
  readonly config?: Config;
  readonly seed?: number;
  readonly clock?: VirtualClock;
  readonly lag?: LoopLag;
  /** Wraps, or is, the store that the run gets. */
  readonly store?: Store;
  readonly sink?: Sink;
  readonly blobs?: BlobStore;
  /** Other ways than the scripted one, which is then the direct way. */
  readonly providers?: (clock: VirtualClock, direct: ScriptedRoute) => readonly ProviderSpec[];
  /** Where pages are parsed; without it all are parsed at once. */
  readonly lane?: (clock: VirtualClock) => ParseLane;
}

/** A crawl of a synthetic web on virtual time: the real pipeline, with nothing outside this process. */
export class World {
  readonly clock: VirtualClock;
  readonly store: Store;
  readonly route: ScriptedRoute;
  readonly starts: ScriptedCall[] = [];
  readonly warnings: string[] = [];
  readonly run: CrawlRun;

  private constructor(parts: {
    clock: VirtualClock;
    store: Store;
    options: WorldOptions;
    make: (route: ScriptedRoute, world: { warn: (text: string) => void }) => CrawlRun;
  }) {
    this.clock = parts.clock;
    this.store = parts.store;
    const { answer, robots, address } = parts.options;
    this.route = new ScriptedRoute(this.clock, {
      answer: (call) => (!call.url.endsWith("/robots.txt") ? answer(call) : robots === undefined ? status(404) : robots(call)),
      onStart: (call) => this.starts.push(call),
      ...(address === undefined ? {} : { address }),
    });
    this.run = parts.make(this.route, { warn: (text) => this.warnings.push(text) });
  }

  /** Opens or continues the pass; the crawl begins with the clock. */
  static async open(options: WorldOptions): Promise<World> {
    const clock = options.clock ?? new VirtualClock(turn);
    const store = options.store ?? new MemoryStore();
    const random = seededRandom(options.seed ?? 1);
    const seeds = typeof options.seeds === "string" ? [options.seeds] : options.seeds;
    const { settings } = resolveSettings({ version: "0.0.0", options: { scope: "any", ...options.config, seeds } });
    const { scope, include, exclude, maxDepth } = settings;
    const admission = await Admission.open({ scope, seeds, include, exclude, maxDepth: maxDepth ?? null, thisYear: THIS_YEAR });
    if (!(admission instanceof Admission)) throw new Error("patterns");
    const { pass, resumed } = await openPass(store, passIdentity(seeds, scope, include, exclude), clock.epoch());
    const lastSeq = await store.lastSeq();
    const { sink } = options;
    const consumer = sink === undefined ? null : { name: "loop", sink, from: (await store.cursor("loop")) ?? 0, grain: 1, optional: [] };
    const world = new World({
      clock,
      store,
      options,
      make: (route, { warn }) =>
        new CrawlRun(
          {
            clock,
            lag: options.lag ?? new ScriptedLag(),
            random,
            store,
            route,
            providers: options.providers?.(clock, route) ?? [],
            blobs: options.blobs ?? null,
            lane: options.lane?.(clock) ?? null,
            hashBody: () => "",
            inflate: () => null,
            warn,
            peakRss: () => 0,
            pid: 1,
            close: () => route.close(),
          },
          settings,
          { seeds, admission, pass, resumed, lastSeq, consumer, seed: [1, 2, 3, 4] },
        ),
    });
    world.run.start();
    return world;
  }

  /** Lets time pass until the crawl has ended. */
  finish(most: Millis = 10 * HOUR): Promise<CrawlSummary> {
    return this.clock.run(this.run.done, most);
  }

  startsOf(host: string): ScriptedCall[] {
    return this.starts.filter((call) => call.host === host);
  }

  /** Everything settled so far, in order. */
  settled(): Promise<readonly SettledRow[]> {
    return this.store.settledAfter(0, Number.MAX_SAFE_INTEGER);
  }
}

/** The pipeline by itself, for scenarios that look at its queues. It runs with the clock until it is idle. */
export async function openPipeline(
  options: WorldOptions & { readonly continuous?: ContinuousOptions; readonly parseBytes?: number },
): Promise<{ clock: VirtualClock; route: ScriptedRoute; pipeline: Pipeline; store: MemoryStore }> {
  const clock = new VirtualClock(turn);
  const store = new MemoryStore();
  const seeds = typeof options.seeds === "string" ? [options.seeds] : options.seeds;
  const { settings } = resolveSettings({ version: "0.0.0", options: { scope: "any", ...options.config, seeds } });
  const admission = await Admission.open({ scope: settings.scope, seeds, include: [], exclude: [], maxDepth: null, thisYear: THIS_YEAR });
  if (!(admission instanceof Admission)) throw new Error("patterns");
  const { answer, robots } = options;
  const route = new ScriptedRoute(clock, {
    answer: (call) => (!call.url.endsWith("/robots.txt") ? answer(call) : robots === undefined ? status(404) : robots(call)),
  });
  const { pass } = await openPass(store, passIdentity(seeds, "any", [], []), clock.epoch());
  const common = pipelineOptions(settings, { seeds, admission, pass, resumed: false, lastSeq: 0, consumer: null, seed: [1, 2, 3, 4] });
  const pipeline = new Pipeline(
    {
      clock,
      lag: options.lag ?? new ScriptedLag(),
      random: seededRandom(options.seed ?? 1),
      route,
      providers: options.providers?.(clock, route) ?? [],
      store,
      blobs: null,
      lane: options.lane?.(clock) ?? null,
      hashBody: () => "",
      inflate: () => null,
      admission,
      onSeedMoved: () => undefined,
      consumerHasRoom: () => true,
      onCommitted: () => undefined,
      onTurn: () => undefined,
      warn: () => undefined,
      onFatal: (error) => {
        throw error;
      },
    },
    {
      ...common,
      crashes: NO_CRASHES,
      ...(options.continuous === undefined ? {} : { continuous: options.continuous }),
      parseBytes: options.parseBytes ?? common.parseBytes,
    },
    { lastSeq: 0, knownUrls: 0 },
  );
  pipeline.start(seeds);
  return { clock, route, pipeline, store };
}

/** An answer without a body. */
export function status(code: number, headers: readonly (readonly [string, string])[] = [], ttfb: Millis = 50): ScriptedAnswer {
  return { kind: "response", status: code, headers, ttfb };
}

export function redirect(to: string, ttfb: Millis = 50): ScriptedAnswer {
  return status(301, [["location", to]], ttfb);
}

/** A page whose main text is its own, and that links to `links`. */
export function page(name: string, links: readonly string[] = [], ttfb: Millis = 50): ScriptedAnswer {
  const text = `The story of ${name} begins in chapter ${name}, where ${name} meets the river, and ends in ${name}.`;
  const anchors = links.map((link) => `<a href="${link}">next</a>`).join("\n");
  const body = `<!doctype html><html><head><title>${name}</title></head><body><main><p>${text}</p></main><nav>${anchors}</nav></body></html>`;
  return { kind: "response", status: 200, headers: [["content-type", "text/html; charset=utf-8"]], body, ttfb };
}

/** Path of a URL. */
export const pathOf = (url: string): string => url.slice(url.indexOf("/", 8));

/** A site of `count` pages, `/` and `/1` to `/<count - 1>`, where page n links to `fan` further ones, so that each is found once. */
export function tree(call: ScriptedCall, count: number, fan: number, ttfb: Millis): ScriptedAnswer {
  const path = pathOf(call.url);
  const n = path === "/" ? 0 : Number(path.slice(1));
  if (!(n >= 0 && n < count)) return status(404);
  const links: string[] = [];
  for (let child = n * fan + 1; child <= n * fan + fan && child < count; child++) links.push(`/${child}`);
  return page(`${call.host} ${n}`, links, ttfb);
}

/** A consumer that takes one URL at a time and needs `span` for each. */
export class SlowSink implements Sink {
  readonly lastSeq = null;
  readonly taken: SettledUrl[] = [];
  readonly #clock: VirtualClock;
  readonly #span: Millis;

  constructor(clock: VirtualClock, span: Millis) {
    this.#clock = clock;
    this.#span = span;
  }

  write(rows: readonly SettledUrl[]): Promise<void> {
    return new Promise((resolve) => {
      this.#clock.after(this.#span * rows.length, () => {
        this.taken.push(...rows);
        resolve();
      });
    });
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}
