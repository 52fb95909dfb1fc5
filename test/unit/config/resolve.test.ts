import fc from "fast-check";
import { expect, test } from "vitest";
import { OPTIONS } from "../../../src/config/defaults.ts";
import { type ConfigSources, resolveSettings } from "../../../src/config/resolve.ts";
import { ConfigError, type ConfigProblem } from "../../../src/kernel/errors.ts";

const resolve = (sources: Partial<ConfigSources>) => resolveSettings({ version: "1.2.3", ...sources });
const file = (value: unknown) => ({ file: { path: "weir.config.json", value } });

function problemsOf(sources: Partial<ConfigSources>): readonly ConfigProblem[] {
  try {
    resolve(sources);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

test("every default can be read by its own kind, and limits that are not set are absent", () => {
  const { settings } = resolve({});
  expect(settings).toMatchObject({
    scope: "host",
    maxWait: 120_000,
    limiter: "weir",
    ipCeiling: 16,
    concurrency: 64,
    timeout: 60_000,
    maxBody: 10_485_760,
    retries: 3,
  });
  expect(settings.hosts).toEqual({ ceiling: 8, unit: "authority", overrides: {} });
  for (const name of ["maxPages", "maxDepth", "maxBytes", "maxTime", "output", "saveBodies"]) expect(settings).not.toHaveProperty(name);
  expect(settings.userAgent).toBe("weir/1.2.3 (+https://github.com/weir-crawler/weir)");
});

test("the settings are frozen through and through", () => {
  const { settings } = resolve({ options: { hosts: { overrides: { "a.example": { ceiling: 1 } } } } });
  expect(Object.isFrozen(settings) && Object.isFrozen(settings.hosts.overrides["a.example"]) && Object.isFrozen(settings.fields)).toBe(
    true,
  );
});

test("a flag beats the environment, which beats the file, which beats the default", () => {
  const all = { flags: { maxPages: "1" }, env: { WEIR_MAX_PAGES: "2" }, ...file({ maxPages: 3 }) };
  expect(resolve(all).settings.maxPages).toBe(1);
  expect(resolve({ ...all, flags: {} }).settings.maxPages).toBe(2);
  expect(resolve({ ...all, flags: {}, env: { WEIR_MAX_PAGES: "" } }).settings.maxPages).toBe(3);
  expect(resolve({ ...all, options: { maxPages: 9 } }).settings.maxPages).toBe(9);
});

test("the origin of each value is kept", () => {
  const { origins } = resolve({ flags: { timeout: "5s" }, env: { WEIR_DELAY: "1s" }, ...file({ hosts: { ceiling: 2 } }) });
  const of = (key: string) => origins.find((origin) => origin.key === key);
  expect(of("timeout")).toEqual({ key: "timeout", value: "5s", origin: "flag", from: "--timeout" });
  expect(of("hosts.delay")).toEqual({ key: "hosts.delay", value: "1s", origin: "environment", from: "WEIR_DELAY" });
  expect(of("hosts.ceiling")).toEqual({ key: "hosts.ceiling", value: "2", origin: "file", from: "weir.config.json" });
  expect(of("retries")).toEqual({ key: "retries", value: "3", origin: "default", from: null });
  expect(origins).toHaveLength(OPTIONS.length);
});

test("all problems are told at once, each with its path", () => {
  const problems = problemsOf({
    flags: { maxPages: "0", scope: "hots", seeds: ["https://a.example", "ftp://b.example"] },
    env: { WEIR_TIMEOUT: "soon" },
    ...file({ hosts: { ceiling: "8" }, maxBody: "1TB", retries: 99 }),
  });
  expect(problems.map((problem) => problem.path).sort()).toEqual(
    [
      "--max-pages",
      "--scope",
      "<url>[1]",
      "WEIR_TIMEOUT",
      "weir.config.json: hosts.ceiling",
      "weir.config.json: maxBody",
      "weir.config.json: retries",
    ].sort(),
  );
});

test("a wrong command line alone is a matter of usage", () => {
  expect(() => resolve({ flags: { retries: "many" } })).toThrow(expect.objectContaining({ code: "WEIR_USAGE" }));
  expect(() => resolve(file({ retries: "many" }))).toThrow(expect.objectContaining({ code: "WEIR_CONFIG_INVALID" }));
});

test("an unknown name in the file is a problem with a hint", () => {
  expect(problemsOf(file({ maxPage: 5 }))[0].expected).toContain("did you mean maxPages?");
  expect(problemsOf(file({ hosts: { cieling: 5 } }))[0].expected).toContain("did you mean hosts.ceiling?");
  expect(problemsOf(file({ "max-pages": 5 }))[0].expected).toContain("did you mean maxPages?");
  expect(problemsOf(file([1]))[0].expected).toContain("an object");
  expect(problemsOf(file({ hosts: 8 }))[0].path).toBe("weir.config.json: hosts");
});

test("a near miss of a variable is a problem; a stranger's variable is not", () => {
  expect(problemsOf({ env: { WEIR_MAX_PAGE: "5" } })[0].expected).toContain("WEIR_MAX_PAGES");
  expect(problemsOf({ env: { WEIR_ARGS: "x", WEIR: "y", WEIR_BENCH_OUT: "z" } })).toEqual([]);
});

test.each(["pages", "budget", "jobs", "reserves", "onChange"])("%s is refused as not available yet", (key) => {
  expect(problemsOf(file({ [key]: {} }))[0].expected).toContain("not available yet");
});

test("the unit of hosts is a word, a file and the name of its export, or a function", () => {
  for (const unit of ["authority", "domain", "ip", "./unit.ts#unitOf", () => "one"])
    expect(resolve(file({ hosts: { unit } })).settings.hosts.unit).toBe(unit);
  for (const unit of ["site", "unit.ts", "unit.ts#", "#unitOf", 3, null])
    expect(problemsOf(file({ hosts: { unit, ceiling: 0 } })).map(({ path }) => path.split(": ").at(-1))).toEqual([
      "hosts.ceiling",
      "hosts.unit",
    ]);
  expect(resolve({}).settings.hosts.unit).toBe("authority");
});

test("fresh is for the command line and one run of the library, never for a standing file", () => {
  expect(problemsOf(file({ fresh: true }))[0].expected).toContain("--fresh");
  expect(resolve({ flags: { fresh: true } }).settings.fresh).toBe(true);
  expect(resolve({ options: { fresh: true } }).settings.fresh).toBe(true);
});

test("headers are read in each form, and a secret comes from the environment", () => {
  const env = { TOKEN: "s3cret" };
  const wanted = [["Authorization", "s3cret"]];
  expect(resolve({ flags: { headers: ["Authorization: env:TOKEN"] }, env }).settings.headers).toEqual(wanted);
  expect(resolve({ ...file({ headers: { Authorization: "env:TOKEN" } }), env }).settings.headers).toEqual(wanted);
  expect(resolve({ ...file({ headers: ["A: b:c", "A: d"] }) }).settings.headers).toEqual([
    ["A", "b:c"],
    ["A", "d"],
  ]);
  expect(problemsOf({ flags: { headers: ["X: env:MISSING"] } })[0].expected).toContain("MISSING");
});

test("a header's value appears in no problem and in no origin", () => {
  const hidden = "very-secret";
  const told = problemsOf({
    flags: { headers: [`User-Agent: ${hidden}`, `Bad name: ${hidden}`, `X: ${hidden}\r\nY: z`, `${hidden} without colon`] },
  });
  expect(told).toHaveLength(4);
  expect(JSON.stringify(told)).not.toContain(hidden);
  expect(JSON.stringify(resolve({ flags: { headers: [`X: ${hidden}`] } }).origins)).not.toContain(hidden);
});

test("a User-Agent must say something, on one line", () => {
  for (const userAgent of ["", "  ", "bot\r\nX: y", "b\u00f6t"]) expect(problemsOf({ flags: { userAgent } })).toHaveLength(1);
  expect(resolve({ flags: { userAgent: "shop-bot/2 (+mailto:a@b.example)" } }).settings.userAgent).toBe("shop-bot/2 (+mailto:a@b.example)");
});

test("an output's ending must name a format", () => {
  for (const output of ["a.jsonl", "b.CSV", "-"]) expect(resolve({ flags: { output } }).settings.output).toBe(output);
  for (const output of ["a.parquet", "a.json", "a", ".jsonl"])
    expect(problemsOf({ flags: { output } })[0].expected).toContain(".jsonl or .csv");
});

test("addresses and overrides are kept in their plain spelling", () => {
  const { settings } = resolve({
    flags: { allowAddresses: ["LocalHost", "127.0.0.1:80", "::1", "[::1]:8080"] },
    ...file({ hosts: { overrides: { "Slow.Example:443": { ceiling: 1, delay: "5s" }, "b.example:8080": { ceiling: 2 } } } }),
  });
  expect(settings.allowAddresses).toEqual(["localhost", "127.0.0.1:80", "[::1]", "[::1]:8080"]);
  expect(settings.hosts.overrides).toEqual({ "slow.example": { ceiling: 1, delay: 5000 }, "b.example:8080": { ceiling: 2 } });
  expect(problemsOf({ flags: { allowAddresses: ["http://a", "a/b", "a:0", "a:70000", ""] } })).toHaveLength(5);
  expect(problemsOf(file({ hosts: { overrides: { "a.example": { ceiling: 0, dleay: "1s" } } } }))).toHaveLength(2);
});

test("patterns are prefixes or URLPatterns, and wrong ones are found before the crawl", () => {
  const good = [
    "/docs/",
    "https://a.example/x",
    "https://*.a.example/*",
    "/p/:id",
    "http://127.0.0.1:8080/a",
    "*.pdf",
    "*sort=*",
    "/list*?page=*",
  ];
  expect(resolve({ flags: { include: good } }).settings.include).toEqual(good);
  expect(problemsOf({ flags: { exclude: ["", "docs", "/p/{", "https://a.example/(*"] } }).length).toBeGreaterThanOrEqual(3);
});

test("fields are chosen or added", () => {
  expect(resolve({ flags: { fields: "url,title" } }).settings.fields).toEqual(["url", "title"]);
  expect(resolve({ flags: { fields: "+text" } }).settings.fields).toEqual([...resolve({}).settings.fields, "text"]);
  expect(problemsOf({ flags: { fields: "url,titel" } })[0].expected).toContain("title");
});

test("no value of any shape makes anything but settings or a ConfigError", () => {
  const keys = [...new Set(OPTIONS.map((option) => option.key.split(".")[0])), "pages", "x"];
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom(...keys), fc.jsonValue()), (value) => {
      try {
        resolve(file(value));
      } catch (error) {
        expect(error).toBeInstanceOf(ConfigError);
        if (error instanceof ConfigError) expect(error.problems.length).toBeGreaterThan(0);
      }
    }),
  );
});
