/**
 * The text of a page that a reader sees, as the pass comes to it.
 */
import { INLINE } from "./html-tags.ts";
import { TextRuns } from "./html-text.ts";
import { TextFingerprint } from "./text-fingerprint.ts";

export class VisibleText {
  readonly fingerprint = new TextFingerprint();
  readonly runs = new TextRuns();
  /** Nothing is visible here: inside a template, or in the code of an SVG. */
  hidden = false;
  /** Runs are kept for `TextRuns.toText`. */
  wanted = false;
  /** Fingerprint bytes taken in the title, and in `noscript`. */
  titleLength = 0;
  noscriptLength = 0;
  /** Byte range of the first `noscript`'s content. */
  noscriptStart = 0;
  noscriptEnd = 0;
  private noscriptFrom = -1;

  reset(wanted: boolean): void {
    this.fingerprint.reset();
    this.runs.clear();
    this.wanted = wanted;
    this.hidden = false;
    this.titleLength = this.noscriptLength = this.noscriptStart = this.noscriptEnd = 0;
    this.noscriptFrom = -1;
  }

  /** Takes `[from, end)` whatever bytes it holds. @param raw its `&` means nothing. */
  add(b: Uint8Array, from: number, end: number, raw: boolean): void {
    if (this.hidden) return;
    this.fingerprint.take(b, from, end);
    if (this.wanted) this.runs.add(from, end, raw);
  }

  /** Takes a `<` that opens nothing. */
  addOpener(at: number): void {
    if (this.hidden) return;
    this.fingerprint.takeOpener();
    if (this.wanted) this.runs.add(at, at + 1, false);
  }

  /** A title is part of the fingerprint and not of the text. */
  addTitle(b: Uint8Array, from: number, end: number): void {
    const before = this.fingerprint.length;
    this.fingerprint.take(b, from, end);
    this.titleLength = this.fingerprint.length - before;
  }

  /** A tag named `[name, end)` was met; unless it is inline, a line ends. */
  tag(b: Uint8Array, name: number, end: number): void {
    if (!INLINE.has(b, name, end)) this.runs.breakLine();
  }

  openNoscript(at: number): void {
    if (this.noscriptFrom >= 0) return;
    this.noscriptFrom = this.fingerprint.length;
    if (this.noscriptStart === 0) this.noscriptStart = at;
  }

  closeNoscript(at: number): void {
    if (this.noscriptFrom < 0) return;
    this.noscriptLength += this.fingerprint.length - this.noscriptFrom;
    this.noscriptFrom = -1;
    if (this.noscriptEnd === 0) this.noscriptEnd = at;
  }
}
