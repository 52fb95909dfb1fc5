import { type Origin, originOf } from "../http1/origin.ts";

/** One endpoint as it is connected to. */
export interface EndpointAddress {
  readonly kind: "http" | "socks5";
  /** Of the gateway itself: secure for `https://`. */
  readonly origin: Origin;
  /** Decoded; null where the gateway wants no name. */
  readonly user: { readonly name: string; readonly password: string } | null;
  /** Without user and password, for messages. */
  readonly shown: string;
}

/** @returns undefined when the text is no endpoint. */
export function endpointAddress(text: string): EndpointAddress | undefined {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    return undefined;
  }
  const kind = url.protocol === "http:" || url.protocol === "https:" ? "http" : /^socks5h?:$/.test(url.protocol) ? "socks5" : undefined;
  if (kind === undefined || url.hostname === "" || (url.pathname !== "" && url.pathname !== "/") || url.search !== "") return undefined;
  const name = decoded(url.username);
  const password = decoded(url.password);
  if (name === undefined || password === undefined) return undefined;
  const scheme = url.protocol === "https:" ? "https" : "http";
  const host = `${url.hostname}${url.port === "" && kind === "socks5" ? ":1080" : url.port === "" ? "" : `:${url.port}`}`;
  return {
    kind,
    origin: originOf(`${scheme}://${host}`),
    user: name === "" && password === "" ? null : { name, password },
    shown: `${url.protocol}//${url.host}`,
  };
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
