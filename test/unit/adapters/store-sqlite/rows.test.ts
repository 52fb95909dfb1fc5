import { expect, test } from "vitest";
import { commandLine } from "../../../../src/adapters/store-sqlite/lock.ts";
import { outcomeCode, skipCode, viaCode } from "../../../../src/adapters/store-sqlite/rows.ts";
import { OUTCOMES, SKIP_REASONS, VIAS } from "../../../../src/kernel/outcome.ts";

// Positions are in every user's store: a word may be added at the end, none may move.
test("the words that stores number keep their positions", () => {
  const outcomes = ["new", "changed", "unchanged", "duplicate", "redirect", "gone", "missing", "blocked", "skipped", "failed"];
  const skips = ["robots", "noindex", "nofollow", "scope", "depth", "private-address", "trap", "shed", "type", "excluded", "url-too-long"];
  const vias = ["seed", "link", "redirect", "sitemap", "feed", "refresh"];
  expect(OUTCOMES.slice(0, outcomes.length)).toEqual(outcomes);
  expect(SKIP_REASONS.slice(0, skips.length)).toEqual(skips);
  expect(VIAS.slice(0, vias.length)).toEqual(vias);
  expect([outcomeCode("failed"), skipCode("trap"), skipCode(null), viaCode("seed")]).toEqual([9, 6, null, 0]);
});

test("the owner file names the command without options and secrets", () => {
  expect(commandLine(["/usr/bin/node", "/x/weir", "crawl", "https://user:secret@a.example/", "--header", "Authorization: s"])).toBe(
    "weir crawl https://a.example/",
  );
  expect(commandLine(["/usr/bin/node"])).toBe("node");
});
