import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseRobots, ROBOTS_MAX_BYTES } from "../../../../src/stages/frontier/robots.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const rulesOf = (text: string, token = "weir") => parseRobots(bytes(text), token);
const allows = (text: string, path: string, token = "weir"): boolean => rulesOf(text, token).allows(path);

describe("groups", () => {
  it("an empty file allows everything", () => {
    expect(allows("", "/any?x=1")).toBe(true);
  });

  it("groups that name us are merged, wherever they stand", () => {
    const file = "User-agent: weir\nDisallow: /a\n\nUser-agent: other\nDisallow: /\n\nUser-agent: Weir\nDisallow: /b\n";
    expect(["/a", "/b", "/c"].map((path) => allows(file, path))).toEqual([false, false, true]);
  });

  it("the group for everyone does not apply once we are named, even by an empty group", () => {
    expect(allows("User-agent: *\nDisallow: /\nUser-agent: weir\nDisallow:\n", "/x")).toBe(true);
    expect(allows("User-agent: *\nDisallow: /\nUser-agent: weir\n", "/x")).toBe(true);
  });

  it("a longer token is another crawler, a version is not", () => {
    expect(allows("User-agent: weir-news\nDisallow: /\n", "/x")).toBe(true);
    expect(allows("User-agent: weir/2.1\nDisallow: /\n", "/x")).toBe(false);
    expect(allows("User-agent: weirdo\nDisallow: /\n", "/x")).toBe(true);
  });

  it("several agents share a group across blank lines, comments and lines of other kinds", () => {
    const file = "User-agent: other\n\n# note\nCrawl-delay: 3\nSitemap: https://s.test/m\nUser-agent: weir\nDisallow: /x\n";
    expect(allows(file, "/x")).toBe(false);
  });

  it("an agent line behind a rule starts another group", () => {
    expect(allows("User-agent: weir\nDisallow: /a\nUser-agent: other\nDisallow: /b\n", "/b")).toBe(true);
  });

  it("rules before the first group are ignored", () => {
    expect(allows("Disallow: /\nUser-agent: *\nDisallow: /a\n", "/x")).toBe(true);
  });

  it("the file itself is always allowed", () => {
    expect(allows("User-agent: *\nDisallow: /\n", "/robots.txt")).toBe(true);
  });
});

describe("lines", () => {
  it.each(["\n", "\r\n", "\r"])("may end with %j", (end) => {
    expect(allows(["User-agent: *", "Disallow: /a", "Disallow: /b"].join(end), "/b")).toBe(false);
  });

  it("keys are read in any case, with blanks around, with comments and with the usual slips", () => {
    for (const line of ["DISALLOW : /a # no", "\tdisallow:/a", "Disallow /a", "Dissallow: /a"]) {
      expect(allows(`User-agent: *\n${line}\n`, "/a"), line).toBe(false);
    }
  });

  it("a sentence without a colon is no rule", () => {
    expect(allows("User-agent: *\ndisallow /a please\n", "/a")).toBe(true);
  });

  it("a byte order mark, even half of one, does not hide the first line", () => {
    const file = bytes("User-agent: *\nDisallow: /\n");
    for (const mark of [
      [0xef, 0xbb, 0xbf],
      [0xef, 0xbb],
    ]) {
      expect(parseRobots(Uint8Array.from([...mark, ...file]), "weir").allows("/x")).toBe(false);
    }
  });

  it("nothing is read behind 500 KiB, nor the line that lies across it", () => {
    const head = "User-agent: *\nDisallow: /first\n";
    const filler = `${"#".repeat(ROBOTS_MAX_BYTES - head.length - 12)}\n`;
    const rules = rulesOf(`${head}${filler}Disallow: /across\nDisallow: /beyond\n`);
    expect(["/first", "/acr", "/across", "/beyond"].map((path) => rules.allows(path))).toEqual([false, true, true, true]);
    expect(rules.truncated).toBe(true);
  });
});

