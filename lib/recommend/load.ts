/**
 * Reads a search: a YAML text, overrides and the name of a stack become a checked {@linkcode Recommendation}, or one
 * error with everything that is wrong. Reads no files.
 *
 * @module
 */
import * as v from "valibot";
import { ConfigDocument } from "../config/document.ts";
import {
  type AutoscaledRole,
  type AutoscalerSection,
  autoscalerSection,
  leavesNone,
  mostReplicas,
  SCALED_TO_ZERO,
} from "../config/autoscaler_section.ts";
import { type EvaluationSection, evaluationSection } from "../config/evaluation_section.ts";
import { executionSection } from "../config/execution_section.ts";
import { configError, placed, placedError, type PlacedIssue, placedIssues } from "../config/issues.ts";
import { checkStack, type Stack } from "../config/load.ts";
import { pricePlan } from "../config/make_plan.ts";
import type { PricePlan, ResourceLimits } from "../config/plan.ts";
import { quote } from "../config/python_text.ts";
import { didYouMean, type Reads } from "../config/schema_parts.ts";
import { checkOptions, type ConfigError, nearName, type OptionNames } from "../errors.ts";
import { type EngineSearch, type Mode, readEngine, ROLE_NAMES, rolesOfMode } from "./engine_domain.ts";
import {
  type OptimizationSection,
  optimizationSection,
  type OptimizerSection,
  optimizerSection,
} from "./goal_sections.ts";
import { type PlannerSearch, plannerSearch } from "./planner_domain.ts";
import type { Bounds } from "./planner_space.ts";
import { type RouterSearch, routerSearch } from "./router_domain.ts";
import { readTraffic, type SchemaIssues, type TrafficSearch } from "./traffic_domain.ts";

/** A search, checked. */
export interface Recommendation {
  /** Which stack's rules the file follows. */
  stack: Stack;
  /**
   * The load, with what is searched of it.
   *
   * @internal
   */
  traffic: TrafficSearch;
  /**
   * The workers, with what is searched of them.
   *
   * @internal
   */
  engine: EngineSearch;
  /** Bounds of a good request; null when the file has none. */
  sla: Bounds | null;
  /** What a GPU costs: of `evaluation`, or of `optimization`; null when neither says it. */
  price: PricePlan | null;
  /** Limits of the whole deployment. */
  resources: ResourceLimits;
  /** What is looked for. */
  optimization: OptimizationSection;
  /** How it is looked for. */
  optimizer: OptimizerSection;
  /**
   * Null when the file has no such section.
   *
   * @internal
   */
  router: RouterSearch | null;
  /**
   * Null when the file has no such section.
   *
   * @internal
   */
  planner: PlannerSearch | null;
  /**
   * Null when the file has no such section.
   *
   * @internal
   */
  autoscaler: AutoscalerSearch | null;
  /** `router`, `planner` and `autoscaler` as far as the file has them, in its order. */
  sections: readonly ("router" | "planner" | "autoscaler")[];
  /** Sections of output adapters by name, as written. */
  outputs: Readonly<Record<string, Record<string, unknown>>>;
  /** The document's values, overrides applied. */
  written: Record<string, unknown>;
  /** Sentences about options without effect and doubtful values. */
  warnings: readonly string[];
  /** Finds the places of what went wrong later. */
  place(error: ConfigError): ConfigError;
}

/** The autoscaler of a search, the same for every candidate. */
export interface AutoscalerSearch {
  /** Which one. */
  type: "hpa" | "keda";
  /** What it may do to the workers that it scales, by role. */
  roles: Readonly<Partial<Record<"aggregated" | "prefill" | "decode", { most: number; none: boolean }>>>;
}

/** Options of {@linkcode loadRecommendation}. */
export interface LoadRecommendationOptions {
  /** How errors call the text. Default `configuration`. */
  name?: string;
  /** Default `dynamo` when the document has a router, planner or autoscaler section, else `engine`. */
  stack?: string;
  /** `PATH=YAML_VALUE` overrides, applied in order. */
  set?: readonly string[];
  /** Output adapters that will run; each has a section of its name. */
  outputs?: readonly string[];
}

const OPTIONS: OptionNames<LoadRecommendationOptions> = { name: true, stack: true, set: true, outputs: true };

const CORE = ["engine", "evaluation", "execution", "optimization", "optimizer", "traffic"];
const STACK_SECTIONS: Readonly<Record<Stack, readonly string[]>> = {
  dynamo: ["autoscaler", "planner", "router"],
  engine: [],
};
/** Output adapters there are. */
export const OUTPUTS = ["dgd"];

