import type { Bytes } from "../kernel/units.ts";

/** Part of the pool that one page holds; returned exactly once with {@link CreditPool.release}. */
export interface Credit {
  bytes: Bytes;
  overdrawing: boolean;
  released: boolean;
}

interface Waiter {
  readonly credit: Credit;
  readonly bytes: Bytes;
  readonly granted: () => void;
}

/**
 * Credit of the boundary between fetch and parse, in items and bytes: the only back-pressure between the two.
 *
 * A fetch starts only with one item and its expected bytes in hand. When a body grows past them it draws more; with none
 * left it waits (its socket is paused), except that one body at a time may overdraw, so that half-read bodies never
 * dead-lock. What was overdrawn is a debt that blocks the next grants. Waiters are bodies in flight, so `items` bounds them.
 * Invariant: `free + held = bound`, in items and in bytes (`freeBytes` goes negative by what is overdrawn).
 * Source: flow-control.md §0.8, §7; ADR 0006.
 */
export class CreditPool {
  readonly #boundItems: number;
  readonly #boundBytes: Bytes;
  #items: number;
  #bytes: Bytes;
  #overdrawer: Credit | null = null;
  readonly #waiters: Waiter[] = [];
  #blocked = 0;

  constructor(bound: { readonly items: number; readonly bytes: Bytes }) {
    this.#boundItems = bound.items;
    this.#boundBytes = bound.bytes;
    this.#items = bound.items;
    this.#bytes = bound.bytes;
  }

  get freeItems(): number {
    return this.#items;
  }
  get freeBytes(): Bytes {
    return this.#bytes;
  }
  /** Bodies paused for want of credit now, and draws that had to wait so far. */
  get waiting(): number {
    return this.#waiters.length;
  }
  get blockedDraws(): number {
    return this.#blocked;
  }

  /** Is there room for one more page? Never waits. */
  hasRoom(expected: Bytes): boolean {
    return this.#items > 0 && this.#waiters.length === 0 && this.#bytes >= Math.min(expected, this.#boundBytes);
  }

  /** Takes one item and `expected` bytes; only after `hasRoom`. */
  take(expected: Bytes): Credit {
    const bytes = Math.min(expected, this.#boundBytes);
    this.#items -= 1;
    this.#bytes -= bytes;
    return { bytes, overdrawing: false, released: false };
  }

  /** Takes more for a page that grows. @returns false when `granted` will be called later. */
  draw(credit: Credit, bytes: Bytes, granted: () => void): boolean {
    const isNext = this.#waiters.length === 0 || this.#overdrawer === credit;
    if (isNext && this.#grant(credit, bytes)) return true;
    this.#blocked += 1;
    this.#waiters.push({ credit, bytes, granted });
    return false;
  }

  /** Charges what a page turned out to hold beyond what it has drawn: a debt, never a refusal, for it is already here. */
  settle(credit: Credit, actual: Bytes): void {
    const wanted = Math.min(actual, this.#boundBytes);
    if (credit.released || credit.bytes >= wanted) return;
    this.#bytes -= wanted - credit.bytes;
    credit.bytes = wanted;
  }

  /** Gives everything back; once. Then waiting bodies are served in order. */
  release(credit: Credit): void {
    if (credit.released) return;
    credit.released = true;
    this.#items += 1;
    this.#bytes += credit.bytes;
    if (this.#overdrawer === credit) this.#overdrawer = null;
    const own = this.#waiters.findIndex((waiter) => waiter.credit === credit);
    if (own >= 0) this.#waiters.splice(own, 1);
    while (this.#waiters.length > 0 && this.#grant(this.#waiters[0].credit, this.#waiters[0].bytes)) this.#waiters.shift()?.granted();
  }

  #grant(credit: Credit, bytes: Bytes): boolean {
    if (this.#bytes >= bytes && !credit.overdrawing) {
      this.#bytes -= bytes;
      credit.bytes += bytes;
      return true;
    }
    if (this.#overdrawer !== null && this.#overdrawer !== credit) return false;
    this.#overdrawer = credit;
    credit.overdrawing = true;
    this.#bytes -= bytes;
    credit.bytes += bytes;
    return true;
  }

  /** Items held, for display. */
  get heldItems(): number {
    return this.#boundItems - this.#items;
  }
  get heldBytes(): Bytes {
    return this.#boundBytes - this.#bytes;
  }
}
