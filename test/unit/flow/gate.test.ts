import { expect, test } from "vitest";
import { Gate } from "../../../src/flow/gate.ts";

const half = (): number => 0.5;
const MINUTE = 60_000;

/** A gate after an event of three failed probes that lasted so long, opened again. */
function after(lasted: number): Gate {
  const gate = new Gate();
  for (let failures = 0; failures < 4; failures++) gate.close(failures, 0, half);
  gate.open(lasted);
  return gate;
}

test("a host known to ban is left alone for as long at once", () => {
  const gate = after(MINUTE);
  gate.close(10 * MINUTE, 0, half);
  expect(gate.until - 10 * MINUTE).toBeCloseTo(MINUTE, -1);
});

test("an outage of hours is no ban: the next closure is no longer than the longest back-off, give or take a twentieth", () => {
  const gate = after(120 * MINUTE);
  for (const random of [() => 0, half, () => 0.999]) {
    gate.close(200 * MINUTE, 0, random);
    expect(gate.until - 200 * MINUTE).toBeLessThanOrEqual(1.05 * 5 * MINUTE);
    gate.open(201 * MINUTE);
    gate.until = 0;
  }
});
