import { describe, expect, test } from "vitest";
import { parseRefresh } from "../../../../src/stages/parse/html-refresh.ts";
import { srcsetUrls } from "../../../../src/stages/parse/html-srcset.ts";

const srcset = (value: string): string[] => {
  const urls: string[] = [];
  srcsetUrls(value, (start, end) => urls.push(value.slice(start, end)));
  return urls;
};

describe("srcset", () => {
  test("splits at commas between candidates, not in URLs or parentheses", () => {
    expect(srcset(" a 1x , b")).toEqual(["a", "b"]);
    expect(srcset("a,b 1x, c")).toEqual(["a,b", "c"]);
    expect(srcset("a, b,, c 2x")).toEqual(["a", "b", "c"]);
    expect(srcset("a (1x, 2x) , b")).toEqual(["a", "b"]);
    expect(srcset("data:,x 1x")).toEqual(["data:,x"]);
    expect(srcset(" , ")).toEqual([]);
  });
});

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
