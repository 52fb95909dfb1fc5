import { describe, expect, test } from "vitest";
import { hostKey, hostName, SHARDS, shardOf } from "../../../src/kernel/host-key.ts";

describe("hostKey", () => {
  test.each([
    ["http://example.com/", "example.com"],
    ["https://example.com/a?b=//c:80", "example.com"],
    ["https://example.com:80/", "example.com"],
    ["http://example.com:443/", "example.com"],
    ["http://example.com:8080/", "example.com:8080"],
    ["http://example.com:4430/", "example.com:4430"],
    ["http://127.0.0.1:8102/a", "127.0.0.1:8102"],
    ["https://[::80]/", "[::80]"],
    ["https://[::1]:8443/", "[::1]:8443"],
  ])("%s is of host %s", (url, key) => {
    expect(hostKey(url)).toBe(key);
  });

  test.each([
    ["example.com", "example.com"],
    ["example.com:8080", "example.com"],
    ["[::1]", "[::1]"],
    ["[::1]:8443", "[::1]"],
  ])("the name of %s is %s", (key, name) => {
    expect(hostName(key)).toBe(name);
  });
});

describe("shardOf", () => {
  test("it never changes: stores and fleets rely on it", () => {
    expect(["example.com", "example.com:8080", "127.0.0.1:8102", ""].map(shardOf)).toEqual([422, 108, 579, 973]);
  });

  test("hosts with similar names spread over all shards evenly", () => {
    const counts = new Int32Array(SHARDS);
    for (let i = 0; i < 64 * SHARDS; i++) counts[shardOf(`www.site-${i}.example`)]++;
    // Fair shards hold 64 each with a standard deviation of 8.
    expect(Math.min(...counts)).toBeGreaterThan(24);
    expect(Math.max(...counts)).toBeLessThan(112);
  });
});