/**
 * Reads and checks a search.
 *
 * @param text YAML (or JSON) of one mapping
 * @throws {ConfigError} with all issues of the document, each with its path and place
 *
 * @example
 * ```ts
 * import { loadRecommendation } from "dynosim";
 *
 * const { engine, optimizer } = loadRecommendation(`
 * engine: {mode: aggregated, model: Qwen/Qwen3-32B, hardware: h200_sxm, backend: vllm, workers: {aggregated: {}}}
 * optimization: {target: throughput_per_gpu, constraints: {max_candidate_gpus: 8}}
 * `);
 * console.log(engine.modes, optimizer.max_trials); // [ 'agg' ] 320
 * ```
 */
export function loadRecommendation(text: string, options: LoadRecommendationOptions = {}): Recommendation {
  checkOptions("loadRecommendation()", options, OPTIONS);
  const { name = "configuration", set = [], outputs = [] } = options;
  const document = new ConfigDocument(name, text);
  for (const argument of set) document.override(argument, { search: true });
  const { value } = document;
  const stack = options.stack ??
    (STACK_SECTIONS.dynamo.some((section) => Object.hasOwn(value, section)) ? "dynamo" : "engine");
  checkStack(stack);

  const issues: PlacedIssue[] = [];
  checkOutputs(document, outputs, issues);
  checkNames(document, stack as Stack, outputs, issues);
  const read = readSections(document, stack as Stack, issues);
  if (issues.length > 0) throw configError(name, issues);
  const found = read as ReadSections;
  for (const [path, message] of [...crossRules(found), ...outputRules(found, outputs)]) {
    issues.push(placed(document, "", path.split("."), `Value error, ${message}`));
  }
  if (issues.length > 0) throw configError(name, issues);
  const numbers = document.ambiguousNumbers().map(({ place: { file, line, column }, text, ours, theirs }) =>
    `${file}:${line}:${column}: ${text} is ${ours} here (YAML 1.2); a YAML 1.1 reader takes it for ${theirs}`
  );
  return {
    stack: stack as Stack,
    ...found,
    sections: Object.keys(value).filter((key) =>
      STACK_SECTIONS[stack as Stack].includes(key)
    ) as Recommendation["sections"],
    outputs: Object.fromEntries(outputs.map((output) => [output, value[output] as Record<string, unknown>])),
    written: value,
    warnings: [...numbers, ...notes(found, value)],
    place: (error) => placedError(document, error),
  };
}

type ReadSections = Pick<
  Recommendation,
  | "traffic"
  | "engine"
  | "sla"
  | "price"
  | "resources"
  | "optimization"
  | "optimizer"
  | "router"
  | "planner"
  | "autoscaler"
>;

function checkOutputs(document: ConfigDocument, outputs: readonly string[], issues: PlacedIssue[]): void {
  for (const output of outputs) {
    const refuse = (message: string, hint?: string) => issues.push(placed(document, "", [output], message, hint));
    if (!/^[\w-]+$/.test(output)) refuse(`invalid --output name ${quote(output)}`);
    else if ([...CORE, ...STACK_SECTIONS.dynamo].includes(output)) {
      refuse(`output adapter name ${quote(output)} collides with a recommendation input section`);
    } else if (!Object.hasOwn(document.value, output)) {
      refuse(`--output ${quote(output)} requires a top-level ${quote(output)} configuration section`);
    } else if (!OUTPUTS.includes(output)) {
      const near = nearName(output, OUTPUTS);
      refuse(
        `output adapter ${quote(output)} is unavailable; installed adapters: ${OUTPUTS.join(", ")}`,
        near && didYouMean(near),
      );
    } else if (!isMapping(document.value[output])) refuse(`output section ${quote(output)} must be a mapping`);
  }
}

const isMapping = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function checkNames(document: ConfigDocument, stack: Stack, outputs: readonly string[], issues: PlacedIssue[]): void {
  const known = [...CORE, ...STACK_SECTIONS[stack]].toSorted();
  for (const section of Object.keys(document.value)) {
    if (known.includes(section) || outputs.includes(section)) continue;
    const near = nearName(section, known);
    const message = `unknown top-level section ${quote(section)}${near ? ` (did you mean ${quote(near)}?)` : ""}; ` +
      `known sections for --stack ${stack}: ${known.join(", ")}`;
    const hint = OUTPUTS.includes(section)
      ? `it belongs to --output ${section}`
      : STACK_SECTIONS.dynamo.includes(section)
      ? "use --stack dynamo"
      : undefined;
    issues.push(placed(document, "", [section], message, hint));
  }
}

