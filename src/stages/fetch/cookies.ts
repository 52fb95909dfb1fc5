import { CookieJar } from "tough-cookie";

/** Cookies one jar may hold; beyond it new ones are ignored. */
const COOKIES_MOST = 64;

/** Cookies of one redirect chain, or of one host (`--cookies`). Bounded; broken cookies are ignored one by one. */
export class Cookies {
  readonly #jar = new CookieJar(undefined, { rejectPublicSuffixes: true, looseMode: true });
  #count = 0;

  /** Takes the `Set-Cookie` values of an answer. */
  take(url: string, values: readonly string[]): void {
    for (const value of values) {
      if (this.#count >= COOKIES_MOST) return;
      if (this.#jar.setCookieSync(value, url, { ignoreError: true }) !== undefined) this.#count += 1;
    }
  }

  /** @returns the `Cookie` value for a request, or an empty string. */
  header(url: string): string {
    return this.#count === 0 ? "" : this.#jar.getCookieStringSync(url);
  }
}
