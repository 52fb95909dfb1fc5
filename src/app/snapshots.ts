import type { Millis } from "../kernel/units.ts";
import { type HostsView, viewHosts } from "../pipeline/host-view.ts";
import type { Pipeline } from "../pipeline/pipeline.ts";
import { boundCause, type ConsumerPressure } from "../pipeline/pressure.ts";
import type { Clock } from "../ports/clock.ts";
import { type CrawlStatus, HOSTS_META_KEY, STATUS_META_KEY } from "./crawl-types.ts";

/** Hosts in the store's snapshot; it is made this often, and more seldom with very many hosts: so many may be looked at for each ms. Source: guess. */
const HOSTS_SAVED = 100;
const HOSTS_EVERY: Millis = 5_000;
const HOSTS_A_MILLI = 10;

/** Takes a run's samples and keeps in the store what other processes see when this one does not answer. */
export class Snapshots {
  readonly #clock: Clock;
  #hostsAt: Millis = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Once a second. */
  take(pipeline: Pipeline, consumer: ConsumerPressure | null, span: Millis, status: () => CrawlStatus): void {
    const now = this.#clock.now();
    pipeline.tally.tick(span, boundCause(pipeline, consumer, now), now);
    pipeline.gauges.tick(span, pipeline.parse.credits.blockedDraws);
    pipeline.dispatcher.holds.roll(now);
    // Nobody asks; it is for whoever comes after a crash. So the more hosts there are, the more seldom they are looked at.
    if (now >= this.#hostsAt + Math.max(HOSTS_EVERY, pipeline.dispatcher.hostsAsked / HOSTS_A_MILLI)) this.#takeHosts(pipeline, now);
    this.#keepStatus(pipeline, status());
  }

  /** At the end of a run. */
  last(pipeline: Pipeline, status: CrawlStatus): void {
    this.#takeHosts(pipeline, this.#clock.now());
    this.#keepStatus(pipeline, { ...status, state: "done" });
  }

  #keepStatus(pipeline: Pipeline, status: CrawlStatus): void {
    pipeline.storeStage.meta(STATUS_META_KEY, JSON.stringify(status));
  }

  #takeHosts(pipeline: Pipeline, now: Millis): void {
    this.#hostsAt = now;
    const view: HostsView = viewHosts(pipeline, { top: HOSTS_SAVED, by: "waiting" }, now, this.#clock.epoch());
    pipeline.storeStage.meta(HOSTS_META_KEY, JSON.stringify(view));
  }
}
