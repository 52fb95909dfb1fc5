import { existsSync } from "node:fs";
import { askControl } from "../adapters/control-socket/control-client.ts";
import { SqliteStore } from "../adapters/store-sqlite/sqlite-store.ts";
import type { ProviderSettings } from "../config/providers.ts";
import { WeirError } from "../kernel/errors.ts";
import type { EpochMillis } from "../kernel/units.ts";
import { toppedUp } from "../pipeline/provider-lane.ts";
import type { ProviderReport } from "../pipeline/provider-report.ts";
import { providerMetaKey } from "../pipeline/providers.ts";
import { accountOf } from "./open-providers.ts";
import { setMeta } from "./set-meta.ts";

export interface TopUp {
  readonly provider: string;
  /** In the account's unit; null when it was not said. */
  readonly amount: number | null;
}

/** What became of it. */
export interface TopUpReport {
  readonly provider: string;
  /** A running crawl has taken it, and goes on. */
  readonly running: boolean;
  /** Left by our own count; null when nobody said how much there is. */
  readonly left: number | null;
}

/**
 * Reopens an account: that of the running crawl, or the one that the store keeps for the next.
 * @throws WeirError `WEIR_STORE_INVALID` when there is no store, StoreUnavailable when another process is just opening it.
 */
export async function topUp(store: string, topup: TopUp, settings: ProviderSettings, now: EpochMillis): Promise<TopUpReport> {
  const { provider, amount } = topup;
  const answer = await askControl(store, "topup", topup);
  if (answer !== null) return { provider, running: true, left: (answer.result as ProviderReport).left };
  if (!existsSync(store))
    throw new WeirError("WEIR_STORE_INVALID", `There is no store at ${store}; weir crawl makes one, --store names another`);
  const opened = SqliteStore.open(store);
  try {
    const key = providerMetaKey(provider);
    const { state, left } = toppedUp(await opened.meta(key), accountOf(settings), amount, now);
    await setMeta(opened, key, state);
    return { provider, running: false, left };
  } finally {
    await opened.close();
  }
}

/** What another process asks of a running crawl. @throws Error when that is not a top-up. */
export function topUpParams(params: unknown): [name: string, amount: number | null] {
  if (typeof params === "object" && params !== null && "provider" in params && typeof params.provider === "string") {
    const amount = "amount" in params ? params.amount : null;
    if (amount === null || (typeof amount === "number" && amount > 0 && Number.isFinite(amount))) return [params.provider, amount];
  }
  throw new Error("expected { provider, amount }");
}