function readSections(document: ConfigDocument, stack: Stack, issues: PlacedIssue[]): Partial<ReadSections> {
  const { value } = document;
  const tell = (section: string, found: SchemaIssues) => issues.push(...placedIssues(document, section, found));
  const read = <T>(section: string, schema: Reads<T>, absent: unknown): T | undefined => {
    if (!Object.hasOwn(value, section) && absent === undefined) {
      issues.push(placed(document, section, [section], "Field required"));
      return undefined;
    }
    const result = v.safeParse(schema, Object.hasOwn(value, section) ? value[section] : absent);
    if (!result.success) tell(section, result.issues);
    return result.success ? result.output : undefined;
  };
  const traffic = readTraffic(Object.hasOwn(value, "traffic") ? value.traffic : undefined);
  if ("issues" in traffic) tell("traffic", traffic.issues);
  const optimization = read("optimization", optimizationSection, undefined);
  const optimizer = read("optimizer", optimizerSection, {});
  const evaluation = read("evaluation", evaluationSection, {});
  const execution = read("execution", executionSection, {});
  const lengths = "traffic" in traffic ? traffic.traffic.lengths : null;
  let engine: EngineSearch | undefined;
  if (!Object.hasOwn(value, "engine")) issues.push(placed(document, "engine", ["engine"], "Field required"));
  else {
    const found = readEngine(value.engine, optimization?.hardware ?? null, lengths);
    if ("issues" in found) tell("engine", found.issues);
    else engine = found.engine;
  }
  const own = <T>(section: string, schema: Reads<T>): T | null =>
    stack === "dynamo" && Object.hasOwn(value, section) ? read(section, schema, undefined) ?? null : null;
  return {
    traffic: "traffic" in traffic ? traffic.traffic : undefined,
    engine,
    sla: evaluation?.sla ?? null,
    price: readPrice(document, evaluation, optimization, issues),
    resources: execution?.resources,
    optimization,
    optimizer,
    router: own("router", routerSearch),
    planner: own("planner", plannerSearch),
    autoscaler: scaled(own("autoscaler", autoscalerSection)),
  };
}

function scaled(section: AutoscalerSection | null): AutoscalerSearch | null {
  if (section === null) return null;
  const roles: Partial<Record<AutoscaledRole, { most: number; none: boolean }>> = {};
  for (const [role, settings] of Object.entries(section.workers)) {
    if (settings === null) continue;
    roles[role as AutoscaledRole] = { most: mostReplicas(settings), none: leavesNone(settings) };
  }
  return { type: section.type, roles };
}

/** The price of a GPU hour, which may stand in either section. */
function readPrice(
  document: ConfigDocument,
  evaluation: EvaluationSection | undefined,
  optimization: OptimizationSection | undefined,
  issues: PlacedIssue[],
): PricePlan | null {
  const price = evaluation ? pricePlan(evaluation) : null;
  if (!optimization) return price;
  const { gpu_hour_price: price_per_gpu_hour, currency } = optimization;
  const other = pricePlan({ price_per_gpu_hour, currency });
  if (price === null || other === null) return price ?? other;
  if (price.perGpuHour !== other.perGpuHour || price.currency !== other.currency) {
    const message = "Value error, gpu_hour_price is another price than evaluation.price_per_gpu_hour: give one of them";
    issues.push(placed(document, "", ["optimization", "gpu_hour_price"], message));
  }
  return price;
}

