/** ln Γ(x) for x > 0, to 1e-12: Stirling's series from 10 on, the recurrence below. Source: Abramowitz & Stegun 6.1.41. */
export function logGamma(x: number): number {
  let shift = 0;
  let at = x;
  for (; at < 10; at++) shift -= Math.log(at);
  const inverse = 1 / (at * at);
  const series = (1 / 12 - inverse * (1 / 360 - inverse * (1 / 1260 - inverse * (1 / 1680 - inverse / 1188)))) / at;
  return shift + (at - 0.5) * Math.log(at) - at + 0.5 * Math.log(2 * Math.PI) + series;
}

/** ψ(x) = d ln Γ/dx for x > 0, to 1e-12. Source: Abramowitz & Stegun 6.3.18. */
export function digamma(x: number): number {
  let shift = 0;
  let at = x;
  for (; at < 10; at++) shift -= 1 / at;
  const inverse = 1 / (at * at);
  const series = inverse * (1 / 12 - inverse * (1 / 120 - inverse * (1 / 252 - inverse * (1 / 240 - inverse / 132))));
  return shift + Math.log(at) - 0.5 / at - series;
}

/** ψ′(x) for x > 0, to 1e-10. Source: Abramowitz & Stegun 6.4.12. */
export function trigamma(x: number): number {
  let shift = 0;
  let at = x;
  for (; at < 10; at++) shift += 1 / (at * at);
  const inverse = 1 / (at * at);
  const series = (1 / 6 - inverse * (1 / 30 - inverse * (1 / 42 - inverse * (1 / 30 - (5 * inverse) / 66)))) * inverse;
  return shift + (1 + 0.5 / at + series) / at;
}
