import type { EpochMillis } from "./units.ts";

/** When an account is filled again. Days and months begin at midnight UTC, as billing does. */
export type ResetRule =
  | { readonly kind: "hour" }
  | { readonly kind: "day" /** Minutes after midnight UTC. */; readonly minute: number }
  | { readonly kind: "month" }
  /** Once. */
  | { readonly kind: "at"; readonly at: EpochMillis };

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** The first reset after `now`; null when there is none. */
export function nextReset(rule: ResetRule, now: EpochMillis): EpochMillis | null {
  switch (rule.kind) {
    case "hour":
      return (Math.floor(now / HOUR) + 1) * HOUR;
    case "day": {
      const shift = rule.minute * MINUTE;
      return (Math.floor((now - shift) / DAY) + 1) * DAY + shift;
    }
    case "month": {
      const date = new Date(now);
      return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
    }
    case "at":
      return rule.at > now ? rule.at : null;
    default:
      return rule satisfies never;
  }
}

/** For the text "expected …" of a problem. */
export const RESET_FORM = "hour, day, month, a time of day in UTC such as 06:00, or an instant such as 2027-01-31T00:00:00Z";

/** Reads a rule as a person writes it; null when it is none. */
export function parseResetRule(text: string): ResetRule | null {
  const written = text.trim().toLowerCase();
  if (written === "hour" || written === "month") return { kind: written };
  if (written === "day") return { kind: "day", minute: 0 };
  const clock = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(written);
  if (clock !== null) return { kind: "day", minute: Number(clock[1]) * 60 + Number(clock[2]) };
  if (!/^\d{4}-\d\d-\d\d(t\d\d:\d\d(:\d\d(\.\d+)?)?(z|[+-]\d\d:\d\d))?$/.test(written)) return null;
  const at = Date.parse(text.trim());
  return Number.isNaN(at) ? null : { kind: "at", at };
}
