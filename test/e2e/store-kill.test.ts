import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { connect } from "../../src/adapters/store-sqlite/database.ts";
import { SqliteStore } from "../../src/adapters/store-sqlite/sqlite-store.ts";
import { scanned } from "../contract/store.contract.ts";

// The child runs the build, since Node 20 cannot load TypeScript; `npm test` builds first.
const fixture = fileURLToPath(new URL("./fixtures/store-writer.mjs", import.meta.url));

let folder: string;
let path: string;
let child: ChildProcess | undefined;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "weir-store-"));
  path = join(folder, "weir.db");
});
afterEach(() => {
  child?.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});

/** Starts a writer. `lines` grows as it prints. */
async function startWriter(...more: string[]): Promise<{ lines: string[]; child: ChildProcess }> {
  const started = spawn(process.execPath, [fixture, path, ...more], { stdio: ["ignore", "pipe", "inherit"] });
  child = started;
  const lines: string[] = [];
  let rest = "";
  started.stdout?.setEncoding("utf8").on("data", (text: string) => {
    const parts = (rest + text).split("\n");
    rest = parts.pop() ?? "";
    lines.push(...parts);
  });
  await once(started.stdout as NodeJS.ReadableStream, "data");
  return { lines, child: started };
}

test("kill -9 at random moments loses no acknowledged batch and leaves none half done", { timeout: 60_000 }, async () => {
  const delays: number[] = [];
  let batches = 0;
  for (let round = 0; round < 10; round++) {
    const delay = Math.floor(Math.random() * 250);
    delays.push(delay);
    const { lines, child: writer } = await startWriter();
    await new Promise((resolve) => setTimeout(resolve, delay));
    writer.kill("SIGKILL");
    await once(writer, "close");

    const acknowledged = Number(lines.at(-1));
    const store = SqliteStore.open(path);
    const said = `after kills at ${delays.join(", ")} ms`;
    batches = Number(await store.meta("batch")) + 1;
    expect(batches, said).toBeGreaterThanOrEqual(acknowledged + 1);
    // The one that was being committed may be there as well, but no more than that.
    expect(batches, said).toBeLessThanOrEqual(acknowledged + 2);
    expect(await store.totals(1), said).toMatchObject({ known: batches * 10, outcomes: batches > 1 ? { new: (batches - 1) * 10 } : {} });
    expect(await store.inFlight(), said).toEqual(Array.from({ length: 10 }, (_, k) => (batches - 1) * 10 + k));
    const rows = await scanned(store);
    expect(
      rows.map(({ id }) => id),
      said,
    ).toEqual(rows.map((_, k) => k));
    expect(rows.filter(({ token, textHash }) => token === 1 && textHash !== null).length, said).toBe((batches - 1) * 10);
    await store.close();
    const db = connect(path, { readonly: true, busyMs: 0 });
    expect(db.prepare("PRAGMA integrity_check").row([]), said).toEqual(["ok"]);
    db.close();
  }
  expect(batches).toBeGreaterThan(20);
});

test("a second process is told who writes, may read, and gets the lock at once when the first is killed", async () => {
  const { child: writer } = await startWriter("hold");
  expect(() => SqliteStore.open(path)).toThrow(
    expect.objectContaining({
      code: "WEIR_STORE_IN_USE",
      message: expect.stringMatching(new RegExp(`process ${writer.pid} since \\d{4}-\\d\\d-\\d\\dT.*store-writer.mjs`)),
    }),
  );
  const reader = SqliteStore.open(path, { readonly: true });
  expect(await reader.lastSeq()).toBe(0);
  await reader.close();
  writer.kill("SIGKILL");
  await once(writer, "close");
  const store = SqliteStore.open(path);
  await store.close();
});

test("a reader opens what a killed writer left behind", async () => {
  const { lines, child: writer } = await startWriter();
  writer.kill("SIGKILL");
  await once(writer, "close");
  const reader = SqliteStore.open(path, { readonly: true });
  expect(Number(await reader.meta("batch"))).toBeGreaterThanOrEqual(Number(lines.at(-1)));
  await reader.close();
});