/** Rules between sections; the paths that decide them and what is wrong. */
function* crossRules(
  { engine, optimization, sla, traffic, router, planner, autoscaler }: ReadSections,
): Generator<[string, string]> {
  const { target, strict_sla, constraints } = optimization;
  if (engine.hardware === "auto") {
    yield ["engine.hardware", "engine.hardware='auto' requires one optimization.hardware"];
  }
  const bounded = sla !== null && Object.values(sla).some((bound) => bound !== null);
  if (!bounded && ["goodput", "goodput_per_gpu", "min_gpus"].includes(target)) {
    yield ["optimization.target", `optimization target '${target}' requires an evaluation.sla bound`];
  }
  if (!bounded && strict_sla) {
    yield ["optimization.strict_sla", "optimization.strict_sla requires at least one evaluation.sla bound"];
  }
  if (planner !== null && autoscaler !== null) {
    yield ["autoscaler", "the Planner scales already: give planner or autoscaler, not both"];
  }
  if (!bounded && constraints.min_attainment !== null) {
    const path = "optimization.constraints.min_attainment";
    yield [path, `${path} requires at least one evaluation.sla bound`];
  }
  if (autoscaler !== null) yield* scaledRoleRules(engine, autoscaler);
  if (target !== "min_gpus") return;
  const { prediction, field, domain, lengths } = traffic;
  const fixed = domain.kind === "choices" && domain.pinned &&
    (field === "concurrency" || field === "requests_per_second");
  if (lengths === null || prediction.source.type !== "synthetic" || !fixed) {
    yield ["traffic.load", "min_gpus requires fixed synthetic request-rate or concurrency traffic"];
    return;
  }
  if (field === "requests_per_second") {
    const rate = domain.values[0];
    if (constraints.min_goodput_rps === null) {
      yield ["optimization.constraints", "min_gpus with request-rate traffic requires constraints.min_goodput_rps"];
    } else if (constraints.min_goodput_rps > rate) {
      yield ["optimization.constraints.min_goodput_rps", "min_goodput_rps cannot exceed the offered request rate"];
    }
  }
  const adapter = router !== null ? "router" : planner !== null ? "planner" : autoscaler !== null ? "autoscaler" : null;
  if (adapter !== null) yield [adapter, "min_gpus requires static engine pools without adapters"];
}

/** What no manifest can say is found before the search, as far as all candidates have it. */
function* outputRules({ planner, autoscaler }: ReadSections, outputs: readonly string[]): Generator<[string, string]> {
  if (!outputs.includes("dgd")) return;
  if (autoscaler !== null) {
    yield ["autoscaler", "a DynamoGraphDeployment cannot hold an autoscaler: search without one"];
  }
  if (planner !== null && !planner.policies.includes("disabled")) {
    yield ["planner", "a Planner cannot be written into a DynamoGraphDeployment here: search without one"];
  }
}

/** An autoscaler scales the workers of every mode that is searched, and no others. */
function* scaledRoleRules({ modes }: EngineSearch, { roles }: AutoscalerSearch): Generator<[string, string]> {
  const told = (mode: Mode) => mode === "agg" ? "aggregated" : "disaggregated";
  const known = new Set<string>(modes.flatMap(rolesOfMode).map((role) => ROLE_NAMES[role]));
  for (const [role, { none }] of Object.entries(roles)) {
    const path = `autoscaler.workers.${role}`;
    if (!known.has(role)) yield [path, `engine.mode ${modes.map(told).join(", ")} has no ${role} workers`];
    else if (role !== "aggregated" && none) yield [path, SCALED_TO_ZERO];
  }
  for (const mode of modes) {
    if (rolesOfMode(mode).some((role) => Object.hasOwn(roles, ROLE_NAMES[role]))) continue;
    yield [
      "autoscaler.workers",
      `no workers of engine.mode ${told(mode)} are scaled: name them, or search another mode`,
    ];
  }
}

/** What is in vain, and what decides more than it seems to. */
function* notes({ engine, optimization, optimizer }: ReadSections, value: Record<string, unknown>): Generator<string> {
  if (!Object.hasOwn(value, "traffic")) {
    yield "no traffic section: 100 synthetic requests of 1024 prompt and 128 output tokens, 10 at a time, are searched with";
  }
  if (engine.contextLength === "max") {
    yield "engine.context_length is the model's longest: shapes that cannot hold one such sequence are ruled out; " +
      "give the longest sequence that you serve to keep smaller ones";
  }
  const workers = (value.engine as { workers?: Record<string, { timing?: { calibration_forced?: boolean } } | null> })
    ?.workers ?? {};
  for (const [role, worker] of Object.entries(workers)) {
    if (worker?.timing?.calibration_forced !== true) continue;
    yield `the calibration of ${role} workers is forced: it corrects every configuration, also those that it was not ` +
      "fitted to";
  }
  const given = (value.engine as { hardware?: string } | undefined)?.hardware;
  if (optimization.hardware !== null && given !== "auto") {
    yield "optimization.hardware has no effect: engine.hardware is not auto";
  }
  if (isMapping(value.optimizer) && value.optimizer.algorithm === "bayesian") {
    yield `optimizer.algorithm bayesian is the reference's: here every configuration is replayed when there are at most ` +
      `max_trials (${optimizer.max_trials}) of them, else halving runs`;
  }
}
