import { PassThrough, Writable } from "node:stream";
import { expect, test } from "vitest";
import { StreamSink } from "../../../src/adapters/sink-file/stream-sink.ts";
import { csvFormat } from "../../../src/app/output/csv.ts";
import { settledUrl } from "../app/output/settled-url.fixture.ts";

const format = csvFormat(["seq"]);

test("the header comes once, before the first rows", async () => {
  const stream = new PassThrough();
  const sink = new StreamSink(stream, format);
  await sink.write([]);
  await sink.write([settledUrl({ seq: 1 })]);
  await sink.write([settledUrl({ seq: 2 }), settledUrl({ seq: 3 })]);
  expect(stream.read().toString()).toBe("seq\r\n1\r\n2\r\n3\r\n");
  expect(sink.lastSeq).toBeNull();
});

test("a table without rows still has its header", async () => {
  const stream = new PassThrough();
  await new StreamSink(stream, format).close();
  expect(stream.read().toString()).toBe("seq\r\n");
});

test("a write is done when the reader's side took it, not before", async () => {
  let take: () => void = () => undefined;
  const slow = new Writable({ write: (_chunk, _encoding, done) => void (take = done) });
  let done = false;
  const write = new StreamSink(slow, format).write([settledUrl()]).then(() => void (done = true));
  await Promise.resolve();
  expect(done).toBe(false);
  take();
  await write;
  expect(done).toBe(true);
});

test("a closed pipe is a failure of the output with a clear message, and stays one", async () => {
  const closed = new Writable({ write: (_chunk, _encoding, done) => done(Object.assign(new Error("write EPIPE"), { code: "EPIPE" })) });
  const sink = new StreamSink(closed, format);
  for (let i = 0; i < 2; i++) {
    await expect(sink.write([settledUrl()])).rejects.toMatchObject({
      code: "WEIR_OUTPUT_FAILED",
      message: expect.stringContaining("closed by its reader"),
    });
  }
});
