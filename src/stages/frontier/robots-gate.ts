import type { EpochMillis, Millis } from "../../kernel/units.ts";
import { parseRobots, ROBOTS_MAX_BYTES, type RobotsRules } from "./robots.ts";

/** robots.txt is asked for again after this at the latest, and not before that. Source: RFC 9309 §2.4. */
const FRESH_MOST: Millis = 86_400_000;
/** A robots.txt that could not be had is asked for this often in a pass at most, before its URLs are given up for the pass. */
const ATTEMPTS_MOST = 3;
/** Bytes turned into text at a time: the argument list of one call. */
const SLICE = 8_192;
/** Hops followed for a robots.txt. Source: RFC 9309 §2.3.1.2. */
export const ROBOTS_HOPS_MOST = 5;

export type RobotsVerdict = "allow" | "deny" | "ask" | "unavailable";

/** What came back for a robots.txt; `status` null when nothing usable did, and `trouble` then says why. */
export interface RobotsAnswer {
  readonly status: number | null;
  readonly body: Uint8Array;
  readonly trouble: RobotsTrouble | null;
}

type SchemeState =
  | {
      readonly kind: "known";
      readonly rules: RobotsRules | null;
      readonly at: EpochMillis;
      readonly status: number;
      readonly text: string | null;
    }
  | {
      readonly kind: "missing-answer";
      readonly attempts: number;
      /** Not asked again before; and the delay drawn for it. */
      askAt: Millis;
      delay: Millis;
    }
  | { readonly kind: "unavailable"; readonly cause: RobotsTrouble };

/** Why a robots.txt could not be had, as its URLs will say. */
export interface RobotsTrouble {
  readonly code: string;
  readonly message: string;
  /** Another try would meet the same: it is not made. */
  readonly lasts?: boolean;
}

/** JSON kept with the host's row. */
interface Stored {
  readonly [scheme: string]: { readonly at: EpochMillis; readonly status: number; readonly text: string | null };
}

/**
 * What one host's robots.txt files say, one a scheme.
 *
 * States of a scheme: *unasked* → *asking* → *known* (2xx: its rules; other 4xx: everything allowed; kept up to 24 h) or
 * *missing-answer* (5xx, 429, unreachable: everything disallowed for now) → asked again, at most three times in a pass →
 * *unavailable* (its URLs fail with `robots-unavailable` in this pass). Source: RFC 9309 §2.3.1.
 */
export class RobotsGate {
  readonly #obey: boolean;
  readonly #productToken: string;
  readonly #attempts: number;
  readonly #states = new Map<string, SchemeState>();
  #asking: string | null = null;
  #wanted: string | null = null;

  /** @param retries as for any URL; at most two. */
  constructor(obey: boolean, productToken: string, retries: number) {
    this.#obey = obey;
    this.#attempts = Math.min(ATTEMPTS_MOST, retries + 1);
    this.#productToken = productToken;
  }

  /** A robots.txt is on its way. */
  get busy(): boolean {
    return this.#asking !== null;
  }
  /** A robots.txt should be asked for now. */
  get wants(): boolean {
    return this.#wanted !== null && this.#asking === null;
  }

  /** What is wanted was asked for before and gave no answer: asking again is a retry. */
  get isRepeat(): boolean {
    return this.#missing !== null;
  }
  /** Delay before what is wanted was asked for last; 0 when that was the first time. */
  get delay(): Millis {
    return this.#missing?.delay ?? 0;
  }
  /** What is wanted may be asked for from then on. */
  get askAt(): Millis {
    return this.#missing?.askAt ?? 0;
  }
  /** What gave no answer is asked for again after `delay`. */
  wait(delay: Millis, now: Millis): void {
    const missing = this.#missing;
    if (missing !== null) Object.assign(missing, { delay, askAt: now + delay });
  }

