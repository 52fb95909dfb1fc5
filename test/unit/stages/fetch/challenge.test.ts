import { describe, expect, test } from "vitest";
import { FEW_TEXT_BYTES, markOfHeaders, markOfPage, markOfRefusal, mayTell } from "../../../../src/stages/fetch/challenge.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const html = (title: string, body: string): Uint8Array =>
  bytes(`<!DOCTYPE html><html><head><title>${title}</title></head><body>${body}</body></html>`);
const view = (headers: Readonly<Record<string, string>>) => ({
  get: (name: string) => headers[name],
  all: (name: string) => [headers[name] ?? []].flat(),
  entries: () => [],
});

/** One page of each protection, cut down to what makes it one. */
const CHALLENGES: readonly (readonly [string, number, Uint8Array])[] = [
  ["Cloudflare", 403, html("Just a moment...", "<script>(function(){window._cf_chl_opt = {cvId: '3'};})()</script>")],
  ["Cloudflare, older", 503, html("Please wait", '<form id="challenge-form"><input name="jschl_vc"></form>')],
  [
    "DataDome",
    403,
    html(
      "shop.example",
      "<script>var dd={'rt':'c','host':'geo.captcha-delivery.com'}</script><script src='https://ct.captcha-delivery.com/c.js'></script>",
    ),
  ],
  ["PerimeterX", 403, html("Access to this page has been denied", '<div id="px-captcha"></div>')],
  [
    "Imperva",
    200,
    html(
      "",
      '<iframe id="main-iframe" src="/_Incapsula_Resource?SWUDNSAI=31&xinfo=1">Request unsuccessful. Incapsula incident ID: 1</iframe>',
    ),
  ],
  ["Imperva, Distil", 405, html("Pardon Our Interruption", '<form action="/distil_r_captcha.html"></form>')],
  ["AWS WAF", 202, html("", "<script>window.awsWafCookieDomainList = []; window.gokuProps = {}</script>")],
  ["Kasada", 429, html("", "<script>window.KPSDK={};</script><script src='/149e9513/ips.js?KP_UIDz=1'></script>")],
  ["Akamai", 428, html("", '<div id="sec-if-cpt-container"></div>')],
  ["Anubis", 200, html("Making sure you're not a bot!", '<script id="anubis_challenge" type="application/json">{}</script>')],
  ["a captcha page", 200, html("Robot Check", '<form action="/errors/validateCaptcha"><input name="field-keywords"></form>')],
  ["a captcha widget before the page", 200, html("Are you a human?", '<div class="g-recaptcha"></div>')],
];

describe("a challenge", () => {
  test.each(CHALLENGES)("of %s is known, whatever its status (%i)", (_name, status, body) => {
    const mark = status < 300 ? markOfPage(body, 40) : markOfRefusal(status, body);
    expect(["challenge-page", "captcha"]).toContain(mark);
  });

  test.each([
    [200, { "cf-mitigated": "challenge" }, "challenge-header"],
    [202, { "x-amzn-waf-action": "challenge" }, "challenge-header"],
    [405, { "x-amzn-waf-action": "captcha" }, "challenge-header"],
    [429, { "x-vercel-mitigated": "challenge" }, "challenge-header"],
    [403, { "x-datadome": "protected" }, "challenge-header"],
    [429, { "x-kpsdk-ct": "0" }, "challenge-header"],
    [403, { server: "AkamaiGHost" }, "block-page"],
    [200, { "x-datadome": "protected" }, null],
    [200, { server: "AkamaiGHost" }, null],
    [503, { server: "AkamaiGHost" }, null],
    [200, {}, null],
  ] as const)("by the headers of a %i with %j: %s", (status, headers, mark) => {
    expect(markOfHeaders(status, view(headers))).toBe(mark);
  });
});

test("a block page counts with a refusal alone, and never turns a rate limit into a block", () => {
  const blocked = html("Access denied", '<div id="cf-error-details">Sorry, you have been blocked</div>');
  expect(markOfRefusal(403, blocked)).toBe("block-page");
  expect(markOfRefusal(429, html("Access denied", '<div id="cf-error-details">Error 1015: You are being rate limited</div>'))).toBe(null);
  expect(markOfRefusal(503, html("Service Unavailable", "<p>Reference #18: errors.edgesuite.net</p>"))).toBe(null);
  expect(markOfPage(blocked, 30)).toBe(null);
});

describe("not a challenge is", () => {
  const cases: readonly (readonly [string, Uint8Array, number])[] = [
    ["a form with a reCAPTCHA", html("Contact us", '<form><input name="mail"><div class="g-recaptcha" data-sitekey="k"></div></form>'), 20],
    ["a login with hCaptcha and Turnstile", html("Log in", '<div class="h-captcha"></div><div class="cf-turnstile"></div>'), 10],
    [
      "an article about Cloudflare that quotes its page",
      html("How challenges work", `<pre>window._cf_chl_opt</pre>${"word ".repeat(600)}`),
      2_400,
    ],
    ["an article named as a challenge", html("Just a moment...", "<p>A poem about waiting, and no more.</p>"), 40],
    [
      "a page with Cloudflare's own script",
      html("Shop", "<script>window.__CF$cv$params={};a.src='/cdn-cgi/challenge-platform/scripts/jsd/main.js'</script>"),
      5,
    ],
    ["a page with Imperva's own script", html("Shop", "<script src='/_Incapsula_Resource?SWJIYLWA=719d'></script>"), 5],
    [
      "a page with PerimeterX's own script",
      html("Shop", "<script>window._pxAppId='PX1';</script><script src='//client.px-cdn.net/PX1/main.min.js'></script>"),
      5,
    ],
    [
      "a page whose policy allows DataDome",
      html("Shop", '<meta http-equiv="Content-Security-Policy" content="frame-src geo.captcha-delivery.com">'),
      5,
    ],
    ["an article about robots", html("Are you a robot? Ten novels of the year", "<p>captcha</p>"), 10],
    ["an empty page", new Uint8Array(0), 0],
  ];
  test.each(cases)("%s", (_name, body, textBytes) => {
    expect(markOfPage(body, textBytes)).toBe(null);
  });

  test("an ordinary 403 or 429", () => {
    for (const status of [403, 429, 503]) expect(markOfRefusal(status, html("Forbidden", "<h1>Forbidden</h1><hr>nginx"))).toBe(null);
  });

  test("anything that has much to read, or that stands far into a page", () => {
    const challenge = "<script>window._cf_chl_opt={}</script>";
    expect(markOfPage(bytes(challenge), FEW_TEXT_BYTES + 1)).toBe(null);
    expect(markOfPage(bytes(" ".repeat(20_000) + challenge), 10)).toBe(null);
  });
});

test("only the readable HTML body of a refusal is worth its bytes", () => {
  expect(mayTell(403, view({ "content-type": "text/html" }))).toBe(true);
  expect(mayTell(503, view({}))).toBe(true);
  expect(mayTell(403, view({ "content-type": "application/json" }))).toBe(false);
  expect(mayTell(403, view({ "content-encoding": "sdch" }))).toBe(false);
  expect(mayTell(404, view({ "content-type": "text/html" }))).toBe(false);
});
