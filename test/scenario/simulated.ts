import { openWeb, type WebOverrides } from "../../src/app/simulation/open-web.ts";
import type { SimulationResult } from "../../src/app/simulation/result.ts";
import { Simulation, type SimulationIo } from "../../src/app/simulation/simulation.ts";
import { turn } from "../fixtures/turn.ts";

/** Opens a simulation of a file's content. */
export function openSimulation(file: unknown, over: WebOverrides = {}, io: Omit<SimulationIo, "settle"> = {}): Promise<Simulation> {
  return Simulation.open(openWeb(file, "web.json", over), { settle: turn, ...io });
}

/** Runs it to its end. */
export async function simulate(file: unknown, over: WebOverrides = {}): Promise<SimulationResult> {
  return (await openSimulation(file, over)).finish();
}
