/** Where the program was started: what relative paths and the environment's settings refer to. */
export function surroundings(): { readonly cwd: string; readonly env: Readonly<Record<string, string | undefined>> } {
  return { cwd: process.cwd(), env: process.env };
}
