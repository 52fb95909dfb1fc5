/** Shards into which hosts are divided; each is owned by one process. Fixed: it is part of what stores and fleets agree on. */
export const SHARDS = 1024;

/**
 * The host of a canonical URL: the unit of limits, queues and scope. It is the name alone for ports 80 and 443, which count as
 * one host, else `name:port`; an IPv6 address keeps its brackets.
 */
export function hostKey(url: string): string {
  const start = url.indexOf("//") + 2;
  const end = url.indexOf("/", start);
  const authority = url.slice(start, end === -1 ? url.length : end);
  if (authority.endsWith(":80")) return authority.slice(0, -3);
  if (authority.endsWith(":443")) return authority.slice(0, -4);
  return authority;
}

/** The name or address of a host key, without port; an IPv6 address keeps its brackets. */
export function hostName(key: string): string {
  const colon = key.lastIndexOf(":");
  return colon > key.lastIndexOf("]") ? key.slice(0, colon) : key;
}

/** The shard of a host, 0–1023: the same on every machine and in every store, so it takes no seed. FNV-1a, end-mixed. */
export function shardOf(key: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < key.length; i++) hash = Math.imul(hash ^ key.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return (hash ^ (hash >>> 13)) & (SHARDS - 1);
}
