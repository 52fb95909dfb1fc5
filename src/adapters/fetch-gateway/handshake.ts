import type { Refusal } from "../http1/dial.ts";

/** What is to be done after the gateway said something. */
export type Step =
  /** Not enough yet; write this, if anything. */
  { readonly kind: "more"; readonly write?: Buffer } | { readonly kind: "open" } | { readonly kind: "refused"; readonly refusal: Refusal };

/** One side of opening a tunnel, from bytes to bytes. */
export interface Handshake {
  /** What is written first. */
  begin(): Buffer;
  /** Takes what came. Not to be called after `open` or `refused`. */
  feed(bytes: Buffer): Step;
  /** The gateway closed, or its time is over: the refusal as far as it is known. */
  broken(reason: string): Refusal;
}

export function refusedBy(by: Refusal["by"], message: string, status?: number, retryAfter: number | null = null): Refusal {
  return { by, message, retryAfter, resetAt: null, ...(status === undefined ? {} : { status }) };
}

/** Why the gateway lets nobody in. @param given whether a user name and a password were sent. */
export function loginWords(given: boolean): string {
  return given ? "the user name or the password is wrong" : "it wants a user name and a password, as in http://user:password@proxy:port";
}
