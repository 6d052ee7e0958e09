/** The cases of fields.ts, and what is done with one. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { capacity } from "../../lib/capacity/capacity.ts";
import { loadPrediction } from "../../lib/config/load.ts";
import type { PredictionPlan } from "../../lib/config/plan.ts";
import { loadRecommendation } from "../../lib/recommend/load.ts";
import { recommend } from "../../lib/recommend/recommend.ts";
import { predict } from "../../lib/replay/predict.ts";
import { DOCUMENTS } from "./documents.ts";
import { calibratedBy } from "./prediction_documents.ts";

/** Host time one case may take before it counts as a hang; long runs are ended after a fifth of it. */
const MOST_MS = 5000;

// deno-fmt-ignore
const VALUES = [
  "null", "true", "false", "0", "-1", "1", "2", "3", "0.5", "1.5", "-0.0", "1e-320", "1e-9", "1e9", "1e15", "1e17", "1e308", "1e400",
  "-1e308", ".nan", ".inf", "-.inf", "9007199254740993", "4294967296", "2147483648", "0x10", "0o17", "'1'", "'1e3'", "''", "' '", "x",
  "none", "default", "auto", "max", "constructor", "__proto__", "toString", "[]", "[1]", "[[1]]", "[null]", "[1, 1]", "{}", "{a: 1}",
  "{__proto__: 1}", "{choices: [1, 2]}", "{choices: []}", "{range: {min: 0, max: 1, step: 0.5}}", "{range: {min: 1, max: 1e9, log: true}}",
  "2001-01-01", "'\\u0000'", '"\\ud800"', "😀", "1_000", "~", "!!binary aGk=", "/dev/null", "/dev/zero", "..", "/", "fixed", "measured",
];

/** What a case tells: that it starts, how it ended, what it found. */
export interface Told {
  what: "start" | "found" | "silent" | "skipped" | "refused" | "failed" | "completed" | "stopped";
  number: number;
  where: string;
  text: string;
  path: string;
  value: string;
}

const KNOWN = new Set(["ConfigError", "TraceError", "SimulationError", "FileError", "ResourceLimitError"]);

/** A value of a document: its name, and the override that puts another in its place. */
type Spot = [name: string, override: (value: string) => string];

/** All values of a document, mappings and fields of a list's first mapping too. */
function spotsOf(value: unknown, prefix = ""): Spot[] {
  const own: Spot[] = prefix === "" ? [] : [[prefix, (odd) => `${prefix}=${odd}`]];
  if (typeof value !== "object" || value === null) return own;
  if (!Array.isArray(value)) {
    return [
      ...own,
      ...Object.entries(value).flatMap(([key, part]) => spotsOf(part, prefix === "" ? key : `${prefix}.${key}`)),
    ];
  }
  const [first] = value;
  if (typeof first !== "object" || first === null || Array.isArray(first)) return own;
  const inner = spotsOf(first).map(([key]): Spot => [`${prefix}.0.${key}`, (odd) => {
    const changed = structuredClone(value), keys = key.split("."), last = keys.pop()!;
    keys.reduce((part, name) => part[name], changed[0])[last] = "@";
    return `${prefix}=${JSON.stringify(changed).replace('"@"', () => odd)}`;
  }]);
  return [...own, ...inner.filter(([name]) => !/\.0\..*\.0\./.test(name))];
}

/** Every value of a document with every odd one. */
export const casesOf = (name: string): [path: string, override: string][] =>
  spotsOf(DOCUMENTS[name].document).flatMap(([path, override]) => [
    ...VALUES.map((value): [string, string] => [path, override(value)]),
    [path, override("{surplus: 1}")],
  ]);

