import type { Bytes, Millis } from "../kernel/units.ts";
import type { Clock } from "../ports/clock.ts";
import type { FetchRequest, FetchResult, FetchRoute, Resolution } from "../ports/fetch-route.ts";
import type { RouteLimits } from "./route-limits.ts";
import { SimulatedFetch } from "./simulated-fetch.ts";
import type { EndKind, SimulatedSite } from "./simulated-site.ts";

export interface SimulatedRouteDeps {
  readonly clock: Clock;
  readonly limits: RouteLimits;
  readonly site: (name: string) => SimulatedSite | undefined;
  readonly onStart?: (site: SimulatedSite, request: FetchRequest, now: Millis) => void;
  readonly onEnd?: (site: SimulatedSite, kind: EndKind, took: Millis, now: Millis) => void;
}

/** The direct route to a synthetic web. It keeps a route's contract: `done` once and never inside `start`, deadlines, cap, credit, abort. */
export class SimulatedRoute implements FetchRoute {
  readonly name = "direct";
  readonly #deps: SimulatedRouteDeps;
  readonly #active = new Set<SimulatedFetch>();
  #egressDown = false;
  #dnsHangs = false;
  #held: Bytes = 0;
  #mostHeld: Bytes = 0;

  constructor(deps: SimulatedRouteDeps) {
    this.#deps = deps;
  }

  get inFlight(): number {
    return this.#active.size;
  }
  /** Weight of unfinished bodies, at most so far. */
  get mostHeldBytes(): Bytes {
    return this.#mostHeld;
  }

  resolve(hostname: string, port: number, signal: AbortSignal): Promise<Resolution> {
    const { clock, limits, site } = this.#deps;
    const known = site(port === 443 || port === 80 ? hostname : `${hostname}:${port}`);
    if (known === undefined) return Promise.resolve({ kind: "failed", code: "dns", message: `${hostname} has no address` });
    if (!this.#dnsHangs && !this.#egressDown) return Promise.resolve({ kind: "resolved", addresses: [known.address] });
    return new Promise((resolve) => {
      clock.after(limits.dnsTimeout, () => {
        const message = signal.aborted ? "aborted" : `no answer about ${hostname} within ${limits.dnsTimeout} ms`;
        resolve({ kind: "failed", code: "dns", message });
      });
    });
  }

  start(request: FetchRequest, done: (result: FetchResult) => void): () => void {
    const { clock, limits, site, onStart, onEnd } = this.#deps;
    const slash = request.url.indexOf("/", 8);
    const known = site(request.url.slice(request.url.indexOf("//") + 2, slash));
    const path = request.url.slice(slash);
    const counted = known !== undefined && path !== "/robots.txt";
    if (counted) {
      known.started();
      onStart?.(known, request, clock.now());
    }
    const fetch = new SimulatedFetch(clock, request, limits, (result, kind) => {
      this.#active.delete(fetch);
      if (counted) {
        const took = result.measure.total;
        known.ended(kind, took, clock.now());
        onEnd?.(known, kind, took, clock.now());
      }
      done(result);
    });
    fetch.onHeld = (change) => this.#hold(change);
    this.#active.add(fetch);
    if (this.#egressDown) fetch.never("connect");
    else if (known === undefined) fetch.fails({ code: "dns", phase: "resolve", message: "no such host" }, 0);
    else if (counted) fetch.visit(known, path);
    else fetch.robots(known.target.service.ms);
    return () => fetch.abort();
  }

  /** What is under way when the network goes away hears nothing more; the deadlines end it. */
  cutEgress(): void {
    this.#egressDown = true;
    for (const fetch of this.#active) fetch.never("headers");
  }

  restoreEgress(): void {
    this.#egressDown = false;
  }

  /** While it hangs, no name is looked up. */
  hangDns(hangs: boolean): void {
    this.#dnsHangs = hangs;
  }

  /** Bodies are small and of ordinary memory. */
  releaseBody(): void {}

  close(): Promise<void> {
    for (const fetch of [...this.#active]) fetch.abort();
    return Promise.resolve();
  }

  #hold(change: Bytes): void {
    this.#held += change;
    this.#mostHeld = Math.max(this.#mostHeld, this.#held);
  }
}
