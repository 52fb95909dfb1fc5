/** Header values are latin1; a Location in raw UTF-8 is common and browsers read it so. */
export function latin1ToText(value: string): string {
  if (/^[\x00-\x7f]*$/.test(value)) return value;
  const bytes = Uint8Array.from(value, (char) => char.charCodeAt(0));
  return new TextDecoder("utf-8").decode(bytes);
}
