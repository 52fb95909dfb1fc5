import type { Duplex } from "node:stream";
import {
  brotliDecompressSync,
  constants,
  createBrotliDecompress,
  createInflate,
  createInflateRaw,
  gunzipSync,
  inflateRawSync,
  inflateSync,
} from "node:zlib";
import type { Bytes } from "../../kernel/units.ts";
import type { HeaderView } from "../../ports/fetch-route.ts";
import { GunzipStream } from "./gunzip-stream.ts";
import { createZstdStream } from "./zstd-stream.ts";

export type Coding = "gzip" | "deflate" | "br" | "zstd";

/** More codings than this on one body is nothing a server does in earnest, and each costs a decoder. */
const MAX_CODINGS = 4;
/** Output piece of a streaming decoder. */
const PIECE: Bytes = 64 * 1024;

/** Codings in the order they were applied, or the name of one that is not known. Names are case-insensitive (RFC 9110 8.4.1). */
export type Codings = { readonly kind: "known"; readonly codings: readonly Coding[] } | { readonly kind: "unknown"; readonly name: string };

const NAMES: Readonly<Record<string, Coding>> = { gzip: "gzip", "x-gzip": "gzip", deflate: "deflate", br: "br", zstd: "zstd" };
/** Names that servers put there by mistake and that say nothing of a coding: charsets, transfer encodings of mail, words for "none". */
const NO_CODING = /^(?:|identity|chunked|none|null|plain|raw|binary|[78]bit|utf-?8|utf-?16|us-ascii|iso-?8859-\d+|windows-\d+|text\/html)$/;
const NO_CODINGS: Codings = { kind: "known", codings: [] };
const ONE: Readonly<Record<string, Codings>> = {
  gzip: { kind: "known", codings: ["gzip"] },
  br: { kind: "known", codings: ["br"] },
};

/** What a response says of its body. Transfer codings come last, as they were applied last; `chunked` is the parser's own. */
export function codingsOf(headers: HeaderView): Codings {
  const values = headers.all("content-encoding");
  const transfer = headers.get("transfer-encoding");
  if (transfer !== undefined && transfer !== "chunked") return codingsNamed([...values, ...headers.all("transfer-encoding")]);
  if (values.length === 0) return NO_CODINGS;
  return values.length === 1 && Object.hasOwn(ONE, values[0]) ? ONE[values[0]] : codingsNamed(values);
}

function codingsNamed(values: readonly string[]): Codings {
  const codings: Coding[] = [];
  for (const token of values.join(",").split(",")) {
    const name = token.trim().toLowerCase();
    if (NO_CODING.test(name)) continue;
    const coding = Object.hasOwn(NAMES, name) ? NAMES[name] : undefined;
    if (coding === undefined || codings.length === MAX_CODINGS) return { kind: "unknown", name };
    codings.push(coding);
  }
  return { kind: "known", codings };
}

/**
 * Decodes a whole small body at once, which costs half of what a stream does.
 * @returns undefined when a streaming decoder is needed: the result passes `limit`, the coding has no such function here,
 *   or a gzip body is not plain enough.
 * @throws zlib's error for a broken body.
 */
export function decodeAtOnce(codings: readonly Coding[], raw: Uint8Array, limit: Bytes): Uint8Array | undefined {
  let body = raw;
  for (let i = codings.length - 1; i >= 0; i -= 1) {
    if (body.length === 0) return body;
    const coding = codings[i];
    if (coding === "zstd") return undefined;
    // A gzip body ends with its length: no need to try one that says it is too long. What several members say is caught below.
    const size = coding === "gzip" ? gzipSizeOf(body) : 3 * body.length;
    if (coding === "gzip" && size > limit) return undefined;
    const options = { maxOutputLength: limit, chunkSize: chunkFor(size, limit) };
    try {
      if (coding === "gzip") body = gunzipSync(body, options);
      else if (coding === "br") body = brotliDecompressSync(body, options);
      else body = isZlibHeader(body[0], body[1]) ? inflateSync(body, options) : inflateRawSync(body, options);
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      // zlib also fails on bytes after the last gzip member, which the streaming decoder ignores: it has the last word.
      if (code === "ERR_BUFFER_TOO_LARGE" || (coding === "gzip" && code === "Z_DATA_ERROR")) return undefined;
      throw error;
    }
  }
  return body;
}

/**
 * Decoders of one body, first to last, not yet joined.
 * @param first byte pair of the body as received: tells deflate with and without the zlib header apart. Only the outermost coding
 *   can be looked at, an inner deflate is taken to have the header RFC 9110 8.4.1.2 asks for.
 */
export function decodersOf(codings: readonly Coding[], first: Uint8Array): readonly Duplex[] {
  return codings.toReversed().map((coding, position) => {
    if (coding === "gzip") return new GunzipStream(PIECE);
    if (coding === "zstd") return createZstdStream(PIECE);
    // A large window (beyond RFC 7932) stays off: it is off unless asked for.
    if (coding === "br") return createBrotliDecompress({ chunkSize: PIECE, params: { [constants.BROTLI_DECODER_PARAM_LARGE_WINDOW]: 0 } });
    return position > 0 || isZlibHeader(first[0], first[1]) ? createInflate({ chunkSize: PIECE }) : createInflateRaw({ chunkSize: PIECE });
  });
}

/** RFC 1950 2.2: method 8, and the pair is a multiple of 31. Servers send deflate without it as well. */
function isZlibHeader(first: number | undefined, second: number | undefined): boolean {
  return first !== undefined && second !== undefined && (first & 0x0f) === 8 && ((first << 8) | second) % 31 === 0;
}

/** ISIZE of the last member (RFC 1952 2.3.1). */
function gzipSizeOf(body: Uint8Array): Bytes {
  const end = body.length;
  if (end < 18) return 0;
  return (body[end - 4] | (body[end - 3] << 8) | (body[end - 2] << 16) | (body[end - 1] << 24)) >>> 0;
}

/** One output piece that holds everything spares joining several; a little more, so that the end is seen in the same call. */
function chunkFor(size: Bytes, limit: Bytes): Bytes {
  return Math.min(Math.max(size + 64, 1024), limit + 64);
}
