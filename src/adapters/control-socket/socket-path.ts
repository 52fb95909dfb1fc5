import { createHash } from "node:crypto";
import { mkdirSync, realpathSync, statSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { basename, dirname, join, resolve } from "node:path";

/** Least room of the systems weir runs on: 104 bytes on macOS, 108 on Linux, both with the closing zero. */
const LONGEST = 103;

/**
 * Where the control socket of a store is: beside it, so that whoever may open the store finds it. A path too long for a socket
 * is replaced by a hash in a folder of this user in the temporary folder. Windows has named pipes.
 */
export function socketPath(store: string, create: boolean): string {
  const whole = resolve(store);
  const real = join(realFolder(dirname(whole)), basename(whole));
  const name = `weir-${createHash("sha256").update(real).digest("hex").slice(0, 24)}`;
  if (process.platform === "win32") return `\\\\.\\pipe\\${name}`;
  const beside = `${real}.sock`;
  if (Buffer.byteLength(beside) <= LONGEST) return beside;
  return join(ownFolder(create), `${name}.sock`);
}

/** Two spellings of one folder must give one socket. */
function realFolder(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}

/** Only this user may make entries there, so that nobody else answers in weir's name. */
function ownFolder(create: boolean): string {
  const { uid } = userInfo();
  const folder = join(tmpdir(), `weir-${uid}`);
  if (create) mkdirSync(folder, { recursive: true, mode: 0o700 });
  const found = statSync(folder);
  if (found.uid !== uid || (found.mode & 0o077) !== 0) throw new Error(`${folder} is not this user's alone`);
  return folder;
}
