import { describe, expect, test } from "vitest";
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
