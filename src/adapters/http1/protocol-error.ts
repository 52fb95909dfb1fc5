/** The response cannot be read as HTTP/1.1. Thrown by the parser, and turned into the fetch's failure by the connection. */
export class ProtocolError extends Error {}

/** The connection went away: closed by the other side before the response was complete, or by us. */
export class LostError extends Error {
  readonly code = "ECONNABORTED";
}
