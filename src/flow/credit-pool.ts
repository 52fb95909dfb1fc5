import type { Bytes } from "../kernel/units.ts";
import { type Credit, CreditShare, type ShareBound } from "./credit-share.ts";

export interface PoolBound {
  readonly light: ShareBound;
  readonly heavy: ShareBound;
}

const NO_LIEN: ShareBound = { items: 0, bytes: 0 };

/**
 * Credit of the boundary between fetch and parse, in items and bytes: the only back-pressure between the two.
 *
 * A fetch starts only with one item and its expected bytes in hand. When a body grows past them it draws more; with none
 * left it waits (its socket is paused), except that one body at a time in each share may overdraw, so that half-read bodies never
 * dead-lock. What was overdrawn is a debt that blocks the next grants. What a page is charged above its share's bound is cut to
 * the bound: it waits until it is the one that overdraws, and passes alone.
 *
 * Heavy pages have a share of their own, so that others go on while a site sends 20 MB: a body that grows past `heavyFrom` moves
 * there with all it holds, and what it held of the light share is free at once. The heavy share may go into debt by that; the
 * debt blocks heavy grants alone, until it exceeds a whole heavy share: what is beyond is a lien on the light one, or a thousand
 * hosts with one heavy page each would know no bound.
 * Source: flow-control.md §0.8, §6 (scenario 1), §7; ADR 0006.
 */
export class CreditPool {
  readonly #light: CreditShare;
  readonly #heavy: CreditShare;
  readonly #heavyFrom: Bytes;

  /** @param heavyFrom bytes charged to one page from which it is heavy. */
  constructor(bound: PoolBound, heavyFrom: Bytes) {
    this.#light = new CreditShare(bound.light);
    this.#heavy = new CreditShare(bound.heavy);
    this.#heavyFrom = heavyFrom;
  }

  get light(): Pick<CreditShare, "bound" | "freeItems" | "freeBytes" | "waiting" | "blocked"> {
    return this.#light;
  }
  get heavy(): Pick<CreditShare, "bound" | "freeItems" | "freeBytes" | "waiting" | "blocked"> {
    return this.#heavy;
  }
  /** Bodies paused for want of credit now, and draws that had to wait so far. */
  get waiting(): number {
    return this.#light.waiting + this.#heavy.waiting;
  }
  get blockedDraws(): number {
    return this.#light.blocked + this.#heavy.blocked;
  }
  get heldItems(): number {
    return held(this.#light).items + held(this.#heavy).items;
  }
  get heldBytes(): Bytes {
    return held(this.#light).bytes + held(this.#heavy).bytes;
  }

  /** Is there room for one more page of the usual sort? Never waits. */
  hasRoom(expected: Bytes): boolean {
    const { freeItems, freeBytes, bound } = this.#heavy;
    const lien =
      freeItems >= -bound.items && freeBytes >= -bound.bytes
        ? NO_LIEN
        : { items: Math.max(0, -freeItems - bound.items), bytes: Math.max(0, -freeBytes - bound.bytes) };
    return this.#light.hasRoom(expected, lien);
  }

  /** Is there room for one more page of a host whose pages are heavy? */
  hasHeavyRoom(expected: Bytes): boolean {
    return this.#heavy.hasRoom(expected, NO_LIEN);
  }

  /** Takes one item and `expected` bytes; only after `hasRoom`, or `hasHeavyRoom`. */
  take(expected: Bytes, heavy = false): Credit {
    const credit: Credit = { bytes: 0, overdrawing: false, released: false, heavy };
    this.#shareOf(credit).enter(credit, expected);
    return credit;
  }

  /** Takes more for a page that grows. @returns false when `granted` will be called later. */
  draw(credit: Credit, bytes: Bytes, granted: () => void): boolean {
    if (credit.bytes + bytes >= this.#heavyFrom) this.toHeavy(credit);
    return this.#shareOf(credit).draw(credit, bytes, granted);
  }

  /** Charges what a page turned out to hold beyond what it has drawn: a debt, never a refusal, for it is already here. */
  settle(credit: Credit, actual: Bytes): void {
    if (credit.released) return;
    if (actual >= this.#heavyFrom) this.toHeavy(credit);
    this.#shareOf(credit).settle(credit, actual);
  }

  /** The page has turned out to be heavy: it moves to that share with all it holds. */
  toHeavy(credit: Credit): void {
    if (credit.heavy || credit.released) return;
    this.#light.leave(credit);
    credit.heavy = true;
    this.#heavy.enter(credit, credit.bytes);
    this.#light.serve();
  }

  /** Gives everything back; once. Then waiting bodies are served in order. */
  release(credit: Credit): void {
    if (credit.released) return;
    credit.released = true;
    const share = this.#shareOf(credit);
    share.leave(credit);
    share.serve();
  }

  /** New bounds. What is held stays; what it exceeds them by is repaid first. */
  resize(bound: PoolBound): void {
    this.#light.resize(bound.light);
    this.#heavy.resize(bound.heavy);
    this.#light.serve();
    this.#heavy.serve();
  }

  #shareOf(credit: Credit): CreditShare {
    return credit.heavy ? this.#heavy : this.#light;
  }
}

function held({ bound, freeItems, freeBytes }: Pick<CreditShare, "bound" | "freeItems" | "freeBytes">): ShareBound {
  return { items: bound.items - freeItems, bytes: bound.bytes - freeBytes };
}
