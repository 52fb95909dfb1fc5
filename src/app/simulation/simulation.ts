import { FIXED } from "../../config/fixed.ts";
import { resolveSettings } from "../../config/resolve.ts";
import type { Millis } from "../../kernel/units.ts";
import { Admission } from "../../pipeline/admission.ts";
import type { Pipeline } from "../../pipeline/pipeline.ts";
import type { ProviderSpec } from "../../pipeline/provider-lane.ts";
import type { FetchRequest } from "../../ports/fetch-route.ts";
import type { ParseLane } from "../../ports/parse-lane.ts";
import { ForgetfulStore } from "../../simulate/forgetful-store.ts";
import { seededRandom } from "../../simulate/random.ts";
import { ScriptedLag } from "../../simulate/scripted-lag.ts";
import { SimulatedProvider } from "../../simulate/simulated-provider.ts";
import { SimulatedRoute } from "../../simulate/simulated-route.ts";
import { type EndKind, SimulatedSite } from "../../simulate/simulated-site.ts";
import { VirtualClock } from "../../simulate/virtual-clock.ts";
import type { Web, WebProvider } from "../../simulate/web.ts";
import { CrawlRun } from "../crawl-run.ts";
import { openPass, passIdentity } from "../pass.ts";
import { configOf } from "./config-of.ts";
import { scheduleFaults } from "./faults.ts";
import { Feeder } from "./feeder.ts";
import { QueuePeaks } from "./queue-peaks.ts";
import { type SimulationResult, siteResult } from "./result.ts";
import { simulatedParser } from "./simulated-parser.ts";

/** The sites are looked at this often: is there enough to crawl, how high is the limit? */
const TICK: Millis = 1_000;
const TICKS_A_SAMPLE = 10;
/** Of the calendar that traps are measured by: any fixed one, for a run must not depend on the day. */
const YEAR = 2026;

export interface SimulationIo {
  /** Resolves when every promise that can settle by itself has: one turn of the event loop. */
  readonly settle: () => Promise<unknown>;
  readonly onStart?: (site: SimulatedSite, request: FetchRequest, now: Millis) => void;
  readonly onEnd?: (site: SimulatedSite, kind: EndKind, took: Millis, now: Millis) => void;
  readonly warn?: (message: string) => void;
}

/** The real crawler against a synthetic web on virtual time: the run of `weir crawl`, with another clock, route and store. */
export class Simulation {
  readonly clock: VirtualClock;
  readonly run: CrawlRun;
  readonly route: SimulatedRoute;
  readonly store: ForgetfulStore;
  readonly sites: ReadonlyMap<string, SimulatedSite>;
  readonly provider: SimulatedProvider | null;
  readonly #web: Web;
  readonly #feeder: Feeder;
  readonly #peaks: QueuePeaks;
  #ticks = 0;

  private constructor(
    web: Web,
    parts: Pick<Simulation, "clock" | "run" | "route" | "provider" | "store" | "sites"> & { feeder: Feeder; peaks: QueuePeaks },
  ) {
    this.#web = web;
    this.clock = parts.clock;
    this.run = parts.run;
    this.route = parts.route;
    this.provider = parts.provider;
    this.store = parts.store;
    this.sites = parts.sites;
    this.#feeder = parts.feeder;
    this.#peaks = parts.peaks;
  }

  static async open(web: Web, io: SimulationIo): Promise<Simulation> {
    const clock = new VirtualClock(io.settle);
    const store = new ForgetfulStore();
    const peaks = new QueuePeaks();
    const sites = sitesOf(web);
    let run: CrawlRun | null = null;
    const route = new SimulatedRoute({
      clock,
      limits: FIXED.route,
      site: (name) => sites.get(name),
      onStart: (site, request, now) => {
        peaks.note(run?.pipeline ?? null);
        io.onStart?.(site, request, now);
      },
      ...(io.onEnd === undefined ? {} : { onEnd: io.onEnd }),
    });
    const provider = web.provider === null ? null : new SimulatedProvider(clock, route, web.provider);
    const lane = simulatedParser(clock, web, (name) => sites.get(name));
    run = await openRun(web, io, { clock, store, route, provider, lane, seeds: [...sites.keys()].map((name) => `https://${name}/`) });
    const crawl = run;
    scheduleFaults(web.faults, { clock, store, route, provider, topUp: () => crawl.topUp("provider", null) });
    const simulation = new Simulation(web, { clock, run, route, provider, store, sites, feeder: new Feeder(sites), peaks });
    run.start();
    await clock.advance(0);
    return simulation;
  }

