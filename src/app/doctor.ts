import { freeRoom, lookupHindrance, nearestFolder, nodeVersion, openFileLimit, writeHindrance } from "../adapters/machine/machine.ts";
import type { Bytes } from "../kernel/units.ts";

/** One thing weir needs of the machine. `missing` ends `weir doctor` with 1; `warning` is a limit worth knowing. */
export interface Check {
  readonly name: string;
  readonly state: "ok" | "warning" | "missing";
  readonly found: string;
  /** What to do about it; null when nothing is to be done. */
  readonly fix: string | null;
}

/** Least Node version, as in package.json. */
const LEAST_NODE: readonly [number, number] = [20, 19];
/** Below this a crawl of any size is likely to fill the disk. */
const SMALL_ROOM: Bytes = 512 * 1024 * 1024;
/** Files that are open besides connections: store, output, bodies, the program itself. */
const OTHER_FILES = 64;

export interface DoctorOptions {
  readonly store: string;
  readonly concurrency: number;
  /** Whether stderr is a terminal, for the live line. */
  readonly terminal: boolean;
}

/** Looks at everything; one failed check does not hide the others. Sends nothing to the network. */
export async function examine(options: DoctorOptions): Promise<readonly Check[]> {
  return [
    checkNode(nodeVersion()),
    await checkSqlite(),
    ...(await checkFolder(options.store)),
    await checkOpenFiles(options.concurrency),
    await checkNames(),
    checkTerminal(options.terminal),
  ];
}

/** Exported for its test. */
export function checkNode(version: string): Check {
  const [major, minor] = version.split(".").map(Number);
  const enough = major > LEAST_NODE[0] || (major === LEAST_NODE[0] && minor >= LEAST_NODE[1]);
  const least = LEAST_NODE.join(".");
  return {
    name: "Node.js",
    state: enough ? "ok" : "missing",
    found: version,
    fix: enough ? null : `install Node.js ${least} or later from https://nodejs.org`,
  };
}

async function checkSqlite(): Promise<Check> {
  const name = "SQLite";
  try {
    // Loaded here and not above: a binding that is missing must be a finding, not a crash of doctor itself.
    const { sqliteVersion } = await import("../adapters/store-sqlite/sqlite-version.ts");
    return { name, state: "ok", found: await sqliteVersion(), fix: null };
  } catch (error) {
    const why = error instanceof Error ? error.message.split("\n")[0] : String(error);
    return {
      name,
      state: "missing",
      found: why,
      fix: "run npm install again on this machine without --omit=optional (the binding is made for one platform)",
    };
  }
}

async function checkFolder(store: string): Promise<readonly Check[]> {
  const folder = await nearestFolder(store);
  const hindrance = await writeHindrance(folder);
  const room = await freeRoom(folder);
  const writable: Check = {
    name: "Store folder",
    state: hindrance === null ? "ok" : "missing",
    found: hindrance === null ? `${folder} can be written` : hindrance,
    fix: hindrance === null ? null : `make ${folder} writable, or name another place with --store`,
  };
  if (room === null) return [writable];
  const small = room < SMALL_ROOM;
  const free: Check = {
    name: "Free room",
    state: small ? "warning" : "ok",
    found: `${(room / 1024 ** 3).toFixed(1)} GiB`,
    fix: small ? "make room: a page takes about 1 KB in the store, with bodies its whole size" : null,
  };
  return [writable, free];
}

async function checkOpenFiles(concurrency: number): Promise<Check> {
  const limit = await openFileLimit();
  const needed = concurrency + OTHER_FILES;
  const few = limit !== null && limit < needed;
  return {
    name: "Open files",
    state: few ? "missing" : "ok",
    found: limit === null ? "no limit is known" : `${limit} allowed, ${needed} needed`,
    fix: few ? `raise it (ulimit -n ${needed * 2}) or lower --concurrency` : null,
  };
}

async function checkNames(): Promise<Check> {
  const hindrance = await lookupHindrance();
  return {
    name: "Host names",
    state: hindrance === null ? "ok" : "warning",
    found: hindrance === null ? "localhost resolves" : hindrance,
    fix: hindrance === null ? null : "check /etc/resolv.conf and /etc/hosts",
  };
}

function checkTerminal(terminal: boolean): Check {
  return { name: "Terminal", state: "ok", found: terminal ? "live line once a second" : "none: plain lines every 10 s", fix: null };
}
