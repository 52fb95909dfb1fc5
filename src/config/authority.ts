/**
 * Reads `HOST` or `HOST:PORT` into its plain spelling: lower case, punycode, IPv6 in brackets. The port stays as written, even
 * a default one: `127.0.0.1:80` permits one port, `127.0.0.1` all of them.
 * @returns null when it is not one, for example because it has a scheme or a path.
 */
export function readAuthority(text: string): string | null {
  const written = text.trim();
  const bare = /^[0-9a-f]*:[0-9a-f:.]*:[0-9a-f:.]*$/i.test(written) ? `[${written}]` : written;
  const match = /^(\[[0-9a-f:.]+\]|[^\s:/?#@[\]\\]+)(?::(\d{1,5}))?$/i.exec(bare);
  if (match === null || !URL.canParse(`http://${match[1]}/`)) return null;
  const host = new URL(`http://${match[1]}/`).hostname;
  if (match[2] === undefined) return host;
  const port = Number(match[2]);
  return port >= 1 && port <= 65_535 ? `${host}:${port}` : null;
}
