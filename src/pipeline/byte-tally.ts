import { BYTE_CAUSES, type ByteCause } from "../kernel/byte-cause.ts";
import type { Bytes } from "../kernel/units.ts";
import type { FetchResult } from "../ports/fetch-route.ts";

/** What a request was for, as far as its bytes go. */
export type BytePurpose = "page" | "robots" | "sitemap";

/** Wire bytes by cause. Each byte is counted once, so the parts sum to the whole. */
export class ByteTally {
  readonly #bytes: Record<ByteCause, Bytes> = {
    pages: 0,
    unchanged: 0,
    redirects: 0,
    robots: 0,
    sitemaps: 0,
    unwanted: 0,
    errors: 0,
    failed: 0,
    refused: 0,
    handshakes: 0,
    headers: 0,
  };

  get byCause(): Readonly<Record<ByteCause, Bytes>> {
    return { ...this.#bytes };
  }

  get total(): Bytes {
    let sum = 0;
    for (const cause of BYTE_CAUSES) sum += this.#bytes[cause];
    return sum;
  }

  add(result: FetchResult, purpose: BytePurpose): void {
    const { measure } = result;
    const all = measure.bytesIn + measure.bytesOut;
    if (result.kind !== "response") {
      // Whatever part of it had been for, it brought nothing.
      this.#bytes[result.kind === "refusal" ? "refused" : "failed"] += all;
      return;
    }
    const setup = Math.min(all, measure.setup ?? 0);
    const heads = Math.min(all - setup, measure.heads ?? 0);
    this.#bytes.handshakes += setup;
    this.#bytes.headers += heads;
    this.#bytes[causeOf(result, purpose)] += all - setup - heads;
  }
}

function causeOf(result: FetchResult & { kind: "response" }, purpose: BytePurpose): ByteCause {
  const { status } = result;
  if (purpose === "robots") return "robots";
  if (status === 304) return "unchanged";
  if (status >= 300 && status < 400) return "redirects";
  if (status < 200 || status >= 400) return "errors";
  if (purpose === "sitemap") return "sitemaps";
  return (result.weighs ?? result.body.length) > 0 ? "pages" : "unwanted";
}
