/** What a line must know of each host; kept by {@link UnitLine}. */
export interface UnitMember {
  /** Waits in the line. */
  lined: boolean;
  /** Had its turn and could not use it, for want of something else: it goes before those that have not had theirs. */
  owed: boolean;
}

/** Served places are given back once so many have gathered. */
const COMPACT_FROM = 1_024;

/**
 * Whose turn it is among the hosts of one unit. One of them stands: it alone lies in the dispatcher's heap. The others wait
 * here, so that thousands of hosts behind one limit are not popped and pushed for ever. A host that has started something goes to
 * the end. Each host is in it once at most, so it is bounded by the hosts known. Pure.
 */
export class UnitLine<T extends UnitMember> {
  readonly #owed = new Queue<T>();
  readonly #waiting = new Queue<T>();
  #standing: T | null = null;

  /** Whose turn it is; null while nobody waits, or is to be called. */
  get standing(): T | null {
    return this.#standing;
  }
  get waiting(): number {
    return this.#owed.size + this.#waiting.size;
  }

  /** Asks for a turn. @returns whether the host stands; otherwise it waits in the line. */
  enter(host: T): boolean {
    if (this.#standing === host) return true;
    if (host.lined) return false;
    if (this.#standing === null && this.waiting === 0) {
      this.#standing = host;
      return true;
    }
    host.lined = true;
    (host.owed ? this.#owed : this.#waiting).push(host);
    return false;
  }

  /** The host gives its turn up. @returns whether it had it. */
  leave(host: T): boolean {
    if (this.#standing !== host) return false;
    this.#standing = null;
    return true;
  }

  /** The host that was being served keeps its turn. Only while nobody stands. */
  keep(host: T): void {
    this.#standing = host;
  }

  /** Gives the turn on, when nobody stands. @returns who has it now. */
  next(): T | undefined {
    if (this.#standing !== null) return undefined;
    const host = this.#owed.shift() ?? this.#waiting.shift();
    if (host === undefined) return undefined;
    host.lined = false;
    this.#standing = host;
    return host;
  }
}

/** First in, first out, without moving all that is left at each step. */
class Queue<T> {
  #items: T[] = [];
  #first = 0;

  get size(): number {
    return this.#items.length - this.#first;
  }

  push(item: T): void {
    this.#items.push(item);
  }

  shift(): T | undefined {
    if (this.#first === this.#items.length) return undefined;
    const item = this.#items[this.#first++];
    if (this.#first >= COMPACT_FROM && this.#first * 2 >= this.#items.length) {
      this.#items = this.#items.slice(this.#first);
      this.#first = 0;
    }
    return item;
  }
}
