import type { Millis } from "../../kernel/units.ts";
import type { Pipeline } from "../../pipeline/pipeline.ts";
import type { SimulatedSite } from "../../simulate/simulated-site.ts";

type Host = ReturnType<Pipeline["frontier"]["hostOf"]>;

/** Keeps the frontier of each site from running dry, and looks at the site's limiter. */
export class Feeder {
  readonly #sites: readonly SimulatedSite[];
  readonly #hosts: (Host | undefined)[] = [];

  constructor(sites: ReadonlyMap<string, SimulatedSite>) {
    this.#sites = [...sites.values()];
  }

  /** @returns whether anything was added. */
  feed(pipeline: Pipeline): boolean {
    let added = false;
    this.#sites.forEach((site, index) => {
      this.#hosts[index] ??= pipeline.frontier.hostOf(`https://${site.name}/`);
      const host = this.#hosts[index];
      if (host.waiting * 2 >= site.backlog) return;
      for (const url of site.more(host.waiting)) {
        pipeline.frontier.discoverText(url, 1, "link");
        added = true;
      }
    });
    return added;
  }

  /** Notes each site's limit. */
  sample(now: Millis): void {
    this.#sites.forEach((site, index) => {
      const limit = this.#hosts[index]?.limiter.limit;
      if (limit !== undefined) site.limit.push([Math.round(now / 1000), rounded(limit)]);
    });
  }
}

function rounded(value: number): number {
  return Math.round(value * 1000) / 1000;
}
