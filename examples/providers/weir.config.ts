// A typical scraping API. Try it:
//   node examples/providers/server.mjs
//   API_KEY=demo weir crawl https://shop.test/ --config examples/providers/weir.config.ts
// Its 200 credits end before the 300 products do: the crawl waits, and goes on after `weir topup api` or at the reset.
import { defineConfig } from "weir";

export default defineConfig({
  store: "./.weir/providers.db",
  maxWait: "10m",
  providers: {
    api: {
      kind: "scraping-api",
      // Where the page's URL goes, encoded. A key may stand here too: …&key={env:API_KEY}
      request: "http://127.0.0.1:7430/v1/scrape?url={url}",
      headers: { Authorization: "env:API_KEY" },
      // Where its answer says what the site answered, and what that cost.
      status: "$.status",
      body: "$.body",
      finalUrl: "$.url",
      credits: "$.credits",
      // It tries three times more before it answers: weir tries no more on top of that.
      retries: 3,
      // Leave out what you do not know: the plan is then found out.
      concurrency: 5,
      resetAt: "day",
      pricePerCredit: 0.001,
    },
  },
  provider: "api",
});
