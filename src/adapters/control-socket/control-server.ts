import { chmodSync, rmSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { socketPath } from "./socket-path.ts";

const MOST_CLIENTS = 16;
const LONGEST_REQUEST = 4096;
const IDLE_MS = 10_000;

/** Answers one method, at once or by a promise, or throws to refuse. The result is plain JSON. */
export type ControlAnswer = (method: string, params: unknown) => unknown;

/**
 * Answers other processes' questions about a running crawl on a Unix socket beside the store: one JSON line a request
 * (`{"method":"status"}`), one JSON line an answer (`{"ok":true,"result":…}` or `{"ok":false,"error":"…"}`).
 * The caller holds the store's lock, so a socket file that exists is a dead process's and is replaced. Only this user may
 * connect; clients, request lengths and idle time are bounded.
 */
export class ControlServer {
  readonly path: string;
  readonly #server: Server;
  readonly #sockets: Set<Socket>;

  private constructor(path: string, server: Server, sockets: Set<Socket>) {
    this.path = path;
    this.#server = server;
    this.#sockets = sockets;
  }

  /** Rejects when the system gives no socket there; a crawl can go on without one. */
  static async open(store: string, answer: ControlAnswer): Promise<ControlServer> {
    const path = socketPath(store, true);
    const sockets = new Set<Socket>();
    const server = createServer((socket) => {
      sockets.add(socket);
      socket.once("close", () => sockets.delete(socket));
      serve(socket, answer);
    });
    server.maxConnections = MOST_CLIENTS;
    await listen(server, path);
    server.unref(); // a crawl that is done ends, whoever still listens
    return new ControlServer(path, server, sockets);
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }
}

function listen(server: Server, path: string): Promise<void> {
  const pipe = process.platform === "win32";
  if (!pipe) rmSync(path, { force: true });
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    // The socket is made inside `listen`, before it returns; the mask closes the moment before chmod.
    const mask = pipe ? 0 : process.umask(0o177);
    try {
      server.listen(path, () => {
        server.off("error", reject);
        server.on("error", () => undefined);
        resolve();
      });
    } finally {
      if (!pipe) process.umask(mask);
    }
    if (!pipe) {
      try {
        chmodSync(path, 0o600);
      } catch {
        // listen failed: its error event follows
      }
    }
  });
}

function serve(socket: Socket, answer: ControlAnswer): void {
  let text = "";
  socket.setEncoding("utf8");
  socket.setTimeout(IDLE_MS, () => socket.destroy());
  socket.on("error", () => socket.destroy());
  let busy = false;
  const next = async (): Promise<void> => {
    if (busy) return;
    busy = true;
    for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n")) {
      const line = text.slice(0, end);
      text = text.slice(end + 1);
      const said = await reply(line, answer);
      // A client that does not read its answers is not served further.
      if (socket.destroyed || !socket.write(`${JSON.stringify(said)}\n`)) return void socket.destroy();
    }
    busy = false;
  };
  socket.on("data", (part: string) => {
    text += part;
    void next();
    if (text.length > LONGEST_REQUEST) socket.destroy();
  });
}

async function reply(line: string, answer: ControlAnswer): Promise<{ ok: true; result: unknown } | { ok: false; error: string }> {
  try {
    const request: unknown = JSON.parse(line);
    if (typeof request !== "object" || request === null || !("method" in request) || typeof request.method !== "string") {
      return { ok: false, error: 'expected {"method": "…"}' };
    }
    return { ok: true, result: await answer(request.method, "params" in request ? request.params : undefined) };
  } catch (error) {
    return { ok: false, error: error instanceof Error ? error.message : String(error) };
  }
}
