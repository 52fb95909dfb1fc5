export type { CrawlSummary } from "./app/crawl-types.ts";
export { type CrawlOptions, crawl } from "./app/library.ts";
export type { Config } from "./config/define-config.ts";
export { defineConfig } from "./config/define-config.ts";
export { ConfigError, type ConfigProblem, ERROR_CODES, type ErrorCode, StoreUnavailable, WeirError } from "./kernel/errors.ts";
export type { Outcome, SkipReason, Via } from "./kernel/outcome.ts";
export type { SettledUrl } from "./kernel/settled-url.ts";
