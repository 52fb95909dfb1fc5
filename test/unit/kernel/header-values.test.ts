import { describe, expect, it } from "vitest";
import { contentType } from "../../../src/kernel/content-type.ts";
import { usableEtag } from "../../../src/kernel/etag.ts";

describe("entity tags", () => {
  it.each(['"a"', 'W/"a-b"', '""', '"\u00e9"', '"a b"'])("%s goes back as it came", (tag) => {
    expect(usableEtag(` ${tag} `)).toBe(tag);
  });
  it.each(["a", 'w/"a"', '"a', '"a", "b"', '"a\u0001"', "", undefined, `"${"x".repeat(2_000)}"`])("%j is dropped", (tag) => {
    expect(usableEtag(tag)).toBeNull();
  });
});

describe("content types", () => {
  it.each([
    ['Text/HTML ; Charset="utf-8"', "text/html", "utf-8"],
    ["text/html;;charset=x;charset=y", "text/html", "x"],
    ['text/html; a="; charset=no"; charset=yes', "text/html", "yes"],
    ["text/html; charset=", "text/html", null],
    ["text/html, text/plain", "text/html", null],
    ["html", null, null],
    ["", null, null],
    ["text/ html", null, null],
  ])("%j", (value, essence, charset) => {
    expect(contentType(value)).toEqual({ essence, charset });
  });
});
