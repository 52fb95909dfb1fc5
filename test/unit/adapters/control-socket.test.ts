import { mkdir, mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { createConnection } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { askControl } from "../../../src/adapters/control-socket/control-client.ts";
import { ControlServer } from "../../../src/adapters/control-socket/control-server.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "weir-ctl-"));
});
afterEach(() => rm(folder, { recursive: true }));

const answer = (method: string): unknown => {
  if (method === "status") return { pages: 7 };
  throw new Error(`unknown method ${method}`);
};

test("a question is answered, any number of times, and nobody answers after close", async () => {
  const store = join(folder, "weir.db");
  expect(await askControl(store, "status")).toBeNull();
  const server = await ControlServer.open(store, answer);
  for (let i = 0; i < 20; i++) expect(await askControl(store, "status")).toEqual({ result: { pages: 7 } });
  await server.close();
  expect(await askControl(store, "status")).toBeNull();
});

test("an answer may take its time, and a refusal too; what was asked meanwhile is answered in order", async () => {
  const server = await ControlServer.open(join(folder, "weir.db"), async (method) => {
    await new Promise((resolve) => setImmediate(resolve));
    if (method === "no") throw new Error("not now");
    return method;
  });
  const lines = await new Promise<string[]>((resolve) => {
    const socket = createConnection(server.path, () => socket.write('{"method":"a"}\n{"method":"no"}\n{"method":"b"}\n'));
    let text = "";
    socket.on("data", (part) => {
      text += part;
      if (text.split("\n").length < 4) return;
      socket.destroy();
      resolve(text.trim().split("\n"));
    });
  });
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    { ok: true, result: "a" },
    { ok: false, error: "not now" },
    { ok: true, result: "b" },
  ]);
  await server.close();
});

test("only this user may connect", async () => {
  const server = await ControlServer.open(join(folder, "weir.db"), answer);
  expect((await stat(server.path)).mode & 0o777).toBe(0o600);
  await server.close();
});

test("what a dead process left is replaced", async () => {
  const store = join(folder, "weir.db");
  await writeFile(`${store}.sock`, "");
  const server = await ControlServer.open(store, answer);
  expect(await askControl(store, "status")).not.toBeNull();
  await server.close();
});

test("a path too long for a socket works all the same, and two stores do not meet", async () => {
  const deep = join(folder, "d".repeat(100));
  await mkdir(deep);
  const one = await ControlServer.open(join(deep, "one.db"), answer);
  const two = await ControlServer.open(join(deep, "two.db"), () => "two");
  expect(one.path.length).toBeLessThan(104);
  expect(await askControl(join(deep, "one.db"), "status")).toEqual({ result: { pages: 7 } });
  expect(await askControl(join(deep, "two.db"), "status")).toEqual({ result: "two" });
  await one.close();
  await two.close();
});

test("a refused question is an error with its reason", async () => {
  const server = await ControlServer.open(join(folder, "weir.db"), answer);
  await expect(askControl(join(folder, "weir.db"), "topup")).rejects.toThrow("unknown method topup");
  await server.close();
});

test("nonsense is answered with an error, and an endless line is cut off", async () => {
  const server = await ControlServer.open(join(folder, "weir.db"), answer);
  const said = await new Promise<string>((resolve) => {
    const socket = createConnection(server.path, () => socket.write("not json\n"));
    socket.on("data", (data) => {
      resolve(String(data));
      socket.destroy();
    });
  });
  expect(JSON.parse(said)).toMatchObject({ ok: false });
  await new Promise<void>((resolve) => {
    const socket = createConnection(server.path, () => socket.write("x".repeat(100_000)));
    socket.on("error", () => undefined);
    socket.on("close", () => resolve());
  });
  await server.close();
});
