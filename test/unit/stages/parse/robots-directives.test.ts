import { expect, it } from "vitest";
import { type MetaRobots, robotsDirectives } from "../../../../src/stages/parse/robots-directives.ts";

const NOW = Date.UTC(2026, 5, 1);
const of = (headers: readonly string[], metas: readonly MetaRobots[] = []): string => {
  const { index, follow } = robotsDirectives(headers, metas, "weir", NOW);
  return `${index ? "index" : "noindex"} ${follow ? "follow" : "nofollow"}`;
};

it("nothing said means index and follow, and so does `all`", () => {
  expect([of([]), of(["all"]), of(["index, follow, noarchive"])]).toEqual(Array(3).fill("index follow"));
});

it("headers and metas for everyone and for us add up, the strictest wins", () => {
  expect(of(["nofollow"], [{ name: "ROBOTS", content: "NOINDEX" }])).toBe("noindex nofollow");
  expect(of(["index"], [{ name: "weir", content: "noindex" }])).toBe("noindex follow");
  expect(of(["none"])).toBe("noindex nofollow");
  expect(of([], [{ name: "robots", content: "noindex nofollow" }])).toBe("noindex nofollow");
});

it("what is said to others is not for us", () => {
  expect(of(["otherbot: noindex, nofollow"], [{ name: "otherbot", content: "none" }])).toBe("index follow");
  expect(of(["weir-news: none"])).toBe("index follow");
});

it("an agent's name covers the rest of its line, up to the next name", () => {
  expect(of(["otherbot: noindex, weir: nofollow"])).toBe("index nofollow");
  expect(of(["Weir: noindex, nofollow"])).toBe("noindex nofollow");
  expect(of(["nofollow, otherbot: noindex"])).toBe("index nofollow");
});

it("a directive's own colon does not name an agent", () => {
  expect(of(["max-image-preview:large, noindex"])).toBe("noindex follow");
});

it("unavailable_after forbids once its date has passed, in whatever form it is written", () => {
  for (const date of ["2026-05-01", "1 May 2026 15:00:00 PST", "Friday, 01-May-26 15:00:00 UTC", "Fri, 01 May 2026 15:00:00 +0000"]) {
    expect(of([`unavailable_after: ${date}, nofollow`]), date).toBe("noindex nofollow");
  }
  expect(of(["unavailable_after: 2026-07-01"])).toBe("index follow");
  expect(of(["unavailable_after: whenever"])).toBe("index follow");
});
