// Sums a V8 CPU profile by stage of weir. Native and Node code counts for the stage that called it.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const STAGES = [
  [/\/dist\/stages\/parse\//, "parse: scan, title, text"],
  [/\/dist\/kernel\/(link|url|canonical|fingerprint|id-list)/, "links: resolve, hash, look up"],
  [/\/dist\/stages\/frontier\/(robots)/, "robots"],
  [/\/dist\/stages\/frontier\//, "frontier"],
  [/\/dist\/(stages\/store|adapters\/store-)/, "store"],
  [/\/dist\/(stages\/fetch|adapters\/fetch-)|\/undici\//, "fetch: undici, connector, decoding"],
  [/\/dist\/(pipeline|flow)\//, "dispatcher, pipeline"],
  [/\/dist\//, "everything else of weir"],
];

/** @returns rows { stage, share, functions } of all profiles in a folder, dearest first. */
export function stagesOf(folder) {
  const stages = new Map();
  const functions = new Map();
  let total = 0;
  for (const name of readdirSync(folder).filter((file) => file.endsWith(".cpuprofile"))) {
    const { nodes, samples, timeDeltas } = JSON.parse(readFileSync(join(folder, name), "utf8"));
    const stageOf = new Map();
    const visit = (node, inherited, byId) => {
      const { functionName, url } = node.callFrame;
      const own = functionName === "(garbage collector)" ? "garbage collection" : STAGES.find(([pattern]) => pattern.test(url))?.[1];
      const stage = own ?? inherited;
      stageOf.set(node.id, functionName === "(idle)" ? null : stage);
      for (const child of node.children ?? []) visit(byId.get(child), stage, byId);
    };
    const byId = new Map(nodes.map((node) => [node.id, node]));
    visit(nodes[0], "Node: event loop, sockets, start-up", byId);
    samples.forEach((id, i) => {
      const stage = stageOf.get(id);
      if (stage === null) return;
      total += timeDeltas[i];
      stages.set(stage, (stages.get(stage) ?? 0) + timeDeltas[i]);
      const { functionName, url } = byId.get(id).callFrame;
      const label = `${functionName || "(anonymous)"} ${url.split("/").at(-1)}`.trim();
      const list = functions.get(stage) ?? new Map();
      functions.set(stage, list.set(label, (list.get(label) ?? 0) + timeDeltas[i]));
    });
  }
  const percent = (time) => `${((100 * time) / total).toFixed(1)} %`;
  const dearest = (stage) =>
    [...functions.get(stage)]
      .sort((a, b) => b[1] - a[1])
      .slice(0, 4)
      .map(([label, time]) => `${label} ${percent(time)}`)
      .join(", ");
  return [...stages]
    .sort((a, b) => b[1] - a[1])
    .map(([stage, time]) => ({ stage, share: percent(time), µs: time, dearest: dearest(stage) }));
}
