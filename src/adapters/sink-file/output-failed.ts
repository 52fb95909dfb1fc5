import { WeirError } from "../../kernel/errors.ts";

/** What went wrong with an output, in a person's words. */
export function outputFailed(path: string, error: unknown): WeirError {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return new WeirError("WEIR_OUTPUT_FAILED", `${path === "-" ? "Standard output" : path} ${words(code, error)}`, { cause: error });
}

function words(code: string, error: unknown): string {
  switch (code) {
    case "ENOSPC":
    case "EDQUOT":
      return "could not be written: there is no room left on the disk. Nothing in the store is lost; the same command continues once there is room.";
    case "EPIPE":
    case "ERR_STREAM_DESTROYED":
    case "ERR_STREAM_PREMATURE_CLOSE":
    case "ERR_STREAM_WRITE_AFTER_END":
      return "was closed by its reader before everything was written. Nothing in the store is lost; give the same command again.";
    case "EACCES":
    case "EPERM":
    case "EROFS":
      return "could not be opened for writing: no permission";
    case "ENOENT":
      return "could not be opened for writing: its folder does not exist";
    case "EISDIR":
      return "could not be opened for writing: it is a folder";
    default:
      return `could not be written: ${error instanceof Error ? error.message : String(error)}`;
  }
}
