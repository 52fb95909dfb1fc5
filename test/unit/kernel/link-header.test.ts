import { expect, it } from "vitest";
import { canonicalTarget, linkHeader } from "../../../src/kernel/link-header.ts";

it("several links of several lines are read with their relations and parameters", () => {
  const links = linkHeader(['</a>; rel="next"; title="a, \\"b\\"; c", </b?x=1,2>;rel=prev', '<c>; rel="Alternate Up"; hreflang=de']);
  expect(links.map(({ target, rels }) => [target, ...rels])).toEqual([
    ["/a", "next"],
    ["/b?x=1,2", "prev"],
    ["c", "alternate", "up"],
  ]);
  expect(links[0]?.params.get("title")).toBe('a, "b"; c');
  expect(links[2]?.params.get("hreflang")).toBe("de");
});

it("the canonical link is the first one about this page", () => {
  expect(canonicalTarget(['</x>; rel=canonical; anchor="#part"', "</y>; rel=canonical", "</z>; rel=canonical"])).toBe("/y");
  expect(canonicalTarget(["</x>; rel=next; rel=canonical"])).toBeNull();
  expect(canonicalTarget(['</x>; title="; rel=canonical"'])).toBeNull();
});

it("what is no link is skipped, and the next one still counts", () => {
  expect(linkHeader(["/x; rel=canonical, <open; rel=next"])).toEqual([]);
  expect(linkHeader(["junk, </y>; rel=up"]).map(({ target }) => target)).toEqual(["/y"]);
});

it("at most 200 links are read", () => {
  expect(linkHeader([Array.from({ length: 500 }, () => "</a>; rel=x").join(",")])).toHaveLength(200);
});
