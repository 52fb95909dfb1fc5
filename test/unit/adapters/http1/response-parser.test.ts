import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ProtocolError } from "../../../../src/adapters/http1/protocol-error.ts";
import { ResponseParser } from "../../../../src/adapters/http1/response-parser.ts";
import type { HeaderView } from "../../../../src/ports/fetch-route.ts";

interface Read {
  readonly status: number;
  readonly fields: readonly (readonly [string, string])[];
  readonly body: string;
  readonly isDone: boolean;
  readonly keepAlive: boolean;
  /** Bytes behind the response. */
  readonly rest: number;
}

/** Reads one response in pieces of the given sizes (the last one repeats), then closes. */
function read(text: string, sizes: readonly number[] = [Number.MAX_SAFE_INTEGER], closes = true): Read {
  let head: (HeaderView & { readonly status: number }) | undefined;
  let body = "";
  const parser = new ResponseParser({
    begun: () => undefined,
    head: (found) => {
      head = found;
    },
    data: (piece) => {
      body += piece.toString("latin1");
      return true;
    },
    complete: () => undefined,
  });
  const bytes = Buffer.from(text, "latin1");
  let at = 0;
  for (let turn = 0; at < bytes.length && !parser.isDone; turn += 1) {
    const end = Math.min(bytes.length, at + (sizes[Math.min(turn, sizes.length - 1)] ?? 1));
    // Another buffer each time, emptied afterwards: nothing may be kept of it.
    const piece = Buffer.concat([Buffer.alloc(3, "x"), bytes.subarray(at, end), Buffer.alloc(3, "\n")]);
    at += parser.execute(piece, 3, 3 + end - at) - 3;
    piece.fill(0);
  }
  if (closes && !parser.isDone) parser.finish();
  return {
    status: head?.status ?? 0,
    fields: head?.entries() ?? [],
    body,
    isDone: parser.isDone,
    keepAlive: parser.keepAlive,
    rest: bytes.length - at,
  };
}

