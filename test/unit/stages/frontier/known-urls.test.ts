import fc from "fast-check";
import { expect, test } from "vitest";
import { SKIP_REASONS, VIAS } from "../../../../src/kernel/outcome.ts";
import { KnownUrls, LEASED, RETRYING, SETTLED, UrlList, WAITING } from "../../../../src/stages/frontier/known-urls.ts";

function known(count: number): KnownUrls {
  const urls = new KnownUrls();
  for (let id = 0; id < count; id++) urls.add(id, id * 7, id * 13, WAITING, 1, "link");
  return urls;
}

test("state, skip, page, row, depth and via are kept side by side", () => {
  const property = fc.property(
    fc.constantFrom(WAITING, LEASED, SETTLED, RETRYING),
    fc.option(fc.constantFrom(...SKIP_REASONS), { nil: null }),
    fc.boolean(),
    fc.boolean(),
    fc.nat({ max: 300 }),
    fc.constantFrom(...VIAS),
    (state, skip, page, row, depth, via) => {
      const urls = new KnownUrls();
      const id = urls.add(1, 2, 3, LEASED, 17, via);
      if (page) urls.markPage(id);
      if (row) urls.markRow(id);
      urls.setDepth(id, depth);
      urls.setState(id, state);
      if (skip !== null) urls.setSkipped(id, skip);
      expect(urls.skipReason(id)).toBe(skip);
      if (skip === null) expect(urls.state(id)).toBe(state);
      expect(urls.hasPage(id)).toBe(page);
      expect(urls.isFresh(id)).toBe(!row);
      expect(urls.depth(id)).toBe(Math.min(depth, 255));
      expect(urls.via(id)).toBe(via);
      expect(urls.find(1, 2, 3)).toBe(id);
    },
  );
  fc.assert(property);
});

test("a link changes nothing about a URL that is nearer already and not skipped", () => {
  const urls = new KnownUrls();
  const id = urls.add(1, 2, 3, WAITING, 4, "link");
  expect([3, 4, 5].map((depth) => urls.isSettledFor(id, depth))).toEqual([false, true, true]);
  urls.setSkipped(id, "nofollow");
  expect(urls.isSettledFor(id, 9)).toBe(false);
});

test("a list of URLs behaves as an array, and URLs of other lists do not mix in", () => {
  const action = fc.record({ kind: fc.constantFrom("append", "append", "prepend", "shift"), list: fc.nat({ max: 2 }) });
  const property = fc.property(fc.array(action, { maxLength: 120 }), (actions) => {
    const urls = known(120);
    const lists = [new UrlList(), new UrlList(), new UrlList()];
    const reference: number[][] = [[], [], []];
    let fresh = 0;
    for (const { kind, list } of actions) {
      if (kind === "shift") expect(lists[list].shift(urls)).toBe(reference[list].shift() ?? -1);
      else if (kind === "append") {
        lists[list].append(urls, fresh);
        reference[list].push(fresh++);
      } else {
        lists[list].prepend(urls, fresh);
        reference[list].unshift(fresh++);
      }
      expect(lists.map((one) => one.length)).toEqual(reference.map((one) => one.length));
    }
    lists.forEach((one, index) => {
      for (const id of reference[index]) expect(one.shift(urls)).toBe(id);
      expect(one.shift(urls)).toBe(-1);
    });
  });
  fc.assert(property);
});
