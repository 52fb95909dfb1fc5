/** Coded data that ends early, under zlib's code for it. */
export class CutError extends Error {
  readonly code = "Z_BUF_ERROR";
}

/** True when coded data ended early, as opposed to being wrong. */
export function isCut(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === "Z_BUF_ERROR";
}
