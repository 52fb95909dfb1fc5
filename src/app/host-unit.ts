import { getDomain } from "tldts";
import { loadExport } from "../adapters/config-file/load.ts";
import type { HostUnitFunction, HostUnitSetting, Settings } from "../config/settings.ts";
import { ConfigError } from "../kernel/errors.ts";
import { hostName } from "../kernel/host-key.ts";
import type { UnitRule } from "../pipeline/unit-rule.ts";

/** Longest key of a unit that a function may give. */
const KEY_MOST = 256;

/** By what hosts are limited together; undefined when each is by itself. */
export function unitRule(setting: HostUnitSetting): UnitRule | undefined {
  if (typeof setting === "function") return { by: "key", of: (authority) => keyBy(setting, authority) };
  if (setting === "ip") return { by: "address" };
  if (setting === "domain") return { by: "key", of: domainOf };
  return undefined;
}

/** The settings with the function that `file#export` names, in place of its name. @throws ConfigError */
export async function withHostUnit(settings: Settings, library: string): Promise<Settings> {
  const { unit } = settings.hosts;
  if (typeof unit === "function" || !unit.includes("#")) return settings;
  const at = unit.lastIndexOf("#");
  const found = await loadExport(unit.slice(0, at), unit.slice(at + 1), library);
  if (typeof found !== "function")
    throw new ConfigError("WEIR_CONFIG_INVALID", "The configuration has a problem", [
      {
        path: "hosts.unit",
        got: `${unit}: ${found === undefined ? "no such export" : "no function"}`,
        expected: "a function from URL to key",
      },
    ]);
  return Object.freeze({ ...settings, hosts: Object.freeze({ ...settings.hosts, unit: found as HostUnitFunction }) });
}

/** The registrable domain; a host that has none (an address, a name of one label) is by itself. */
function domainOf(authority: string): string {
  return getDomain(hostName(authority), { allowPrivateDomains: true, extractHostname: false }) ?? authority;
}

/** A host for which the function fails is by itself: one strange name must not end a crawl. */
function keyBy(unit: HostUnitFunction, authority: string): string {
  try {
    const key: unknown = unit(new URL(`https://${authority}/`));
    return typeof key === "string" && key !== "" ? key.slice(0, KEY_MOST) : authority;
  } catch {
    return authority;
  }
}
