/**
 * The visible text of a page as a string, made from byte ranges only when someone asks for it.
 */
import { decodeHTML } from "entities";
import { decodeAll } from "./charset.ts";
import { collapseInside, nodeText, rawText, trimSpace } from "./html-values.ts";

const BREAK = 1;
const RAW = 2;
/** What stands in front of a run while runs are joined: two controls that HTML text does not hold, NUL by rule, U+0001 in practice. */
const LINE_BREAK = "\u{1}";
const JOINT = "\0";

/** Ranges of visible text in reading order, three numbers each: start, end, flags. Grows with the page, shrinks back for the next. */
export class TextRuns {
  private runs = new Int32Array(3 * 1_024);
  private used = 0;
  private breaks = true;

  clear(): void {
    this.used = 0;
    this.breaks = true;
    if (this.runs.length > 3 * 16_384) this.runs = new Int32Array(3 * 1_024);
  }

  /** The next run starts a line: a block element began or ended. */
  breakLine(): void {
    this.breaks = true;
  }

  /** @param raw character references in it are not decoded (CDATA, plaintext). */
  add(start: number, end: number, raw: boolean): void {
    if (end <= start) return;
    // What continues the run before is one text node with it: a page may hold millions of `<` that open nothing.
    if (!this.breaks && !raw && this.used > 0 && this.runs[this.used - 2] === start && this.runs[this.used - 1] < RAW) {
      this.runs[this.used - 2] = end;
      return;
    }
    if (this.used === this.runs.length) {
      const grown = new Int32Array(this.runs.length * 2);
      grown.set(this.runs);
      this.runs = grown;
    }
    this.runs[this.used] = start;
    this.runs[this.used + 1] = end;
    this.runs[this.used + 2] = (this.breaks ? BREAK : 0) | (raw ? RAW : 0);
    this.used += 3;
    this.breaks = false;
  }

  /** Lines of text, each with its whitespace collapsed, none of them empty, joined by newlines. */
  toText(source: Buffer, encoding: string): string {
    const { runs, used } = this;
    let raw = false;
    let size = 0;
    for (let k = 0; k < used; k += 3) {
      raw ||= (runs[k + 2] & RAW) !== 0;
      size += runs[k + 1] - runs[k] + 1;
    }
    const text = raw ? this.joinStrings(source, encoding) : this.joinBytes(source, encoding, size);
    const lines = collapseInside(text.replaceAll(JOINT, "")).split(LINE_BREAK).map(trimSpace);
    return lines.filter((line) => line !== "").join("\n");
  }

  /** Decodes all runs at once. The joint between two runs keeps a character reference from being made of both. */
  private joinBytes(source: Buffer, encoding: string, size: number): string {
    const { runs, used } = this;
    const all = Buffer.allocUnsafe(size);
    let n = 0;
    for (let k = 0; k < used; k += 3) {
      all[n++] = (runs[k + 2] & BREAK) !== 0 ? 1 : 0;
      n += source.copy(all, n, runs[k], runs[k + 1]);
    }
    const text = decodeAll(all, encoding);
    return text.includes("&") ? decodeHTML(text) : text;
  }

  private joinStrings(source: Buffer, encoding: string): string {
    const parts: string[] = [];
    for (let k = 0; k < this.used; k += 3) {
      const [start, end, flags] = this.runs.subarray(k, k + 3);
      parts.push((flags & BREAK) !== 0 ? LINE_BREAK : JOINT);
      parts.push((flags & RAW) !== 0 ? rawText(source, start, end, encoding) : nodeText(source, start, end, encoding));
    }
    return parts.join("");
  }
}
