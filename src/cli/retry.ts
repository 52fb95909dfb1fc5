import { type RetryReport, retryDeadLetters } from "../app/retry.ts";
import { shown } from "../config/shown.ts";
import { canonicalUrl } from "../kernel/canonical-url.ts";
import type { ConfigProblem } from "../kernel/errors.ts";
import { hostKey } from "../kernel/host-key.ts";
import { FETCH_ERRORS } from "../kernel/outcome.ts";
import type { RunInput } from "./command-spec.ts";
import { counted, printable } from "./format.ts";
import { printLine } from "./print-line.ts";
import { settingsOf } from "./settings-of.ts";
import { EXIT } from "./summary.ts";

/** `weir retry`: dead letters wait again. */
export async function runRetry(input: RunInput): Promise<number> {
  const problems: ConfigProblem[] = [];
  const which = { host: hostOf(input.own.host, problems), code: codeOf(input.own.code, problems), pass: null };
  const { settings } = await settingsOf(input, { problems });
  const report = await retryDeadLetters(settings.store, which);
  await printLine(settings.json ? JSON.stringify({ ...report, host: which.host, code: which.code }) : retryText(report));
  return EXIT.done;
}

function retryText({ requeued, running, store }: RetryReport): string {
  if (requeued === 0) return printable(`${store}: no such dead letters; weir export --what failed lists those there are`);
  const next = running ? "the running crawl tries them now" : "the next weir crawl with the same seeds and scope fetches them";
  return printable(`${store}: ${counted(requeued, "URL")} put back; ${next}`);
}

/** A name with or without a port, as weir writes hosts. */
function hostOf(given: string | boolean | undefined, problems: ConfigProblem[]): string | null {
  if (typeof given !== "string") return null;
  const url = /[/?#@]/.test(given) ? null : canonicalUrl(`http://${given}/`);
  if (url !== null) return hostKey(url);
  problems.push({ path: "--host", got: shown(given), expected: "a host as in weir export: a name, or name:port" });
  return null;
}

/** A code that no URL can have is a slip, not an empty answer. */
function codeOf(given: string | boolean | undefined, problems: ConfigProblem[]): string | null {
  if (typeof given !== "string") return null;
  if (/^http-\d{3}$/.test(given) || (FETCH_ERRORS as readonly string[]).includes(given)) return given;
  problems.push({ path: "--code", got: shown(given), expected: `http-<status>, or one of ${FETCH_ERRORS.join(", ")}` });
  return null;
}
