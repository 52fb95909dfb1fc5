import { expect, test } from "vitest";
import { Cookies } from "../../../../src/stages/fetch/cookies.ts";

test("a cookie goes back to where it belongs: host, path, scheme", () => {
  const cookies = new Cookies();
  cookies.take("https://a.test/shop/cart", ["here=1", "all=2; Path=/", "safe=3; Path=/; Secure"]);
  expect(cookies.header("https://a.test/shop/more").split("; ").sort()).toEqual(["all=2", "here=1", "safe=3"]);
  expect(cookies.header("http://a.test/")).toBe("all=2");
  expect(cookies.header("https://b.test/")).toBe("");
});

test("a cookie for a whole suffix, or for another site, is refused", () => {
  const cookies = new Cookies();
  cookies.take("https://a.co.uk/", ["x=1; Domain=co.uk", "y=1; Domain=elsewhere.test"]);
  expect(cookies.header("https://b.co.uk/")).toBe("");
  expect(cookies.header("https://elsewhere.test/")).toBe("");
});

test("broken values are ignored one by one", () => {
  const cookies = new Cookies();
  cookies.take("https://a.test/", ["", ";;;", "good=1", "=", "bad=1; Domain=.."]);
  expect(cookies.header("https://a.test/")).toContain("good=1");
});

test("an expired cookie is taken back", () => {
  const cookies = new Cookies();
  cookies.take("https://a.test/", ["a=1"]);
  cookies.take("https://a.test/", ["a=; Max-Age=0"]);
  expect(cookies.header("https://a.test/")).toBe("");
});

test("at most 64 are kept", () => {
  const cookies = new Cookies();
  cookies.take(
    "https://a.test/",
    Array.from({ length: 500 }, (_, index) => `c${index}=1`),
  );
  expect(cookies.header("https://a.test/").split("; ").length).toBe(64);
});

test("a cookie that changes with every answer is never too many", () => {
  const cookies = new Cookies();
  for (let turn = 0; turn < 200; turn++) cookies.take("https://a.test/", [`session=${turn}`]);
  expect(cookies.header("https://a.test/")).toBe("session=199");
});
