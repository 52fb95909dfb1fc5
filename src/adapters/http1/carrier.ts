import type { Bytes } from "../../kernel/units.ts";
import type { HeaderView } from "../../ports/fetch-route.ts";

/** What an exchange is told. Pieces are valid during the call only. Nothing comes after `onComplete` or `onError`. */
export interface Exchange {
  /** The first byte of the response has come. */
  onResponseStarted(): void;
  /** @param size of the head, in bytes. */
  onHeaders(status: number, headers: HeaderView, size: Bytes): void;
  /** @returns false to pause until `resume`. */
  onData(piece: Buffer): boolean;
  onComplete(): void;
  onError(error: Error): void;
}

/** What carries one exchange: a connection of its own, or a stream of a shared one (HTTP/2). */
export interface Carrier {
  /** `own`: goes back to the pool after its exchange. `shared`: one of many on a connection that stays where it is. */
  readonly kind: "own" | "shared";
  /** What opening the connection has moved, both ways. */
  readonly setup: Bytes;
  readonly isOver: boolean;
  /** Writes a request; its response goes to the exchange. @returns the size of the request's head. */
  send(path: string, headers: readonly string[], exchange: Exchange): Bytes;
  /** Goes on after a piece that paused. Not to be called from within the exchange's own calls. */
  resume(): void;
  /** Wire bytes since the last call, of the whole connection. */
  takeBytes(): { readonly out: Bytes; readonly in: Bytes };
  /** Asks for no more, and reads what is on its way so that it is counted. `onError` tells when all has come. */
  linger(): void;
  /** Ends it at once; an exchange under way is told nothing any more. */
  kill(): void;
}
