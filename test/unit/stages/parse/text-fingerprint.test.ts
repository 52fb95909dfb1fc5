import fc from "fast-check";
import { expect, test } from "vitest";
import { TEXT_HASH_BYTES, TextFingerprint } from "../../../../src/stages/parse/text-fingerprint.ts";

const fingerprint = new TextFingerprint();

function hashOf(...runs: readonly (string | Uint8Array)[]): string {
  fingerprint.reset();
  for (const run of runs) {
    const bytes = Buffer.from(run as string);
    fingerprint.take(bytes, 0, bytes.length);
  }
  const into = new Uint8Array(TEXT_HASH_BYTES + 2);
  fingerprint.digest(into, 1);
  return Buffer.from(into.subarray(1, 1 + TEXT_HASH_BYTES)).toString("hex");
}

const words = fc.array(fc.stringMatching(/^[!-;=-~é]{1,20}$/), { minLength: 1, maxLength: 400 });
const space = fc.stringMatching(/^[ \t\r\n\f]{1,9}$/);

test("whitespace counts neither by kind, amount nor place of a run's ends", () => {
  fc.assert(
    fc.property(words, fc.array(space, { minLength: 1, maxLength: 50 }), fc.boolean(), (list, spaces, split) => {
      const loose = list.map((word, k) => word + spaces[k % spaces.length]);
      expect(split ? hashOf(...loose) : hashOf(loose.join(""))).toBe(hashOf(list.join(" ")));
    }),
  );
});

test("a changed byte changes it, wherever it stands", () => {
  const text = Buffer.from(Array.from({ length: 3_000 }, (_, k) => `word${k} `).join(""));
  const seen = new Set([hashOf(text)]);
  let changes = 0;
  for (let k = 0; k < text.length; k += 97) {
    if (text[k] === 32) continue;
    const changed = Buffer.from(text);
    changed[k] ^= 1;
    if (changed[k] <= 32) continue;
    changes++;
    seen.add(hashOf(changed));
  }
  expect(seen.size).toBe(changes + 1);
});

test("60,000 texts that differ in a number have all different fingerprints, and nearly so in their first 32 bits alone", () => {
  const full = new Set<string>();
  const first = new Set<string>();
  const count = 60_000;
  for (let k = 0; k < count; k++) {
    const hash = hashOf(`price ${k}`);
    full.add(hash);
    first.add(hash.slice(0, 8));
  }
  expect(full.size).toBe(count);
  // 60,000 draws of 2^32 collide 0.4 times on average.
  expect(count - first.size).toBeLessThan(6);
});

test("is a fixed function: version 1 of it never changes", () => {
  expect(hashOf("")).toBe("37711cc36c68d880fc540735");
  expect(hashOf("The quick brown fox jumps over the lazy dog")).toBe("b30ee90892e8aec471c9d4ab");
});

test("length is that of the collapsed text", () => {
  fingerprint.reset();
  const text = Buffer.from("  one \n two");
  fingerprint.take(text, 0, text.length);
  expect(fingerprint.length).toBe(7);
});
