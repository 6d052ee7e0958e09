/**
 * The space of a search: a branch for every deployment mode that has a legal shape.
 *
 * @module
 */
import { ConfigError } from "../errors.ts";
import { readWarmupTrace } from "../trace/read_warmup_trace.ts";
import { PerfCatalog } from "../timing/aic/catalog.ts";
import { loadModel, maxContextLength } from "../timing/aic/model_sources.ts";
import { type Branch, NO_SPACE, type SectionSpace, withSections } from "./branch.ts";
import type { Domain } from "./domains.ts";
import { type Mode, type RoleSearch, rolesOfMode } from "./engine_domain.ts";
import { Feasibility } from "./feasibility.ts";
import type { Recommendation } from "./recommendation.ts";
import { PlannerSpace } from "./planner_space.ts";
import { poolOf, type RuledOut, type UnmetWish, unmetWish } from "./pool.ts";
import { routerSpace } from "./router_domain.ts";

/** Everything a search can choose from. */
export interface SearchSpace {
  /** One space a deployment mode. */
  readonly branches: readonly Branch[];
  /**
   * Shapes that cannot run, with the reason.
   *
   * @internal
   */
  readonly ruledOut: readonly RuledOut[];
  /** Sentences about what was left out. */
  readonly warnings: readonly string[];
  /**
   * Tells whether a shape can run.
   *
   * @internal
   */
  readonly feasibility: Feasibility;
  /** Tokens of the longest sequence. */
  readonly contextTokens: number;
  /**
   * The Planner's part; null when the file has no planner section.
   *
   * @internal
   */
  readonly planner: PlannerSpace | null;
  /**
   * How the load predictors were chosen; null without a Planner.
   *
   * @internal
   */
  readonly predictors: ReturnType<PlannerSpace["choosePredictors"]> | null;
}

/**
 * Lists the space of a search. Reads the model's configuration, and the trace when a Planner forecasts.
 *
 * @throws {ConfigError} when nothing is legal, with what stands in the way
 *
 * @example
 * ```ts
 * import { loadRecommendation, searchSpace } from "dynosim";
 *
 * const { branches } = await searchSpace(loadRecommendation(`
 * engine: {mode: aggregated, model: Qwen/Qwen3-32B, hardware: h200_sxm, backend: vllm, context_length: 8192, workers: {aggregated: {}}}
 * optimization: {constraints: {max_candidate_gpus: 4}}
 * `));
 * console.log(branches[0].pool.length); // 7
 * ```
 */
export async function searchSpace(
  search: Recommendation,
  catalog: PerfCatalog = new PerfCatalog(),
): Promise<SearchSpace> {
  const { engine, optimization, optimizer } = search;
  const model = await loadModel(engine.model);
  for (const role of Object.values(engine.roles)) catalog.system(role!.hardware);
  const context = engine.contextLength === "max" ? maxContextLength(model) : engine.contextLength;
  const feasibility = new Feasibility(model.facts, catalog, engine, context);
  const { max_candidate_gpus: most, min_candidate_gpus: fewest } = optimization.constraints;
  const planner = search.planner && new PlannerSpace(search.planner, {
    target: optimization.target,
    sla: search.sla,
    minGpus: fewest,
  });
  const sections = (mode: Mode): SectionSpace[] =>
    search.sections.map((section) =>
      section === "planner"
        ? planner?.space(mode) ?? NO_SPACE
        : section === "router" && search.router
        ? routerSpace(search.router)
        : NO_SPACE
    );
  const branches: Branch[] = [], ruledOut: RuledOut[] = [], warnings: string[] = [], skipped: Mode[] = [];
  for (const mode of engine.modes) {
    const pool = poolOf(mode, engine, { most, fewest: fewest ?? 0 }, feasibility);
    ruledOut.push(...pool.ruledOut);
    warnings.push(...pool.warnings);
    if (pool.entries.length === 0) {
      skipped.push(mode);
      continue;
    }
    const backends = [...new Set(engine.backends)].filter((backend) =>
      pool.entries.some((entry) => entry.backends.has(backend))
    );
    const parameters = ownParameters(search, mode, backends);
    const branch: Branch = {
      mode,
      pool: pool.entries,
      ...parameters,
      conditional: [],
      smallestFirst: optimization.target === "min_gpus",
    };
    branches.push(withSections(branch, sections(mode)));
  }
  if (branches.length === 0) {
    const unmet = skipped.map((mode) => unmetWish(mode, engine, { most, fewest: 0 }, feasibility))
      .find((found) => found !== null);
    throw nothingLegal(skipped, ruledOut, most, engine.model, ruledOut.length === 0 ? unmet : undefined);
  }
  for (const mode of skipped) {
    warnings.push(
      `deployment mode ${mode} is skipped: no configured backend has a viable parallel config within ${most} GPUs`,
    );
  }
  if (optimizer.max_trials < branches.length) {
    const message =
      `optimizer.max_trials must be at least the number of active deployment branches (${branches.length})`;
    throw new ConfigError(message, [{ path: "optimizer.max_trials", message }]);
  }
  const predictors = planner && planner.choosePredictors(await buckets(search, planner));
  return { branches, ruledOut, warnings, feasibility, contextTokens: context, planner, predictors };
}

