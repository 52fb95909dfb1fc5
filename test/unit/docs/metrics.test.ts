import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { REFUSERS } from "../../../src/flow/refusal-watch.ts";
import { SHED_REASONS } from "../../../src/flow/shedder.ts";
import { WHY_WAITING } from "../../../src/pipeline/host-view.ts";
import { STAGES } from "../../../src/pipeline/pressure.ts";
import { BOUND_BY } from "../../../src/pipeline/tally.ts";
import { page, World } from "../../scenario/world.ts";

const text = readFileSync(new URL("../../../docs/metrics.md", import.meta.url), "utf8");

/** First column of a section's table. */
function names(heading: string): string[] {
  const section = text.split(/^## /m).find((part) => part.startsWith(`${heading}\n`)) ?? "";
  return [...section.matchAll(/^\| `([^`]+)` \|/gm)].map((match) => match[1]).sort();
}

test("docs/metrics.md has every field of status, stages, hosts and summary, and no other", async () => {
  const world = await World.open({ seeds: "http://a.test/", answer: ({ url }) => page(url, ["/1", "/2"], 500) });
  await world.clock.advance(800);
  const status = world.run.status();
  expect(names("Status")).toEqual([...Object.keys(status), "scanned"].sort());
  expect(Object.keys(status.stages ?? {})).toEqual([...STAGES]);
  for (const stage of Object.values(status.stages ?? {})) expect(names("Stages")).toEqual(Object.keys(stage).sort());
  const [row] = world.run.hosts({ top: 1, by: "waiting" }).rows;
  expect(names("Hosts")).toEqual(Object.keys(row).sort());
  expect(names("Summary")).toEqual(Object.keys(await world.finish()).sort());
});

test("docs/metrics.md has every cause, reason and refuser, and no other", () => {
  expect(names("Bound by")).toEqual([...BOUND_BY].sort());
  expect(names("Refusals")).toEqual([...REFUSERS].sort());
  expect(names("Reasons a waiting host is not served")).toEqual([...WHY_WAITING].sort());
  expect(names("Reasons of a deferred visit")).toEqual([...SHED_REASONS].sort());
});
