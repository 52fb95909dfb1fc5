import { expect, test } from "vitest";
import type { SettledRow } from "../../src/ports/store.ts";
import type { ScriptedCall } from "../../src/simulate/scripted-web.ts";
import { page, pathOf, redirect, status, World } from "./world.ts";

const byUrl = (rows: readonly SettledRow[]): Map<string, SettledRow> => {
  expect(new Set(rows.map((row) => row.url)).size, "each URL is settled once").toBe(rows.length);
  return new Map(rows.map((row) => [row.url, row]));
};

test("a chain across hosts settles each URL of it once, and each hop is a request of its own host", async () => {
  const world = await World.open({
    seeds: "http://a.test/",
    answer: ({ url }) => {
      if (url === "http://a.test/") return page("start", ["/old"]);
      if (url === "http://a.test/old") return redirect("http://b.test/older");
      if (url === "http://b.test/older") return redirect("http://c.test/new");
      return url === "http://c.test/new" ? page("new") : status(404);
    },
  });
  expect(await world.finish()).toMatchObject({ pages: 2, left: 0, stopped: null });
  const rows = byUrl(await world.settled());
  expect(rows.get("http://a.test/old")).toMatchObject({
    outcome: "redirect",
    status: 301,
    finalUrl: "http://c.test/new",
    redirects: [
      { url: "http://a.test/old", status: 301 },
      { url: "http://b.test/older", status: 301 },
    ],
  });
  expect(rows.get("http://b.test/older")).toMatchObject({ outcome: "redirect", finalUrl: "http://c.test/new" });
  expect(rows.get("http://c.test/new")).toMatchObject({ outcome: "new", via: "redirect", redirects: [] });
  for (const host of ["b.test", "c.test"])
    expect(world.startsOf(host).map((call) => pathOf(call.url))[0], "robots.txt comes first").toBe("/robots.txt");
});

test("a circle of redirects fails every URL of it", async () => {
  const world = await World.open({
    seeds: "http://a.test/1",
    answer: ({ url }) => redirect(url.endsWith("/1") ? "/2" : url.endsWith("/2") ? "/3" : "/1"),
  });
  expect(await world.finish()).toMatchObject({ failed: 3, left: 0 });
  for (const row of byUrl(await world.settled()).values()) expect(row).toMatchObject({ outcome: "failed", code: "redirect-loop" });
});

test("ten redirects are followed and the eleventh is not", async () => {
  const chain =
    (most: number) =>
    ({ url }: ScriptedCall) => {
      const n = Number(pathOf(url).slice(1));
      return n < most ? redirect(`/${n + 1}`) : page("end");
    };
  const ten = await World.open({ seeds: "http://a.test/0", answer: chain(10) });
  expect(await ten.finish()).toMatchObject({ pages: 1, failed: 0, left: 0 });
  const eleven = await World.open({ seeds: "http://a.test/0", answer: chain(11) });
  expect(await eleven.finish()).toMatchObject({ pages: 0, failed: 11, left: 0 });
  expect(eleven.starts.filter((call) => !call.url.endsWith("robots.txt")).length).toBe(11);
});

test("a redirect to a URL that is known leaves that URL to itself", async () => {
  const world = await World.open({
    seeds: "http://a.test/",
    answer: ({ url }) =>
      url === "http://a.test/" ? page("start", ["/known", "/old"]) : url.endsWith("/old") ? redirect("/known") : page(url),
  });
  await world.finish();
  const rows = byUrl(await world.settled());
  expect(rows.get("http://a.test/old")).toMatchObject({ outcome: "redirect", finalUrl: "http://a.test/known" });
  expect(rows.get("http://a.test/known")?.outcome).toBe("new");
  expect(world.starts.filter((call) => call.url.endsWith("/known")).length).toBe(1);
});

test("a redirect to a page that is out of scope, or forbidden by its own robots.txt, is not followed", async () => {
  const world = await World.open({
    seeds: ["http://a.test/", "http://b.test/"],
    config: { scope: "host" },
    robots: (call) =>
      call.host === "b.test"
        ? { ...page("robots"), headers: [["content-type", "text/plain"]], body: "User-agent: *\nDisallow: /secret\n" }
        : status(404),
    answer: ({ url }) => {
      if (url === "http://a.test/") return page("start", ["/out", "/forbidden"]);
      if (url.endsWith("/out")) return redirect("http://elsewhere.test/");
      return url.endsWith("/forbidden") ? redirect("http://b.test/secret") : page(url);
    },
  });
  await world.finish();
  const rows = byUrl(await world.settled());
  expect(rows.get("http://a.test/out")).toMatchObject({ outcome: "skipped", code: "scope" });
  expect(rows.get("http://a.test/forbidden")).toMatchObject({ outcome: "skipped", code: "robots" });
  expect(world.starts.some((call) => call.host === "elsewhere.test" || call.url.endsWith("/secret"))).toBe(false);
});

test("a seed that has moved to another host takes the scope with it", async () => {
  const world = await World.open({
    seeds: "http://old.test/",
    config: { scope: "host" },
    answer: ({ url }) =>
      url === "http://old.test/" ? redirect("https://www.new.test/home") : url.endsWith("/home") ? page("home", ["/about"]) : page(url),
  });
  expect(await world.finish()).toMatchObject({ pages: 2, left: 0 });
  expect(world.warnings.join()).toContain("www.new.test");
});

test("a page that sets a cookie and redirects to itself is read with the cookie", async () => {
  const world = await World.open({
    seeds: "http://a.test/",
    answer: ({ headers }) =>
      headers.some(([name, value]) => name === "Cookie" && value === "seen=1")
        ? page("inside")
        : status(302, [
            ["location", "/"],
            ["set-cookie", "seen=1; Path=/"],
          ]),
  });
  expect(await world.finish()).toMatchObject({ pages: 1, failed: 0 });
});

test("the end of a chain that fails for a moment is tried again by itself", async () => {
  const world = await World.open({
    seeds: "http://a.test/old",
    answer: ({ url, nth }) => (url.endsWith("/old") ? redirect("/new") : nth < 3 ? status(500) : page("new")),
  });
  expect(await world.finish()).toMatchObject({ pages: 1, failed: 0, retries: 2, left: 0 });
  const rows = byUrl(await world.settled());
  expect(rows.get("http://a.test/old")).toMatchObject({ outcome: "redirect", finalUrl: "http://a.test/new" });
  expect(rows.get("http://a.test/new")).toMatchObject({ outcome: "new", attempts: 3 });
});

test("a robots.txt behind a Location in raw UTF-8 is found, and obeyed", async () => {
  const rules = { ...page("rules"), headers: [["content-type", "text/plain"]] as const, body: "User-agent: *\nDisallow: /no\n" };
  const location = Buffer.from("/ré", "utf8").toString("latin1");
  const world = await World.open({
    seeds: "http://a.test/",
    robots: () => status(302, [["location", location]]),
    answer: ({ url }) => (pathOf(url) === "/r%C3%A9" ? rules : pathOf(url) === "/" ? page("home", ["/no"]) : page("no")),
  });
  await world.finish();
  expect(world.starts.map(({ url }) => pathOf(url))).toEqual(["/robots.txt", "/r%C3%A9", "/"]);
});
