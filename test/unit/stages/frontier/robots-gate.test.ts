import { describe, expect, test } from "vitest";
import { type RobotsAnswer, RobotsGate } from "../../../../src/stages/frontier/robots-gate.ts";

const DAY = 86_400_000;
const answer = (status: number | null, rules = ""): RobotsAnswer => ({ status, body: new TextEncoder().encode(rules), trouble: null });
const PAGE = "http://a.test/page";

/** A gate that was asked once, with this answer. */
function asked(status: number | null, body = "", retries = 3): RobotsGate {
  const gate = new RobotsGate(true, "weir", retries);
  gate.verdict(PAGE, 0);
  gate.begin();
  gate.end(answer(status, body), 0);
  return gate;
}

test("asks before the first URL of a scheme, once", () => {
  const gate = new RobotsGate(true, "weir", 3);
  expect(gate.wants).toBe(false);
  expect(gate.verdict(PAGE, 0)).toBe("ask");
  expect(gate.wants).toBe(true);
  expect(gate.begin()).toBe("http");
  expect(gate).toMatchObject({ busy: true, wants: false });
  expect(gate.verdict("http://a.test/other", 0)).toBe("ask");
  expect(gate.wants, "one is on its way").toBe(false);
  gate.end(answer(404), 0);
  expect(gate).toMatchObject({ busy: false, wants: false });
  expect(gate.verdict(PAGE, 0)).toBe("allow");
});

test("http and https have a robots.txt each", () => {
  const gate = asked(200, "User-agent: *\nDisallow: /page");
  expect(gate.verdict(PAGE, 0)).toBe("deny");
  expect(gate.verdict("https://a.test/page", 0)).toBe("ask");
  expect(gate.begin()).toBe("https");
  gate.end(answer(404), 0);
  expect(gate.verdict("https://a.test/page", 0)).toBe("allow");
  expect(gate.verdict(PAGE, 0)).toBe("deny");
});

describe("by status", () => {
  test.each([400, 401, 403, 404, 410, 451])("%i allows everything", (status) => {
    expect(asked(status, "User-agent: *\nDisallow: /").verdict(PAGE, 0)).toBe("allow");
  });

  test.each([429, 500, 502, 503, 599, null])("%s allows nothing, is asked three times, and then closes the host for the pass", (status) => {
    const gate = asked(status);
    for (let attempt = 2; attempt <= 3; attempt++) {
      expect(gate.verdict(PAGE, 0)).toBe("ask");
      gate.begin();
      gate.end(answer(status), 0);
    }
    expect(gate.verdict(PAGE, 0)).toBe("unavailable");
    expect(gate.wants).toBe(false);
  });

  test("a good answer after a bad one counts", () => {
    const gate = asked(503);
    gate.begin();
    gate.end(answer(200, "User-agent: *\nDisallow: /other"), 0);
    expect(gate.verdict(PAGE, 0)).toBe("allow");
  });

  test("without retries one bad answer is enough", () => {
    expect(asked(503, "", 0).verdict(PAGE, 0)).toBe("unavailable");
  });
});

test("is asked again after a day, and not before", () => {
  const gate = asked(200, "User-agent: *\nDisallow: /page");
  expect(gate.verdict(PAGE, DAY - 1)).toBe("deny");
  expect(gate.verdict(PAGE, DAY)).toBe("ask");
});

test("an asking that was given up counts for nothing", () => {
  const gate = new RobotsGate(true, "weir", 0);
  gate.verdict(PAGE, 0);
  gate.begin();
  gate.abandon();
  expect(gate).toMatchObject({ busy: false, wants: true });
  gate.begin();
  gate.end(answer(404), 0);
  expect(gate.verdict(PAGE, 0)).toBe("allow");
});

test("names sitemaps, and the larger Crawl-delay of both schemes", () => {
  const gate = new RobotsGate(true, "weir", 3);
  gate.verdict(PAGE, 0);
  gate.begin();
  expect(gate.end(answer(200, "User-agent: *\nCrawl-delay: 2\nSitemap: http://a.test/map.xml"), 0)).toEqual(["http://a.test/map.xml"]);
  gate.verdict("https://a.test/", 0);
  gate.begin();
  gate.end(answer(200, "User-agent: weir\nCrawl-delay: 5"), 0);
  expect(gate.crawlDelay).toBe(5_000);
});

test("what was learned survives a restart within a day, byte for byte, and no longer", () => {
  const gate = asked(200, "User-agent: *\nDisallow: /caf\u00e9\nDisallow: /page");
  const saved = gate.save()!;
  const fresh = new RobotsGate(true, "weir", 3);
  fresh.restore(saved, DAY - 1);
  expect(fresh.verdict(PAGE, DAY - 1)).toBe("deny");
  expect(fresh.verdict("http://a.test/caf%C3%A9", DAY - 1)).toBe("deny");
  const late = new RobotsGate(true, "weir", 3);
  late.restore(saved, DAY);
  expect(late.verdict(PAGE, DAY)).toBe("ask");
  expect(asked(503).save(), "no answer is nothing to keep").toBeNull();
});

test("a crawl that ignores robots.txt never asks for one", () => {
  const gate = new RobotsGate(false, "weir", 3);
  expect(gate.verdict(PAGE, 0)).toBe("allow");
  expect(gate.wants).toBe(false);
});

test("says why it could not be had: what the host answered, or what happened when it was asked", () => {
  expect(asked(503, "", 0).troubleOf(PAGE)).toMatchObject({ code: "robots-unavailable", message: expect.stringContaining("503") });
  const gate = new RobotsGate(true, "weir", 0);
  gate.verdict(PAGE, 0);
  gate.begin();
  gate.end({ status: null, body: new Uint8Array(0), trouble: { code: "dns", message: "no such name" } }, 0);
  expect(gate.troubleOf(PAGE)).toEqual({ code: "dns", message: "no such name" });
});
