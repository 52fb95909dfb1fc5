import { describe, expect, test } from "vitest";
import { hostKey } from "../../../../src/kernel/host-key.ts";
import { Scope, type ScopeRule } from "../../../../src/stages/frontier/scope.ts";
import { parsePatterns } from "../../../../src/stages/frontier/url-pattern.ts";

async function scopeOf(rule: ScopeRule, seeds: readonly string[], include: readonly string[] = [], exclude: readonly string[] = []) {
  const [included, excluded] = [await parsePatterns(include, "include"), await parsePatterns(exclude, "exclude")];
  expect([...included.problems, ...excluded.problems]).toEqual([]);
  const scope = new Scope({ rule, seeds, include: included.patterns, exclude: excluded.patterns });
  return { scope, admits: (url: string) => scope.admits(url, hostKey(url)) };
}

describe("Scope", () => {
  test("host: the seeds' hosts, 80 and 443 as one, no other port and no other name", async () => {
    const { admits } = await scopeOf("host", ["https://example.com/a", "http://127.0.0.1:8102/"]);
    for (const url of ["https://example.com/b", "http://example.com/", "http://127.0.0.1:8102/x"]) expect(admits(url)).toBeNull();
    for (const url of ["https://www.example.com/", "https://example.com:8443/", "http://127.0.0.1:8103/"])
      expect(admits(url)).toBe("scope");
  });

  test("domain: the registrable domain on any port; private suffixes, addresses and localhost are their own", async () => {
    const { admits } = await scopeOf("domain", [
      "https://www.example.co.uk/",
      "https://alice.github.io/",
      "http://localhost:3000/",
      "http://127.0.0.1/",
      "http://[::1]/",
    ]);
    for (const url of [
      "http://example.co.uk/",
      "https://a.b.example.co.uk:8443/",
      "https://alice.github.io/x",
      "http://localhost/",
      "http://127.0.0.1:8080/",
      "http://[::1]:81/",
    ])
      expect(admits(url)).toBeNull();
    for (const url of [
      "https://other.co.uk/",
      "https://co.uk/",
      "https://bob.github.io/",
      "http://127.0.0.2/",
      "http://0.0.0.1/",
      "http://[::2]/",
    ])
      expect(admits(url)).toBe("scope");
  });

  test("prefix: the seed up to its last slash, over http and https", async () => {
    const { admits } = await scopeOf("prefix", ["https://example.com/docs/intro.html?x=/y/z", "https://example.com/blog/"]);
    for (const url of ["https://example.com/docs/", "http://example.com/docs/a/b?c", "https://example.com/blog/1"])
      expect(admits(url)).toBeNull();
    for (const url of ["https://example.com/", "https://example.com/docs", "https://example.com/docs2/", "https://example.org/docs/"])
      expect(admits(url)).toBe("scope");
  });

  test("any: everything", async () => {
    const { admits } = await scopeOf("any", []);
    expect(admits("https://anything.example/")).toBeNull();
  });

  test("a seed that leads elsewhere widens the scope by what it covers, once", async () => {
    const host = await scopeOf("host", ["https://example.com/"]);
    expect([host.scope.addSeed("https://www.example.com/start"), host.scope.addSeed("http://www.example.com/")]).toEqual([true, false]);
    expect(host.admits("https://www.example.com/x")).toBeNull();

    const prefix = await scopeOf("prefix", ["https://example.com/a/"]);
    expect(prefix.scope.addSeed("https://www.example.com/a/b")).toBe(true);
    expect(prefix.admits("https://www.example.com/a/c")).toBeNull();
    expect(prefix.admits("https://www.example.com/b")).toBe("scope");
    expect(prefix.scope.addHost("www.example.com")).toBe(true);
    expect(prefix.admits("https://www.example.com/b")).toBeNull();

    const domain = await scopeOf("domain", ["https://example.com/"]);
    expect(domain.scope.addHost("shop.example.com")).toBe(false);
    expect(domain.scope.addHost("example.org:8080")).toBe(true);
    expect(domain.admits("https://a.example.org/")).toBeNull();
    expect((await scopeOf("any", [])).scope.addHost("example.com")).toBe(false);
  });

  test("exclude wins over include, and scope over both", async () => {
    const { admits } = await scopeOf("host", ["https://example.com/"], ["/p/*"], ["/p/private/"]);
    expect(admits("https://example.com/p/1")).toBeNull();
    expect(admits("https://example.com/p/private/1")).toBe("excluded");
    expect(admits("https://example.com/q")).toBe("excluded");
    expect(admits("https://other.example/p/1")).toBe("scope");
  });

  test("a seed need not match an include, but must not match an exclude", async () => {
    const { scope } = await scopeOf("host", ["https://example.com/"], ["/p/*"], ["/old/"]);
    expect(scope.admitsSeed("https://example.com/")).toBeNull();
    expect(scope.admitsSeed("https://example.com/old/start")).toBe("excluded");
  });

  test("the memory for domains is bounded and forgets without changing an answer", async () => {
    const { admits } = await scopeOf("domain", ["https://example.com/"]);
    for (let i = 0; i < 10_000; i++) expect(admits(`https://h${i}.other.example/`)).toBe("scope");
    expect(admits("https://h1.example.com/")).toBeNull();
  });
});
