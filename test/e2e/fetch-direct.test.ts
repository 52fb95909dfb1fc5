import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { SystemClock } from "../../src/adapters/clock-system/system-clock.ts";
import { DirectRoute } from "../../src/adapters/fetch-direct/direct-route.ts";
import type { HttpOptions } from "../../src/adapters/http1/options.ts";
import type { SystemLookup } from "../../src/adapters/http1/resolver.ts";
import type { FetchRequest, FetchResult } from "../../src/ports/fetch-route.ts";

const KIB = 1024;
const STEP = 256 * KIB;
/** Granted by the start of a fetch. */
const FIRST = 64 * KIB;
const MIB = 1024 * KIB;
const CERT = readFileSync(new URL("../fixtures/tls-cert.pem", import.meta.url), "utf8");
const KEY = readFileSync(new URL("../fixtures/tls-key.pem", import.meta.url), "utf8");

const OPTIONS: HttpOptions = {
  userAgent: "weir-test/0 (+https://weir.test)",
  accept: "text/html, */*;q=0.8",
  codings: "gzip, deflate, br, zstd",
  isMetered: false,
  connectTimeout: 2_000,
  tlsTimeout: 2_000,
  dnsTimeout: 2_000,
  firstByteTimeout: 2_000,
  leastRate: { bytesPerSecond: 1_024, window: 5_000, grace: 5_000 },
  connectionsPerHost: 8,
  maxConnections: 64,
  keepAlive: 60_000,
  tls: { verify: true, ca: CERT },
  allowPrivate: true,
  allowAddresses: [],
};

/** Answers one request; `n` counts them from 1 on this connection. */
type Answer = (socket: Socket, head: string, n: number) => void;

interface TestServer {
  readonly port: number;
  readonly url: string;
  /** Request heads, latin1, in order of arrival. */
  readonly heads: string[];
  readonly sockets: Socket[];
}

const cleanUps: (() => unknown)[] = [];
let uncaught: unknown[] = [];
const onUncaught = (error: unknown): void => {
  uncaught.push(error);
};

beforeEach(() => {
  uncaught = [];
  process.on("uncaughtException", onUncaught);
  process.on("unhandledRejection", onUncaught);
});

afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
  process.off("uncaughtException", onUncaught);
  process.off("unhandledRejection", onUncaught);
  expect(uncaught).toEqual([]);
});

