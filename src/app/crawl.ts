import { createHash, randomBytes } from "node:crypto";
import { FileBlobStore } from "../adapters/blob-store-file/file-blob-store.ts";
import { SystemLoopLag } from "../adapters/clock-system/loop-lag.ts";
import { SystemClock, systemRandom } from "../adapters/clock-system/system-clock.ts";
import { ControlServer } from "../adapters/control-socket/control-server.ts";
import { DirectRoute } from "../adapters/fetch-direct/direct-route.ts";
import { WorkerLane, type WorkerLaneOptions } from "../adapters/parse-worker/worker-lane.ts";
import { SqliteStore } from "../adapters/store-sqlite/sqlite-store.ts";
import { inflate } from "../adapters/zlib-inflate/inflate.ts";
import { FIXED } from "../config/fixed.ts";
import type { Settings } from "../config/settings.ts";
import { canonicalUrl } from "../kernel/canonical-url.ts";
import { ConfigError, type ConfigProblem } from "../kernel/errors.ts";
import type { FingerprintSeed } from "../kernel/fingerprint.ts";
import { Admission } from "../pipeline/admission.ts";
import type { Clock } from "../ports/clock.ts";
import type { Store } from "../ports/store.ts";
import { CrawlRun } from "./crawl-run.ts";
import type { CrawlHandle, CrawlIo } from "./crawl-types.ts";
import { withHostUnit } from "./host-unit.ts";
import { hostsAsked } from "./hosts.ts";
import { defineConfigModule } from "./load-settings.ts";
import { openProviders } from "./open-providers.ts";
import { optionalAmong } from "./output/fields.ts";
import { openSink, tryOutput } from "./output/open-sink.ts";
import { openPass, passIdentity } from "./pass.ts";
import { http2For, productToken } from "./pipeline-options.ts";
import { deadLettersOf } from "./retry.ts";
import { setMeta } from "./set-meta.ts";
import { topUpParams } from "./topup.ts";

/** Beside this module, whether it is bundled or not. */
const PARSE_THREAD = new URL("./parse-thread.js", import.meta.url);
/** Key of the store's text that holds the seed of its fingerprints. */
const SEED_META_KEY = "fingerprint-seed";

/** Parts that a test or a bench puts in the place of the program's own. */
export interface CrawlParts {
  readonly lane?: (clock: Clock, options: Omit<WorkerLaneOptions, "entry">) => WorkerLane;
  readonly wrapStore?: (store: Store) => Store;
}

/**
 * Starts one pass, or goes on with an unfinished one. Resolves when the store is open and the pass is decided; the start-up
 * scan and the crawl then run behind the handle.
 * @throws ConfigError (no usable seed, another unfinished pass), StoreUnavailable, WeirError `WEIR_OUTPUT_FAILED`.
 */