describe("matching", () => {
  it("the longest rule wins, and of equals the one that allows", () => {
    const file = "User-agent: *\nDisallow: /a\nAllow: /a/b\nDisallow: /a/b/c\nAllow: /x\nDisallow: /x\n";
    expect(["/a", "/a/b", "/a/b/c", "/x"].map((path) => allows(file, path))).toEqual([false, true, false, true]);
  });

  it("a wildcard counts by its octets too", () => {
    const file = "User-agent: *\nAllow: /page\nDisallow: /*.htm\n";
    expect([allows(file, "/page.htm"), allows(file, "/page")]).toEqual([false, true]);
  });

  it("a star matches anything, a final dollar the end", () => {
    const file = "User-agent: *\nDisallow: /*.pdf$\nDisallow: /a*b*c\nDisallow: /end$\n";
    const denied = ["/x.pdf", "/a/b/c", "/abc/d", "/end"];
    const allowed = ["/x.pdf?y", "/a/c/b", "/end/", "/"];
    expect(denied.filter((path) => allows(file, path))).toEqual([]);
    expect(allowed.filter((path) => !allows(file, path))).toEqual([]);
  });

  it("an empty rule means nothing, a rule without a slash at its start never matches", () => {
    expect(allows("User-agent: *\nDisallow:\nDisallow: private\n", "/private")).toBe(true);
  });

  it("an allowed index page allows its directory", () => {
    const file = "User-agent: *\nDisallow: /\nAllow: /a/index.html\n";
    expect([allows(file, "/a/"), allows(file, "/a/b")]).toEqual([true, false]);
  });

  it("rule and path are compared in one spelling of escapes", () => {
    const denied = (rule: string, path: string): boolean => !allows(`User-agent: *\nDisallow: ${rule}\n`, path);
    expect(denied("/%7euser/ü", "/~user/%C3%BC")).toBe(true);
    expect(denied("/%C3%BC", "/%c3%bc")).toBe(true);
    expect(denied("/a b", "/a%20b")).toBe(true);
    expect(denied("/q?f='x'", "/q?f=%27x%27")).toBe(true);
    expect(denied("/a%2Fb", "/a/b")).toBe(false);
    expect(denied("/a%2fb", "/a%2Fb")).toBe(true);
    expect(denied("/%2A", "/x")).toBe(false);
    expect(denied("/%2a", "/*")).toBe(true);
    expect(denied("/a%24", "/a$b")).toBe(true);
    expect(denied("/a$b", "/a$b")).toBe(true);
    expect(denied("/100%", "/100%")).toBe(true);
  });

  it("agrees with a matcher that tries every way", () => {
    const slow = (pattern: string, path: string): boolean => {
      if (pattern === "") return true;
      if (pattern === "$") return path === "";
      if (pattern[0] === "*") return slow(pattern.slice(1), path) || (path !== "" && slow(pattern, path.slice(1)));
      return pattern[0] === path[0] && slow(pattern.slice(1), path.slice(1));
    };
    const word = fc.array(fc.constantFrom("a", "b", "*"), { maxLength: 9 });
    const path = fc.array(fc.constantFrom("a", "b"), { maxLength: 10 });
    fc.assert(
      fc.property(word, fc.constantFrom("", "$"), path, (pattern, end, rest) => {
        const rule = `/${pattern.join("")}${end}`;
        const url = `/${rest.join("")}`;
        expect(allows(`User-agent: *\nDisallow: ${rule}\n`, url), `${rule} on ${url}`).toBe(!slow(rule, url));
      }),
      { numRuns: 2_000 },
    );
  });

  it("the order of lines does not matter", () => {
    const line = fc.tuple(fc.constantFrom("Allow", "Disallow"), fc.array(fc.constantFrom("a", "b", "*", "/"), { maxLength: 4 }));
    fc.assert(
      fc.property(fc.array(line, { maxLength: 8 }), fc.array(fc.constantFrom("a", "b", "/"), { maxLength: 6 }), (lines, rest) => {
        const texts = lines.map(([key, pattern]) => `${key}: /${pattern.join("")}`);
        const forward = allows(["User-agent: *", ...texts].join("\n"), `/${rest.join("")}`);
        expect(allows(["User-agent: *", ...texts.reverse()].join("\n"), `/${rest.join("")}`)).toBe(forward);
      }),
      { numRuns: 500 },
    );
  });

  it("a hostile file is refused rather than matched for ever", () => {
    const rules = rulesOf(`User-agent: *\n${Array.from({ length: 20_000 }, (_, i) => `Allow: /*ab${i}Q\n`).join("")}`);
    const started = process.hrtime.bigint();
    expect(rules.allows(`/${"a".repeat(4_000)}b0123456789Q`)).toBe(false);
    // 3.6 ms of steps when nothing disturbs; without the bound it is 200 ms.
    expect(Number(process.hrtime.bigint() - started) / 1e6).toBeLessThan(60);
    expect(rules.allows("/ordinary")).toBe(true);
  });

  it("whatever the bytes, reading them ends", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.webPath(), (body, path) => {
        const file = Uint8Array.from([...bytes("User-agent: *\nDisallow: /"), ...body]);
        expect(typeof parseRobots(file, "weir").allows(`/${path}`)).toBe("boolean");
      }),
    );
  });
});

describe("the other lines", () => {
  it("a crawl delay is in seconds, ours before everyone's, the longest of several, at most a day", () => {
    expect(rulesOf("User-agent: *\nCrawl-delay: 2.5\n").crawlDelay).toBe(2_500);
    expect(rulesOf("User-agent: *\nCrawl-delay: 9\nDisallow: /x\nUser-agent: weir\nCrawl-delay: 1\ncrawl-delay: 3\n").crawlDelay).toBe(
      3_000,
    );
    expect(rulesOf("User-agent: *\nCrawl-delay: 9\nDisallow: /x\nUser-agent: weir\nDisallow: /y\n").crawlDelay).toBeNull();
    expect(rulesOf("User-agent: *\nCrawl-delay: 999999999\n").crawlDelay).toBe(86_400_000);
    for (const value of ["-1", "1e3", "soon", "", "1 s"])
      expect(rulesOf(`User-agent: *\nCrawl-delay: ${value}\n`).crawlDelay, value).toBeNull();
  });

  it("sitemaps hold for everyone, each once, as written", () => {
    const file =
      "Sitemap: https://s.test/é.xml\nUser-agent: other\nDisallow: /\nsitemap: /b.xml\nSitemap: https://s.test/é.xml\nSitemap:\n";
    expect(rulesOf(file).sitemaps).toEqual(["https://s.test/é.xml", "/b.xml"]);
  });

  it("at most 1,000 sitemaps are kept", () => {
    const file = Array.from({ length: 1_200 }, (_, i) => `Sitemap: /${i}.xml\n`).join("");
    expect(rulesOf(file).sitemaps).toHaveLength(1_000);
  });
});
