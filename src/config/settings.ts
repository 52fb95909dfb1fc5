import type { SettledField } from "../kernel/settled-url.ts";
import type { Bytes, Millis } from "../kernel/units.ts";
import type { ProvidersSettings } from "./providers.ts";

export type ScopeRule = "host" | "domain" | "prefix" | "any";

/** Gives hosts of one key one limit. @param url root of the host. */
export type HostUnitFunction = (url: URL) => string;
/** `authority`, `domain`, `ip`, `file#export`, or the function itself. */
export type HostUnitSetting = string | HostUnitFunction;

/** Limits a person sets for one host. An absent field means the general value. */
export interface HostOverride {
  readonly ceiling?: number;
  readonly delay?: Millis;
  /** `direct`, or a name under `providers`. */
  readonly provider?: string;
  /** HTTP/2 is asked for; where the host does not offer it, HTTP/1.1 serves. */
  readonly http2?: boolean;
}

/**
 * The effective configuration of one run: validated once, frozen, and passed down. A limit that is not set is absent; there
 * is no number that means "none".
 */
export interface Settings {
  /** Absolute http or https URLs, not yet canonical. */
  readonly seeds: readonly string[];
  /** Path of the SQLite file. */
  readonly store: string;
  readonly scope: ScopeRule;
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  readonly maxPages?: number;
  /** Links from a seed; 0 is the seeds alone. */
  readonly maxDepth?: number;
  readonly maxBytes?: Bytes;
  readonly maxTime?: Millis;
  readonly maxWait: Millis;
  readonly hosts: {
    readonly ceiling: number;
    readonly delay?: Millis;
    /** Which hosts are limited as one: `file#export` is loaded before the crawl, a function gives each host's key. */
    readonly unit: HostUnitSetting;
    /** By authority (`name` or `name:port`, lower case). */
    readonly overrides: Readonly<Record<string, HostOverride>>;
  };
  /** How each host's limit adapts; `aimd` is the textbook's way, for comparison. */
  readonly limiter: "weir" | "aimd";
  readonly ipCeiling: number;
  readonly concurrency: number;
  readonly timeout: Millis;
  readonly maxBody: Bytes;
  readonly retries: number;
  /** Sent to the seeds' own hosts only. May hold secrets: never printed, never stored. */
  readonly headers: readonly (readonly [string, string])[];
  readonly cookies: "none" | "chain" | "host";
  readonly sitemaps: "auto" | "probe" | "off";
  /** Folder of the body archive. */
  readonly saveBodies?: string;
  readonly robots: "obey" | "ignore";
  readonly allowPrivate: boolean;
  /** `host` or `host:port`, lower case; IPv6 in brackets. */
  readonly allowAddresses: readonly string[];
  readonly providers: ProvidersSettings;
  /** `direct`, or a name under `providers`. */
  readonly provider: string;
  readonly userAgent: string;
  readonly fresh: boolean;
  /** Path of the output file, or `-` for standard output. */
  readonly output?: string;
  /** Fields of a settled URL to write, in order. */
  readonly fields: readonly SettledField[];
  readonly quiet: boolean;
  readonly verbose: boolean;
  readonly logFormat: "text" | "json";
  readonly json: boolean;
}