async function serve(answer: Answer, tls = false): Promise<TestServer> {
  const heads: string[] = [];
  const sockets: Socket[] = [];
  const onSocket = (socket: Socket): void => {
    let text = "";
    let n = 0;
    sockets.push(socket);
    socket.on("error", () => {});
    socket.on("data", (data: Buffer) => {
      text += data.toString("latin1");
      for (let end = text.indexOf("\r\n\r\n"); end !== -1; end = text.indexOf("\r\n\r\n")) {
        const head = text.slice(0, end);
        text = text.slice(end + 4);
        heads.push(head);
        n += 1;
        answer(socket, head, n);
      }
    });
  };
  const server: Server = tls ? createTlsServer({ key: KEY, cert: CERT }, onSocket) : createServer(onSocket);
  server.on("tlsClientError", () => {});
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  cleanUps.push(() => {
    for (const socket of sockets) socket.destroy();
    return new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  return { port, url: `${tls ? "https" : "http"}://127.0.0.1:${port}/`, heads, sockets };
}

function routeWith(options: Partial<HttpOptions> = {}, lookup?: SystemLookup): DirectRoute {
  const deps = { clock: new SystemClock(), ...(lookup === undefined ? {} : { lookup }) };
  const route = new DirectRoute(deps, { ...OPTIONS, ...options });
  cleanUps.push(() => route.close());
  return route;
}

function requestFor(url: string, more: Partial<FetchRequest> = {}): FetchRequest {
  return { url, headers: [], maxBody: MIB, timeout: 5_000, credit: { draw: () => true }, decide: () => "read", ...more };
}

function get(route: DirectRoute, url: string, more: Partial<FetchRequest> = {}): Promise<FetchResult> {
  return new Promise((resolve) => {
    route.start(requestFor(url, more), resolve);
  });
}

function responseOf(result: FetchResult): Extract<FetchResult, { kind: "response" }> {
  if (result.kind !== "response") throw new Error(`${endOf(result)}: ${result.message}`);
  return result;
}

function endOf(result: FetchResult): string {
  if (result.kind === "refusal") return `refusal by ${result.by}`;
  return result.kind === "response" ? `response ${result.status}` : `${result.code} ${result.phase}`;
}

const textOf = (body: Uint8Array): string => Buffer.from(body).toString("latin1");
const ok = (body: string | Uint8Array, headers = ""): Buffer =>
  Buffer.concat([Buffer.from(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n${headers}\r\n`, "latin1"), Buffer.from(body)]);
const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

async function until(condition: () => boolean): Promise<void> {
  for (let i = 0; i < 400 && !condition(); i += 1) await wait(10);
  expect(condition()).toBe(true);
}

describe("a request", () => {
  test("carries host, identity and the codings that can be undone, then the caller's headers", async () => {
    const server = await serve((socket) => socket.write(ok("hello")));
    const result = responseOf(await get(routeWith(), `${server.url}a?b=1`, { headers: [["Cookie", "a=1"]] }));
    expect(textOf(result.body)).toBe("hello");
    expect(server.heads[0].split("\r\n")).toEqual([
      "GET /a?b=1 HTTP/1.1",
      `Host: 127.0.0.1:${server.port}`,
      "Connection: keep-alive",
      "User-Agent: weir-test/0 (+https://weir.test)",
      "Accept: text/html, */*;q=0.8",
      "Accept-Encoding: gzip, deflate, br, zstd",
      "Cookie: a=1",
    ]);
  });

  test("sends a validator back byte for byte, characters above 127 included", async () => {
    const etag = 'W/"v1:\xe9-tag"';
    const server = await serve((socket) =>
      socket.write(Buffer.from(`HTTP/1.1 200 OK\r\nETag: ${etag}\r\nContent-Length: 0\r\n\r\n`, "latin1")),
    );
    const route = routeWith();
    const first = responseOf(await get(route, server.url));
    expect(first.headers.get("etag")).toBe(etag);
    await get(route, server.url, { headers: [["If-None-Match", first.headers.get("etag") ?? ""]] });
    expect(server.heads[1]).toContain(`If-None-Match: ${etag}`);
  });

  test("for something that is no http URL ends as a failure, later", async () => {
    const results: FetchResult[] = [];
    routeWith().start(requestFor("ftp://127.0.0.1/"), (result) => results.push(result));
    expect(results).toEqual([]);
    await until(() => results.length === 1);
    expect(endOf(results[0])).toBe("protocol local");
  });

  test("is never answered within `start`, not even a refused one", async () => {
    const route = routeWith({ allowPrivate: false });
    let isInside = true;
    const called = new Promise<boolean>((resolve) => route.start(requestFor("http://127.0.0.1:1/"), () => resolve(isInside)));
    isInside = false;
    expect(await called).toBe(false);
  });

  test("whose caller throws disturbs no other, and the fault surfaces", async () => {
    const server = await serve((socket) => socket.write(ok("hello")));
    const route = routeWith();
    route.start(requestFor(server.url), () => {
      throw new Error("the caller's fault");
    });
    const decide = (): "read" => {
      throw new Error("another fault");
    };
    const results = await Promise.all([get(route, server.url), get(route, server.url, { decide })]);
    expect(results.map(endOf)).toEqual(["response 200", "response 200"]);
    await until(() => uncaught.length === 2);
    expect(uncaught.map((error) => (error as Error).message).sort()).toEqual(["another fault", "the caller's fault"]);
    uncaught = [];
  });
});

describe("headers", () => {
  test("keep every value and their order", async () => {
    const server = await serve((socket) => socket.write(ok("", "Set-Cookie: a=1\r\nX-One: 1\r\nset-cookie: b=2\r\n")));
    const { headers } = responseOf(await get(routeWith(), server.url));
    expect(headers.all("set-cookie")).toEqual(["a=1", "b=2"]);
    expect(headers.all("absent")).toEqual([]);
    expect(headers.get("absent")).toBeUndefined();
    expect(headers.entries()).toEqual([
      ["content-length", "0"],
      ["set-cookie", "a=1"],
      ["x-one", "1"],
      ["set-cookie", "b=2"],
    ]);
  });

  test("of an interim response are skipped", async () => {
    const server = await serve((socket) =>
      socket.write(Buffer.concat([Buffer.from("HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n"), ok("page")])),
    );
    const statuses: number[] = [];
    const result = responseOf(
      await get(routeWith(), server.url, {
        decide: (status) => {
          statuses.push(status);
          return "read";
        },
      }),
    );
    expect([textOf(result.body), result.headers.get("link"), statuses]).toEqual(["page", undefined, [200]]);
  });

  test.each([
    ["that never end are refused at 64 KiB", `HTTP/1.1 200 OK\r\nX-Big: ${"a".repeat(70 * KIB)}`],
    ["without a status line are not HTTP", "<html><title>x</title>\r\n\r\n"],
    ["with a negative length are invalid", "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\nhello"],
    ["with two lengths are invalid", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nhello"],
  ])("%s", async (_name, raw) => {
    const server = await serve((socket) => socket.end(raw));
    expect(endOf(await get(routeWith(), server.url))).toBe("protocol headers");
  });
});

describe("a body", () => {
  const small = Array.from({ length: 40 }, (_, i) => `line ${i}: the weir holds back the river\n`).join("");
  const large = small.repeat(400);
  const zstdSmall =
    "KLUv/WQOBc0DAHKFEBWQTQfwXf/WbNSBuzMu4P+UFFyfgxLneZ7neZ7naZqmadq227Zt28MoiEG4C7STVmuWRCHEsEexrZt4KiIS8JzFAimoEXDuXP8McKOUHhFEBP//DqEfyaZrbbqq3p/YiD2Mhl1YwhxswQYm4EIxE6SnaPRbdRXVzeEo";
  const zstdLarge =
    "KLUv/QRY5AQAAgYSGHBN0gEAEW2xNAWd///1txOjjAB/etgvBP//r6qq27Zt2///q6pqKBAGgsC2zHJQkgzkJIYCkSjHAjWUSsdEyiiPOgDKLAcFR6ix9P3YM2CjlCwOEmgQ+P/f/fq/AWL1EV7NdltdGxehGSE2wjpCfISFhBgJKwlxks7Ute92x8RE7IdoiIWYEAdREB8IHCARCOFJWlI/wKgCTAAACGIBAPz/ORACTAAACCABAPz/ORACTAAACCABAPz/ORACTQAACCABANx1ORACnrFWBA==";

  test.each([
    ["gzip", "gzip", gzipSync(small), small],
    ["gzip, by its old name", "x-gzip", gzipSync(small), small],
    ["gzip, in capitals", "GZIP", gzipSync(small), small],
    ["gzip in two members", "gzip", Buffer.concat([gzipSync(small), gzipSync(small)]), small + small],
    ["gzip with junk after it", "gzip", Buffer.concat([gzipSync(small), Buffer.from("JUNK after")]), small],
    ["deflate", "deflate", deflateSync(small), small],
    ["deflate without its header", "deflate", deflateRawSync(small), small],
    ["br", "br", brotliCompressSync(small), small],
    ["zstd", "zstd", Buffer.from(zstdSmall, "base64"), small],
    ["two codings", "deflate, gzip", gzipSync(deflateSync(small)), small],
    ["two codings in two lines", "br\r\nContent-Encoding: gzip", gzipSync(brotliCompressSync(small)), small],
    ["no coding by name", "identity", Buffer.from(small), small],
    ["an empty body", "gzip", Buffer.alloc(0), ""],
    ["large gzip", "gzip", gzipSync(large), large],
    ["large gzip in two members", "gzip", Buffer.concat([gzipSync(large), gzipSync(small)]), large + small],
    ["large gzip with junk after it", "gzip", Buffer.concat([gzipSync(large), Buffer.from("<!-- JUNK -->")]), large],
    ["large deflate", "deflate", deflateSync(large), large],
    ["large deflate without its header", "deflate", deflateRawSync(large), large],
    ["large br", "br", brotliCompressSync(large), large],
    ["large zstd", "zstd", Buffer.from(zstdLarge, "base64"), large],
    ["zstd in two frames", "zstd", Buffer.from(zstdSmall + zstdSmall, "base64"), small + small],
    ["large two codings", "zstd, gzip", gzipSync(Buffer.from(zstdLarge, "base64")), large],
    ["large in pieces of no coding", "identity", Buffer.from(large), large],
  ])("is decoded: %s", async (_name, coding, raw, text) => {
    const route = routeWith();
    const server = await serve((socket) => socket.write(ok(raw, `Content-Encoding: ${coding}\r\n`)));
    expect(textOf(responseOf(await get(route, server.url)).body) === text).toBe(true);
    // In two thousand pieces, without a length.
    const chunked = await serve((socket) => {
      const size = Math.max(1, Math.ceil(raw.length / 2_000));
      socket.write(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Encoding: ${coding}\r\n\r\n`);
      for (let i = 0; i < raw.length; i += size) {
        const piece = raw.subarray(i, i + size);
        socket.write(Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from("\r\n")]));
      }
      socket.write("0\r\n\r\n");
    });
    expect(textOf(responseOf(await get(route, chunked.url)).body) === text).toBe(true);
  });

  /** Bytes that no coding makes smaller. */
  const random = Buffer.alloc(400 * KIB);
  for (let i = 0, x = 1; i < random.length; i += 1) {
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    random[i] = x & 0xff;
  }
  const broken = (data: Buffer, at: number): Buffer => {
    const copy = Buffer.from(data);
    copy[at < 0 ? data.length + at : at] ^= 0xff;
    return copy;
  };
  test.each([
    ["an unknown coding", "zzz", Buffer.from(small), "decode body"],
    ["a wrong checksum", "gzip", broken(gzipSync(small), -6), "decode body"],
    ["a large one with a wrong checksum", "gzip", broken(gzipSync(random), -6), "decode body"],
    ["half of gzip", "gzip", gzipSync(small).subarray(0, 60), "incomplete body"],
    ["half of a large gzip", "gzip", gzipSync(random).subarray(0, 300 * KIB), "incomplete body"],
    ["gzip without its trailer", "gzip", gzipSync(small).subarray(0, -8), "incomplete body"],
    ["plain text called gzip", "gzip", Buffer.from(small), "decode body"],
    ["plain text called zstd", "zstd", Buffer.from(small), "decode body"],
    ["half of zstd", "zstd", Buffer.from(zstdSmall, "base64").subarray(0, 90), "incomplete body"],
    ["half of deflate", "deflate", deflateSync(small).subarray(0, 60), "incomplete body"],
    ["half of br", "br", brotliCompressSync(small).subarray(0, 60), "incomplete body"],
    ["plain text called br", "br", Buffer.from("<html>plain text</html>"), "decode body"],
    ["five codings", "gzip, gzip, gzip, gzip, gzip", Buffer.from(small), "decode body"],
    // RFC 9659: a window of 128 MiB is refused before memory is taken for it.
    ["zstd with a huge window", "zstd", Buffer.from("28b52ffd0088", "hex"), "decode body"],
  ])("that is broken is not half a page: %s", async (_name, coding, raw, expected) => {
    const server = await serve((socket) => socket.write(ok(raw, `Content-Encoding: ${coding}\r\n`)));
    const result = await get(routeWith(), server.url);
    expect(endOf(result)).toBe(expected);
    expect(result.kind === "failure" && result.status).toBe(200);
  });

  test.each([
    ["less than its length", "Content-Length: 100\r\n\r\nhello"],
    ["less than its length, on a connection to be closed", "Connection: close\r\nContent-Length: 100\r\n\r\nhello"],
    ["chunked without its end", "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"],
    ["chunked without its end, on a connection to be closed", "Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"],
  ])("that ends early is incomplete: %s", async (_name, raw) => {
    const server = await serve((socket) => socket.end(`HTTP/1.1 200 OK\r\n${raw}`));
    expect(endOf(await get(routeWith(), server.url))).toBe("incomplete body");
  });

  test.each(["", "Connection: close\r\n"])("reset in the middle is incomplete (%j)", async (headers) => {
    const server = await serve((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\n${headers}Content-Length: 100\r\n\r\nhello`, () => setTimeout(() => socket.resetAndDestroy(), 30));
    });
    expect(endOf(await get(routeWith(), server.url))).toBe("incomplete body");
  });

  test("without a length ends with the connection", async () => {
    const server = await serve((socket) => socket.end("HTTP/1.0 200 OK\r\n\r\nhello"));
    expect(textOf(responseOf(await get(routeWith(), server.url)).body)).toBe("hello");
  });

  test("of 204 and 304 is empty, whatever the headers promise", async () => {
    const server = await serve((socket, _head, n) =>
      socket.write(`HTTP/1.1 ${n === 1 ? 204 : 304} X\r\n${n === 1 ? "" : "Content-Length: 50\r\n"}\r\n`),
    );
    const route = routeWith();
    for (const status of [204, 304]) {
      const result = responseOf(await get(route, server.url));
      expect([result.status, result.body.length]).toEqual([status, 0]);
    }
  });

  test("may be exactly as large as the cap", async () => {
    const server = await serve((socket) => socket.write(ok("a".repeat(1_000))));
    expect(responseOf(await get(routeWith(), server.url, { maxBody: 1_000 })).body.length).toBe(1_000);
  });

  test("beyond the cap is refused at its headers, before it is sent", async () => {
    const server = await serve((socket) => socket.write("HTTP/1.1 200 OK\r\nContent-Length: 1001\r\n\r\n"));
    const result = await get(routeWith(), server.url, { maxBody: 1_000 });
    expect(endOf(result)).toBe("too-large body");
    expect(result.measure.bytesIn).toBeLessThan(100);
  });

  test("without a length is cut at the cap", async () => {
    const server = await serve((socket) => {
      socket.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
      const chunk = `4000\r\n${"a".repeat(16_384)}\r\n`;
      const more = (): void => {
        while (!socket.destroyed && socket.write(chunk));
        socket.once("drain", more);
      };
      more();
    });
    const result = await get(routeWith(), server.url, { maxBody: 100_000 });
    expect(endOf(result)).toBe("too-large body");
    expect(result.measure.bytesIn).toBeLessThan(MIB);
    await until(() => server.sockets[0].destroyed);
  });

  test.each([
    ["promised", (socket: Socket) => void socket.write(ok(Buffer.alloc(MIB, "a")))],
    ["coded", (socket: Socket) => void socket.write(ok(gzipSync(Buffer.alloc(64 * MIB, "a")), "Content-Encoding: gzip\r\n"))],
    [
      "endless",
      (socket: Socket) => {
        socket.write("HTTP/1.1 200 OK\r\n\r\n");
        const more = (): void => {
          while (!socket.destroyed && socket.write("a".repeat(16_384)));
          socket.once("drain", more);
        };
        more();
      },
    ],
  ])("of which the beginning is wanted is cut at the cap and no failure: a robots.txt too long, %s", async (name, answer) => {
    const server = await serve(answer);
    const { body } = responseOf(await get(routeWith(), server.url, { maxBody: 100_000, decide: () => "begin" }));
    expect(textOf(body)).toBe("a".repeat(100_000));
    if (name === "endless") await until(() => server.sockets[0].destroyed);
  });

  test.each([
    ["gzip", gzipSync(Buffer.alloc(64 * MIB))],
    ["br", brotliCompressSync(Buffer.alloc(64 * MIB))],
    ["gzip, gzip", gzipSync(gzipSync(Buffer.alloc(64 * MIB)))],
    // 512 blocks of one byte each that stand for 128 KiB.
    ["zstd", Buffer.concat([Buffer.from("28b52ffd0060", "hex"), ...Array.from({ length: 512 }, () => Buffer.from([0x02, 0x00, 0x10, 0]))])],
  ])("that decodes to more than the cap is cut there: a bomb of %s", async (coding, raw) => {
    const server = await serve((socket) => socket.write(ok(raw, `Content-Encoding: ${coding}\r\n`)));
    const before = process.memoryUsage().arrayBuffers;
    let most = 0;
    const credit = {
      draw: () => {
        most = Math.max(most, process.memoryUsage().arrayBuffers - before);
        return true;
      },
    };
    expect(endOf(await get(routeWith(), server.url, { credit }))).toBe("too-large body");
    expect(most).toBeLessThan(32 * MIB);
  });

  test("of 8 MiB is the same in every byte, with and without a length", async () => {
    const whole = Buffer.concat(Array.from({ length: 21 }, () => random)).subarray(0, 8 * MIB);
    const server = await serve((socket, head) => {
      if (head.startsWith("GET /length")) socket.write(ok(whole));
      else socket.end(Buffer.concat([Buffer.from("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n"), whole]));
    });
    const route = routeWith();
    for (const path of ["length", "close"]) {
      const { body } = responseOf(await get(route, server.url + path, { maxBody: 16 * MIB }));
      expect(Buffer.compare(body, whole)).toBe(0);
    }
  });
});

describe("credit", () => {
  /** Sends `total` bytes as fast as the receiver takes them, and counts what has gone into the socket. */
  function sender(total: number, headers: string): { readonly answer: Answer; sent: number } {
    const state = {
      sent: 0,
      answer: (socket: Socket): void => {
        socket.write(`HTTP/1.1 200 OK\r\n${headers}\r\n`);
        const more = (): void => {
          while (state.sent < total && !socket.destroyed) {
            state.sent += 64 * KIB;
            if (!socket.write(Buffer.alloc(64 * KIB, 97))) {
              socket.once("drain", more);
              return;
            }
          }
          if (headers.includes("close")) socket.end();
        };
        more();
      },
    };
    return state;
  }

  test("is drawn a step before each further 256 KiB and not for the first", async () => {
    const draws: number[] = [];
    const credit = {
      draw: (bytes: number) => {
        draws.push(bytes);
        return true;
      },
    };
    const server = await serve((socket, head) =>
      socket.write(ok(Buffer.alloc(head.startsWith("GET /one") ? FIRST : FIRST + 2 * STEP + 1))),
    );
    const route = routeWith();
    await get(route, `${server.url}one`, { credit });
    expect(draws).toEqual([]);
    await get(route, `${server.url}four`, { credit });
    expect(draws).toEqual([STEP, STEP, STEP]);
  });

  test("that is refused stops the sender until it is granted, and the wait counts towards no deadline", async () => {
    const source = sender(32 * MIB, `Content-Length: ${32 * MIB}\r\n`);
    const server = await serve(source.answer);
    const grants: (() => void)[] = [];
    let isScarce = true;
    const credit = {
      draw: (_bytes: number, whenGranted: () => void) => {
        if (isScarce) grants.push(whenGranted);
        return !isScarce;
      },
    };
    const route = routeWith({ leastRate: { bytesPerSecond: 1_024, window: 200, grace: 200 } });
    const ended = get(route, server.url, { credit, maxBody: 64 * MIB, timeout: 1_000 });
    await until(() => grants.length === 1);
    await wait(300);
    const stoppedAt = source.sent;
    await wait(1_000);
    expect(source.sent).toBe(stoppedAt);
    expect(stoppedAt).toBeLessThan(24 * MIB);
    isScarce = false;
    for (const grant of grants.splice(0)) grant();
    const result = responseOf(await ended);
    expect(result.body.length).toBe(32 * MIB);
    expect(result.body.every((byte) => byte === 97)).toBe(true);
    expect(result.measure.paused).toBeGreaterThan(1_000);
  });

  test("is drawn for decoded bytes, and a decoder stops for want of it", async () => {
    const text = "the weir holds back the river\n".repeat(100_000);
    const server = await serve((socket) => socket.write(ok(gzipSync(text), "Content-Encoding: gzip\r\n")));
    const grants: (() => void)[] = [];
    const credit = {
      draw: (_bytes: number, whenGranted: () => void) => {
        grants.push(whenGranted);
        return false;
      },
    };
    const ended = get(routeWith(), server.url, { credit, maxBody: 16 * MIB });
    let steps = 0;
    for (let isOver = false; !isOver; ) {
      await Promise.race([until(() => grants.length > 0), ended.then(() => (isOver = true))]);
      steps += grants.length;
      for (const grant of grants.splice(0)) grant();
    }
    const result = responseOf(await ended);
    expect(textOf(result.body) === text).toBe(true);
    expect(steps).toBe(Math.ceil((text.length - FIRST) / STEP));
  });

  test.each([`Content-Length: ${4 * MIB}\r\n`, "Connection: close\r\n"])(
    "can be waited for when the fetch is aborted (%j)",
    async (headers) => {
      const server = await serve(sender(4 * MIB, headers).answer);
      const grants: (() => void)[] = [];
      const credit = {
        draw: (_bytes: number, whenGranted: () => void) => {
          grants.push(whenGranted);
          return false;
        },
      };
      const results: FetchResult[] = [];
      const abort = routeWith().start(requestFor(server.url, { credit, maxBody: 8 * MIB }), (result) => results.push(result));
      await until(() => grants.length === 1);
      abort();
      await until(() => results.length === 1);
      expect(endOf(results[0])).toBe("connect aborted");
      expect(results[0].measure.paused).toBeGreaterThan(0);
      grants[0]();
      await until(() => server.sockets[0].destroyed);
      expect(results.length).toBe(1);
    },
  );

  test.each([`Content-Length: ${MIB}\r\n`, "Connection: close\r\n"])(
    "can be waited for when the server resets the connection (%j)",
    async (headers) => {
      // Little enough for the pause to begin with everything read, when the socket is still being watched.
      const server = await serve((socket) => {
        socket.write(Buffer.concat([Buffer.from(`HTTP/1.1 200 OK\r\n${headers}\r\n`), Buffer.alloc(FIRST + 10)]));
      });
      const credit = {
        draw: (_bytes: number, whenGranted: () => void) => {
          setTimeout(() => server.sockets[0].resetAndDestroy(), 50);
          // A socket that is not read does not hear of it before it is read again.
          setTimeout(whenGranted, 150);
          return false;
        },
      };
      const result = await get(routeWith(), server.url, { credit, timeout: 1_000, maxBody: 8 * MIB });
      expect(endOf(result)).toBe("incomplete body");
    },
  );

  test.each([
    ["is complete", false, "", "response 200"],
    ["is complete, over TLS", true, "", "response 200"],
    ["is cut", false, `Content-Length: ${MIB}\r\n`, "incomplete body"],
    ["is cut, over TLS", true, `Content-Length: ${MIB}\r\n`, "incomplete body"],
  ])("can be waited for when the server closes a body that %s", async (_name, tls, headers, expected) => {
    const server = await serve((socket) => {
      socket.end(Buffer.concat([Buffer.from(`HTTP/1.1 200 OK\r\n${headers}Connection: close\r\n\r\n`), Buffer.alloc(FIRST + 10)]));
    }, tls);
    const credit = {
      draw: (_bytes: number, whenGranted: () => void) => {
        setTimeout(whenGranted, 150);
        return false;
      },
    };
    const result = await get(routeWith(), server.url, { credit, timeout: 1_000, maxBody: 8 * MIB });
    expect(endOf(result)).toBe(expected);
    if (result.kind === "response") expect(result.body.length).toBe(FIRST + 10);
  });

  test("can be waited for over TLS when the server resets the connection", async () => {
    const raws: Socket[] = [];
    const server = await serve((socket) => {
      socket.write(Buffer.concat([Buffer.from("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n"), Buffer.alloc(FIRST + 10)]));
    }, true);
    const relay = createServer((near) => {
      const far = connect(server.port, "127.0.0.1");
      raws.push(near);
      near.on("error", () => far.destroy()).pipe(far);
      far.on("error", () => near.destroy()).pipe(near);
    });
    await new Promise<void>((resolve) => relay.listen(0, "127.0.0.1", resolve));
    cleanUps.push(() => relay.close());
    const credit = {
      draw: () => {
        setTimeout(() => raws[0].resetAndDestroy(), 50);
        return false;
      },
    };
    const result = await get(routeWith(), `https://127.0.0.1:${(relay.address() as AddressInfo).port}/`, { credit, timeout: 1_000 });
    expect(endOf(result)).toBe("incomplete body");
  });

  test("granted from inside another fetch's headers does no harm", async () => {
    const server = await serve((socket, head) => {
      if (head.startsWith("GET /big")) socket.write(ok(Buffer.alloc(MIB, 98)));
      else socket.write(ok("small"));
    });
    const grants: (() => void)[] = [];
    const credit = {
      draw: (_bytes: number, whenGranted: () => void) => {
        grants.push(whenGranted);
        return false;
      },
    };
    const route = routeWith();
    const big = get(route, `${server.url}big`, { credit });
    for (let step = 0; step < 4; step += 1) {
      await until(() => grants.length === 1);
      const decide = (): "read" => {
        for (const grant of grants.splice(0)) grant();
        return "read";
      };
      expect(endOf(await get(route, server.url, { decide }))).toBe("response 200");
    }
    expect(responseOf(await big).body.length).toBe(MIB);
  });
});

