// Runs a program to its end and says what it cost: CPU seconds of all its threads and children, by the kernel's own count.
import { spawn, spawnSync } from "node:child_process";
import { cpus } from "node:os";

/** Core the measured program is pinned to, so that server and client do not share one; none on one core or without taskset. */
const pin = cpus().length > 1 && spawnSync("taskset", ["-c", "1", "true"]).status === 0 ? ["taskset", "-c", "1"] : [];
export const pinned = pin.length > 0;
/** Prefix that keeps helpers off the measured core. */
export const elsewhere = pinned ? ["taskset", "-c", "0"] : [];

const seconds = (text) => {
  const [, minutes, rest] = /^(\d+)m([\d.]+)s$/.exec(text) ?? ["", "0", "0"];
  return Number(minutes) * 60 + Number(rest);
};

/**
 * `times` of a POSIX shell prints what the children it waited for have used (getrusage of children): exact, and it includes threads
 * that sampling /proc would miss between the last sample and the end.
 * @returns { code, stdout, stderr, cpu, wall } in seconds.
 */
export function measure(command, { env = {}, cwd } = {}) {
  return new Promise((resolve, reject) => {
    const start = performance.now();
    const shell = spawnSync("bash", ["-c", "true"]).status === 0 ? "bash" : "sh";
    const child = spawn(shell, ["-c", '"$@"; code=$?; times >&3; exit $code', "measure", ...pin, ...command], {
      cwd,
      env: { ...process.env, ...env },
      stdio: ["ignore", "pipe", "pipe", "pipe"],
    });
    const text = ["", "", ""];
    [child.stdout, child.stderr, child.stdio[3]].forEach((stream, i) => {
      stream.setEncoding("utf8").on("data", (chunk) => {
        text[i] += chunk;
      });
    });
    child.on("error", reject);
    child.on("close", (code) => {
      const used = (text[2].trim().split("\n").at(-1) ?? "").split(/\s+/).map(seconds);
      resolve({ code, stdout: text[0], stderr: text[1], cpu: used[0] + used[1], wall: (performance.now() - start) / 1000 });
    });
  });
}
