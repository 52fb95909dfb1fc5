import { expect, test } from "vitest";
import { canonicalJson } from "../../../src/kernel/canonical-json.ts";

test("the example of RFC 8785 §3.2.2 comes out as §3.2.3 prints it", () => {
  const value = JSON.parse(
    String.raw`{"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001],"string":"\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/","literals":[null,true,false]}`,
  ) as unknown;
  expect(canonicalJson(value)).toBe(
    String.raw`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`,
  );
});

test("names are ordered by their UTF-16 units, as in RFC 8785 §3.2.3", () => {
  const value = { "\u20ac": 1, "\r": 2, "\ufb33": 3, "1": 4, "\u{1f600}": 5, "\u0080": 6, "\u00f6": 7 };
  expect(Object.values(JSON.parse(canonicalJson(value)) as object)).toHaveLength(7);
  expect(canonicalJson(value)).toBe('{"\\r":2,"1":4,"\u0080":6,"\u00f6":7,"\u20ac":1,"\u{1f600}":5,"\ufb33":3}');
});

test.each([
  [0, "0"],
  [-0, "0"],
  [5e-324, "5e-324"],
  [-1.7976931348623157e308, "-1.7976931348623157e+308"],
  [9007199254740992, "9007199254740992"],
  [295147905179352830000, "295147905179352830000"],
  [9.999999999999997e22, "9.999999999999997e+22"],
  [1e21, "1e+21"],
  [0.000001, "0.000001"],
  [333333333.3333332, "333333333.3333332"],
])("the number %s of RFC 8785 appendix B is %s", (value, text) => {
  expect(canonicalJson(value)).toBe(text);
});

test("what is no JSON is refused", () => {
  for (const value of [Number.NaN, Number.POSITIVE_INFINITY, "\ud800", { "\udc00": 1 }, () => 1, new Date(0), new Map(), 1n, undefined])
    expect(() => canonicalJson(value)).toThrow(TypeError);
  let deep: unknown = 1;
  for (let i = 0; i < 200; i++) deep = [deep];
  expect(() => canonicalJson(deep)).toThrow("100 levels");
});
