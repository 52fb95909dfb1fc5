/**
 * Who may import whom, as a table (docs/architecture.md). Folder -> the folders of src it may import besides itself.
 * `packages`: may use npm packages; `node`: may use Node's own modules.
 * @type {Record<string, { imports: string[], packages: boolean, node: boolean }>}
 */
const layers = {
  kernel: { imports: [], packages: false, node: false },
  flow: { imports: ["kernel"], packages: false, node: false },
  schedule: { imports: ["kernel"], packages: false, node: false },
  ports: { imports: ["kernel"], packages: false, node: false },
  config: { imports: ["kernel"], packages: true, node: true },
  stages: { imports: ["kernel", "flow", "schedule", "ports"], packages: true, node: true },
  adapters: { imports: ["kernel", "ports"], packages: true, node: true },
  pipeline: { imports: ["kernel", "flow", "schedule", "ports", "stages"], packages: false, node: true },
  simulate: { imports: ["kernel", "flow", "schedule", "ports", "pipeline"], packages: false, node: true },
  app: { imports: ["kernel", "pipeline", "adapters", "ports", "config", "schedule", "simulate"], packages: true, node: true },
  server: { imports: ["kernel", "ports", "app"], packages: true, node: true },
  cli: { imports: ["app", "config", "kernel"], packages: true, node: true },
};

const npm = ["npm", "npm-dev", "npm-optional", "npm-peer", "npm-bundled", "npm-no-pkg", "npm-unknown"];
/** Packages that open connections, files or databases: an adapter's business, wherever else packages are welcome. */
const withIo = "node_modules/(undici|libsql|better-sqlite3|pg|jiti|log-update|commander)/";

const layerRules = Object.entries(layers).flatMap(([folder, { imports, packages, node }]) => {
  const from = { path: `^src/${folder}/` };
  const rules = [
    {
      name: `layer-${folder}`,
      comment: `${folder} may import ${imports.length > 0 ? imports.join(", ") : "nothing"} besides itself.`,
      severity: "error",
      from,
      to: { path: "^src/", pathNot: `^src/(${[folder, ...imports].join("|")})/` },
    },
  ];
  const denied = [...(packages ? [] : npm), ...(node ? [] : ["core"])];
  if (denied.length > 0)
    rules.push({
      name: ["kernel", "flow", "schedule"].includes(folder) ? `pure-core-${folder}` : `plain-${folder}`,
      comment: `${folder} uses ${packages ? "" : "no package"}${packages || node ? "" : " and "}${node ? "" : "no Node module"}.`,
      severity: "error",
      from,
      to: { dependencyTypes: denied },
    });
  return rules;
});

/** @type {import("dependency-cruiser").IConfiguration} */
module.exports = {
  forbidden: [
    ...layerRules,
    { name: "no-cycles", comment: "Type imports included.", severity: "error", from: {}, to: { circular: true } },
    {
      name: "stages-do-not-meet",
      comment: "Stages know each other only through the channels that the pipeline hands them.",
      severity: "error",
      from: { path: "^src/stages/([^/]+)/" },
      to: { path: "^src/stages/", pathNot: "^src/stages/$1/" },
    },
    {
      name: "adapters-do-not-meet",
      comment: "An adapter is removed by deleting its folder. http1 is no adapter but the engine of several (ADR 0010).",
      severity: "error",
      from: { path: "^src/adapters/([^/]+)/" },
      to: { path: "^src/adapters/", pathNot: "^src/adapters/($1|http1)/" },
    },
    {
      name: "only-frontier-schedules",
      comment: "Of the stages only the frontier knows when something is due.",
      severity: "error",
      from: { path: "^src/stages/", pathNot: "^src/stages/frontier/" },
      to: { path: "^src/schedule/" },
    },
    {
      name: "packages-without-io",
      comment:
        "Stages, pipeline and config use pure packages; connections, files and databases are an adapter's. config reads its file through jiti.",
      severity: "error",
      from: { path: "^src/(stages|pipeline|simulate)/" },
      to: { path: withIo },
    },
    {
      name: "stages-without-io",
      comment: "Nothing in a stage opens a file, a socket, a thread or a pool but through a port: it must run on virtual time.",
      severity: "error",
      from: { path: "^src/(stages|pipeline)/" },
      to: {
        dependencyTypes: ["core"],
        path: "^(node:)?(fs|fs/promises|net|tls|http|https|http2|dgram|dns|dns/promises|child_process|worker_threads|cluster|timers|timers/promises|perf_hooks)$",
      },
    },
    { name: "src-ignores-tests", severity: "error", from: { path: "^src/" }, to: { path: "^(test|bench|examples|tools)/" } },
    {
      name: "declared-packages",
      comment: "What src imports is a dependency in package.json, not a development one or somebody else's.",
      severity: "error",
      from: { path: "^src/" },
      to: { dependencyTypes: ["npm-dev", "npm-no-pkg", "npm-unknown"], dependencyTypesNot: ["type-only"] },
    },
    { name: "resolves", severity: "error", from: { path: "^src/" }, to: { couldNotResolve: true } },
    {
      name: "no-orphans",
      severity: "warn",
      from: { orphan: true, path: "^src/", pathNot: ["^src/index\\.ts$", "^src/cli/main\\.ts$", "\\.d\\.ts$"] },
      to: {},
    },
  ],
  options: {
    // Type-only imports are imports here: a layer that only borrows a type is still bound to its owner.
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    doNotFollow: { path: "node_modules" },
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["import", "node", "default", "types"],
      extensions: [".ts", ".js", ".mjs", ".json"],
    },
  },
};
