import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { BodyBuffer } from "../../../../src/adapters/http1/body-buffer.ts";
import { BodyPool, SLAB } from "../../../../src/adapters/http1/body-pool.ts";

const pool = new BodyPool();

const KIB = 1024;

describe("a body buffer", () => {
  test("keeps nothing of a piece's own memory, which is read into again", () => {
    const piece = new Uint8Array([1, 2, 3]);
    const buffer = new BodyBuffer(pool, undefined, KIB);
    buffer.append(piece);
    piece.fill(9);
    expect([...buffer.take()]).toEqual([1, 2, 3]);
    expect([buffer.size, buffer.take().length]).toEqual([0, 0]);
  });

  test("joins pieces of any sizes, whatever length was promised", () => {
    const sizes = fc.array(fc.integer({ min: 0, max: 200 * KIB }), { maxLength: 12 });
    const promise = fc.option(fc.integer({ min: 0, max: 2_400 * KIB }), { nil: undefined });
    fc.assert(
      fc.property(sizes, promise, (lengths, promised) => {
        const pieces = lengths.map((length, i) => Buffer.alloc(length, i + 1));
        const buffer = new BodyBuffer(pool, promised, 2_400 * KIB);
        for (const piece of pieces) buffer.append(piece);
        const whole = buffer.take();
        const isSame = Buffer.compare(whole, Buffer.concat(pieces)) === 0;
        pool.giveBack(whole);
        return isSame;
      }),
      { numRuns: 40 },
    );
  });

  test("gives the memory of a large body back at once", () => {
    const buffer = new BodyBuffer(pool, undefined, 64 * KIB * KIB);
    const piece = new Uint8Array(64 * KIB).fill(1);
    for (let i = 0; i < 640; i += 1) buffer.append(piece);
    const whole = buffer.take();
    const memory = whole.buffer;
    expect(memory.byteLength).toBeGreaterThanOrEqual(640 * 64 * KIB);
    pool.giveBack(whole);
    expect(memory.byteLength).toBe(0);
    expect(whole.length).toBe(0);
  });

  test("lets the next body use the memory of one that was given back, and gives it out once", () => {
    const bodyOf = (byte: number): Uint8Array => {
      const buffer = new BodyBuffer(pool, undefined, SLAB);
      buffer.append(new Uint8Array([byte]));
      return buffer.take();
    };
    const first = bodyOf(1);
    pool.giveBack(first);
    pool.giveBack(first);
    const [second, third] = [bodyOf(2), bodyOf(3)];
    expect(second.buffer).toBe(first.buffer);
    expect(third.buffer).not.toBe(second.buffer);
    expect([second[0], third[0]]).toEqual([2, 3]);
  });

  test("takes one slab for a promise until the bytes come", () => {
    const before = process.memoryUsage().arrayBuffers;
    const buffers = Array.from({ length: 20 }, () => new BodyBuffer(pool, 10 * KIB * KIB, 10 * KIB * KIB));
    for (const buffer of buffers) buffer.append(new Uint8Array(10));
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThanOrEqual(20 * SLAB);
  });
});
