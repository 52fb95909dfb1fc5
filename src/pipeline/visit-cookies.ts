import type { FetchResult } from "../ports/fetch-route.ts";
import { Cookies } from "../stages/fetch/cookies.ts";
import type { Host } from "../stages/frontier/host.ts";
import type { Errand, Purpose } from "./errand.ts";

/** Hosts whose cookies are kept with `--cookies host`. Source: guess; 64 cookies each are at most some 20 MB. */
const HOSTS_MOST = 1_024;

type Visit = Purpose & { kind: "visit" };
type Response = FetchResult & { kind: "response" };

/** How long cookies are kept: not at all, within one redirect chain, or per host. */
export type CookieMode = "none" | "chain" | "host";

/** Cookies between the requests of one visit, or of all visits to a host. */
export class VisitCookies {
  readonly #mode: CookieMode;
  readonly #hosts = new Map<Host, Cookies>();

  constructor(mode: CookieMode) {
    this.#mode = mode;
  }

  /** Cookies that go with the next request of a visit. */
  of(visit: Visit, host: Host): Cookies | null {
    return this.#mode === "host" ? (this.#hosts.get(host) ?? null) : visit.cookies;
  }

  /** Takes what an answer on the way sets. */
  take(visit: Visit, errand: Errand, result: Response): void {
    if (this.#mode === "none") return;
    const values = result.headers.all("set-cookie");
    if (values.length === 0) return;
    const cookies = this.of(visit, errand.host) ?? new Cookies();
    cookies.take(errand.url, values);
    if (this.#mode === "host") this.#keep(errand.host, cookies);
    else visit.cookies = cookies;
  }

  /** Takes what a final answer sets: with `chain` nothing comes after it. */
  takeLast(visit: Visit, errand: Errand, result: Response): void {
    if (this.#mode === "host") this.take(visit, errand, result);
  }

  /** Bounded: beyond it the host whose cookies came longest ago starts anew, as a visitor without any. */
  #keep(host: Host, cookies: Cookies): void {
    this.#hosts.delete(host);
    this.#hosts.set(host, cookies);
    for (const oldest of this.#hosts.keys()) {
      if (this.#hosts.size <= HOSTS_MOST) return;
      this.#hosts.delete(oldest);
    }
  }
}
