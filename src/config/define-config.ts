/** A list setting may be one text or several. */
type OneOrMany = string | readonly string[];
/** With its unit: `250ms`, `5s`, `2m`, `1h`, `7d`. */
type DurationText = string;
/** Bytes, or with a unit: `10MiB`, `1GB`. */
type SizeText = string | number;

/** What may stand in `weir.config.ts`, in JSON and in the library's options. Each name is explained in `docs/options.md`. */
export interface Config {
  readonly seeds?: OneOrMany;
  readonly store?: string;
  readonly scope?: "host" | "domain" | "prefix" | "any";
  readonly include?: OneOrMany;
  readonly exclude?: OneOrMany;
  readonly maxPages?: number;
  readonly maxDepth?: number;
  readonly maxBytes?: SizeText;
  readonly maxTime?: DurationText;
  readonly maxWait?: DurationText;
  readonly hosts?: {
    readonly ceiling?: number;
    readonly delay?: DurationText;
    readonly unit?: "authority";
    readonly overrides?: Readonly<Record<string, { readonly ceiling?: number; readonly delay?: DurationText }>>;
  };
  readonly ipCeiling?: number;
  readonly concurrency?: number;
  readonly timeout?: DurationText;
  readonly maxBody?: SizeText;
  readonly retries?: number;
  /** Name → value, or lines `Name: value`. `env:NAME` as the value reads a secret. */
  readonly headers?: Readonly<Record<string, string>> | readonly string[];
  readonly cookies?: "none" | "chain" | "host";
  readonly sitemaps?: "auto" | "probe" | "off";
  readonly saveBodies?: string;
  readonly robots?: "obey" | "ignore";
  readonly allowPrivate?: boolean;
  readonly allowAddresses?: OneOrMany;
  readonly userAgent?: string;
  readonly output?: string;
  readonly fields?: OneOrMany;
  readonly quiet?: boolean;
  readonly verbose?: boolean;
  readonly logFormat?: "text" | "json";
  readonly json?: boolean;
  readonly provider?: "direct";
}

/** The library's options: the same, and what only one run can want. */
export interface CrawlOptions extends Config {
  /** Forget the earlier passes. */
  readonly fresh?: boolean;
}

/** Gives a configuration file its types. Returns what it gets. */
export function defineConfig(config: Config): Config {
  return config;
}