const GOOD: readonly (readonly [string, string, number, string, boolean])[] = [
  ["a length", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", 200, "hello", true],
  ["a length of nothing", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", 200, "", true],
  ["the same length twice", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\nhello", 200, "hello", true],
  [
    "chunks, extensions and trailers",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;a=b\r\nhel\r\n2 \r\nlo\r\n0\r\nX: y\r\n\r\n",
    200,
    "hello",
    true,
  ],
  ["chunks of a coding", "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, Chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n", 200, "hello", true],
  ["the end of the connection", "HTTP/1.1 200 OK\r\n\r\nhello", 200, "hello", false],
  ["HTTP/1.0", "HTTP/1.0 200 OK\r\nContent-Length: 5\r\n\r\nhello", 200, "hello", false],
  ["HTTP/1.0 that keeps", "HTTP/1.0 200 OK\r\nConnection: Keep-Alive\r\nContent-Length: 5\r\n\r\nhello", 200, "hello", true],
  ["a connection to close", "HTTP/1.1 200 OK\r\nConnection: Close\r\nContent-Length: 5\r\n\r\nhello", 200, "hello", false],
  ["bare line feeds", "HTTP/1.1 200 OK\nContent-Length: 5\n\nhello", 200, "hello", true],
  ["no reason", "HTTP/1.1 404\r\nContent-Length: 2\r\n\r\nno", 404, "no", true],
  [
    "interim responses",
    "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
    200,
    "ok",
    true,
  ],
  ["204, whatever it says", "HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n", 204, "", true],
  ["304 with the page's length", "HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n", 304, "", true],
  ["an empty line before it", "\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", 200, "ok", true],
];

describe("a response", () => {
  test.each(GOOD)("framed by %s is read, in one piece and byte by byte", (_name, text, status, body, keepAlive) => {
    for (const sizes of [[Number.MAX_SAFE_INTEGER], [1]])
      expect(read(text, sizes)).toMatchObject({ status, body, keepAlive, isDone: true, rest: 0 });
  });

  test("is the same however it is cut", () => {
    const property = fc.property(
      fc.constantFrom(...GOOD),
      fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 30 }),
      ([, text], sizes) => {
        expect(read(text, sizes)).toEqual(read(text));
      },
    );
    fc.assert(property, { numRuns: 500 });
  });

  test("ends where its length says: what is behind is not taken", () => {
    expect(read("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok and more")).toMatchObject({ body: "ok", rest: 9 });
  });

  test.each([
    ["a body", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello"],
    ["a chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nhello"],
    ["the last chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"],
    ["the trailers", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX: y\r\n"],
    ["the headers", "HTTP/1.1 200 OK\r\nContent-Len"],
    ["the beginning", ""],
  ])("that ends within %s is not complete", (_name, text) => {
    expect(read(text).isDone).toBe(false);
  });
});

describe("headers", () => {
  test("keep their bytes, lose blanks around, and are joined when folded", () => {
    const { fields } = read(
      'HTTP/1.1 200 OK\r\nETag: \t W/"v1:\u00e9" \r\nX-A:\u00a0b\u00a0\r\nX-Long: one\r\n\t two\r\nContent-Length: 0\r\n\r\n',
    );
    expect(fields).toEqual([
      ["etag", 'W/"v1:\u00e9"'],
      ["x-a", "\u00a0b\u00a0"],
      ["x-long", "one two"],
      ["content-length", "0"],
    ]);
  });
});

describe("is refused", () => {
  test.each([
    ["another protocol", "SSH-2.0-x\r\n\r\n"],
    ["HTTP/0.9", "<html>hello</html>\r\n\r\n"],
    ["HTTP/2 by its status line", "HTTP/2 200\r\n\r\n"],
    ["a status of two digits", "HTTP/1.1 20 OK\r\n\r\n"],
    ["a line without a colon", "HTTP/1.1 200 OK\r\nnonsense\r\n\r\n"],
    ["a blank before the colon", "HTTP/1.1 200 OK\r\nContent-Length : 5\r\n\r\nhello"],
    ["a NUL", "HTTP/1.1 200 OK\r\nX: a\0b\r\n\r\n"],
    ["two lengths", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!"],
    ["a length below nothing", "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n"],
    ["a length and chunks", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"],
    ["a chunk without a size", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n"],
    ["a chunk longer than its size", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhello\r\n"],
    ["a chunk of 2^60 bytes", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1000000000000000\r\n"],
    ["another protocol nobody asked for", "HTTP/1.1 101 Switching Protocols\r\n\r\n"],
    ["endless headers", `HTTP/1.1 200 OK\r\n${"X: y\r\n".repeat(20_000)}`],
    ["an endless line of a chunk", `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;${"x".repeat(40_000)}`],
    ["endless trailers", `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n${"X: y\r\n".repeat(20_000)}`],
  ])("%s", (_name, text) => {
    expect(() => read(text, [1_000])).toThrow(ProtocolError);
  });

  test("no bytes whatever end in another error, or without an end", () => {
    const token = fc.constantFrom(
      "HTTP/1.1 200 OK\r\n",
      "Content-Length: 3\r\n",
      "Transfer-Encoding: chunked\r\n",
      "\r\n",
      "\n",
      "3\r\n",
      "abc",
      "\r\n0\r\n\r\n",
      ":",
      " ",
      "\0",
      "é",
      "HTTP/1.1 100 \r\n\r\n",
    );
    const property = fc.property(fc.array(token, { maxLength: 20 }), fc.integer({ min: 1, max: 9 }), (tokens, size) => {
      try {
        read(tokens.join(""), [size]);
      } catch (error) {
        expect(error).toBeInstanceOf(ProtocolError);
      }
    });
    fc.assert(property, { numRuns: 2_000 });
  });
});
