import { describe, expect, test } from "vitest";
import { parseRefresh } from "../../../../src/stages/parse/html-refresh.ts";

describe("refresh", () => {
  test("gives seconds and URL in all the forms of the standard", () => {
    expect(parseRefresh("0; url=/a")).toEqual({ seconds: 0, url: "/a" });
    expect(parseRefresh(" 5.7,URL = '/a b' x")).toEqual({ seconds: 5, url: "/a b" });
    expect(parseRefresh("3 /a")).toEqual({ seconds: 3, url: "/a" });
    expect(parseRefresh('.5;"/a')).toEqual({ seconds: 0, url: "/a" });
    expect(parseRefresh("1;url")).toEqual({ seconds: 1, url: "url" });
    expect(parseRefresh("1;urls=x")).toEqual({ seconds: 1, url: "urls=x" });
  });

  test("without a time, or without a URL, is none", () => {
    for (const content of ["", "5", "5;", "5; url=", "url=/a", "; url=/a", "5x;/a", "-1;/a"])
      expect(parseRefresh(content), content).toBeNull();
  });
});
