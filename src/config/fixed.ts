/**
 * Values that are not options: each with unit and source. What a person may set is in `defaults.ts`.
 */
export const FIXED = {
  /** Replays of recorded changes. */
  replay: {
    /** Share of the time, from the start, in which freshness is not measured. Source: cli.md. */
    warmUp: 0.33,
    /** Days after which a page is visited whatever its index says. Source: scheduling.md §2.1. */
    maxAge: 365,
  },
  route: {
    /** Value of `Accept`. */
    accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
    /** What can be undone, in the order in which servers are used to see it. */
    codings: "gzip, deflate, br, zstd",
    isMetered: false,
    /** ms. Source: flow-control.md §8. */
    connectTimeout: 5_000,
    /** ms. Source: flow-control.md §8. */
    tlsTimeout: 5_000,
    /** ms. Source: flow-control.md §8. */
    dnsTimeout: 3_000,
    /** ms. Source: flow-control.md §8. */
    firstByteTimeout: 15_000,
    /** Bytes a second over ms, after ms. Source: flow-control.md §8. */
    leastRate: { bytesPerSecond: 1_024, window: 10_000, grace: 10_000 },
    /** Open connections over all hosts. Source: performance.md §3, traps. */
    maxConnections: 1_024,
    /** ms an idle connection is kept: longer than the pace of a polite crawl. Source: architecture.md. */
    keepAlive: 120_000,
    tls: { verify: true },
  },
  /** What differs on a metered gateway, where each byte is paid for (spec C2). */
  gateway: {
    /** Sites that look at it get what they give to browsers; the long form of the direct route costs 40 bytes a request. */
    accept: "text/html,*/*;q=0.8",
    /** The codings that make a page smallest, and no others. */
    codings: "br, zstd, gzip",
    isMetered: true,
    /** ms from the connection to the open tunnel: a gateway looks for an exit and connects from there. Source: flow-control.md §8 (first byte). */
    tunnelTimeout: 15_000,
    /** Statuses instead of a tunnel; of a scraping API too, unless it says otherwise. Source: spec B3. */
    exhausted: [402, 509],
    busy: [429],
    /** Bytes that a request reserves until their costs are known. Source: flow-control.md §8 (money). */
    reserve: 65_536,
  },
  api: {
    /** Credits that a call reserves until their costs are known. Source: flow-control.md §8 (money). */
    reserve: 1,
    /** ms a call of a scraping API may take at least; more where it retries inside. Source: flow-control.md §4. */
    deadline: 120_000,
    /** Value of `Accept` where the answer is an envelope. */
    accept: "application/json,*/*;q=0.8",
  },
  parse: {
    /** Pages between fetch and parse. Source: guess; 10 s of the slowest parser measured. */
    items: 2_000,
    /** Bytes between fetch and parse, charged at four times the decoded size. Source: flow-control.md §7. */
    bytes: 48 * 1_048_576,
    lane: {
      /** Decoded bytes from which a page is parsed in a thread of its own. Source: measured, 3 ms in this one. */
      from: 512 * 1_024,
      /** ms a page may take there by the clock. Source: guess; 64 MiB of links take 3 s. */
      limit: 60_000,
      /** Heap of that thread, beside the bodies. Source: guess. */
      heap: 256 * 1_048_576,
    },
  },
  extract: {
    /** ms an extractor may take for one page by the clock. Source: guess; selectors on 1 MB take 60 ms. */
    limit: 2_000,
    /** ms the extractors' modules may take to load. Source: guess. */
    startLimit: 10_000,
    /** Heap of their thread. Source: guess. */
    heap: 256 * 1_048_576,
  },
  /** ms a drain may take. Source: cli.md. */
  drain: 25_000,
} as const;
