import { parentPort } from "node:worker_threads";
import type { FoundLinks, PageInput, ParsedPage } from "../../ports/parse-lane.ts";
import type { PageAnswer, PageMessage } from "./messages.ts";

/** The worker's side: parses one page after the other, as they come. */
export function servePages(parse: (input: PageInput) => { readonly page: ParsedPage; readonly links: FoundLinks }): void {
  parentPort?.on("message", ({ number, input }: PageMessage) => {
    const { answer, moved } = answerTo(parse, number, input);
    parentPort?.postMessage(answer, moved);
  });
}

function answerTo(
  parse: Parameters<typeof servePages>[0],
  number: number,
  input: PageInput,
): { readonly answer: PageAnswer; readonly moved: ArrayBuffer[] } {
  try {
    const { page, links } = parse(input);
    const moved = [input.body, links.urls, links.ends, links.notes].map((view) => view.buffer as ArrayBuffer);
    return { answer: { number, kind: "page", page, links, body: input.body }, moved };
  } catch (error) {
    return { answer: { number, kind: "broken", message: error instanceof Error ? error.message : String(error) }, moved: [] };
  }
}
