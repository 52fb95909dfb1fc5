import { describe, expect, test } from "vitest";
import { Sections, sectionOf } from "../../../../src/stages/frontier/sections.ts";

describe("sectionOf", () => {
  test.each([
    ["/", "/"],
    ["/about", "/"],
    ["/maze/a/b?x=1", "/maze/"],
    ["/2031/05/17/", "/{n}/"],
    ["/cal?y=2031&m=5", "/cal?m&y"],
    ["/shop?next=/a/b", "/shop?next"],
  ])("%s is of %s", (path, section) => {
    expect(sectionOf(`https://a.example${path}`)).toBe(section);
  });
});

describe("Sections", () => {
  test("a section is crowded after 64 URLs, on its own host and for itself alone", () => {
    const sections = new Sections();
    const answers = Array.from({ length: 70 }, (_, i) => sections.crowds("a.example", `https://a.example/maze/${i}x`));
    expect(answers.indexOf(true)).toBe(64);
    expect(sections.crowds("a.example", "https://a.example/real/1")).toBe(false);
    expect(sections.crowds("b.example", "https://b.example/maze/1")).toBe(false);
  });
});
