import type { Bytes } from "../kernel/units.ts";

/** Steps up to steps down as 9 to 1: level where nine of ten are below. */
const UP = 1.09;
const DOWN = 0.99;

/**
 * The size below which nine of ten bodies are, followed one body at a time (stochastic approximation). Credit reserved by it is
 * nearly always enough, and one page of 20 MB among small ones does not move it. Source: flow-control.md §7 ("expectedBytes(type p90)").
 */
export class SizeQuantile {
  readonly #least: Bytes;
  readonly #most: Bytes;
  #value: Bytes;

  constructor(options: { readonly first: Bytes; readonly least: Bytes; readonly most: Bytes }) {
    this.#least = options.least;
    this.#most = options.most;
    this.#value = options.first;
  }

  get value(): Bytes {
    return this.#value;
  }

  add(size: Bytes): void {
    this.#value = size > this.#value ? Math.min(this.#most, this.#value * UP) : Math.max(this.#least, this.#value * DOWN);
  }
}