describe("a deadline", () => {
  const drip = (socket: Socket, head: string, text: string): void => {
    socket.write(head);
    const timer = setInterval(() => socket.write(text), 40);
    socket.once("close", () => clearInterval(timer));
  };

  test.each<[string, Answer, Partial<HttpOptions>, string]>([
    ["no response", () => {}, { firstByteTimeout: 200 }, "timeout headers"],
    ["dribbled headers", (socket) => drip(socket, "HTTP/1.1 200 OK\r\nX-A: ", "a"), { firstByteTimeout: 200 }, "timeout headers"],
    ["endless interim responses", (socket) => drip(socket, "", "HTTP/1.1 103 Wait\r\n\r\n"), { firstByteTimeout: 200 }, "timeout headers"],
    [
      "a dribbled body",
      (socket) => drip(socket, "HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n", "a"),
      { leastRate: { bytesPerSecond: 1_024, window: 200, grace: 250 } },
      "too-slow body",
    ],
    [
      "a body that stops",
      (socket) => socket.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"),
      { leastRate: { bytesPerSecond: 1_024, window: 200, grace: 250 } },
      "too-slow body",
    ],
  ])("ends %s on time", async (_name, answer, options, expected) => {
    const server = await serve(answer);
    const result = await get(routeWith(options), server.url);
    expect(endOf(result)).toBe(expected);
    expect(result.measure.total).toBeGreaterThan(190);
    expect(result.measure.total).toBeLessThan(600);
    await until(() => server.sockets[0].destroyed);
  });

  test("for all of it ends a body however steadily it comes", async () => {
    const server = await serve((socket) => drip(socket, "HTTP/1.1 200 OK\r\nContent-Length: 5000000\r\n\r\n", "a".repeat(4_000)));
    const result = await get(routeWith(), server.url, { timeout: 400, maxBody: 8 * MIB });
    expect(endOf(result)).toBe("timeout body");
    expect(result.measure.total).toBeLessThan(700);
  });

  test("leaves a body alone that is fast enough", async () => {
    const server = await serve((socket) => {
      drip(socket, "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n", "a".repeat(200));
      setTimeout(() => socket.end(), 900);
    });
    const result = await get(routeWith({ leastRate: { bytesPerSecond: 1_024, window: 200, grace: 200 } }), server.url);
    expect(endOf(result)).toBe("response 200");
  });

  test("ends a TLS handshake that is never answered", async () => {
    const server = createServer((socket) => socket.on("error", () => {}).resume());
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    cleanUps.push(() => server.close());
    const result = await get(routeWith({ tlsTimeout: 200 }), `https://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    expect(endOf(result)).toBe("timeout tls");
    expect(result.measure.bytesOut).toBeGreaterThan(200);
  });

  test("does not count a stall of this process: what came meanwhile is read before anybody is judged", async () => {
    const server = await serve((socket) => {
      socket.write(ok("hello"));
      for (const end = performance.now() + 500; performance.now() < end; );
    });
    expect(endOf(await get(routeWith({ firstByteTimeout: 250 }), server.url, { timeout: 400 }))).toBe("response 200");
  });

  test.runIf(process.platform === "linux")("ends a connection that is never made, and leaves time for the next address", async () => {
    // A process that is stopped accepts nothing; when its backlog is full the system drops what else comes.
    const code = `const s = require("net").createServer().listen({ port: 0, host: "127.0.0.1", backlog: 1 }, () => console.log(s.address().port))`;
    const child = spawn(process.execPath, ["-e", code]);
    cleanUps.push(() => child.kill("SIGKILL"));
    const port = Number(await new Promise<Buffer>((resolve) => child.stdout.once("data", resolve)));
    child.kill("SIGSTOP");
    await wait(50);
    const fill = Array.from({ length: 4 }, () => connect(port, "127.0.0.1").on("error", () => {}));
    cleanUps.push(() => {
      for (const socket of fill) socket.destroy();
    });
    await wait(50);
    const alone = await get(routeWith({ connectTimeout: 300 }), `http://127.0.0.1:${port}/`);
    expect(endOf(alone)).toBe("timeout connect");
    expect(alone.measure.total).toBeLessThan(600);

    const second = createServer((socket) => socket.on("error", () => {}).on("data", () => socket.write(ok("hello"))));
    await new Promise<void>((resolve) => second.listen(port, "127.0.0.2", resolve));
    cleanUps.push(() => second.close());
    const both: SystemLookup = (_name, _options, callback) =>
      setImmediate(() => callback(null, [{ address: "127.0.0.1" }, { address: "127.0.0.2" }]));
    const route = routeWith({ connectTimeout: 800 }, both);
    const first = responseOf(await get(route, `http://two.test:${port}/`)).measure;
    expect(first.total).toBeGreaterThan(350);
    expect(first.total).toBeLessThan(750);
    // What answered is tried first from now on: both connections of this host at once.
    const next = await Promise.all([1, 2].map(() => get(route, `http://two.test:${port}/`)));
    expect(next.map((result) => result.measure.connected).sort()).toEqual([false, true]);
    for (const result of next) expect(result.measure.total).toBeLessThan(200);
  });

  test("ends a look-up that is never answered", async () => {
    const result = await get(
      routeWith({ dnsTimeout: 200 }, () => {}),
      "http://silent.test/",
    );
    expect(endOf(result)).toBe("dns resolve");
  });
});

describe("a connection", () => {
  test("is kept for the next fetch of its host and counts its bytes once", async () => {
    const server = await serve((socket) => socket.write(ok("hello")));
    const route = routeWith();
    const first = (await get(route, server.url)).measure;
    const second = (await get(route, server.url)).measure;
    expect(server.sockets.length).toBe(1);
    expect([first.connected, second.connected]).toEqual([true, false]);
    const sizes = [server.heads[0].length + 4, ok("hello").length];
    expect([first.bytesOut, first.bytesIn, second.bytesOut, second.bytesIn]).toEqual([...sizes, ...sizes]);
    expect(route.pool.idle).toBe(1);
  });

  test("that the server closed while it was kept is replaced, once, within the same fetch", async () => {
    const server = await serve((socket, _head, n) => {
      if (n === 1) socket.write(ok("hello"));
      else socket.destroy();
    });
    const route = routeWith();
    await get(route, server.url);
    const result = responseOf(await get(route, server.url));
    expect([server.sockets.length, server.heads.length, result.measure.connected]).toEqual([2, 3, true]);
    expect(result.measure.bytesOut).toBe(2 * (server.heads[0].length + 4));
  });

  test("that was just opened is not replaced when it is closed without a response", async () => {
    const server = await serve((socket) => socket.end());
    const result = await get(routeWith(), server.url);
    expect([endOf(result), server.heads.length]).toEqual(["connect headers", 1]);
  });

  test("that is lost after part of a response is not replaced", async () => {
    const server = await serve((socket, _head, n) =>
      socket.write(n === 1 ? ok("hello") : "HTTP/1.1 200 OK\r\nX-", () => n > 1 && socket.destroy()),
    );
    const route = routeWith();
    await get(route, server.url);
    expect(endOf(await get(route, server.url))).toBe("incomplete headers");
    expect(server.heads.length).toBe(2);
  });

  test("is not kept when the server says so, or when it sent more than its length", async () => {
    const server = await serve((socket, head) => {
      if (head.startsWith("GET /close")) socket.write(ok("hello", "Connection: close\r\n"));
      else socket.write(Buffer.concat([ok("hello"), Buffer.from("more than promised")]));
    });
    const route = routeWith();
    for (const path of ["close", "more", "close"]) expect(textOf(responseOf(await get(route, server.url + path)).body)).toBe("hello");
    await until(() => route.pool.open === 0);
    expect(server.sockets.length).toBe(3);
  });

  test("nobody answers at is a failed connection", async () => {
    const server = await serve(() => {});
    const { port } = server;
    await cleanUps.pop()?.();
    expect(endOf(await get(routeWith(), `http://127.0.0.1:${port}/`))).toBe("connect connect");
  });

  test("kept longest is closed for a new one when the ceiling is reached", async () => {
    const servers = await Promise.all([1, 2, 3].map(() => serve((socket) => socket.write(ok("hello")))));
    const route = routeWith({ maxConnections: 2 });
    for (const server of servers) await get(route, server.url);
    await until(() => route.pool.open === 2);
    expect(servers.map((server) => server.sockets[0].destroyed)).toEqual([true, false, false]);
  });

  test("beyond what one host is kept is closed after its fetch", async () => {
    const server = await serve((socket) => socket.write(ok("hello")));
    const route = routeWith({ connectionsPerHost: 2 });
    await Promise.all(Array.from({ length: 5 }, () => get(route, server.url)));
    await until(() => route.pool.open === 2);
    expect([server.sockets.length, route.pool.idle]).toEqual([5, 2]);
  });

  test("survives a short body thrown away, and is cut for a long one", async () => {
    const lengths: Record<string, number> = { short: 60 * KIB, long: 4 * MIB };
    const server = await serve((socket, head) => {
      const path = head.slice(5, head.indexOf(" HTTP"));
      if (path === "endless")
        socket.write(
          Buffer.concat([Buffer.from("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n20000\r\n"), Buffer.alloc(128 * KIB)]),
        );
      else socket.write(ok(Buffer.alloc(lengths[path])));
    });
    const route = routeWith();
    const bytes: number[] = [];
    for (const path of ["short", "short", "long", "endless"]) {
      const result = responseOf(await get(route, server.url + path, { decide: () => "discard" }));
      expect(result.body.length).toBe(0);
      bytes.push(result.measure.bytesIn);
    }
    expect(server.sockets.length).toBe(2);
    expect(bytes[2]).toBeLessThan(200 * KIB);
    expect(bytes[3]).toBeLessThan(200 * KIB);
    await until(() => route.pool.open === 0);
  });
});

describe("TLS", () => {
  test("is checked against the trusted certificates, kept, and counted as it is on the wire", async () => {
    const server = await serve((socket) => socket.write(ok("hello")), true);
    const route = routeWith();
    const first = responseOf(await get(route, server.url)).measure;
    const second = responseOf(await get(route, server.url)).measure;
    expect(server.sockets.length).toBe(1);
    const plain = server.heads[0].length + 4;
    expect(first.bytesOut).toBeGreaterThan(plain + 200);
    expect(first.bytesIn).toBeGreaterThan(500);
    // One record each way: the plain text and some 22 bytes.
    expect(second.bytesOut - plain).toBeGreaterThan(15);
    expect(second.bytesOut - plain).toBeLessThan(60);
    expect(second.bytesIn).toBeGreaterThan(ok("hello").length + 15);
    expect(second.bytesIn).toBeLessThan(ok("hello").length + 60);
  });

  const to =
    (address: string): SystemLookup =>
    (_name, _options, callback) =>
      setImmediate(() => callback(null, [{ address }]));

  test("sends the name, and a certificate for another one is named as that", async () => {
    const server = await serve((socket) => socket.write(ok("hello")), true);
    const route = routeWith({}, to("127.0.0.1"));
    expect(endOf(await get(route, `https://weir.test:${server.port}/`))).toBe("response 200");
    expect(server.heads[0]).toContain(`Host: weir.test:${server.port}`);
    const result = await get(route, `https://other.test:${server.port}/`);
    expect(endOf(result)).toBe("tls tls");
    expect(result.kind === "failure" && result.message).toContain("TLS name mismatch");
  });

  test("refuses a certificate nobody vouches for, unless told not to", async () => {
    const server = await serve((socket) => socket.write(ok("hello")), true);
    expect(endOf(await get(routeWith({ tls: { verify: true } }), server.url))).toBe("tls tls");
    expect(endOf(await get(routeWith({ tls: { verify: false } }), server.url))).toBe("response 200");
  });

  test("that a plain server cannot speak is a TLS failure", async () => {
    const server = await serve(() => {});
    server.sockets.length = 0;
    const plain = createServer((socket) => socket.on("error", () => {}).end("HTTP/1.1 400 Bad\r\n\r\n"));
    await new Promise<void>((resolve) => plain.listen(0, "127.0.0.1", resolve));
    cleanUps.push(() => plain.close());
    expect(endOf(await get(routeWith(), `https://127.0.0.1:${(plain.address() as AddressInfo).port}/`))).toBe("tls tls");
  });

  test.each(["reset", "closed"])("%s in the handshake is a lost connection", async (how) => {
    const server = createServer((socket) => {
      socket.on("error", () => {}).once("data", () => (how === "reset" ? socket.resetAndDestroy() : socket.end()));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    cleanUps.push(() => server.close());
    expect(endOf(await get(routeWith(), `https://127.0.0.1:${(server.address() as AddressInfo).port}/`))).toBe("connect tls");
  });
});

describe("an address", () => {
  const answers =
    (...addresses: string[]): SystemLookup =>
    (_name, _options, callback) =>
      setImmediate(() =>
        callback(
          null,
          addresses.map((address) => ({ address })),
        ),
      );

  test("that is private is not connected to, as a literal or behind a name", async () => {
    const server = await serve((socket) => socket.write(ok("secret")));
    const route = routeWith({ allowPrivate: false }, answers("127.0.0.1"));
    for (const host of ["127.0.0.1", "rebound.test", "[::ffff:7f00:1]", "[::1]", "0.0.0.0"]) {
      expect(endOf(await get(route, `http://${host}:${server.port}/`))).toBe("private-address resolve");
    }
    expect(server.sockets.length).toBe(0);
    expect(await route.resolve("rebound.test", server.port, new AbortController().signal)).toMatchObject({
      kind: "failed",
      code: "private-address",
    });
  });

  test("is permitted by host and port, and just that one", async () => {
    const server = await serve((socket) => socket.write(ok("hello")));
    const other = await serve((socket) => socket.write(ok("hello")));
    const route = routeWith({ allowPrivate: false, allowAddresses: [`127.0.0.1:${server.port}`] }, answers("127.0.0.1"));
    expect(endOf(await get(route, server.url))).toBe("response 200");
    expect(endOf(await get(route, `http://named.test:${server.port}/`))).toBe("response 200");
    expect(endOf(await get(route, other.url))).toBe("private-address resolve");
    expect(await route.resolve("127.0.0.1", server.port, new AbortController().signal)).toMatchObject({
      kind: "resolved",
      addresses: ["127.0.0.1"],
    });
  });

  test("that refuses is followed by the next one", async () => {
    const server = await serve((socket) => socket.write(ok("hello")));
    const route = routeWith({}, answers("127.0.0.9", "::1", "127.0.0.1"));
    expect(endOf(await get(route, `http://many.test:${server.port}/`))).toBe("response 200");
  });

  test("that a name does not have is a failed look-up", async () => {
    const route = routeWith({}, (_name, _options, callback) =>
      setImmediate(() => callback(Object.assign(new Error("no"), { code: "ENOTFOUND" }), [])),
    );
    expect(endOf(await get(route, "http://nowhere.test/"))).toBe("dns resolve");
    expect(await route.resolve("nowhere.test", 80, new AbortController().signal)).toMatchObject({ kind: "failed", code: "dns" });
  });

  test("is found in the hosts file", async () => {
    const server = await serve((socket) => socket.write(ok("hello")));
    expect(endOf(await get(routeWith(), `http://localhost:${server.port}/`))).toBe("response 200");
  });
});

describe("an abort", () => {
  test.each<[string, string, Answer]>([
    ["a look-up", "http://silent.test/", () => {}],
    ["the headers", "/", () => {}],
    ["a body", "/", (socket) => socket.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhello")],
    [
      "a body being decoded",
      "/",
      (socket) => socket.write("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 100\r\n\r\nhello"),
    ],
  ])("in %s ends the fetch once, and later", async (_name, path, answer) => {
    const server = await serve(answer);
    const route = routeWith({}, () => {});
    const results: FetchResult[] = [];
    const abort = route.start(requestFor(path.startsWith("http") ? path : server.url), (result) => results.push(result));
    await wait(60);
    expect(results).toEqual([]);
    abort();
    expect(results).toEqual([]);
    abort();
    await wait(30);
    expect(results.map(endOf)).toEqual(["connect aborted"]);
    expect([route.active, route.pool.open]).toEqual([0, 0]);
    expect(server.sockets.every((socket) => socket.destroyed)).toBe(true);
  });

  test.each([false, true])("at once ends a fetch that is only connecting (TLS: %s)", async (tls) => {
    const server = await serve((socket) => socket.write(ok("hello")), tls);
    const route = routeWith();
    const result = await new Promise<FetchResult>((resolve) => route.start(requestFor(server.url), resolve)());
    expect(endOf(result)).toBe("connect aborted");
    await wait(30);
    expect([route.active, route.pool.open]).toEqual([0, 0]);
  });

  test("after the end changes nothing", async () => {
    const server = await serve((socket) => socket.write(ok("hello")));
    const route = routeWith();
    let count = 0;
    let abort: (() => void) | undefined;
    await new Promise<void>((resolve) => {
      abort = route.start(requestFor(server.url), () => {
        count += 1;
        resolve();
      });
    });
    abort?.();
    await wait(20);
    expect([count, route.pool.idle]).toEqual([1, 1]);
  });

  test("is what closing the route does to every fetch, and nothing can be started then", async () => {
    const server = await serve((socket, head) => head.startsWith("GET /kept") && socket.write(ok("hello")));
    const route = routeWith();
    await get(route, `${server.url}kept`);
    const running = [get(route, server.url), get(route, server.url)];
    await until(() => server.heads.length === 3);
    await route.close();
    expect((await Promise.all(running)).map(endOf)).toEqual(["connect aborted", "connect aborted"]);
    expect([route.pool.open, route.active]).toEqual([0, 0]);
    expect(endOf(await get(route, server.url))).toBe("protocol aborted");
  });
});
