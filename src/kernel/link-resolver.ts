import { canonicalUrl, MAX_URL_LENGTH } from "./canonical-url.ts";
import { HASH, HOST_BYTES, QUESTION, SLASH } from "./url-bytes.ts";
import { SCRATCH_BYTES, UNKNOWN, UrlWriter } from "./url-writer.ts";

/** Returned by `resolve` for a URL beyond `MAX_URL_LENGTH`; negative, so that `length <= 0` means "no URL to keep". */
export const URL_TOO_LONG = -1;

const HASH_BYTE = 0x23;
const SLASH_BYTE = 0x2f;
const COLON_BYTE = 0x3a;
const QUESTION_BYTE = 0x3f;
/** `http`, the bytes in which every base and every absolute link that is taken here begins. */
const [H, T, P, S] = [0x68, 0x74, 0x70, 0x73];

const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });
const ascii = new TextDecoder("latin1");

/**
 * Turns the links of a page into canonical URLs, as bytes in one buffer that is used again for each: 74 of 75 links are already
 * known, so what they need is a hash, and neither a string nor `new URL()` (1.9 µs).
 *
 * Invariant: `resolve` gives exactly `canonicalUrl(link, base)`. The fast path takes links made of ASCII in usual forms and
 * hands everything else to `canonicalUrl`: non-ASCII, backslashes, tabs and line ends, stray `%`, userinfo, odd ports, schemes
 * in upper case, IPv6, and hosts with upper case, `--`, `_`, an empty label or a numeric end other than dotted decimal. An
 * authority that is the base's to the letter is taken whatever it is.
 */
export class LinkResolver {
  /** The last result in its first `length` bytes, as ASCII; what is behind is left over from before. */
  readonly scratch: Uint8Array;
  /** The same memory, for a hash that reads words. */
  readonly words: Int32Array;
  /**
   * The last result has the scheme and authority of the base, so that its host needs no look-up. False also when the link spells
   * the same authority in another way.
   */
  onBase = false;

  readonly #writer = new UrlWriter();
  #length = 0;
  #base = "";
  readonly #baseBytes = new Uint8Array(SCRATCH_BYTES);
  readonly #baseWords = new Int32Array(this.#baseBytes.buffer);
  readonly #baseView = new DataView(this.#baseBytes.buffer);
  /** Where `resolveString` writes its links. */
  readonly #string = new Uint8Array(SCRATCH_BYTES);
  readonly #stringView = new DataView(this.#string.buffer);
  /** Behind the colon of the scheme. */
  #baseSchemeEnd = 0;
  #basePathStart = 0;
  /** Behind the last slash of the path. */
  #baseFolderEnd = 0;
  #basePathEnd = 0;

  constructor() {
    this.scratch = this.#writer.scratch;
    this.words = this.#writer.words;
  }

  /** Length of the last result; 0 or `URL_TOO_LONG` when there is none. */
  get length(): number {
    return this.#length;
  }

  /** Where the path of the last result begins; the authority ends there. */
  get pathStart(): number {
    return this.#writer.pathStart;
  }

