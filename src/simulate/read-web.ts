import type { ConfigProblem } from "../kernel/errors.ts";
import { FieldReader, isWithin, type NumberRange, rangeText } from "./field-reader.ts";
import { type FailureKind, NO_TOLERANCE, type RefusalKind, type Service, type TargetChange, type Tolerance, targetSpec } from "./target.ts";
import { FAULT_KINDS, type Web, type WebFault, type WebHost } from "./web.ts";

const REFUSALS: readonly RefusalKind[] = [429, 503, 403, "challenge", "timeout", "reset"];
const FAILURES = ["refused", "dead", "tls-stall", "silent", "reset", "tarpit", "endless", "challenge"] as const;
/** What a file may say about the crawler: options of `weir crawl`, under the names they have there. */
const CRAWLER_COUNTS = ["concurrency", "hostCeiling", "ipCeiling", "retries"] as const;
const CRAWLER_TEXTS = ["timeout", "maxBody", "delay"] as const;
/** Source: bench/scanner.mjs, some 100 MB/s. */
const PARSE_MILLIS_PER_MB = 10;
/** Hours: a week is more than any question needs, and still minutes of real time. */
const RANGES = { hours: { above: 0, most: 168 }, seed: { least: 0, most: 2 ** 32 - 1, whole: true } } as const satisfies Record<
  string,
  NumberRange
>;
const HOSTS_MOST = 20_000;

/** What may stand for the file's own hours or seed, in words; null when the value is such a one. */
export function outOfRange(name: keyof typeof RANGES, value: number): string | null {
  return isWithin(value, RANGES[name]) ? null : rangeText(RANGES[name]);
}

/**
 * Takes a simulation file apart.
 * @param instead what counts for the file's own, and is judged by the same rules.
 * @returns what is wrong with it, all at once, each with its path.
 */
export function readWeb(value: unknown, instead: { readonly hours?: number; readonly seed?: number } = {}): Web | readonly ConfigProblem[] {
  const problems: ConfigProblem[] = [];
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  const root = FieldReader.of(isObject ? { ...value, ...instead } : value, "", problems, "an object: { hosts: […] }");
  if (root === null) return problems;
  const web: Web = {
    hours: root.number("hours", RANGES.hours) ?? 1,
    seed: root.number("seed", RANGES.seed) ?? 1,
    crawler: readCrawler(root),
    parser: readParser(root),
    provider: readProvider(root),
    hosts: root.list("hosts", (host) => readHost(host)),
    faults: root.list("faults", (fault) => readFault(fault)),
  };
  root.nothingElse();
  const count = web.hosts.reduce((sum, host) => sum + host.count, 0);
  if (problems.length === 0 && (count < 1 || count > HOSTS_MOST)) {
    problems.push({ path: "hosts", got: `${count} hosts`, expected: `1 to ${HOSTS_MOST} hosts` });
  }
  const twice = web.hosts.find((host, at) => web.hosts.findIndex(({ name }) => name === host.name) !== at);
  if (problems.length === 0 && twice !== undefined)
    problems.push({ path: "hosts", got: `${twice.name} twice`, expected: "each name once" });
  if (web.provider === null && web.faults.some(({ kind }) => kind === "provider" || kind === "credits"))
    problems.push({ path: "provider", got: "nothing", expected: "an object, for there are faults of it: { concurrency: 8 }" });
  return problems.length > 0 ? problems : web;
}

function readCrawler(root: FieldReader): Web["crawler"] {
  const options: Record<string, string | number> = {};
  const crawler = root.object("crawler", "an object: { concurrency, hostCeiling, … }");
  if (crawler === null) return options;
  for (const name of CRAWLER_COUNTS) {
    const count = crawler.number(name, { least: name === "retries" ? 0 : 1, most: 4096, whole: true });
    if (count !== undefined) options[name] = count;
  }
  for (const name of CRAWLER_TEXTS) {
    const text = crawler.text(name);
    if (text !== undefined) options[name] = text;
  }
  const limiter = crawler.choice("limiter", ["weir", "aimd"]);
  if (limiter !== undefined) options["limiter"] = limiter;
  crawler.nothingElse();
  return options;
}

function readParser(root: FieldReader): Web["parser"] {
  const parser = root.object("parser", "an object: { msPerMB }");
  const read = { msPerMB: parser?.number("msPerMB", { least: 0, most: 1e6 }) ?? PARSE_MILLIS_PER_MB };
  parser?.nothingElse();
  return read;
}

function readProvider(root: FieldReader): Web["provider"] {
  const provider = root.object("provider", "an object: { concurrency, told, credits, retries }");
  if (provider === null) return null;
  const calls = { least: 1, most: 4096, whole: true };
  const read = {
    concurrency: provider.required("concurrency", calls),
    told: provider.nullable("told", () => provider.number("told", calls)) ?? null,
    credits: provider.nullable("credits", () => provider.number("credits", { least: 0, most: 1e12, whole: true })) ?? null,
    retries: provider.number("retries", { least: 0, most: 10, whole: true }) ?? 3,
  };
  provider.nothingElse();
  return read;
}

