import { GatewayRoute } from "../adapters/fetch-gateway/gateway-route.ts";
import type { GatewayEndpoint } from "../adapters/fetch-gateway/options.ts";
import { FIXED } from "../config/fixed.ts";
import type { Settings } from "../config/settings.ts";
import { exitsOf } from "../pipeline/exits.ts";
import type { Clock, Random } from "../ports/clock.ts";
import { http2For } from "./pipeline-options.ts";

/** One gateway of the configuration; what is left out is the usual. */
export interface GatewayGiven {
  readonly name: string;
  readonly endpoints: readonly GatewayEndpoint[];
  /** User name with `{user}` and `{session}`. */
  readonly session?: string;
  readonly exhausted?: readonly number[];
  readonly busy?: readonly number[];
}

/** The route through a gateway. */
export function openGateway(
  given: GatewayGiven,
  settings: Settings,
  deps: { readonly clock: Clock; readonly random: Random },
): GatewayRoute {
  const { name, endpoints, session, exhausted, busy } = given;
  return new GatewayRoute(
    { ...deps, exits: exitsOf(endpoints, deps.random) },
    {
      ...FIXED.route,
      ...FIXED.gateway,
      name,
      endpoints,
      sessionUser: session ?? null,
      exhausted: exhausted ?? FIXED.gateway.exhausted,
      busy: busy ?? FIXED.gateway.busy,
      userAgent: settings.userAgent,
      allowPrivate: settings.allowPrivate,
      allowAddresses: settings.allowAddresses,
      connectionsPerHost: settings.hosts.ceiling,
      ...http2For(settings),
    },
  );
}
