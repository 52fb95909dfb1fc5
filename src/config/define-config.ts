/** A list setting may be one text or several. */
type OneOrMany = string | readonly string[];
/** With its unit: `250ms`, `5s`, `2m`, `1h`, `7d`. */
type DurationText = string;
/** Bytes, or with a unit: `10MiB`, `1GB`. */
type SizeText = string | number;

/** What every paid provider may have. Each name is explained in `docs/providers.md`. */
interface ProviderConfig {
  /** Calls at once that its plan allows; found out where it is not given. */
  readonly concurrency?: number;
  /** `hour`, `day`, `month`, `HH:MM` or an instant; UTC. */
  readonly resetAt?: string;
  readonly busy?: number | readonly number[];
  readonly exhausted?: number | readonly number[];
}

/** A metered proxy. */
export interface GatewayConfig extends ProviderConfig {
  readonly kind: "gateway";
  /** `http://user:password@host:port`, also `https://` and `socks5://`; `env:NAME` reads one. */
  readonly endpoints: OneOrMany | readonly (string | { readonly url: string; readonly region?: string })[];
  readonly session?: string;
  readonly pricePerGB?: number;
  /** Bytes of a cycle. */
  readonly balance?: SizeText;
}

/** An API that fetches pages. */
export interface ScrapingApiConfig extends ProviderConfig {
  readonly kind: "scraping-api";
  /** URL with `{url}`; `{env:NAME}` reads a secret. */
  readonly request: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly status?: string;
  readonly body?: string;
  readonly finalUrl?: string;
  readonly credits?: string;
  /** Retries that the API makes itself. */
  readonly retries?: number;
  readonly render?: string;
  readonly country?: string;
  readonly session?: string;
  readonly forwardsHeaders?: boolean | string;
  readonly pricePerCredit?: number;
  /** Credits of a cycle. */
  readonly balance?: number;
}

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
    /** `authority`, `domain`, `ip`, `file#export`, or a function: root URL of a host → key; hosts of one key are limited as one. */
    readonly unit?: string | ((url: URL) => string);
    readonly overrides?: Readonly<
      Record<string, { readonly ceiling?: number; readonly delay?: DurationText; readonly provider?: string; readonly http2?: boolean }>
    >;
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
  /** By name; see `docs/providers.md`. */
  readonly providers?: Readonly<Record<string, GatewayConfig | ScrapingApiConfig>>;
  /** `direct`, or a name under `providers`. */
  readonly provider?: string;
  /** Fetch everything through this proxy: `http://`, `https://` or `socks5://`; `env:NAME` reads it from a variable. */
  readonly proxy?: string;
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
