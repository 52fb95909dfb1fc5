import { CookieJar } from "tough-cookie";

/** Cookies one jar may hold; beyond it new ones are ignored. */
const COOKIES_MOST = 64;

/** Cookies of one redirect chain, or of one host (`--cookies`). Bounded; broken cookies are ignored one by one. */
export class Cookies {
  readonly #jar = new CookieJar(undefined, { rejectPublicSuffixes: true, looseMode: true });
  readonly #held = new Set<string>();

  /** Takes the `Set-Cookie` values of an answer. A cookie that is held already may change for ever. */
  take(url: string, values: readonly string[]): void {
    for (const value of values) {
      const cookie = this.#jar.setCookieSync(value, url, { ignoreError: true });
      if (cookie === undefined) continue;
      const { domain, path, key } = cookie;
      const id = `${domain} ${path} ${key}`;
      if (this.#held.has(id) || this.#held.size < COOKIES_MOST) this.#held.add(id);
      else this.#jar.store.removeCookie(domain ?? "", path ?? "", key, () => undefined);
    }
  }

  /** @returns the `Cookie` value for a request, or an empty string. */
  header(url: string): string {
    return this.#held.size === 0 ? "" : this.#jar.getCookieStringSync(url);
  }
}
