// A scraping API to try weir with: it fetches nothing, it makes pages up. It behaves as such services do:
//   more calls at once than the plan allows: 429 · credits gone: 509 · a target that fails: three retries, then its status, free
//   one credit for a success, rendered or not · credits are back at the reset
// node examples/providers/server.mjs [--port 7430] [--plan 5] [--credits 200] [--ms 300] [--reset-seconds 60]
import { createServer } from "node:http";

const INNER_RETRIES = 3;

/**
 * @param {{ plan?: number, credits?: number, ms?: number, key?: string, target?: (url: URL, attempt: number) => { status: number, html: string } }} options
 */
export function scrapingApi({ plan = 5, credits = 200, ms = 300, key = "demo", target = madeUp } = {}) {
  const state = { plan, credits, refill: credits, working: 0, mostWorking: 0, area: 0, calls: [] };
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://api");
    const call = {
      at: performance.now(),
      url: url.searchParams.get("url") ?? "",
      rendered: url.searchParams.has("render"),
      status: 0,
      credits: 0,
    };
    state.calls.push(call);
    const answer = (status, value, headers = {}) => {
      call.status = status;
      response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(value));
    };
    if (request.headers.authorization !== key) return answer(401, { error: "unknown key" });
    if (!URL.canParse(call.url)) return answer(400, { error: "no url" });
    if (state.working >= state.plan) return answer(429, { error: `the plan allows ${state.plan} calls at once` });
    // What is being worked on is paid for if it succeeds, so it counts already.
    if (state.credits - state.working < 1) return answer(509, { error: "no credits left" });
    state.working += 1;
    state.mostWorking = Math.max(state.mostWorking, state.working);
    let result = { status: 500, html: "" };
    let attempts = 0;
    do result = target(new URL(call.url), ++attempts);
    while (attempts <= INNER_RETRIES && (result.status === 429 || result.status >= 500));
    setTimeout(
      () => {
        state.working -= 1;
        state.area += performance.now() - call.at;
        call.credits = result.status < 400 || result.status === 404 ? 1 : 0;
        state.credits -= call.credits;
        answer(200, { status: result.status, url: call.url, credits: call.credits, attempts, body: result.html });
      },
      ms * (0.5 + Math.random()),
    );
  });
  return { server, state, reset: () => (state.credits = state.refill) };
}

/** A small shop: a front page, 300 products, and a few that are gone. */
function madeUp(url) {
  if (url.pathname === "/robots.txt") return { status: 404, html: "" };
  if (url.pathname === "/") {
    const links = Array.from({ length: 300 }, (_, n) => `<a href="/p/${n}">product ${n}</a>`).join(" ");
    return { status: 200, html: `<title>${url.host}</title><main>All products of ${url.host}</main>${links}` };
  }
  if (/[59]7$/.test(url.pathname)) return { status: 404, html: "gone" };
  return { status: 200, html: `<title>${url.pathname}</title><main><h1>Product ${url.pathname} of ${url.host}</h1></main>` };
}

if (process.argv[1] !== undefined && import.meta.url.endsWith(process.argv[1].split("/").pop() ?? "?")) {
  const option = (name, fallback) => {
    const at = process.argv.indexOf(`--${name}`);
    return at < 0 ? fallback : Number(process.argv[at + 1]);
  };
  const port = option("port", 7430);
  const api = scrapingApi({ plan: option("plan", 5), credits: option("credits", 200), ms: option("ms", 300) });
  api.server.listen(port, "127.0.0.1", () => console.log(`A scraping API listens on http://127.0.0.1:${port}; its key is demo`));
  setInterval(() => {
    api.reset();
    console.log("reset: the credits are back");
  }, option("reset-seconds", 60) * 1_000);
}
