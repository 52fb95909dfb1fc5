import { describe, expect, test } from "vitest";
import { codingsOf } from "../../../../src/adapters/http1/content-decoding.ts";

const fields = (named: Readonly<Record<string, readonly string[]>>) => ({
  get: (name: string) => named[name]?.[0],
  all: (name: string) => named[name] ?? [],
  entries: () => [],
});
const coded = (...values: string[]) => codingsOf(fields({ "content-encoding": values }));

describe("codings of a response", () => {
  test("a page whose Content-Encoding is a charset or a word for none is read as it is", () => {
    for (const value of ["", "identity", "none", "utf-8", "UTF-8", "utf8", "binary", "8bit", "ISO-8859-1", "windows-1251", "text/html"]) {
      expect(coded(value), value).toEqual({ kind: "known", codings: [] });
    }
    expect(coded("gzip, none")).toEqual({ kind: "known", codings: ["gzip"] });
  });

  test("a coding that cannot be undone is named", () => {
    expect(coded("sdch")).toEqual({ kind: "unknown", name: "sdch" });
    expect(coded("gzip", "compress")).toEqual({ kind: "unknown", name: "compress" });
  });
});
