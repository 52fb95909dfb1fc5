import { Endpoints } from "../flow/endpoints.ts";
import type { Random } from "../ports/clock.ts";
import type { ExitPolicy } from "../ports/exit-policy.ts";

/** The choice among a gateway's endpoints, for the route that opens its connections. */
export function exitsOf(endpoints: readonly { readonly region: string | null }[], random: Random): ExitPolicy {
  return new Endpoints(endpoints, Math.floor(random() * 2 ** 32));
}
