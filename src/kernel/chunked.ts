/** Elements a chunk holds: growth never copies more than this and never needs twice the memory for a moment. */
const CHUNK = 65_536;
const SHIFT = 16;
const MASK = CHUNK - 1;

/** A growing column of 32-bit integers. Reading beyond what was set gives 0; chunks come as they are needed. */
export class Int32Column {
  readonly #chunks: Int32Array[] = [];

  get(index: number): number {
    const chunk = this.#chunks[index >>> SHIFT];
    return chunk === undefined ? 0 : chunk[index & MASK];
  }

  set(index: number, value: number): void {
    let chunk = this.#chunks[index >>> SHIFT];
    if (chunk === undefined) {
      for (let i = this.#chunks.length; i <= index >>> SHIFT; i++) this.#chunks.push(new Int32Array(CHUNK));
      chunk = this.#chunks[index >>> SHIFT];
    }
    chunk[index & MASK] = value;
  }

  /** Bytes held. */
  get bytes(): number {
    return this.#chunks.length * CHUNK * 4;
  }
}
