/**
 * The visible text of a page as a string, made from byte ranges only when someone asks for it.
 */
import { nodeText, rawText } from "./html-values.ts";

const BREAK = 1;
const RAW = 2;

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
    const parts: string[] = [];
    for (let k = 0; k < this.used; k += 3) {
      const [start, end, flags] = this.runs.subarray(k, k + 3);
      if ((flags & BREAK) !== 0) parts.push("\n");
      const part = (flags & RAW) !== 0 ? rawText(source, start, end, encoding) : nodeText(source, start, end, encoding);
      parts.push(part.replace(/[\t\n\f\r ]+/g, " "));
    }
    return parts
      .join("")
      .replace(/ {2,}/g, " ")
      .replace(/ ?\n[\n ]*/g, "\n")
      .replace(/^\s+|\s+$/g, "");
  }
}