export async function startCrawl(given: Settings, io: CrawlIo, parts: CrawlParts = {}): Promise<CrawlHandle> {
  const settings = await withHostUnit(given, defineConfigModule());
  const seeds = canonicalSeeds(settings.seeds);
  const clock = new SystemClock();
  const admission = await admissionOf(settings, seeds, new Date(clock.epoch()).getUTCFullYear());
  const store = SqliteStore.open(settings.store);
  const opened: { close(): Promise<void> }[] = [store];
  try {
    const blobs = settings.saveBodies === undefined ? null : await FileBlobStore.open(settings.saveBodies);
    if (blobs !== null) opened.push(blobs);
    if (settings.fresh) {
      // Nothing is forgotten for a crawl that cannot be.
      if (settings.output !== undefined) await tryOutput(settings.output, settings.store);
      await store.clear();
    }
    const identity = passIdentity(seeds, settings.scope, settings.include, settings.exclude);
    const { pass, resumed } = await openPass(store, identity, clock.epoch());
    const lastSeq = await store.lastSeq();
    const consumer = await openConsumer(settings, io, store, resumed ? { first: pass.firstSeq, last: lastSeq } : null);
    if (consumer !== null) opened.push(consumer.sink);
    const route = new DirectRoute(
      { clock },
      {
        ...FIXED.route,
        userAgent: settings.userAgent,
        allowPrivate: settings.allowPrivate,
        allowAddresses: settings.allowAddresses,
        connectionsPerHost: settings.hosts.ceiling,
        ...http2For(settings),
      },
    );
    opened.push(route);
    const laneOptions = { ...FIXED.parse.lane, data: { agent: productToken(settings.userAgent) } };
    const lane = parts.lane?.(clock, laneOptions) ?? new WorkerLane({ clock }, { ...laneOptions, entry: PARSE_THREAD });
    opened.push(lane);
    const providers = openProviders(settings, route, { clock, random: systemRandom });
    opened.push(...providers.map((provider) => provider.route));
    const lag = new SystemLoopLag(() => clock.now());
    opened.push(lag);
    const run = new CrawlRun(
      {
        clock,
        lag,
        random: systemRandom,
        store: parts.wrapStore?.(store) ?? store,
        route,
        providers,
        blobs,
        lane,
        hashBody: (body) => createHash("sha256").update(body).digest("hex"),
        inflate,
        warn: io.warn,
        peakRss: () => process.resourceUsage().maxRSS * 1024,
        pid: process.pid,
        close: () => closeAll(opened),
      },
      settings,
      { seeds, admission, pass, resumed, lastSeq, consumer, seed: await fingerprintSeed(store) },
    );
    const control = await ControlServer.open(settings.store, (method, params) => {
      if (method === "status") return run.status();
      if (method === "hosts") return run.hosts(hostsAsked(params));
      if (method === "topup") return run.topUp(...topUpParams(params));
      if (method === "retry") return run.retry(deadLettersOf(params));
      throw new Error(`There is no method ${method}`);
    }).catch((error: unknown) => {
      io.warn(`Other processes cannot ask this crawl for its status: ${error instanceof Error ? error.message : String(error)}`);
      return null;
    });
    if (control !== null) opened.push(control);
    run.start();
    return run;
  } catch (error) {
    await closeAll(opened);
    throw error;
  }
}

/** Last opened, first closed; the first failure is reported after all were tried. */
async function closeAll(opened: readonly { close(): Promise<void> }[]): Promise<void> {
  const failures: unknown[] = [];
  for (const thing of [...opened].reverse()) {
    try {
      await thing.close();
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}

function canonicalSeeds(seeds: readonly string[]): readonly string[] {
  const good: string[] = [];
  const problems: ConfigProblem[] = [];
  seeds.forEach((seed, index) => {
    const url = canonicalUrl(seed);
    if (url === null) problems.push({ path: `seeds[${index}]`, got: JSON.stringify(seed), expected: "an http or https URL" });
    else good.push(url);
  });
  if (good.length === 0) throw new ConfigError("WEIR_SEEDS_NONE", "No usable seed was given", problems);
  return good;
}

/** @throws ConfigError naming every pattern that cannot be used. */
async function admissionOf(settings: Settings, seeds: readonly string[], thisYear: number): Promise<Admission> {
  const { scope, include, exclude, maxDepth } = settings;
  const admission = await Admission.open({ scope, seeds, include, exclude, maxDepth: maxDepth ?? null, thisYear });
  if (admission instanceof Admission) return admission;
  throw new ConfigError("WEIR_CONFIG_INVALID", "Patterns that cannot be used", admission);
}

/** Drawn once per store: a site that does not know it cannot make two of its URLs collide. */
async function fingerprintSeed(store: Store): Promise<FingerprintSeed> {
  const text = await store.meta(SEED_META_KEY);
  if (text !== null) return JSON.parse(text) as FingerprintSeed;
  const bytes = randomBytes(16);
  const seed: FingerprintSeed = [bytes.readInt32LE(0), bytes.readInt32LE(4), bytes.readInt32LE(8), bytes.readInt32LE(12)];
  await setMeta(store, SEED_META_KEY, JSON.stringify(seed));
  return seed;
}

async function openConsumer(settings: Settings, io: CrawlIo, store: Store, resume: { first: number; last: number } | null) {
  const optional = optionalAmong(settings.fields);
  if (io.consumer !== undefined) {
    const { name, sink } = io.consumer;
    return { name, sink, from: sink.lastSeq ?? (await store.cursor(name)) ?? 0, grain: 1, optional };
  }
  if (settings.output === undefined) return null;
  const { output, fields } = settings;
  const sink = await openSink({ output, fields, resume, stdout: io.stdout, store: settings.store });
  const name = settings.output === "-" ? "stdout" : "file";
  return { name, sink, from: sink.lastSeq ?? (await store.cursor(name)) ?? 0, grain: Number.MAX_SAFE_INTEGER, optional };
}
