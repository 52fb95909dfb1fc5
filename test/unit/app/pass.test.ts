import { expect, test } from "vitest";
import { openPass, PASS_META_KEY, type Pass, passIdentity } from "../../../src/app/pass.ts";
import { MemoryStore } from "../../../src/simulate/memory-store.ts";
import { batch } from "../../contract/store.contract.ts";

const ONE = passIdentity(["http://a.test/"], "host", [], []);
const keep = (store: MemoryStore, pass: Pass): Promise<unknown> => store.commit(batch({ meta: [[PASS_META_KEY, JSON.stringify(pass)]] }));

test("the order and repetition of seeds and patterns mean nothing, everything else does", () => {
  const same = [passIdentity(["b", "a", "b"], "host", ["/x", "/y"], []), passIdentity(["a", "b"], "host", ["/y", "/x", "/x"], [])];
  expect(same[0]).toEqual(same[1]);
  for (const other of [
    passIdentity(["a"], "host", ["/x", "/y"], []),
    passIdentity(["a", "b"], "domain", ["/x", "/y"], []),
    passIdentity(["a", "b"], "host", [], ["/x", "/y"]),
  ])
    expect(other).not.toEqual(same[0]);
});

test("a fresh store begins with pass 1", async () => {
  expect(await openPass(new MemoryStore(), ONE, 5)).toEqual({
    resumed: false,
    pass: { number: 1, since: 1, foreign: 0, identity: ONE, state: "open", firstSeq: 1, startedAt: 5 },
  });
});

test("an unfinished pass is gone on with, as it was", async () => {
  const store = new MemoryStore();
  const { pass } = await openPass(store, ONE, 5);
  await keep(store, pass);
  expect(await openPass(store, passIdentity(["http://a.test/", "http://a.test/"], "host", [], []), 99)).toEqual({ resumed: true, pass });
});

test("a finished pass is followed by the next, of whatever identity", async () => {
  const store = new MemoryStore();
  const { pass } = await openPass(store, ONE, 5);
  await keep(store, { ...pass, state: "done" });
  const other = passIdentity(["http://b.test/"], "any", [], []);
  expect(await openPass(store, other, 9)).toMatchObject({
    resumed: false,
    pass: { number: 2, identity: other, state: "open", startedAt: 9 },
  });
});

test("another crawl's unfinished pass is refused, and the message names both and the ways out", async () => {
  const store = new MemoryStore();
  await keep(store, (await openPass(store, ONE, 5)).pass);
  const other = passIdentity(["http://b.test/"], "domain", ["/docs"], []);
  await expect(openPass(store, other, 9)).rejects.toMatchObject({ code: "WEIR_PASS_OTHER" });
  await expect(openPass(store, other, 9)).rejects.toThrow(
    /http:\/\/a\.test\/[\s\S]*http:\/\/b\.test\/.*domain.*\/docs[\s\S]*--fresh[\s\S]*--store/,
  );
});
