/**
 * Reads a prediction: a YAML text, overrides and the name of a stack become a plan, or one error with everything that
 * is wrong. Reads no files.
 *
 * @module
 */
import * as v from "valibot";
import { checkOptions, ConfigError, nearName } from "../errors.ts";
import { autoscalerSection } from "./autoscaler_section.ts";
import { ConfigDocument } from "./document.ts";
import { engineSection } from "./engine_section.ts";
import { evaluationSection } from "./evaluation_section.ts";
import { executionSection } from "./execution_section.ts";
import { configError, placed, placedError, type PlacedIssue, placedIssues } from "./issues.ts";
import { pricePlan, rolePlans, routerPlan, slaPlan, trafficPlan, workerSettings } from "./make_plan.ts";
import { notes } from "./notes.ts";
import type { PredictionPlan, RolePlan } from "./plan.ts";
import { keyOfRule, plannerConfig, plannerSection, scalingModes } from "./planner_section.ts";
import { quote, quoteList } from "./python_text.ts";
import { resolveRetune, retuneSection } from "./retune_section.ts";
import { routerSection } from "./router_section.ts";
import { type Broken, brokenRules, type Sections } from "./rules.ts";
import { didYouMean, type Reads } from "./schema_parts.ts";
import { DEFAULT_TRAFFIC, trafficSection } from "./traffic_section.ts";

/** Stacks a prediction can be made with. Only `dynamo` has a router and autoscalers. */
export const STACKS = ["dynamo", "engine"] as const;
/** One of {@link STACKS}. */
export type Stack = typeof STACKS[number];

/** Options of {@link loadPrediction}. */
export interface LoadPredictionOptions {
  /** How errors call the text (default `configuration`). */
  name?: string;
  /** Default `dynamo` when the document has a router, planner or autoscaler section, else `engine`. */
  stack?: string;
  /** `PATH=YAML_VALUE` overrides, applied in order. */
  set?: readonly string[];
}

/** A plan and what should be said before it is run. */
export interface LoadedPrediction {
  /** What is run. */
  plan: PredictionPlan;
  /** The document's values, overrides applied. */
  effective: Record<string, unknown>;
  /** Sentences about options without effect and doubtful values. */
  warnings: string[];
  /** Finds the places of what went wrong later, when the plan was carried out. */
  place(error: ConfigError): ConfigError;
}

const CORE = ["traffic", "engine", "evaluation", "execution"];
const ADAPTERS: Record<string, Reads<any>> = {
  planner: plannerSection,
  router: routerSection,
  autoscaler: autoscalerSection,
};

/**
 * Reads and checks a prediction.
 *
 * @param text YAML (or JSON) of one mapping
 * @returns the plan, and warnings for its user
 * @throws {ConfigError} with all issues of the document, each with its path and place
 *
 * @example
 * ```ts
 * import { loadPrediction } from "dynosim";
 *
 * const { plan } = await loadPrediction(`
 * traffic: {source: {type: trace, paths: [chat.jsonl]}, load: {type: trace_timestamps}}
 * engine:
 *   model: meta-llama/Meta-Llama-3.1-8B-Instruct
 *   hardware: h200_sxm
 *   context_length: 32768
 *   workers: {aggregated: {kv_cache: {capacity: {type: fixed, blocks: 8192}}, timing: {type: polynomial}}}
 * `, { set: ["engine.workers.aggregated.parallelism.replicas=2"] });
 * console.log(plan.roles[0].replicas); // 2
 * ```
 */
