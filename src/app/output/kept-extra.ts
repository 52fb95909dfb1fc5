import { readBlob } from "../../adapters/blob-store-file/file-blob-store.ts";
import type { SettledRow } from "../../ports/store.ts";

/**
 * The optional fields of a page from its kept body, as the JSON of a row's `extra`. Response headers are not kept.
 * @returns null when the body is not in the folder.
 */
export async function keptExtra(folder: string, row: SettledRow): Promise<string | null> {
  const hash = row.page?.bodyHash ?? null;
  const body = hash === null ? null : await readBlob(folder, hash);
  if (body === null) return null;
  const html = new TextDecoder(decoderLabel(row.page?.charset ?? null)).decode(body);
  return JSON.stringify({ html });
}

/** A charset that this Node does not know (a build without ICU) reads as UTF-8: wrong letters are better than no export. */
function decoderLabel(charset: string | null): string {
  try {
    return new TextDecoder(charset ?? "utf-8").encoding;
  } catch {
    return "utf-8";
  }
}
