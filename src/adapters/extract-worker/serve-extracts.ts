import { parentPort } from "node:worker_threads";
import type { ExtractEnd, ExtractRequest } from "../../ports/extractor.ts";
import type { ExtractAnswer, ExtractMessage } from "./messages.ts";

/** The worker's side. `open` loads what the rules need. */
export async function serveExtracts(
  open: () => Promise<
    | { readonly kind: "job"; readonly run: (request: ExtractRequest) => Promise<ExtractEnd> }
    | { readonly kind: "unusable"; readonly rule: number; readonly message: string }
  >,
): Promise<void> {
  const post = (answer: ExtractAnswer): void => parentPort?.postMessage(answer);
  const opened = await open();
  if (opened.kind === "unusable") return post(opened);
  parentPort?.on("message", ({ number, request }: ExtractMessage) => {
    void opened.run(request).then((end) => post({ kind: "end", number, end }));
  });
  post({ kind: "ready" });
}
