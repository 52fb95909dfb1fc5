/** Most bytes of a file name on the usual file systems. */
const MAX_BYTES = 255;
const RESERVED = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?:\.|$)/i;
const FORBIDDEN = /[<>:"|?*]/g;
const INVISIBLE = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g;

/**
 * A file name that is one plain name on Linux, macOS and Windows, made from one that a server suggests; null when nothing is
 * left of it. The last part after any separator; without control and direction characters, reserved characters and names,
 * final dots and blanks; at most 255 bytes of UTF-8, the extension kept.
 */
export function safeFileName(suggested: string): string | null {
  const last = suggested.replace(INVISIBLE, "").split(/[/\\]/).at(-1) ?? "";
  const name = last.replace(FORBIDDEN, "_").replace(/^\s+|[\s.]+$/g, "");
  if (name === "") return null;
  return shortened(RESERVED.test(name) ? `_${name}` : name);
}

function shortened(name: string): string {
  if (bytesOf(name) <= MAX_BYTES) return name;
  const extension = /\.[A-Za-z0-9]{1,16}$/.exec(name)?.[0] ?? "";
  let stem = "";
  let room = MAX_BYTES - extension.length;
  for (const character of name.slice(0, name.length - extension.length)) {
    room -= bytesOf(character);
    if (room < 0) break;
    stem += character;
  }
  return stem.replace(/[\s.]+$/, "") + extension;
}

/** Length in UTF-8. */
function bytesOf(text: string): number {
  let bytes = 0;
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  }
  return bytes;
}