export async function loadPrediction(text: string, options: LoadPredictionOptions = {}): Promise<LoadedPrediction> {
  checkOptions("loadPrediction()", options, { name: true, stack: true, set: true });
  const { name = DEFAULT_NAME, set = [] } = options;
  const document = new ConfigDocument(name, text);
  for (const argument of set) document.override(argument);
  const stack = options.stack ??
    (Object.keys(ADAPTERS).some((section) => Object.hasOwn(document.value, section)) ? "dynamo" : "engine");
  checkStack(stack);

  const issues: PlacedIssue[] = [];
  const sections = readSections(document, stack as Stack, issues);
  if (sections === null) throw configError(name, issues);
  const whole = ({ path, message }: Broken) => placed(document, "", path.split("."), message);
  issues.push(...Array.from(brokenRules(sections), whole));
  const plan = await makePlan(document, sections, issues);
  if (issues.length > 0) throw configError(name, issues);
  return {
    plan,
    effective: document.value,
    warnings: warningsOf(document, sections),
    place: (error) => placedError(document, error),
  };
}

const DEFAULT_NAME = "configuration";

/** @throws {ConfigError} for a stack that there is not */
export function checkStack(stack: string): void {
  if ((STACKS as readonly string[]).includes(stack)) return;
  const near = nearName(stack, STACKS);
  const message = `stack ${quote(stack)} is unavailable; installed stacks: ${STACKS.join(", ")}. ` +
    "Install the distribution that provides the requested stack.";
  throw new ConfigError(message + (near ? ` (${didYouMean(near)})` : ""), [{ path: "", message }]);
}

function readSections(document: ConfigDocument, stack: Stack, issues: PlacedIssue[]): Sections | null {
  const { value } = document;
  const searched = ["optimization", "optimizer"].filter((name) => Object.hasOwn(value, name));
  if (searched.length > 0) {
    issues.push(placed(document, "", [searched[0]], `predict does not accept ${quoteList(searched)}`));
  }
  const read = (name: string, schema: Reads<any>, absent: unknown) => {
    const result = v.safeParse(schema, Object.hasOwn(value, name) ? value[name] : absent);
    if (!result.success) issues.push(...placedIssues(document, name, result.issues));
    return result.output;
  };
  const traffic = read("traffic", trafficSection, DEFAULT_TRAFFIC);
  let engine;
  if (Object.hasOwn(value, "engine")) engine = read("engine", engineSection, undefined);
  else issues.push(placed(document, "engine", ["engine"], "Field required"));
  const evaluation = read("evaluation", evaluationSection, {});
  const execution = read("execution", executionSection, {});

  const adapters: Record<string, any> = {};
  for (const name of Object.keys(value)) {
    if (CORE.includes(name) || searched.includes(name)) continue;
    if (stack !== "dynamo" || !Object.hasOwn(ADAPTERS, name)) {
      const near = homeOf(name, value[name]) ??
        nearName(name, [...CORE, ...stack === "dynamo" ? Object.keys(ADAPTERS) : []]);
      const hint = near && near !== name ? didYouMean(near) : undefined;
      const sections = [...CORE, ...stack === "dynamo" ? Object.keys(ADAPTERS) : []].toSorted().join(", ");
      const message = `unknown top-level section ${quote(name)}; known sections for --stack ${stack}: ${sections}`;
      issues.push(placed(document, "", [name], message, Object.hasOwn(ADAPTERS, name) ? "use --stack dynamo" : hint));
    } else if (typeof value[name] !== "object" || value[name] === null || Array.isArray(value[name])) {
      issues.push(placed(document, "", [name], `adapter section '${name}' must be a mapping`));
    } else adapters[name] = read(name, ADAPTERS[name], undefined);
  }
  if (issues.length > 0) return null;
  const planner = adapters.planner?.policy === "enabled" ? adapters.planner : null;
  const { router = null, autoscaler = null } = adapters;
  return { stack, traffic, engine, evaluation, execution, router, planner, autoscaler };
}

/** Where keys belong that are written at the top. */
const HOMES: Readonly<Record<string, readonly string[]>> = {
  traffic: ["source", "load", "stop"],
  engine: ["model", "hardware", "backend", "backend_version", "mode", "context_length", "workers"],
  evaluation: ["sla", "price_per_gpu_hour", "currency"],
  execution: ["resources"],
};

