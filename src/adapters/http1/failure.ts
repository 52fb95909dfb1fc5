import type { FetchErrorCode } from "../../kernel/outcome.ts";
import type { FetchResult } from "../../ports/fetch-route.ts";

export type Phase = Extract<FetchResult, { kind: "failure" }>["phase"];

/** What went wrong, before it is joined with headers and measures. */
export interface Failure {
  readonly code: FetchErrorCode;
  readonly phase: Phase;
  readonly message: string;
}

/** This machine's want: no host is to blame. */
const LOCAL = new Set(["EMFILE", "ENFILE", "ENETDOWN", "EADDRNOTAVAIL", "ENOBUFS", "ENOMEM", "EPERM", "EACCES"]);
const LOST = new Set(["ECONNRESET", "EPIPE", "ECONNABORTED", "ETIMEDOUT", "EHOSTUNREACH"]);

/** @param address the one that failed; an IPv6 network out of reach is the host's for having no other address, not a fault of this machine. */
export function connectFailure(error: Error, address: string): Failure {
  const code = codeOf(error);
  const isLocal = LOCAL.has(code) || (code === "ENETUNREACH" && !address.includes(":"));
  if (code === "ETIMEDOUT") return { code: "timeout", phase: "connect", message: `connecting to ${address} timed out` };
  return { code: "connect", phase: isLocal ? "local" : "connect", message: `connecting to ${address} failed: ${describe(error)}` };
}

export function tlsFailure(error: Error, hostname: string): Failure {
  if (LOST.has(codeOf(error))) {
    return { code: "connect", phase: "tls", message: `the connection was lost in the TLS handshake: ${describe(error)}` };
  }
  if (codeOf(error) === "ERR_TLS_CERT_ALTNAME_INVALID") {
    return { code: "tls", phase: "tls", message: `TLS name mismatch: the certificate is not for ${hostname} (${error.message})` };
  }
  if (codeOf(error) === "ERR_SSL_WRONG_VERSION_NUMBER") {
    return { code: "tls", phase: "tls", message: `${hostname} does not speak TLS on this port; perhaps http:// is meant` };
  }
  return { code: "tls", phase: "tls", message: `TLS failed: ${describe(error)}` };
}

/** True for a connection that went away, which on a kept one usually means that the server had closed it (RFC 9112 9.3.1). */
export function isLost(error: Error): boolean {
  return LOST.has(codeOf(error));
}

/** @param progress how far the response had come. */
export function exchangeFailure(error: Error, progress: "none" | "headers" | "body"): Failure {
  const phase = progress === "body" ? "body" : "headers";
  if (LOCAL.has(codeOf(error))) return { code: "connect", phase: "local", message: describe(error) };
  if (!isLost(error)) return { code: "protocol", phase, message: `not a usable HTTP/1.1 response: ${describe(error)}` };
  switch (progress) {
    case "none":
      return { code: "connect", phase, message: `the connection was closed before a response: ${describe(error)}` };
    case "headers":
      return { code: "incomplete", phase, message: `the connection was closed within the headers: ${describe(error)}` };
    case "body":
      return { code: "incomplete", phase, message: `the body ended before its end: ${describe(error)}` };
  }
}

function codeOf(error: Error): string {
  return (error as NodeJS.ErrnoException).code ?? "";
}

/** OpenSSL's own messages are lines with thread, file and line number; what a person can use stands in `reason`. */
function describe(error: Error & { readonly reason?: unknown }): string {
  const code = codeOf(error);
  const message = (typeof error.reason === "string" ? error.reason : error.message).trim();
  return code === "" || message.includes(code) ? message : `${message} (${code})`;
}
