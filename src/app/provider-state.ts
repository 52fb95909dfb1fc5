import type { EpochMillis } from "../kernel/units.ts";
import type { Pipeline } from "../pipeline/pipeline.ts";
import type { ProviderSpec } from "../pipeline/provider-lane.ts";
import { type ProviderReport, reportOf } from "../pipeline/provider-report.ts";
import { providerMetaKey } from "../pipeline/providers.ts";
import type { Store } from "../ports/store.ts";

/** What each provider has spent, and which are shut, as the last run left it. */
export async function restoreProviders(
  pipeline: Pipeline,
  specs: readonly ProviderSpec[] | undefined,
  store: Store,
  epoch: EpochMillis,
): Promise<void> {
  for (const { name } of specs ?? []) {
    const state = await store.meta(providerMetaKey(name));
    if (state !== null) pipeline.providers.restore(name, state, epoch);
  }
}

/** A person has paid while the crawl runs: what waited goes on at once. @throws Error when there is no such provider. */
export function topUpRun(pipeline: Pipeline | null, name: string, amount: number | null): ProviderReport {
  const lane = pipeline?.providers.topUp(name, amount);
  if (pipeline === null || lane === undefined) throw new Error(`this crawl has no provider ${name}`);
  pipeline.pump();
  return reportOf(lane);
}
