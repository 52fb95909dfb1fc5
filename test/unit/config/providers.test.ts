import { expect, test } from "vitest";
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

const api = {
  kind: "scraping-api",
  request: "https://api.example/v1?key={env:KEY}&url={url}",
  headers: { Authorization: "env:API_KEY" },
  status: "$.status",
  body: "$.body",
  finalUrl: "$.url",
  credits: "$.credits",
  concurrency: 20,
  retries: 3,
  resetAt: "day",
};
const env = { API_KEY: "s3cret", KEY: "k&y" };

test("a gateway and a scraping API as the contract writes them", () => {
  const providers = { home: { kind: "gateway", endpoints: ["http://user:pass@gw1.example:8000"], pricePerGB: 3 }, api };
  const { settings } = resolve({ ...file({ providers, provider: "api" }), env });
  expect(settings.provider).toBe("api");
  expect(settings.providers.home).toMatchObject({
    kind: "gateway",
    endpoints: [{ url: "http://user:pass@gw1.example:8000", region: null }],
    pricePerGB: 3,
    busy: [429],
    exhausted: [402, 509],
  });
  expect(settings.providers.api).toMatchObject({
    request: "https://api.example/v1?key=k%26y&url={url}",
    headers: [["Authorization", "s3cret"]],
    retries: 3,
    resetAt: { kind: "day", minute: 0 },
    pricePerCredit: 0,
  });
});

test("the library takes the same, and a host may have a provider of its own", () => {
  const options = {
    providers: { api },
    hosts: { overrides: { "shop.example": { provider: "api" }, "big.example": { provider: "direct" } } },
  };
  const { settings } = resolve({ options, env });
  expect(settings.provider).toBe("direct");
  expect(settings.hosts.overrides).toEqual({ "shop.example": { provider: "api" }, "big.example": { provider: "direct" } });
});

test("--provider names one for this run", () => {
  expect(resolve({ ...file({ providers: { api } }), env, flags: { provider: "api" } }).settings.provider).toBe("api");
  expect(problemsOf({ ...file({ providers: { api } }), env, flags: { provider: "ape" } })).toEqual([
    { path: "--provider", got: '"ape"', expected: "one of direct, api; did you mean api?" },
  ]);
});

test("everything that is wrong is told at once, each with its path", () => {
  const providers = {
    api: {
      ...api,
      request: "https://api.example/",
      status: "status",
      concurrency: 0,
      retries: 1.5,
      resetAt: "soon",
      busy: [200],
      reties: 3,
    },
    home: { kind: "gateway", endpoints: ["gw1.example:8000", { url: "http://gw2.example:1", region: 5 }], pricePerGB: -1, balance: "much" },
    other: { kind: "scraper" },
    direct: api,
    none: { kind: "scraping-api" },
  };
  const problems = problemsOf({
    ...file({ providers, provider: "hone", hosts: { overrides: { "a.example": { provider: "apy", ceiling: 0 } } } }),
    env,
  });
  expect(problems.map(({ path }) => path.replace("weir.config.json: ", "")).sort()).toEqual(
    [
      "hosts.overrides.a.example.ceiling",
      "hosts.overrides.a.example.provider",
      "provider",
      "providers.api.busy",
      "providers.api.concurrency",
      "providers.api.request",
      "providers.api.resetAt",
      "providers.api.reties",
      "providers.api.retries",
      "providers.api.status",
      "providers.direct",
      "providers.home.balance",
      "providers.home.endpoints[0]",
      "providers.home.endpoints[1].region",
      "providers.home.pricePerGB",
      "providers.none.request",
      "providers.other.kind",
    ].sort(),
  );
  expect(problems.find(({ path }) => path.endsWith("reties"))?.expected).toContain("did you mean retries?");
});

test("secrets are read from the environment, and never shown", () => {
  const missing = problemsOf(file({ providers: { api } }));
  expect(missing.map(({ expected }) => expected).sort()).toEqual([
    "the environment variable API_KEY to be set",
    "the environment variable KEY to be set",
  ]);
  const wrong = { ...api, request: "ftp://top-secret.example/{url}" };
  const home = { kind: "gateway", endpoints: ["http://user:top-secret@"] };
  expect(JSON.stringify(problemsOf({ ...file({ providers: { api: wrong, home } }), env }))).not.toContain("top-secret");
  const { origins } = resolve({ ...file({ providers: { api } }), env });
  const shown = origins.find(({ key }) => key === "providers")?.value;
  expect(shown).toBe("api: scraping-api (hidden)");
});

test("of a proxy and a provider the one from the stronger source counts; from the same source they are one too many", () => {
  const url = "http://proxy.example:8000";
  const home = { kind: "gateway", endpoints: ["http://home.example:8000"] };
  const wayOf = (sources: Parameters<typeof resolve>[0]): string => resolve(sources).settings.provider;
  const fileOf = (value: object) => file({ providers: { home }, ...value });
  expect(wayOf({ flags: { proxy: url }, ...fileOf({ provider: "home" }) })).toBe("proxy");
  expect(wayOf({ flags: { provider: "home" }, ...fileOf({ proxy: url }) })).toBe("home");
  expect(wayOf({ flags: { provider: "direct" }, ...fileOf({ proxy: url }) })).toBe("direct");
  expect(wayOf({ flags: { provider: "home" }, env: { WEIR_PROXY: url }, ...fileOf({}) })).toBe("home");
  expect(wayOf({ env: { WEIR_PROXY: url }, ...fileOf({ provider: "home" }) })).toBe("proxy");
  expect(wayOf({ options: { provider: "home" }, flags: { proxy: url }, ...fileOf({}) })).toBe("home");
  expect(wayOf({ flags: { proxy: url } })).toBe("proxy");
  const { origins } = resolve({ flags: { proxy: url }, ...fileOf({ provider: "home" }) });
  expect(origins.find(({ key }) => key === "provider")).toMatchObject({ value: "direct", origin: "default" });
  const problem = { got: "a proxy beside a provider", expected: "one of the two" };
  expect(problemsOf({ flags: { proxy: url, provider: "home" }, ...fileOf({}) })).toMatchObject([{ path: "--proxy", ...problem }]);
  expect(problemsOf(fileOf({ proxy: url, provider: "home" }))).toMatchObject([problem]);
});