/** A number in [0, 1) that belongs to a case. */
function lot(seed: number, number: number): number {
  let t = Math.imul(seed * 7919 + number ^ 0x6d2b79f5, 2654435761);
  t = Math.imul(t ^ t >>> 15, 1 | t);
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

/** Host time after which a run is ended. The document itself may take long on a busy machine. */
let mostRunMs = 60_000;

/** Throws once a case has run for long. */
function timer(): () => void {
  const startMs = performance.now();
  return () => {
    if (performance.now() - startMs > mostRunMs) throw new Overdue();
  };
}

const tooMany = ({ traffic: { source } }: PredictionPlan) =>
  source.type === "synthetic" && source.count > 50_000 ||
  source.type === "synthetic-session" && source.turns * source.count > 50_000;

/** What a case answers: figures to look at, and what was understood. */
interface Answer {
  figures: unknown;
  understood: string;
}

type Run = (text: string, stack: string, set: string[]) => Promise<Answer | null>;

async function predicted(text: string, stack: string, set: string[]): Promise<Answer | null> {
  const { plan, warnings } = await loadPrediction(text, { stack, set });
  if (tooMany(plan)) return null;
  const said: string[] = [];
  const report = await predict(plan, { mostParallel: 1, onProgress: timer(), onWarning: (text) => said.push(text) });
  return { figures: report.summary, understood: JSON.stringify([plan, warnings, said]) };
}

const RUNS: Record<string, Run> = {
  predict: predicted,
  async capacity(text, stack, set) {
    const { plan, warnings } = await loadPrediction(text, { stack, set });
    if (tooMany(plan)) return null;
    const stop = new AbortController();
    const late = setTimeout(() => stop.abort(new Overdue()), mostRunMs);
    try {
      const { points, largest, beyond } = await capacity(plan, { precision: 0.5, signal: stop.signal });
      return { figures: { points, largest, beyond }, understood: JSON.stringify([plan, warnings]) };
    } finally {
      clearTimeout(late);
    }
  },
  async recommend(text, stack, set) {
    const search = loadRecommendation(text, { stack, set });
    const stop = new AbortController(), late = setTimeout(() => stop.abort(new Overdue()), mostRunMs);
    try {
      const { ranked, open } = await recommend(search, { signal: stop.signal }).result;
      const { place: _, ...understood } = search;
      return {
        figures: ranked.map(({ metrics }) => metrics),
        understood: JSON.stringify([{ ...understood, written: null }, open.space.warnings]),
      };
    } finally {
      clearTimeout(late);
    }
  },
};

/** A calibration profile is a file that a prediction names. */
const profiled = (folder: string): Run => async (text, stack, set) => {
  const document = JSON.parse(text), path = join(folder, "profile.json");
  const [at, value] = splitAt(set[0] ?? "level=curves");
  const keys = at.split("."), last = keys.pop()!;
  const owner = keys.reduce((part, key) => part?.[key], document);
  if (typeof owner !== "object" || owner === null) return null;
  owner[last] = odd(value);
  writeFileSync(path, JSON.stringify(document));
  const answer = await predicted(JSON.stringify(calibratedBy(path)), stack, []);
  return answer && { ...answer, understood: JSON.stringify([answer.figures, answer.understood]) };
};

const splitAt = (argument: string): [string, string] => {
  const at = argument.indexOf("=");
  return [argument.slice(0, at), argument.slice(at + 1)];
};

/** A value as JSON has it; what JSON cannot write is text. */
function odd(value: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

function judged(error: unknown, told: Told, tell: (told: Told) => void): Told["what"] {
  if (error instanceof Overdue) return "stopped";
  const { name = "", message = String(error), stack = "" } = error as Error;
  if (!KNOWN.has(name)) {
    tell({ ...told, what: "found", text: `${name}: ${message}\n${stack.slice(0, 700)}` });
    return "failed";
  }
  if (/\[object |undefined|NaN|mistake in dynosim/.test(message.replace(/['"`]?(undefined|NaN)['"`]/g, ""))) {
    tell({ ...told, what: "found", text: message });
  }
  if (message.length > 20_000) tell({ ...told, what: "found", text: `a message of ${message.length} characters` });
  return name === "ConfigError" ? "refused" : "failed";
}

/** Runs the cases of a document from a number on. */
export async function attack(
  name: string,
  { from, share, seed }: { from: number; share: number; seed: number },
  tell: (told: Told) => void,
): Promise<void> {
  const { document, stack, use = "predict" } = DOCUMENTS[name];
  const folder = mkdtempSync(join(tmpdir(), "dynosim-attack-"));
  const run = use === "profile" ? profiled(folder) : RUNS[use];
  const text = JSON.stringify(document), base = (await run(text, stack, []))!.understood;
  mostRunMs = MOST_MS / 5;
  for (const [number, [path, override]] of casesOf(name).entries()) {
    if (number < from || lot(seed, number) >= share) continue;
    const told: Told = {
      what: "start",
      number,
      where: `${name} --stack ${stack} --set ${override}`,
      text: "",
      path: `${name} ${path}`,
      value: override.slice(override.indexOf("=") + 1),
    };
    tell(told);
    const startMs = performance.now();
    let what: Told["what"];
    try {
      const answer = await run(text, stack, [override]);
      what = answer === null ? "skipped" : "completed";
      const figure = answer && oddFigures(answer.figures);
      if (figure) tell({ ...told, what: "found", text: figure });
      if (answer?.understood === base) tell({ ...told, what: "silent" });
    } catch (error) {
      what = judged(error, told, tell);
    }
    const tookMs = performance.now() - startMs;
    if (tookMs > MOST_MS) tell({ ...told, what: "found", text: `took ${Math.round(tookMs)} ms` });
    tell({ ...told, what });
  }
  rmSync(folder, { recursive: true, force: true });
}
