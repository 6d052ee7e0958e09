/**
 * Fails when a file imports against the direction of the house (docs/adding-a-part.md, "The house"): a folder may import only the
 * folders listed for it, packages only where they belong, runtime modules only in `lib/io`; cycles fail too.
 *
 * Run: `deno task check-imports`
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import process from "node:process";

/**
 * Room of lib → rooms it may import from: the one place that says so. A room may always import itself; `errors` is open
 * to all. The rows stand in the order of the floors: a room lists only rooms above its own row, so nothing runs back up.
 */
const MAY_IMPORT: Record<string, readonly string[]> = {
  errors: [],
  arithmetic: [],
  collections: [],
  random: [],
  forecast: ["arithmetic"],
  io: ["collections"],
  jobs: ["io"],
  trace: ["collections", "forecast", "io", "random"],
  timing: ["arithmetic", "collections", "io"],
  perf_data: ["io", "timing"],
  traffic: ["arithmetic", "collections", "random", "trace"],
  planner: ["collections", "forecast", "random", "timing"],
  autoscaler: ["planner"],
  engine: ["collections", "planner", "timing", "traffic"],
  router: ["collections", "engine", "io", "planner", "random", "timing", "traffic"],
  retune: ["forecast", "planner", "traffic"],
  cluster: ["collections", "engine", "planner", "random", "router", "timing", "traffic"],
  config: ["arithmetic", "autoscaler", "collections", "engine", "io", "planner", "retune", "router", "timing"],
  report: ["arithmetic", "autoscaler", "cluster", "collections", "engine", "planner", "retune", "traffic"],
  analysis: ["collections", "io", "report", "trace"],
  replay: [
    "analysis",
    "autoscaler",
    "cluster",
    "config",
    "engine",
    "forecast",
    "io",
    "jobs",
    "planner",
    "report",
    "retune",
    "router",
    "timing",
    "trace",
    "traffic",
  ],
  capacity: ["config", "jobs", "replay", "report"],
  recommend: [
    "arithmetic",
    "collections",
    "config",
    "engine",
    "forecast",
    "io",
    "jobs",
    "planner",
    "random",
    "replay",
    "report",
    "retune",
    "timing",
    "trace",
    "traffic",
  ],
  calibrate: ["config", "io", "replay", "timing", "trace", "traffic"],
};

/** package → where it may be named. */
const PACKAGES: Record<string, RegExp> = {
  "@noble/hashes/sha2.js": /^lib\/io\//,
  "@noble/hashes/utils.js": /^lib\/io\//,
  "@uwdata/flechette": /^lib\/analysis\//,
  "bullmq": /^(lib|tests)\/jobs\/queue\//,
  "ioredis": /^(lib\/jobs\/queue|tests|scripts)\//,
  "arquero/src/table/index.js": /^lib\/analysis\//,
  "arquero": /^(lib\/analysis|tests|scripts|fixtures)\//,
  "@observablehq/plot": /^(lib\/analysis|tests|scripts)\//,
  "linkedom": /^tests\//,
  "linkedom/worker": /^lib\/analysis\//,
  "@std/yaml": /^(lib\/(config|perf_data|router)|tests)\//,
  "valibot": /^(lib|tests)\//,
  "hyparquet": /^lib\/perf_data\//,
  "hyparquet-compressors": /^lib\/perf_data\//,
  "seedrandom": /^scripts\//,
  "fast-check": /^tests\//,
  "dynosim": /^(tests|scripts\/(bench|examples)|fixtures)\//,
  "dynosim/replay": /^(tests|scripts\/(bench|examples)|fixtures)\//,
};
const RUNTIME = /^(lib\/io|cli|scripts|tests|fixtures)\//;

/** What scripts import. */
const ENTRIES = new Set(["mod.ts", "replay.ts"]);

function files(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? files(path) : /\.ts$/.test(entry.name) ? [path] : [];
  });
}

