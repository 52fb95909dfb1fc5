import { FIXED } from "../config/fixed.ts";
import type { HostOverride, Settings } from "../config/settings.ts";
import type { FingerprintSeed } from "../kernel/fingerprint.ts";
import { hostName } from "../kernel/host-key.ts";
import type { OptionalField } from "../kernel/settled-url.ts";
import type { Millis, Seq } from "../kernel/units.ts";
import type { Admission } from "../pipeline/admission.ts";
import type { PipelineOptions } from "../pipeline/pipeline-deps.ts";
import type { UnitRule } from "../pipeline/unit-rule.ts";
import type { Sink } from "../ports/sink.ts";
import { unitRule } from "./host-unit.ts";
import type { Pass } from "./pass.ts";

/** What a run begins with, besides the settings. */
export interface RunStart {
  /** Canonical. */
  readonly seeds: readonly string[];
  readonly admission: Admission;
  readonly pass: Pass;
  readonly resumed: boolean;
  readonly lastSeq: Seq;
  readonly consumer: {
    readonly name: string;
    readonly sink: Sink;
    readonly from: Seq;
    readonly grain: number;
    readonly optional: readonly OptionalField[];
  } | null;
  readonly seed: FingerprintSeed;
}

/** The settings as the pipeline takes them. */
export function pipelineOptions(settings: Settings, start: RunStart): Omit<PipelineOptions, "crashes"> {
  const optional = start.consumer?.optional ?? [];
  const unit = unitRule(settings.hosts.unit);
  return {
    pass: start.pass.number,
    seed: start.seed,
    concurrency: settings.concurrency,
    ipCeiling: settings.ipCeiling,
    limiter: settings.limiter,
    parseItems: FIXED.parse.items,
    parseBytes: FIXED.parse.bytes,
    maxBody: settings.maxBody,
    timeout: settings.timeout,
    retries: settings.retries,
    cookies: settings.cookies,
    obeyRobots: settings.robots === "obey",
    productToken: productToken(settings.userAgent),
    sitemaps: settings.sitemaps,
    own: { headers: settings.headers, origins: new Set(start.seeds.map((seed) => new URL(seed).origin)) },
    wants: { text: optional.includes("text"), headers: optional.includes("headers"), html: optional.includes("html") },
    paceOf: unit === undefined ? (host) => paceOf(settings, host) : (host) => paceOf(settings, host, unit),
    ...(unit === undefined ? {} : { unit }),
    maxPages: settings.maxPages ?? null,
    providerOf: (host) => overrideOf(settings, host)?.provider ?? settings.provider,
  };
}

/** What the person set for this host: by authority or by name. */
function overrideOf(settings: Settings, host: string): HostOverride | undefined {
  const { overrides } = settings.hosts;
  return overrides[host] ?? overrides[hostName(host)];
}

/** Ceiling and least gap of a host as the person set them: its own first, by authority or by name; then those of its unit's key. */
function paceOf(settings: Settings, host: string, unit?: UnitRule): { readonly ceiling: number; readonly gap: Millis } {
  const { hosts } = settings;
  const own = overrideOf(settings, host) ?? (unit?.by === "key" ? overrideOf(settings, unit.of(host)) : undefined);
  return { ceiling: own?.ceiling ?? hosts.ceiling, gap: own?.delay ?? hosts.delay ?? 0 };
}

/** Of which sites HTTP/2 is asked for; empty when it is of none. */
export function http2For(settings: Settings): { readonly http2For?: (authority: string) => boolean } {
  if (!Object.values(settings.hosts.overrides).some(({ http2 }) => http2 === true)) return {};
  return { http2For: (authority) => overrideOf(settings, authority)?.http2 === true };
}

/** The name robots.txt knows us by: the User-Agent's first product. */
export function productToken(userAgent: string): string {
  return /^[A-Za-z_-]+/.exec(userAgent)?.[0] ?? "weir";
}
