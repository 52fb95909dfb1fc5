import { MAX_URL_LENGTH } from "../kernel/canonical-url.ts";
import type { SkipReason, Via } from "../kernel/outcome.ts";
import type { Scope } from "../stages/frontier/scope.ts";
import { trapReason } from "../stages/frontier/traps.ts";

/** Rules for URLs met for the first time, in the order in which their reasons are given: scope before depth before shape. */
export function admissionRules(scope: Scope, maxDepth: number | undefined): (url: string, host: string, depth: number, via: Via) => SkipReason | null {
  return (url, host, depth, via) => {
    if (url.length > MAX_URL_LENGTH) return "url-too-long";
    const outside = via === "seed" ? scope.admitsSeed(url) : scope.admits(url, host);
    if (outside !== null) return outside;
    if (maxDepth !== undefined && depth > maxDepth) return "depth";
    return via === "seed" || trapReason(url) === null ? null : "trap";
  };
}