  /** Sets what relative links are relative to: a canonical URL. Without a base only absolute links can be resolved. */
  setBase(baseUrl: string): void {
    if (baseUrl === this.#base) return;
    this.#base = baseUrl;
    this.#baseSchemeEnd = baseUrl.indexOf(":") + 1;
    this.#basePathStart = baseUrl.indexOf("/", this.#baseSchemeEnd + 2);
    const query = baseUrl.indexOf("?");
    this.#basePathEnd = query === -1 ? baseUrl.length : query;
    this.#baseFolderEnd = baseUrl.lastIndexOf("/", this.#basePathEnd - 1) + 1;
    writeAscii(baseUrl, this.#baseBytes);
  }

  /**
   * Resolves the link in `bytes[start, end)`: UTF-8, with character references already decoded.
   * @returns the length of the canonical URL now in `scratch`; 0 for what is not a usable http(s) URL; `URL_TOO_LONG`.
   */
  resolve(bytes: Uint8Array, start: number, end: number): number {
    const writer = this.#writer;
    if (bytes !== writer.input) {
      writer.input = bytes;
      writer.inputView = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    }
    return this.#resolveInput(start, end);
  }

  /** The same for a link that is already a string. */
  resolveString(text: string): number {
    if (text.length > SCRATCH_BYTES || !writeAscii(text, this.#string)) return this.#resolveSlow(text);
    this.release();
    return this.#resolveInput(0, text.length);
  }

  /** Lets go of the last bytes given to `resolve`: they may be a page of many megabytes. The result stays. */
  release(): void {
    this.#writer.input = this.#string;
    this.#writer.inputView = this.#stringView;
  }

  /** The last result as a string, empty when there is none. Costs more than resolving it: only for URLs that are new. */
  text(): string {
    return this.#length > 0 ? ascii.decode(this.scratch.subarray(0, this.#length)) : "";
  }

  #resolveInput(start: number, end: number): number {
    const bytes = this.#writer.input;
    let from = start;
    let to = end;
    while (from < to && bytes[from] <= 0x20) from++;
    while (from < to && bytes[to - 1] <= 0x20) to--;
    const fits = 3 * (to - from) + this.#base.length + 16 <= SCRATCH_BYTES;
    const length = fits ? this.#resolveFast(from, to) : UNKNOWN;
    if (length === UNKNOWN) return this.#resolveSlow(utf8.decode(bytes.subarray(from, to)));
    this.#length = length > MAX_URL_LENGTH ? URL_TOO_LONG : length;
    return this.#length;
  }

  #resolveSlow(text: string): number {
    const url = this.#base === "" ? canonicalUrl(text) : canonicalUrl(text, this.#base);
    if (url === null) this.#length = 0;
    else if (url.length > MAX_URL_LENGTH) this.#length = URL_TOO_LONG;
    else {
      this.#length = url.length;
      writeAscii(url, this.scratch);
      const pathStart = url.indexOf("/", "https://".length);
      this.#writer.pathStart = pathStart;
      this.onBase = pathStart === this.#basePathStart && url.startsWith(this.#base.slice(0, pathStart));
    }
    return this.#length;
  }

  #resolveFast(start: number, end: number): number {
    const bytes = this.#writer.input;
    this.onBase = true;
    this.#writer.pathStart = this.#basePathStart;
    // The empty link is the base, as one with nothing but a fragment is.
    const first = start < end ? bytes[start] : HASH_BYTE;
    const schemeEnd = first === H ? httpSchemeEnd(bytes, start, end) : 0;
    if (schemeEnd > 0) return this.#resolveAuthority(start + schemeEnd, end, schemeEnd);
    if (this.#base === "") return UNKNOWN;
    if (first === HASH_BYTE) return this.#copyBase(this.#base.length);
    if (first === QUESTION_BYTE) return this.#writer.writeQuery(start, end, this.#copyBase(this.#basePathEnd));
    if (first === SLASH_BYTE) {
      if (start + 1 < end && bytes[start + 1] === SLASH_BYTE) return this.#resolveAuthority(start, end, this.#baseSchemeEnd);
      return this.#writer.writePath(start + 1, end, this.#copyBase(this.#basePathStart + 1), false);
    }
    return this.#writer.writePath(start, end, this.#copyBase(this.#baseFolderEnd), true);
  }

  /** From the `//` at `start` on, behind a scheme that is `schemeEnd` bytes long in the result. */
  #resolveAuthority(start: number, end: number, schemeEnd: number): number {
    if (schemeEnd === this.#baseSchemeEnd && this.#isBaseAuthority(start, end)) {
      const at = this.#copyBase(this.#basePathStart);
      return this.#writer.writeTail(start + at - schemeEnd, end, at);
    }
    this.onBase = false;
    const secure = schemeEnd === "https:".length;
    const out = this.scratch;
    out[0] = H;
    out[1] = T;
    out[2] = T;
    out[3] = P;
    if (secure) out[4] = S;
    out[schemeEnd - 1] = COLON_BYTE;
    out[schemeEnd] = SLASH_BYTE;
    out[schemeEnd + 1] = SLASH_BYTE;
    return this.#writer.writeHost(start + 2, end, schemeEnd + 2, secure);
  }

  /** Whether the `//authority` at `start` is the base's, to the letter. */
  #isBaseAuthority(start: number, end: number): boolean {
    const base = this.#baseView;
    const input = this.#writer.inputView;
    const baseEnd = this.#basePathStart;
    const shift = start - this.#baseSchemeEnd;
    if (baseEnd + shift > end) return false;
    let i = this.#baseSchemeEnd;
    for (; i + 4 <= baseEnd; i += 4) if (base.getInt32(i) !== input.getInt32(i + shift)) return false;
    for (; i < baseEnd; i++) if (base.getUint8(i) !== input.getUint8(i + shift)) return false;
    if (baseEnd + shift === end) return true;
    const next = HOST_BYTES[this.#writer.input[baseEnd + shift]];
    return next === SLASH || next === QUESTION || next === HASH;
  }

  /** Copies the first `length` bytes of the base, by whole words and so up to three more, and returns `length`. */
  #copyBase(length: number): number {
    const from = this.#baseWords;
    const to = this.words;
    const count = (length + 3) >> 2;
    for (let i = 0; i < count; i++) to[i] = from[i];
    return length;
  }
}

/** Length of the `http:` or `https:` at `start` when `//` follows it, else 0. */
function httpSchemeEnd(bytes: Uint8Array, start: number, end: number): number {
  if (end - start < 7 || bytes[start + 1] !== T || bytes[start + 2] !== T || bytes[start + 3] !== P) return 0;
  const length = bytes[start + 4] === S ? 6 : 5;
  const at = start + length;
  return bytes[at - 1] === COLON_BYTE && bytes[at] === SLASH_BYTE && bytes[at + 1] === SLASH_BYTE && at + 1 < end ? length : 0;
}

/** Writes `text` to the front of `out` as far as it fits; false when it is not all ASCII. */
function writeAscii(text: string, out: Uint8Array): boolean {
  const length = Math.min(text.length, out.length);
  for (let i = 0; i < length; i++) {
    const code = text.charCodeAt(i);
    if (code > 0x7f) return false;
    out[i] = code;
  }
  return true;
}