const room = (path: string) =>
  path.match(/^lib\/(\w+)\//)?.[1] ?? path.match(/^lib\/(\w+)\.ts$/)?.[1] ?? path.split("/")[0];
const problems: string[] = [];
const graph = new Map<string, string[]>();
/** Imports between rooms of lib that there are, as `from → to`. */
const arrows = new Set<string>();

for (const path of [...ENTRIES, ...["lib", "cli", "start", "scripts", "tests"].flatMap(files)]) {
  const text = readFileSync(path, "utf8").replace(/^\s*\*.*$/gm, "");
  const targets: string[] = [];
  if (path.startsWith("lib/") && !RUNTIME.test(path) && /\b(Deno|Bun)\./.test(text.replace(/\/\/.*$/gm, ""))) {
    problems.push(`${path}: names a runtime; only lib/io may`);
  }
  for (const found of text.matchAll(/(?:from\s+|import\s*\(?\s*)"([^"]+)"/g)) {
    const name = found[1];
    const typeOnly = new RegExp(`import\\s+type[^;]*from\\s+"${name.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&")}"`).test(
      text,
    );
    if (name.startsWith(".")) {
      const target = normalize(join(dirname(path), name));
      if (!typeOnly) targets.push(target);
      const from = room(path), to = room(target);
      if (to === "cli" && from !== "cli" && from !== "tests") problems.push(`${path}: nothing imports cli (${name})`);
      if (path.startsWith("lib/") && from !== to) arrows.add(`${from} → ${to}`);
      const allowed = MAY_IMPORT[from];
      if (path.startsWith("lib/") && allowed === undefined) problems.push(`${path}: lib/${from} has no row here`);
      if (path.startsWith("lib/") && allowed && from !== to && to !== "errors" && !allowed.includes(to)) {
        problems.push(`${path}: lib/${from} must not import lib/${to} (${name})`);
      }
    } else if (name === "dynosim" || name === "dynosim/replay") {
      targets.push(name === "dynosim" ? "mod.ts" : "replay.ts");
      if (!PACKAGES[name].test(path)) problems.push(`${path}: package ${name} does not belong here`);
    } else if (name.startsWith("node:")) {
      if (!RUNTIME.test(path)) problems.push(`${path}: runtime module ${name}; only lib/io may name one`);
    } else {
      const where = PACKAGES[name];
      if (!where && !ENTRIES.has(path) && !path.startsWith("tests/")) problems.push(`${path}: unknown package ${name}`);
      else if (where && !where.test(path)) problems.push(`${path}: package ${name} does not belong here`);
    }
  }
  graph.set(path, targets);
}

const rows = Object.keys(MAY_IMPORT);
rows.forEach((name, at) => {
  if (!existsSync(join("lib", name)) && !existsSync(join("lib", `${name}.ts`))) {
    problems.push(`scripts/check_imports.ts: there is no lib/${name}`);
  }
  for (const to of MAY_IMPORT[name]) {
    if (rows.indexOf(to) < 0 || rows.indexOf(to) >= at) {
      problems.push(`scripts/check_imports.ts: the row of ${name} lists ${to}, which does not stand above it`);
    }
    if (!arrows.has(`${name} → ${to}`)) {
      problems.push(`scripts/check_imports.ts: the row of ${name} lists ${to}, which nothing there imports`);
    }
  }
});

const state = new Map<string, 1 | 2>();
function visit(path: string, trail: string[]): void {
  if (state.get(path) === 2 || !graph.has(path)) return;
  if (state.get(path) === 1) {
    problems.push(`cycle: ${[...trail.slice(trail.indexOf(path)), path].join(" → ")}`);
    return;
  }
  state.set(path, 1);
  for (const next of graph.get(path)!) visit(next, [...trail, path]);
  state.set(path, 2);
}
for (const path of graph.keys()) visit(path, []);

/** What a file reaches by imports that run. */
function reached(path: string, seen = new Set<string>()): Set<string> {
  if (!seen.has(path)) {
    seen.add(path);
    for (const next of graph.get(path) ?? []) reached(next, seen);
  }
  return seen;
}
const OWN_CACHE = "tests/without_user_cache.ts";
for (const path of graph.keys()) {
  if (!/^tests\/.*_test\.ts$/.test(path)) continue;
  const all = reached(path);
  if (all.has("lib/timing/aic/catalog.ts") && !all.has(OWN_CACHE)) {
    problems.push(`${path}: reaches the measurements, so it must import ${OWN_CACHE}`);
  }
}

if (problems.length > 0) {
  console.error(problems.join("\n"));
  process.exit(1);
}
console.log(
  `imports: ${graph.size} files, ${rows.length} rooms, ${arrows.size} arrows between them, all in the right direction`,
);
