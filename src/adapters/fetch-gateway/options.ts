import type { Millis } from "../../kernel/units.ts";
import type { HttpOptions } from "../http1/options.ts";

/** What a gateway route is told. Defaults live in `config/`. Prices are the ledger's: the route counts bytes. */
export interface GatewayOptions extends HttpOptions {
  /** The provider's name in the configuration. */
  readonly name: string;
  /** At least one. */
  readonly endpoints: readonly GatewayEndpoint[];
  /**
   * User name sent to the gateway, from `{user}` and `{session}`: `{user}-session-{session}`. A host keeps its session, and with
   * it the address behind the gateway, while that works. Null: the user name as it is.
   */
  readonly sessionUser: string | null;
  /** From the connection to the gateway to its answer that the tunnel is open. */
  readonly tunnelTimeout: Millis;
  /** Statuses of the gateway, instead of a tunnel, that mean: the quota or the money is gone. */
  readonly exhausted: readonly number[];
  /** And those that mean: too many at once. */
  readonly busy: readonly number[];
}

export interface GatewayEndpoint {
  /** `http://`, `https://` or `socks5://`, with `user:password@` where the gateway wants them. */
  readonly url: string;
  /** Where its addresses are, in the user's words; a host moves to another region only when its own has no endpoint left. */
  readonly region: string | null;
}
