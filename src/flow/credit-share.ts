import type { Bytes } from "../kernel/units.ts";

/** Part of a pool that one page holds; returned exactly once with `CreditPool.release`. */
export interface Credit {
  bytes: Bytes;
  overdrawing: boolean;
  released: boolean;
  /** It counts against the heavy share. */
  heavy: boolean;
}

/** Bound of a share. */
export interface ShareBound {
  readonly items: number;
  readonly bytes: Bytes;
}

interface Waiter {
  readonly credit: Credit;
  readonly bytes: Bytes;
  readonly granted: () => void;
}

/**
 * One share of a credit pool. `free + held = bound`, in items and in bytes; what is free goes negative by what was overdrawn,
 * came in as it was, or was taken away by a smaller bound, and that is repaid before anything is granted.
 */
export class CreditShare {
  #bound: ShareBound;
  #items: number;
  #bytes: Bytes;
  #overdrawer: Credit | null = null;
  readonly #waiters: Waiter[] = [];
  #blocked = 0;

  constructor(bound: ShareBound) {
    this.#bound = bound;
    this.#items = bound.items;
    this.#bytes = bound.bytes;
  }

  get bound(): ShareBound {
    return this.#bound;
  }
  get freeItems(): number {
    return this.#items;
  }
  get freeBytes(): Bytes {
    return this.#bytes;
  }
  get waiting(): number {
    return this.#waiters.length;
  }
  get blocked(): number {
    return this.#blocked;
  }

  /** @param lien items and bytes that are free here and still not to be had. */
  hasRoom(expected: Bytes, lien: ShareBound): boolean {
    return this.#items > lien.items && this.#waiters.length === 0 && this.#bytes - lien.bytes >= Math.min(expected, this.#bound.bytes);
  }

  /** Enters a page with what it holds, cut to the bound, whether there is room or not. */
  enter(credit: Credit, bytes: Bytes): void {
    credit.bytes = Math.min(bytes, this.#bound.bytes);
    this.#items -= 1;
    this.#bytes -= credit.bytes;
  }

  leave(credit: Credit): void {
    this.#items += 1;
    this.#bytes += credit.bytes;
    credit.overdrawing = false;
    if (this.#overdrawer === credit) this.#overdrawer = null;
    const own = this.#waiters.findIndex((waiter) => waiter.credit === credit);
    if (own >= 0) this.#waiters.splice(own, 1);
  }

  /** Takes more for a page here. @returns false when `granted` will be called later. */
  draw(credit: Credit, bytes: Bytes, granted: () => void): boolean {
    const isNext = this.#waiters.length === 0 || this.#overdrawer === credit;
    if (isNext && this.#grant(credit, bytes)) return true;
    this.#blocked += 1;
    this.#waiters.push({ credit, bytes, granted });
    return false;
  }

  /** A debt, never a refusal. A charge never falls. */
  settle(credit: Credit, actual: Bytes): void {
    const more = Math.min(actual, this.#bound.bytes) - credit.bytes;
    if (more <= 0) return;
    this.#bytes -= more;
    credit.bytes += more;
  }

  resize(bound: ShareBound): void {
    this.#items += bound.items - this.#bound.items;
    this.#bytes += bound.bytes - this.#bound.bytes;
    this.#bound = bound;
  }

  /** Serves those who wait, in order, as far as there is room. */
  serve(): void {
    while (this.#waiters.length > 0 && this.#grant(this.#waiters[0].credit, this.#waiters[0].bytes)) this.#waiters.shift()?.granted();
  }

  #grant(credit: Credit, bytes: Bytes): boolean {
    const charged = Math.max(0, Math.min(bytes, this.#bound.bytes - credit.bytes));
    const fits = charged === bytes && this.#bytes >= bytes && !credit.overdrawing;
    if (!fits) {
      if (this.#overdrawer !== null && this.#overdrawer !== credit) return false;
      this.#overdrawer = credit;
      credit.overdrawing = true;
    }
    this.#bytes -= charged;
    credit.bytes += charged;
    return true;
  }
}
