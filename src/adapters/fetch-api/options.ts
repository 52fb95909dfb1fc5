import type { JsonPath } from "../../kernel/json-path.ts";
import type { Millis } from "../../kernel/units.ts";

/** What a scraping API is told and how it answers. Defaults live in `config/`. */
export interface ApiOptions {
  /** The provider's name in the configuration. */
  readonly name: string;
  /** URL of a call, with `{url}` where the page's goes, encoded. May hold secrets. */
  readonly request: string;
  readonly headers: readonly (readonly [string, string])[];
  /** Where the target's status, body and final URL are in the answer, and what it cost. Without `body` the answer is the page. */
  readonly status: JsonPath | null;
  readonly body: JsonPath | null;
  readonly finalUrl: JsonPath | null;
  readonly credits: JsonPath | null;
  /** Statuses of the API's own. */
  readonly busy: readonly number[];
  readonly exhausted: readonly number[];
  /** Parts of the request's URL: for pages (not for robots.txt and lists), for all, and with `{session}`, which a host keeps. */
  readonly render: string;
  readonly country: string;
  readonly session: string;
  /** Sends a page's own request headers along, as they are or with this in front of their names. */
  readonly forwardsHeaders: boolean | string;
  /** Least deadline of a call: as long as the retries that the API makes itself. */
  readonly deadline: Millis;
  /** Kept out of messages. */
  readonly secrets: readonly string[];
}
