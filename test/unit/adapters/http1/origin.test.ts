import { describe, expect, test } from "vitest";
import { originOf, splitUrl } from "../../../../src/adapters/http1/origin.ts";

describe("a URL", () => {
  test.each([
    ["http://a.test/", "http://a.test", "/"],
    ["https://a.test:8443/b?c=/d", "https://a.test:8443", "/b?c=/d"],
    ["https://[2001:db8::1]:80/x", "https://[2001:db8::1]:80", "/x"],
  ])("%s splits into origin and path", (url, key, path) => {
    expect(splitUrl(url)).toEqual({ key, path });
  });

  test.each(["", "a.test/", "ftp://a.test/", "http://", "HTTP:/a", "/path"])("%j is none", (url) => {
    expect(splitUrl(url)).toBeUndefined();
  });
});

describe("an origin", () => {
  test.each([
    ["http://a.test", false, "a.test", 80],
    ["https://a.test", true, "a.test", 443],
    ["https://a.test:8443", true, "a.test", 8443],
    ["http://[2001:db8::1]", false, "2001:db8::1", 80],
    ["http://[2001:db8::1]:81", false, "2001:db8::1", 81],
  ])("%s", (key, secure, hostname, port) => {
    expect(originOf(key)).toMatchObject({ key, secure, hostname, port });
  });
});
