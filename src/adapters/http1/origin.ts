/** A way out other than this machine's own address. Connections by two ways out are never mixed. */
export interface Exit {
  /** Without blanks. */
  readonly key: string;
}

/** Where connections (C) lead: scheme, name and port, and by which way out. Lives as long as it has connections or fetches. */
export interface Origin<C = unknown> {
  /** `https://example.com:8443`, as it stands in the URL; with a way out, a blank and its key behind. */
  readonly key: string;
  readonly exit: Exit | undefined;
  /** HTTP/2 is asked for. */
  readonly http2: boolean;
  readonly secure: boolean;
  /** Name and port as they stand in the URL: the value of `Host`. */
  readonly authority: string;
  /** Without brackets when it is an IPv6 address. */
  readonly hostname: string;
  readonly port: number;
  /** Most recently used last. */
  readonly idle: C[];
  /** The address that was connected to last; it is tried first. */
  preferred: string | undefined;
  /** Open connections and dials. */
  users: number;
}

/** undefined when the URL is not absolute http or https. */
export function splitUrl(url: string): { readonly key: string; readonly path: string } | undefined {
  const start = url.startsWith("http://") ? 7 : url.startsWith("https://") ? 8 : 0;
  if (start === 0 || start === url.length) return undefined;
  const slash = url.indexOf("/", start);
  return slash === -1 ? { key: url, path: "/" } : { key: url.slice(0, slash), path: url.slice(slash) };
}

/** @param base scheme, name and port as they stand in a URL. */
export function originOf<C>(base: string, exit?: Exit, isHttp2: (authority: string) => boolean = () => false): Origin<C> {
  const secure = base.startsWith("https:");
  const authority = base.slice(secure ? 8 : 7);
  const end = authority.indexOf("]");
  const colon = authority.indexOf(":", end + 1);
  const name = colon === -1 ? authority : authority.slice(0, colon);
  return {
    key: originKey(base, exit),
    exit,
    http2: secure && isHttp2(authority),
    secure,
    authority,
    hostname: end === -1 ? name : name.slice(1, -1),
    port: colon === -1 ? (secure ? 443 : 80) : Number(authority.slice(colon + 1)),
    idle: [],
    preferred: undefined,
    users: 0,
  };
}

export function originKey(base: string, exit: Exit | undefined): string {
  return exit === undefined ? base : `${base} ${exit.key}`;
}
