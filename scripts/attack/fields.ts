/**
 * Puts odd values into every field of valid configurations, one at a time, loads each and runs what is still valid.
 * Nothing may end in an error that is none of ours, go on for ever, or report figures that are no numbers.
 *
 * Run: `deno run -A scripts/attack/fields.ts [SHARE_OF_CASES] [SEED] [DOCUMENT]` (prints what it found; exit code 1 when anything)
 */
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { loadPrediction } from "../../lib/config/load.ts";
import { loadRecommendation } from "../../lib/recommend/load.ts";
import { predict } from "../../lib/replay/predict.ts";
import { DOCUMENTS, SEARCHES } from "./documents.ts";

const share = Number(process.argv[2] ?? 1), seed = Number(process.argv[3] ?? 1);
/** Host time one case may take. */
const MOST_MS = 5000;

const VALUES = [
  "null",
  "true",
  "false",
  "0",
  "-1",
  "1",
  "2",
  "3",
  "0.5",
  "1.5",
  "-0.0",
  "1e-320",
  "1e-9",
  "1e9",
  "1e15",
  "1e17",
  "1e308",
  "1e400",
  "-1e308",
  ".nan",
  ".inf",
  "-.inf",
  "9007199254740993",
  "4294967296",
  "2147483648",
  "0x10",
  "0o17",
  "'1'",
  "'1e3'",
  "''",
  "' '",
  "x",
  "none",
  "default",
  "auto",
  "max",
  "constructor",
  "__proto__",
  "toString",
  "[]",
  "[1]",
  "[[1]]",
  "[null]",
  "{}",
  "{a: 1}",
  "{__proto__: 1}",
  "{choices: [1, 2]}",
  "{range: {min: 0, max: 1, step: 0.5}}",
  "2001-01-01",
  "'\\u0000'",
  '"\\ud800"',
  "😀",
  "1_000",
  "~",
  "!!binary aGk=",
  "/dev/null",
  "..",
  "/",
  "fixed",
  "measured",
];

const KNOWN = new Set(["ConfigError", "TraceError", "SimulationError", "FileError", "ResourceLimitError"]);
const folder = mkdtempSync(join(tmpdir(), "dynosim-attack-"));
const counts = { cases: 0, refused: 0, failed: 0, completed: 0, stopped: 0 };
const found: string[] = [];
const first = process.argv[4];
/** Keeps and tells a finding. */
const tell = (text: string) => {
  found.push(text);
  console.log(`FOUND ${text}`);
};

/** Dotted paths of all values of a document, mappings too. */
function pathsOf(value: unknown, prefix = ""): string[] {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return [prefix];
  const inner = Object.entries(value).flatMap(([key, part]) => pathsOf(part, prefix === "" ? key : `${prefix}.${key}`));
  return prefix === "" ? inner : [prefix, ...inner];
}

/** Mulberry32: which cases are left out when only a share is run. */
let state = seed;
function random(): number {
  state = state + 0x6d2b79f5 | 0;
  let t = Math.imul(state ^ state >>> 15, 1 | state);
  t = t + Math.imul(t ^ t >>> 7, 61 | t) ^ t;
  return ((t ^ t >>> 14) >>> 0) / 4294967296;
}

class Overdue extends Error {}

function oddFigures(value: unknown, path = ""): string | undefined {
  if (typeof value === "number") return Number.isFinite(value) ? undefined : `${path} is ${value}`;
  if (typeof value !== "object" || value === null) return undefined;
  for (const [key, part] of Object.entries(value)) {
    const odd = oddFigures(part, `${path}.${key}`);
    if (odd !== undefined) return odd;
  }
}

function judge(where: string, error: unknown): void {
  const { name = "", message = "" } = error as Error;
  if (error instanceof Overdue) {
    counts.stopped++;
    return;
  }
  if (!KNOWN.has(name)) {
    return tell(`${where}: ${name}: ${message}\n${(error as Error).stack?.slice(0, 600)}`);
  }
  name === "ConfigError" ? counts.refused++ : counts.failed++;
  if (/\[object |undefined|mistake in dynosim/.test(message.replace(/'undefined'/g, ""))) {
    tell(`${where}: ${message}`);
  }
  if (message.length > 20_000) tell(`${where}: a message of ${message.length} characters`);
}

async function attack(name: string, text: string, stack: string, set: string): Promise<void> {
  const where = `${name} --stack ${stack} --set '${set}'`;
  counts.cases++;
  writeFileSync(join(folder, "current"), where);
  const startMs = performance.now();
  try {
    const { plan } = await loadPrediction(text, { stack, set: [set] });
    const { source } = plan.traffic;
    if (source.type === "synthetic-session" && source.turns * source.count > 50_000) return;
    if (source.type === "synthetic" && source.count > 50_000) return;
    const report = await predict(plan, {
      mostParallel: 1,
      onProgress() {
        if (performance.now() - startMs > MOST_MS / 2) throw new Overdue();
      },
    });
    counts.completed++;
    const odd = oddFigures(report.summary);
    if (odd !== undefined) tell(`${where}: ${odd}`);
  } catch (error) {
    judge(where, error);
  }
  const tookMs = performance.now() - startMs;
  if (tookMs > MOST_MS) tell(`${where}: took ${Math.round(tookMs)} ms`);
}

function attackSearch(name: string, text: string, set: string): void {
  counts.cases++;
  try {
    loadRecommendation(text, { stack: "dynamo", set: [set] });
    counts.completed++;
  } catch (error) {
    judge(`${name} --set '${set}'`, error);
  }
}

console.log(`the case that is running stands in ${join(folder, "current")}`);
for (const [name, { document, stack }] of Object.entries(DOCUMENTS)) {
  if (first !== undefined && first !== name) continue;
  const text = JSON.stringify(document);
  for (const path of pathsOf(document)) {
    for (const value of VALUES) if (random() < share) await attack(name, text, stack, `${path}=${value}`);
    if (random() < share) await attack(name, text, stack, `${path}.surplus=1`);
  }
  console.log(name, JSON.stringify(counts), `${found.length} found`);
}
for (const [name, document] of Object.entries(SEARCHES)) {
  for (const path of pathsOf(document)) {
    for (const value of VALUES) if (random() < share) attackSearch(name, JSON.stringify(document), `${path}=${value}`);
  }
  console.log(name, JSON.stringify(counts), `${found.length} found`);
}
process.exit(found.length > 0 ? 1 : 0);
