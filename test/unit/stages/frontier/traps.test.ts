import { describe, expect, test } from "vitest";
import { trapReason } from "../../../../src/stages/frontier/traps.ts";

const repeat = (count: number, of: (i: number) => string) => Array.from({ length: count }, (_, i) => of(i));

describe("trapReason", () => {
  test.each([
    "/",
    "/a/",
    "/2024/01/01/1/",
    "/en/blog/en/post",
    "/org/apache/commons/api/org/apache/commons/Main.html",
    "/share/doc/hadoop/api/org/apache/hadoop/fs/hadoop/",
    "/web/2020/http://example.com/a//b",
    "/tiles/1/1/1",
    "/shop;jsessionid=1A2B?id=3",
    `/${repeat(30, (i) => `s${i}`).join("/")}`,
    "/list?tag=a&tag=b&tag=c&page=2",
    `/list?${repeat(40, (i) => `brand%5B%5D=${i}`).join("&")}`,
    `/state?s=${"x".repeat(2000)}`,
    "/a?x=1&x=1",
    "/a?&&&&&&",
  ])("%s is a page", (path) => {
    expect(trapReason(`https://example.com${path}`)).toBeNull();
  });

  test.each([
    ["path-repeat", "/t/sub/sub/sub/sub/"],
    ["path-repeat", "/a/b/a/b/a/b"],
    ["path-repeat", "/x/a/b/a/b/a/b/y"],
    ["path-repeat", "/a/1/b/2/a/3/c/4/a/5/a"],
    ["path-repeat", "/about/team/jobs/news/press/about/team/jobs/news/press"],
    ["path-repeat", "/a//////b"],
    ["path-repeat", "/a;jsessionid=1/b;jsessionid=2"],
    ["path-depth", `/${repeat(33, (i) => `s${i}`).join("/")}`],
    ["query-repeat", "/a?page=1&page=1&page=1"],
    ["query-repeat", `/a?${repeat(17, (i) => `sort=${i}`).join("&")}`],
    ["query-long", `/a?x=${"y".repeat(2050)}`],
  ])("%s: %s", (rule, path) => {
    expect(trapReason(`https://example.com${path}`)).toBe(rule);
  });

  test("a page under every path that links one, two or three names deeper is left soon", () => {
    const explore = (links: readonly string[]) => {
      const seen = new Set<string>();
      const waiting = ["https://example.com/t/"];
      let admitted = 0;
      for (let url = waiting.shift(); url !== undefined; url = waiting.shift()) {
        if (seen.has(url) || !new URL(url).pathname.startsWith("/t/")) continue;
        seen.add(url);
        if (trapReason(url) !== null) continue;
        admitted++;
        for (const link of links) waiting.push(new URL(link, url).href);
      }
      return admitted;
    };
    expect(explore(["deeper/"])).toBe(4);
    expect(explore(["sub/", "www.other.example/", "../"])).toBeLessThan(80);
    expect(explore(["a/", "b/", "c/"])).toBeLessThan(2_000);
  });
});
