import type { Config } from "../../config/define-config.ts";
import type { Web } from "../../simulate/web.ts";

/** The crawler's configuration in a simulation. An endless backlog must not end the pass because a gate is closed for long. */
export function configOf(web: Web): Config {
  const { hostCeiling, delay, ...rest } = web.crawler;
  const hosts = { ...(hostCeiling === undefined ? {} : { ceiling: hostCeiling }), ...(delay === undefined ? {} : { delay }) };
  // Each host has an address of its own unless the file says otherwise: that ceiling must not hide the host's.
  const ipCeiling = Math.max(16, Number(hostCeiling ?? 0));
  return { ipCeiling, ...rest, hosts, maxWait: "365d" } as Config;
}
