// Crawl a site and use each page as it comes (after npm run build): node examples/01-crawl.ts https://example.com
// With Node 20, which does not run TypeScript by itself: npx jiti examples/01-crawl.ts https://example.com
//
// The loop is the consumer: as long as its body works on a page, weir hands out no more than a few further ones, and fetches no more
// than that. `break` and an exception drain what is in flight. After a crash the next run begins with what this loop has not taken.
import { crawl } from "weir";

const seed = process.argv[2] ?? "https://example.com";

for await (const page of crawl(seed, { maxPages: 20, store: "./.weir/example.db" })) {
  switch (page.outcome) {
    case "new":
    case "changed":
      console.log(page.status, page.url, page.title ?? "(no title)", `${page.links.length} links`);
      break;
    case "skipped":
    case "failed":
    case "blocked":
      console.log(page.outcome, page.url, page.error?.code, page.error?.message);
      break;
    default:
      // unchanged, duplicate, redirect, gone, missing: settled as well, nothing to do here.
      break;
  }
}
