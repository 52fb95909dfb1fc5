import { askControl } from "../adapters/control-socket/control-client.ts";
import type { EpochMillis, Millis } from "../kernel/units.ts";
import { HOSTS_MOST, type HostRow, type HostsAsked, type HostsView } from "../pipeline/host-view.ts";
import { HOSTS_META_KEY } from "./crawl-types.ts";
import { openStoreForReading } from "./open-store.ts";

/** Most hosts of one answer. */
export const TOP_MOST = HOSTS_MOST;
export type HostLine = HostRow;
export type HostsQuestion = HostsAsked;
/** Why a host is not served. */
export type HostReason = NonNullable<HostRow["reason"]>;

/** Hosts as the running process tells them, or as the last snapshot of the store does. */
export interface HostsReport {
  readonly store: string;
  readonly running: boolean;
  /** How old the snapshot is; 0 when it comes from a running process. */
  readonly age: Millis;
  /** null when no crawl has left one yet. */
  readonly view: HostsView | null;
}

/** @throws WeirError when nothing runs and the store can't be read. */
export async function hostsOf(store: string, asked: HostsAsked, now: EpochMillis): Promise<HostsReport> {
  const answer = await askControl(store, "hosts", asked);
  if (answer !== null) return { store, running: true, age: 0, view: answer.result as HostsView };
  const opened = await openStoreForReading(store);
  try {
    const text = await opened.meta(HOSTS_META_KEY);
    if (text === null) return { store, running: false, age: 0, view: null };
    const view: HostsView = JSON.parse(text);
    return { store, running: false, age: Math.max(0, now - view.at), view: { ...view, rows: among(view.rows, asked, now) } };
  } finally {
    await opened.close();
  }
}

/** What is asked for among the rows of a snapshot. */
function among(rows: readonly HostRow[], { host, by, top }: HostsAsked, now: EpochMillis): HostRow[] {
  const named = rows.filter((row) => host === undefined || row.host === host || row.host.startsWith(`${host}:`));
  const closedFor = (row: HostRow): number => Math.max(0, (row.gateUntil ?? 0) - now);
  if (by === "trouble") named.sort((a, b) => closedFor(b) - closedFor(a) || b.cuts - a.cuts);
  return named.slice(0, top);
}

/** What another process asks for, as it came through the socket. @throws when it cannot be meant. */
export function hostsAsked(params: unknown): HostsAsked {
  const given = typeof params === "object" && params !== null ? (params as Partial<Record<keyof HostsAsked, unknown>>) : {};
  const { top, by, host } = given;
  if (host !== undefined && typeof host !== "string") throw new Error("host is a name");
  return {
    top: typeof top === "number" && Number.isFinite(top) ? Math.min(HOSTS_MOST, Math.max(0, Math.floor(top))) : 20,
    by: by === "trouble" ? "trouble" : "waiting",
    ...(host === undefined ? {} : { host }),
  };
}