  get #missing(): (SchemeState & { kind: "missing-answer" }) | null {
    const state = this.#wanted === null ? undefined : this.#states.get(this.#wanted);
    return state?.kind === "missing-answer" ? state : null;
  }

  /** May this URL be fetched? `ask` notes that its robots.txt is wanted first. */
  verdict(url: string, now: EpochMillis): RobotsVerdict {
    if (!this.#obey) return "allow";
    const scheme = url.startsWith("https:") ? "https" : "http";
    const state = this.#states.get(scheme);
    if (state?.kind === "unavailable") return "unavailable";
    if (state === undefined || state.kind === "missing-answer" || now - state.at >= FRESH_MOST || now < state.at - FRESH_MOST) {
      this.#wanted = scheme;
      return "ask";
    }
    if (state.rules === null) return "allow";
    const path = url.indexOf("/", 8);
    return state.rules.allows(path < 0 ? "/" : url.slice(path)) ? "allow" : "deny";
  }

  /** Why the robots.txt of this URL is unavailable. Only after that verdict. */
  troubleOf(url: string): RobotsTrouble {
    const state = this.#states.get(url.startsWith("https:") ? "https" : "http");
    return state?.kind === "unavailable" ? state.cause : NO_ANSWER;
  }

  /** Starts asking. @returns the scheme whose robots.txt is wanted. Only while `wants`. */
  begin(): string {
    const scheme = this.#wanted ?? "http";
    this.#asking = scheme;
    this.#wanted = null;
    return scheme;
  }

  /** Takes the answer. @returns sitemaps named in it. */
  end(answer: RobotsAnswer, now: EpochMillis): readonly string[] {
    const scheme = this.#asking;
    this.#asking = null;
    if (scheme === null) return [];
    // URLs that were looked at meanwhile noted the same wish again.
    if (this.#wanted === scheme) this.#wanted = null;
    const { status } = answer;
    if (status === null || status >= 500 || status === 429) {
      const before = this.#states.get(scheme);
      const attempts = (before?.kind === "missing-answer" ? before.attempts : 0) + 1;
      if (attempts < this.#attempts && answer.trouble?.lasts !== true) {
        const delay = before?.kind === "missing-answer" ? before.delay : 0;
        this.#states.set(scheme, { kind: "missing-answer", attempts, askAt: 0, delay });
        this.#wanted = scheme;
      } else this.#states.set(scheme, { kind: "unavailable", cause: causeOf(answer) });
      return [];
    }
    const found = status >= 200 && status < 300;
    const rules = found ? parseRobots(answer.body, this.#productToken) : null;
    const text = found ? latin1(answer.body.subarray(0, ROBOTS_MAX_BYTES)) : null;
    this.#states.set(scheme, { kind: "known", rules, at: now, status, text });
    return rules?.sitemaps ?? [];
  }

  /** The asking was given up (the crawl stops); it counts for nothing. */
  abandon(): void {
    this.#wanted = this.#asking;
    this.#asking = null;
  }

  /** Least gap the site asks for, the larger of both schemes; 0 when it names none. */
  get crawlDelay(): Millis {
    let delay = 0;
    for (const state of this.#states.values()) {
      if (state.kind === "known") delay = Math.max(delay, state.rules?.crawlDelay ?? 0);
    }
    return delay;
  }

  /** JSON for the host's row, so that a restart within a day does not ask again. */
  save(): string | null {
    const stored: Record<string, { at: EpochMillis; status: number; text: string | null }> = {};
    for (const [scheme, state] of this.#states) {
      if (state.kind === "known") stored[scheme] = { at: state.at, status: state.status, text: state.text };
    }
    return Object.keys(stored).length === 0 ? null : JSON.stringify(stored);
  }

  restore(json: string, now: EpochMillis): void {
    for (const [scheme, { at, status, text }] of Object.entries(JSON.parse(json) as Stored)) {
      if (now - at >= FRESH_MOST || at > now) continue;
      const rules =
        text === null
          ? null
          : parseRobots(
              Uint8Array.from(text, (char) => char.charCodeAt(0)),
              this.#productToken,
            );
      this.#states.set(scheme, { kind: "known", rules, at, status, text });
    }
  }
}

/** One character a byte, so that it comes back as it was. (A TextDecoder's latin1 is windows-1252.) */
function latin1(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += SLICE) text += String.fromCharCode(...bytes.subarray(at, at + SLICE));
  return text;
}

const NO_ANSWER: RobotsTrouble = { code: "robots-unavailable", message: "robots.txt could not be had, so nothing may be fetched for now" };

/** A host that cannot be reached at all fails with what happened; one that answers with an error, with its robots.txt. */
function causeOf(answer: RobotsAnswer): RobotsTrouble {
  if (answer.trouble !== null) return answer.trouble;
  return { code: NO_ANSWER.code, message: `robots.txt answered ${answer.status}, so nothing may be fetched for now` };
}
