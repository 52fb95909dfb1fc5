import type { ResetRule } from "../kernel/reset-rule.ts";

/** What every paid provider may have. */
interface Paid {
  /** Calls at once that its plan allows; absent when it is not known. */
  readonly concurrency?: number;
  /** Retries that it makes itself before it answers. */
  readonly retries: number;
  /** When its account is filled again; absent: by a person alone. */
  readonly resetAt?: ResetRule;
  /** What an account cycle begins with: credits of an API, bytes of a gateway; absent when not known. */
  readonly balance?: number;
  /** Statuses that mean: too many calls at once. */
  readonly busy: readonly number[];
  /** Statuses that mean: nothing is left to spend. */
  readonly exhausted: readonly number[];
}

/** A metered proxy. */
export interface GatewaySettings extends Paid {
  readonly kind: "gateway";
  /** With user and password: never printed, never stored. */
  readonly endpoints: readonly { readonly url: string; readonly region: string | null }[];
  /** User name with `{user}` and `{session}`; absent: the one of the endpoint. */
  readonly session?: string;
  readonly pricePerGB: number;
}

/** An API that fetches a page for us. */
export interface ScrapingApiSettings extends Paid {
  readonly kind: "scraping-api";
  /** With `{url}`; may hold secrets: never printed, never stored. */
  readonly request: string;
  readonly headers: readonly (readonly [string, string])[];
  /** JSONPaths into the answer; without `body` the answer itself is the page. */
  readonly status?: string;
  readonly body?: string;
  readonly finalUrl?: string;
  readonly credits?: string;
  /** Parts added to the request. */
  readonly render?: string;
  readonly country?: string;
  readonly session?: string;
  /** Sends the page's own request headers along, as they are or with this in front of their names. */
  readonly forwardsHeaders: boolean | string;
  readonly pricePerCredit: number;
  /** Every secret in it, to be kept out of messages. */
  readonly secrets: readonly string[];
}

export type ProviderSettings = GatewaySettings | ScrapingApiSettings;
export type ProvidersSettings = Readonly<Record<string, ProviderSettings>>;