/** Parameters of a mode without those of the stack's sections, in the order in which the reference samples them. */
function ownParameters(search: Recommendation, mode: Mode, backends: readonly string[]) {
  const { engine: { roles }, traffic } = search;
  const own = rolesOfMode(mode).map((key) => roles[key]!);
  const choices = new Map<string, readonly unknown[]>();
  const integers = new Map<string, readonly [number, number]>();
  const floats = new Map<string, readonly [number, number]>();
  const log = new Set<string>();
  const add = (name: string, domain: Domain) => {
    if (domain.kind === "choices") choices.set(name, domain.values);
    else {
      (domain.kind === "integers" ? integers : floats).set(name, [domain.min, domain.max]);
      if (domain.kind === "integers" || domain.log) log.add(name);
    }
  };
  for (const { key, tokens, sequences } of own) {
    add(`${key}_max_num_batched_tokens`, tokens);
    add(`${key}_max_num_seqs`, sequences);
  }
  const searched = (role: RoleSearch, part: "blockSize" | "memoryFraction") => {
    const domain = role[part];
    return domain !== null && !(domain.kind === "choices" && domain.pinned) ? domain : null;
  };
  for (const role of own) {
    const blockSize = searched(role, "blockSize"), fraction = searched(role, "memoryFraction");
    if (blockSize) add(`${role.key}_block_size`, blockSize);
    if (fraction) add(`${role.key}_gpu_memory_utilization`, fraction);
  }
  choices.set("backend", backends);
  const { field, domain } = traffic;
  if (domain.kind !== "choices" || !domain.pinned) add("traffic_load", domain);
  else if (field === "fraction") choices.set("kv_load_ratio", domain.values);
  return { choices, integers, floats, log };
}

function nothingLegal(
  skipped: readonly Mode[],
  ruledOut: readonly RuledOut[],
  budget: number,
  model: string,
  unmet: UnmetWish | undefined,
): ConfigError {
  const message =
    `no deployment_mode has a viable parallel config (skipped [${skipped.map((mode) => `'${mode}'`).join(", ")}]); ` +
    `check backends / model / hardware / gpu_budget=${budget}`;
  if (unmet !== undefined) return new ConfigError(message, [{ path: unmet.path, message, hint: unmet.why }]);
  const reasons = [...new Set(ruledOut.map(({ backend, reason }) => `${backend}: ${reason}`))];
  const most = reasons.slice(0, 4).join("; ") + (reasons.length > 4 ? `; and ${reasons.length - 4} more reasons` : "");
  const path = ruledOut.some(({ why }) => why === "context")
    ? "engine.context_length"
    : ruledOut.some(({ why }) => why === "model")
    ? "optimization.constraints.max_candidate_gpus"
    : "engine";
  return new ConfigError(message, [{ path, message, hint: most === "" ? undefined : `${model}: ${most}` }]);
}

/** Traffic of the trace in buckets, where a throughput loop asks for it and there is a trace to ask. */
async function buckets({ traffic: { prediction: { source } } }: Recommendation, planner: PlannerSpace) {
  const usable = source.type === "trace" && ["mooncake", "dynamo"].includes(source.format ?? "mooncake");
  if (planner.intervals.length === 0 || !usable) return null;
  const traces = await Promise.all((source.paths as string[]).map((path) => readWarmupTrace(path)));
  const cut = (intervalSeconds: number) => traces[0].intervals(intervalSeconds);
  return traces.length === 1 ? cut : null;
}
