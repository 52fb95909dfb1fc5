import { logGamma } from "../../../src/schedule/gamma-function.ts";

/** ∫ f from `from` to `to`, by tanh-sinh: copes with integrable singularities at both ends. */
export function integral(f: (x: number) => number, from: number, to: number): number {
  const half = (to - from) / 2;
  let sum = 0;
  const h = 1 / 64;
  for (let k = -4 / h; k <= 4 / h; k++) {
    const s = k * h;
    const q = Math.exp(-Math.PI * Math.sinh(Math.abs(s)));
    // distance from the nearer end, as a share of the whole
    const share = q / (1 + q);
    const x = s < 0 ? from + 2 * half * share : to - 2 * half * share;
    const weight = (Math.PI * Math.cosh(s) * q) / (1 + q) ** 2;
    const value = weight > 0 ? f(x) : 0;
    if (Number.isFinite(value)) sum += weight * value;
  }
  return sum * h * 2 * half;
}

/** Mean of f over the gamma distribution with shape a and rate b, by the integral over ln D. */
export function gammaMean(a: number, b: number, f: (rate: number) => number): number {
  const density = (x: number): number => Math.exp(a * x - Math.exp(x) - logGamma(a));
  const low = Math.min(-745 / Math.max(a, 1), -45 / a);
  const high = Math.log(a + 40 + 12 * Math.sqrt(a));
  const n = 40_000;
  const h = (high - low) / n;
  let sum = 0;
  let weight = 0;
  for (let i = 0; i <= n; i++) {
    const x = low + i * h;
    const w = (i === 0 || i === n ? 0.5 : 1) * density(x);
    weight += w;
    sum += w * f(Math.exp(x) / b);
  }
  // Normalised by its own sum, so that what the cut tail misses cancels.
  return sum / weight;
}