function readHost(host: FieldReader): WebHost {
  const name = host.text("name", /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:\d{1,5})?$/, "a host name in lower case, with or without a port");
  if (name === undefined && !host.has("name")) host.missing("name", "a host name");
  const service = host.object("service", "an object: { ms: 300 }");
  const read = service === null ? {} : readService(service);
  if (read.ms === undefined && (service === null || !service.has("ms"))) host.missing("service.ms", "milliseconds");
  const tolerance = readTolerance(host.object("tolerance", "an object: { concurrent, perSecond, … }"));
  const timeline = host.list("timeline", (change) => readChange(change));
  const known: WebHost = {
    name: name ?? "",
    count: host.number("count", { least: 1, most: HOSTS_MOST, whole: true }) ?? 1,
    pages: host.number("pages", { least: 1, most: 1e9, whole: true }) ?? 1_000_000,
    address: host.text("address") ?? null,
    target: targetSpec({ ...read, ms: read.ms ?? 1 }, { ...NO_TOLERANCE, ...tolerance }, timeline),
  };
  host.nothingElse();
  return known;
}

function readChange(change: FieldReader): TargetChange {
  const atMinutes = change.number("atMinutes", { least: 0, most: RANGES.hours.most * 60 });
  if (atMinutes === undefined && !change.has("atMinutes")) change.missing("atMinutes", "minutes from the start");
  const service = change.object("service", "an object of fields that change");
  const tolerance = change.object("tolerance", "an object of fields that change; null lifts a bound");
  const read: TargetChange = {
    atMinutes: atMinutes ?? 0,
    ...(service === null ? {} : { service: readService(service) }),
    ...(tolerance === null ? {} : { tolerance: readTolerance(tolerance) }),
  };
  change.nothingElse();
  return read;
}

function readService(service: FieldReader): Partial<Service> {
  const slow = service.nullable("slow", () => {
    const part = service.object("slow", "an object: { share, ms }");
    if (part === null) return null;
    const read = { share: part.number("share", SHARE) ?? 0, ms: part.number("ms", MILLIS) ?? 0 };
    part.nothingElse();
    return read;
  });
  const fails = service.nullable("fails", () => readFails(service));
  const read = known({
    ms: service.number("ms", MILLIS),
    jitter: service.number("jitter", SHARE),
    workers: service.number("workers", { least: 0, most: 10_000, whole: true }),
    slow,
    bytes: service.number("bytes", { least: 1, most: 1e9, whole: true }),
    bytesPerSecond: service.nullable("bytesPerSecond", () => service.number("bytesPerSecond", { above: 0, most: 1e12 })),
    parseFactor: service.number("parseFactor", { above: 0, most: 1e6 }),
    fails,
  });
  service.nothingElse();
  return read;
}

function readFails(service: FieldReader): Service["fails"] {
  const part = service.object("fails", "an object: { share, as }");
  if (part === null) return null;
  const status = part.value("as");
  const as: FailureKind | undefined =
    typeof status === "number" ? part.number("as", { least: 400, most: 599, whole: true }) : part.choice("as", FAILURES, "or a status");
  if (as === undefined && !part.has("as")) part.missing("as", `one of ${FAILURES.join(", ")}, or a status`);
  const read = { share: part.number("share", SHARE) ?? 1, as: as ?? "reset" };
  part.nothingElse();
  return read;
}

function readTolerance(tolerance: FieldReader | null): Partial<Tolerance> {
  if (tolerance === null) return {};
  const read = known({
    concurrent: tolerance.nullable("concurrent", () => readConcurrent(tolerance)),
    perSecond: tolerance.nullable("perSecond", () => tolerance.number("perSecond", { above: 0, most: 1e6 })),
    burst: tolerance.nullable("burst", () => tolerance.number("burst", { least: 1, most: 1e6 })),
    banSeconds: tolerance.number("banSeconds", { least: 0, most: 604_800 }),
    retryAfter: tolerance.nullable("retryAfter", () => tolerance.number("retryAfter", { least: 0, most: 604_800 })),
    answer: tolerance.choice("answer", REFUSALS),
  });
  tolerance.nothingElse();
  return read;
}

function readConcurrent(tolerance: FieldReader): Tolerance["concurrent"] | undefined {
  if (typeof tolerance.value("concurrent") !== "object") return tolerance.number("concurrent", { least: 0, most: 1e6 });
  const wave = tolerance.object("concurrent", "a number or { from, to, periodMinutes }");
  if (wave === null) return undefined;
  const level = { least: 0, most: 1e6 };
  const read = {
    from: wave.required("from", level),
    to: wave.required("to", level),
    periodMinutes: wave.required("periodMinutes", { above: 0, most: 1e6 }),
  };
  wave.nothingElse();
  return read;
}

function readFault(fault: FieldReader): WebFault {
  const kind = fault.choice("kind", FAULT_KINDS);
  if (kind === undefined && !fault.has("kind")) fault.missing("kind", `one of ${FAULT_KINDS.join(", ")}`);
  const read: WebFault = {
    kind: kind ?? "store",
    atMinutes: fault.required("atMinutes", { least: 0, most: RANGES.hours.most * 60 }),
    seconds: fault.required("seconds", { above: 0, most: 86_400 }),
  };
  fault.nothingElse();
  return read;
}

const SHARE = { least: 0, most: 1 };
const MILLIS = { above: 0, most: 86_400_000 };

/** Only the fields that were given: a change leaves the others as they are. */
function known<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}
