import type { ForgetfulStore } from "../../simulate/forgetful-store.ts";
import type { SimulatedProvider } from "../../simulate/simulated-provider.ts";
import type { SimulatedRoute } from "../../simulate/simulated-route.ts";
import type { VirtualClock } from "../../simulate/virtual-clock.ts";
import type { WebFault } from "../../simulate/web.ts";

export interface Breakable {
  readonly clock: VirtualClock;
  readonly store: ForgetfulStore;
  readonly route: SimulatedRoute;
  readonly provider: SimulatedProvider | null;
  /** A person pays the provider. */
  readonly topUp: () => void;
}

/** Has each fault of a file begin and end at its instant. */
export function scheduleFaults(faults: readonly WebFault[], parts: Breakable): void {
  for (const fault of faults) {
    const { begin, end } = effectOf(fault, parts);
    parts.clock.after(fault.atMinutes * 60_000, () => {
      begin();
      parts.clock.after(fault.seconds * 1000, end);
    });
  }
}

function effectOf(
  { kind, seconds }: WebFault,
  { clock, store, route, provider, topUp }: Breakable,
): { begin: () => void; end: () => void } {
  switch (kind) {
    case "egress":
      return { begin: () => route.cutEgress(), end: () => route.restoreEgress() };
    case "dns":
      return { begin: () => route.hangDns(true), end: () => route.hangDns(false) };
    case "store":
      return { begin: () => store.stall(), end: () => store.resume() };
    case "disk-full":
      return { begin: () => store.fill(true), end: () => store.fill(false) };
    case "event-loop":
      return { begin: () => clock.stall(seconds * 1000), end: () => undefined };
    case "provider":
      return { begin: () => provider?.break(true), end: () => provider?.break(false) };
    case "credits":
      return {
        begin: () => provider?.exhaust(true),
        end: () => {
          provider?.exhaust(false);
          topUp();
        },
      };
    case "parser":
      // The parser looks at the clock itself.
      return { begin: () => undefined, end: () => undefined };
    default:
      return kind satisfies never;
  }
}
