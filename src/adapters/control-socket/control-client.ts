import { createConnection } from "node:net";
import { socketPath } from "./socket-path.ts";

const ANSWER_MS = 3000;
const LONGEST_ANSWER = 1024 * 1024;

/**
 * Asks the process that writes a store.
 * @returns its answer, or null when none is running there (no socket, or nobody behind it) or it does not answer in time (3 s).
 * Rejects when it refuses the question.
 */
export async function askControl(
  store: string,
  method: string,
  params?: unknown,
  patience = ANSWER_MS,
): Promise<{ readonly result: unknown } | null> {
  let path: string;
  try {
    path = socketPath(store, false);
  } catch {
    return null;
  }
  const line = await exchange(path, `${JSON.stringify({ method, params })}\n`, patience);
  if (line === null) return null;
  const reply = JSON.parse(line);
  if (reply.ok !== true) throw new Error(`The running crawl refused ${method}: ${reply.error}`);
  return { result: reply.result };
}

function exchange(path: string, request: string, patience: number): Promise<string | null> {
  return new Promise((resolve) => {
    let text = "";
    const socket = createConnection(path);
    const end = (line: string | null): void => {
      socket.destroy();
      resolve(line);
    };
    socket.setEncoding("utf8");
    socket.setTimeout(patience, () => end(null));
    socket.on("error", () => end(null));
    socket.on("close", () => end(null));
    socket.on("connect", () => socket.write(request));
    socket.on("data", (part: string) => {
      text += part;
      const cut = text.indexOf("\n");
      if (cut >= 0) end(text.slice(0, cut));
      else if (text.length > LONGEST_ANSWER) end(null);
    });
  });
}
