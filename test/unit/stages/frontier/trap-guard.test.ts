import { describe, expect, test } from "vitest";
import { TrapGuard, type TrapLimits } from "../../../../src/stages/frontier/trap-guard.ts";
import { ECHO_TEMPLATE, templateOf } from "../../../../src/stages/frontier/url-template.ts";

const LIMITS: TrapLimits = { freeUrls: 100, freeEchoes: 10, newShare: 0.02, hostTemplates: 8, templates: 20 };

/** Meets `count` URLs of a space whose pages are new by `isNew`, fetching each that is admitted. */
function crawl(guard: TrapGuard, host: string, count: number, urlOf: (i: number) => string, isNew: (i: number) => boolean): number {
  let admitted = 0;
  for (let i = 0; i < count; i++) {
    if (!guard.admit(host, urlOf(i))) continue;
    admitted++;
    guard.noteContent(host, urlOf(i), isNew(i));
  }
  return admitted;
}

describe("templateOf", () => {
  test.each([
    ["/2031/05/17/", "/{n}/{n}/{n}/"],
    ["/item-12.html", "/item-{n}.html"],
    ["/a;jsessionid=0A1B2C3D/b?d=1", "/a/b?d"],
    ["/f/0f1e2d3c4b5a/x", "/f/{hex}/x"],
    ["/f/8d1c5d2e-93a1-4b2c-8f00-1234567890ab", "/f/{hex}"],
    ["/facade/deadbeef", "/facade/deadbeef"],
    ["/list?sort=up&page=3&sort=down", "/list?page&sort"],
    ["/list?page=4&sort=", "/list?page&sort"],
    ["/list?f[0]=a&f[1]=b", "/list?f[{n}]"],
    ["/a/b/a/c/b", ECHO_TEMPLATE],
    ["/en/blog/en", "/en/blog/en"],
  ])("%s is of %s", (path, template) => {
    expect(templateOf(`https://example.com${path}`)).toBe(template);
  });

  test("a template is never long", () => {
    expect(templateOf(`https://example.com/${"x".repeat(5000)}`).length).toBe(200);
  });
});

describe("TrapGuard", () => {
  test("a calendar whose pages all read the same ends at its free URLs, and is reported", () => {
    const guard = new TrapGuard(LIMITS);
    expect(
      crawl(
        guard,
        "a.example",
        5_000,
        (i) => `https://a.example/cal?day=${i}`,
        (i) => i === 0,
      ),
    ).toBe(100);
    expect(guard.traps()).toEqual([{ host: "a.example", template: "/cal?day", admitted: 100, refused: 4_900 }]);
  });

  test("a space whose pages are new is never cut, nor one where three of a hundred are", () => {
    const guard = new TrapGuard(LIMITS);
    expect(
      crawl(
        guard,
        "a.example",
        5_000,
        (i) => `https://a.example/p/${i}`,
        () => true,
      ),
    ).toBe(5_000);
    expect(
      crawl(
        guard,
        "a.example",
        5_000,
        (i) => `https://a.example/q/${i}`,
        (i) => i % 33 === 0,
      ),
    ).toBe(5_000);
    expect(guard.traps()).toEqual([]);
  });

  test("URLs that wait unfetched are no evidence", () => {
    const guard = new TrapGuard(LIMITS);
    for (let i = 0; i < 1_000; i++) expect(guard.admit("a.example", `https://a.example/p/${i}`)).toBe(true);
    for (let i = 0; i < 49; i++) guard.noteContent("a.example", `https://a.example/p/${i}`, false);
    expect(guard.admit("a.example", "https://a.example/p/1000")).toBe(true);
    guard.noteContent("a.example", "https://a.example/p/49", false);
    expect(guard.admit("a.example", "https://a.example/p/1001")).toBe(false);
  });

  test("a trap on one host or of one template leaves the others alone", () => {
    const guard = new TrapGuard(LIMITS);
    crawl(
      guard,
      "a.example",
      500,
      (i) => `https://a.example/cal?day=${i}`,
      () => false,
    );
    expect(guard.admit("b.example", "https://b.example/cal?day=1")).toBe(true);
    expect(guard.admit("a.example", "https://a.example/real/1")).toBe(true);
  });

  test("paths that repeat themselves share one small allowance, whatever their names", () => {
    const guard = new TrapGuard(LIMITS);
    const words = ["about", "team", "jobs", "news", "press"];
    const urlOf = (i: number) => {
      const word = (n: number) => words[Math.floor(i / 5 ** n) % 5];
      return `https://a.example/${word(0)}/${word(1)}/${word(0)}/${word(1)}/${word(2)}`;
    };
    expect(crawl(guard, "a.example", 125, urlOf, () => false)).toBe(10);
  });

  test("memory is bounded per host and in all, and a trap that is met all the time is not forgotten", () => {
    const guard = new TrapGuard(LIMITS);
    crawl(
      guard,
      "a.example",
      200,
      (i) => `https://a.example/cal?day=${i}`,
      () => false,
    );
    for (let i = 0; i < 500; i++) {
      guard.admit("a.example", `https://a.example/${"x".repeat(i % 100)}`);
      expect(guard.admit("a.example", "https://a.example/cal?day=1")).toBe(false);
      expect(guard.size).toBeLessThanOrEqual(LIMITS.hostTemplates);
    }
    for (let host = 0; host < 100; host++) {
      for (const path of ["a", "b", "c"]) guard.admit(`h${host}.example`, `https://h${host}.example/${path}`);
      expect(guard.admit("a.example", "https://a.example/cal?day=1")).toBe(false);
      expect(guard.size).toBeLessThanOrEqual(LIMITS.templates);
    }
  });

  test("a page whose template is forgotten is not counted anew", () => {
    const guard = new TrapGuard(LIMITS);
    guard.noteContent("a.example", "https://a.example/p/1", true);
    expect(guard.size).toBe(0);
  });
});