/** The path that a key written at the top stands for; of bounds the one that is meant. */
function homeOf(name: string, value: unknown): string | undefined {
  const home = Object.keys(HOMES).find((section) => HOMES[section].includes(name));
  if (home === undefined) return undefined;
  const [bound] = name === "sla" && typeof value === "object" && value !== null ? Object.keys(value) : [];
  const near = bound === undefined ? undefined : nearName(bound, ["ttft_ms", "itl_ms", "e2e_ms"]);
  return [home, name, ...near === undefined ? [] : [near]].join(".");
}

async function makePlan(
  document: ConfigDocument,
  sections: Sections,
  issues: PlacedIssue[],
): Promise<PredictionPlan> {
  const { stack, traffic, engine, evaluation, execution, router, planner, autoscaler } = sections;
  const roles = rolePlans(engine);
  for (const role of roles) checkSettings(document, role, issues);
  const retune = planner && retunePlan(document, sections, issues);
  const config = planner && plannerConfig(planner, engine, evaluation.sla, retune);
  if (config !== null && issues.length === 0) await checkPlanner(document, config, issues);
  return {
    stack,
    traffic: trafficPlan(traffic),
    roles,
    router: routerPlan(router),
    planner: config,
    autoscaler: autoscaler && { kind: autoscaler.type, config: { ...autoscaler } },
    retune,
    sla: slaPlan(evaluation.sla),
    price: pricePlan(evaluation),
    resources: execution.resources,
  };
}

/** Contradictions that only the launch mapping knows of, found with stand-ins for what is still open. */
function checkSettings(document: ConfigDocument, role: RolePlan, issues: PlacedIssue[]): void {
  try {
    workerSettings(role, { blocks: 1, maxModelTokens: 1, transferBytesPerToken: 1 });
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    issues.push(placed(document, "", ["engine", "workers", role.role], error.message));
  }
}

/** PlannerConfig's own rules; its module comes with the predictors, so it is loaded for Planners only. */
async function checkPlanner(
  document: ConfigDocument,
  config: Record<string, unknown>,
  issues: PlacedIssue[],
): Promise<void> {
  const { parsePlannerConfig }: typeof import("../planner/config.ts") = await import(
    import.meta.resolve("../planner/config.ts")
  );
  try {
    parsePlannerConfig(config);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    for (const { path, message } of error.issues) {
      const key = keyOfRule(path || message);
      issues.push(placed(document, "planner", ["planner", ...key ? [key] : []], `Value error, ${message}`));
    }
  }
}

function retunePlan(document: ConfigDocument, sections: Sections, issues: PlacedIssue[]): PredictionPlan["retune"] {
  const { planner, evaluation } = sections;
  if (planner?.retune == null) return null;
  const result = v.safeParse(retuneSection, planner.retune);
  if (!result.success) {
    issues.push(...placedIssues(document, "planner.retune", result.issues));
    return null;
  }
  const modes = scalingModes(planner);
  const resolved = resolveRetune(result.output, {
    throughputScaling: modes.throughput,
    loadScaling: modes.load,
    loadIntervalSeconds: planner.load_adjustment_interval_seconds ?? 5,
    throughputIntervalSeconds: planner.throughput_adjustment_interval_seconds ?? 180,
    prophetWindow: planner.prophet_window_size,
    slaTtftMs: evaluation.sla?.ttft_ms ?? 500,
    slaItlMs: evaluation.sla?.itl_ms ?? 50,
  });
  if (!("problem" in resolved)) return resolved;
  issues.push(placed(document, "", ["planner", "retune"], resolved.problem));
  return null;
}

function warningsOf(document: ConfigDocument, sections: Sections): string[] {
  const given = (path: string) => {
    let at: unknown = document.value;
    for (const part of path.split(".")) at = (at as Record<string, unknown> | null | undefined)?.[part];
    return at != null;
  };
  const numbers = document.ambiguousNumbers().map(({ place: { file, line, column }, text, ours, theirs }) =>
    `${file}:${line}:${column}: ${text} is ${ours} here (YAML 1.2); a YAML 1.1 reader takes it for ${theirs}`
  );
  return [...numbers, ...notes(sections, given)];
}
