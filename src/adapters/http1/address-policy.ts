import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import type { AddressPolicyOptions } from "./options.ts";

/**
 * Says which addresses may be connected to, so that a page cannot make weir reach into the network it runs in (spec D8).
 * Only globally routed unicast passes: the special-purpose registries of RFC 6890 (private, loopback, link-local with the
 * clouds' metadata address, shared, benchmarking, documentation, multicast, reserved) do not, nor do IPv6 forms that embed
 * such an IPv4 address. It must be asked for the very address a socket connects to, for each connection.
 */
export class AddressPolicy {
  readonly #allowPrivate: boolean;
  readonly #allowed: ReadonlySet<string>;

  constructor(options: AddressPolicyOptions) {
    this.#allowPrivate = options.allowPrivate;
    this.#allowed = new Set(options.allowAddresses.map(canonicalEntry));
  }

  /** @param hostname name in the URL, or the address itself without brackets. */
  permits(address: string, hostname: string, port: number): boolean {
    if (this.#allowPrivate || isPublicAddress(address)) return true;
    if (this.#allowed.size === 0) return false;
    const literal = canonicalHost(address);
    return this.#has(literal, port) || this.#has(canonicalHost(hostname), port);
  }

  #has(host: string, port: number): boolean {
    return this.#allowed.has(host) || this.#allowed.has(`${host} ${port}`);
  }
}

/** True for a globally routed unicast address, also when an IPv6 form only wraps one. */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 0) return false;
  const parsed = ipaddr.parse(address);
  return parsed instanceof ipaddr.IPv6 ? isPublicV6(parsed) : parsed.range() === "unicast";
}

function isPublicV6(address: ipaddr.IPv6): boolean {
  const parts = address.parts;
  switch (address.range()) {
    case "ipv4Mapped":
    case "rfc6052": // NAT64, 64:ff9b::/96: the IPv4 address is in the last 32 bits
      return isPublicPair(parts[6], parts[7]);
    case "6to4": // 2002:AABB:CCDD::/48
      return isPublicPair(parts[1], parts[2]);
    case "unicast":
      return (parts[0] & 0xe000) === 0x2000; // 2000::/3 is all that is globally assigned (RFC 4291 2.4)
    default:
      return false;
  }
}

function isPublicPair(high: number, low: number): boolean {
  return new ipaddr.IPv4([high >> 8, high & 0xff, low >> 8, low & 0xff]).range() === "unicast";
}

/** `host` or `host port`, the host in one spelling. A last group after a single colon, or after `]`, is a port. */
function canonicalEntry(entry: string): string {
  const match = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d+))?$/.exec(entry.trim());
  if (match === null) return canonicalHost(entry.trim());
  const host = canonicalHost(match[1] ?? match[2] ?? "");
  return match[3] === undefined ? host : `${host} ${Number(match[3])}`;
}

function canonicalHost(host: string): string {
  return isIP(host) === 6 ? ipaddr.parse(host).toString() : host.toLowerCase();
}
