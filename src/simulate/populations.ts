import type { Random } from "../ports/clock.ts";
import type { PerDay } from "../schedule/objective.ts";

export type PopulationName = "empirical" | "lognormal" | "gamma";

/** Made-up pages: change rates, weights and costs of visits. */
export interface Population {
  readonly rates: Float64Array;
  readonly values: Float64Array;
  readonly costs: Float64Array;
  /** A rate of the same kind, for pages that change their ways. */
  draw(): PerDay;
}

/**
 * Source: scheduling.md §2. `empirical`: the mix of Cho & Garcia-Molina (23 % daily, 15 % weekly, 16 % monthly, 16 % four-monthly, 30 %
 * yearly) × lognormal(.5); `lognormal`: median once in 14 days, sigma 1.8; `gamma`: shape .35, mean .4 a day. Values 1, 3, 10, 30 with
 * shares 50, 30, 15, 5 %; costs lognormal(.8), 15 % of them five times as much; all costs 1 where `even`.
 */
export function population(name: PopulationName, pages: number, random: Random, even = false): Population {
  const draw = (): PerDay => {
    switch (name) {
      case "empirical": {
        const u = random();
        const days = u < 0.23 ? 1 : u < 0.38 ? 7 : u < 0.54 ? 30 : u < 0.7 ? 120 : 365;
        return Math.exp(0.5 * normal(random)) / days;
      }
      case "lognormal":
        return Math.exp(1.8 * normal(random)) / 14;
      case "gamma":
        return (gamma(0.35, random) * 0.4) / 0.35;
      default:
        return name satisfies never;
    }
  };
  const rates = Float64Array.from({ length: pages }, draw);
  const values = Float64Array.from({ length: pages }, () => {
    const u = random();
    return u < 0.5 ? 1 : u < 0.8 ? 3 : u < 0.95 ? 10 : 30;
  });
  const costs = Float64Array.from({ length: pages }, () => (even ? 1 : Math.exp(0.8 * normal(random)) * (random() < 0.15 ? 5 : 1)));
  return { rates, values, costs, draw };
}

/** Box & Muller. */
function normal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/** Marsaglia & Tsang for shape + 1, times u^(1/shape). At least 1e-9. */
function gamma(shape: number, random: Random): number {
  const d = shape + 2 / 3;
  const c = 1 / Math.sqrt(9 * d);
  for (;;) {
    const x = normal(random);
    const v = (1 + c * x) ** 3;
    if (v > 0 && Math.log(1 - random()) < 0.5 * x * x + d - d * v + d * Math.log(v))
      return Math.max(1e-9, d * v * (1 - random()) ** (1 / shape));
  }
}