  get pipeline(): Pipeline {
    const { pipeline } = this.run;
    if (pipeline === null) throw new Error("The run has not begun");
    return pipeline;
  }

  /** Lets time pass. */
  async advance(span: Millis): Promise<void> {
    const end = this.clock.now() + span;
    for (let now = this.clock.now(); now < end; now = this.clock.now()) {
      const next = Math.min(end, (Math.floor(now / TICK) + 1) * TICK);
      if (now >= this.#ticks * TICK) this.#tick(now);
      await this.clock.advance(next - now);
    }
  }

  /** Runs to the end of the file's hours, unless every page was had before. */
  async finish(): Promise<SimulationResult> {
    const hours = this.#web.hours * 3_600_000;
    await this.advance(Math.max(0, hours - this.clock.now()));
    return this.result();
  }

  /** Ends the run, and counts. */
  async result(): Promise<SimulationResult> {
    const seconds = this.clock.now() / 1000;
    const hosts = [...this.sites.values()].map((site) => siteResult(site, seconds));
    const { pipeline, store } = this;
    const { retryShare } = pipeline.tally;
    store.resume();
    store.fill(false);
    this.run.stop();
    await this.clock.run(this.run.done, 3_600_000);
    let waiting = pipeline.frontier.retrying;
    for (const host of pipeline.frontier.hosts()) waiting += host.waiting;
    return {
      seed: this.#web.seed,
      seconds,
      hosts,
      queues: this.#peaks.result(),
      provider: this.provider?.result ?? null,
      retryShare,
      settled: store.settled,
      waiting,
      lost: Math.abs(store.waiting - waiting) + store.refused,
    };
  }

  #tick(now: Millis): void {
    const { pipeline } = this;
    if (this.#feeder.feed(pipeline)) pipeline.pump();
    if (this.#ticks % TICKS_A_SAMPLE === 0) this.#feeder.sample(now);
    this.#ticks = Math.floor(now / TICK) + 1;
  }
}

function sitesOf(web: Web): Map<string, SimulatedSite> {
  const sites = new Map<string, SimulatedSite>();
  for (const host of web.hosts) {
    for (let i = 1; i <= host.count; i++) {
      const name = host.count === 1 ? host.name : `${i}.${host.name}`;
      const random = seededRandom(Math.imul(web.seed + 1, 0x9e3779b1) ^ hash(name));
      sites.set(
        name,
        new SimulatedSite({ name, address: host.address ?? `address of ${name}`, pages: host.pages, target: host.target }, random),
      );
    }
  }
  const backlog = Math.max(16, Math.min(512, Math.floor(40_000 / sites.size)));
  for (const site of sites.values()) site.backlog = backlog;
  return sites;
}

interface RunParts {
  readonly clock: VirtualClock;
  readonly store: ForgetfulStore;
  readonly route: SimulatedRoute;
  readonly provider: SimulatedProvider | null;
  readonly lane: ParseLane;
  readonly seeds: readonly string[];
}

async function openRun(web: Web, io: SimulationIo, { clock, store, route, provider, lane, seeds }: RunParts): Promise<CrawlRun> {
  const { settings } = resolveSettings({ version: "0.0.0", options: { ...configOf(web), seeds } });
  const { scope } = settings;
  const admission = await Admission.open({ scope, seeds, include: [], exclude: [], maxDepth: null, thisYear: YEAR });
  if (!(admission instanceof Admission)) throw new Error("Patterns that nobody gave");
  const { pass } = await openPass(store, passIdentity(seeds, scope, [], []), clock.epoch());
  return new CrawlRun(
    {
      clock,
      lag: new ScriptedLag(),
      random: seededRandom(web.seed),
      store,
      route,
      providers: provider === null || web.provider === null ? [] : [specOf(provider, web.provider)],
      blobs: null,
      lane,
      hashBody: () => "",
      inflate: () => null,
      warn: io.warn ?? (() => undefined),
      peakRss: () => 0,
      pid: 1,
      close: () => route.close(),
    },
    provider === null ? settings : { ...settings, provider: provider.name },
    { seeds, admission, pass, resumed: false, lastSeq: 0, consumer: null, seed: [1, 2, 3, 4] },
  );
}

function specOf(route: SimulatedProvider, { told, credits, retries }: WebProvider): ProviderSpec {
  const account = { unit: "credits", least: 1, balance: credits, resetAt: null } as const;
  return { name: route.name, kind: "scraping-api", route, concurrency: told, account, retries, price: 0 };
}

function hash(text: string): number {
  let sum = 0;
  for (let i = 0; i < text.length; i++) sum = Math.imul(sum ^ text.charCodeAt(i), 0x01000193);
  return sum;
}
