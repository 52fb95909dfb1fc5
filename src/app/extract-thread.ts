import { workerData } from "node:worker_threads";
import { loadExport } from "../adapters/config-file/load.ts";
import { serveExtracts } from "../adapters/extract-worker/serve-extracts.ts";
import type { ExtractRule } from "../kernel/page-rule.ts";
import { type ExtractFunction, ExtractJob } from "../pipeline/extract-job.ts";

/** What the thread is started with. */
export interface ExtractThreadData {
  /** One for each page type; null where it has no extractor. */
  readonly rules: readonly (ExtractRule | null)[];
  /** What `import … from "weir"` in an extractor's module leads to. */
  readonly library: string;
}

// Entry of the thread in which records are taken from pages.
const { rules, library } = workerData as ExtractThreadData;
await serveExtracts(async () => {
  const functions: (ExtractFunction | null)[] = [];
  for (const [index, rule] of rules.entries()) {
    if (rule?.kind !== "module") {
      functions.push(null);
      continue;
    }
    const unusable = (message: string) => ({ kind: "unusable", rule: index, message }) as const;
    try {
      const found = await loadExport(rule.path, rule.name, library);
      if (typeof found !== "function")
        return unusable(`${rule.path} ${found === undefined ? "has no export" : "exports no function"} ${rule.name}`);
      functions.push(found as ExtractFunction);
    } catch (error) {
      return unusable(error instanceof Error ? error.message : String(error));
    }
  }
  const job = new ExtractJob(rules, functions);
  return { kind: "job", run: (request) => job.run(request) };
});
