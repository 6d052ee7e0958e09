/**
 * Rules between sections, and what the simulation cannot do. Each broken rule is one issue of the whole document; its
 * place is the key that decides it.
 *
 * @module
 */
import { type AutoscaledRole, type AutoscalerSection, leavesNone, SCALED_TO_ZERO } from "./autoscaler_section.ts";
import type { EngineSection } from "./engine_section.ts";
import { rolesOf } from "./engine_section.ts";
import type { EvaluationSection } from "./evaluation_section.ts";
import type { ResourceLimits } from "./plan.ts";
import { type PlannerSection, scalingModes } from "./planner_section.ts";
import type { RouterSection } from "./router_section.ts";
import type { TrafficSection } from "./traffic_section.ts";

/** All sections, valid each for itself. `planner` is null when it is absent or disabled. */
export interface Sections {
  stack: "engine" | "dynamo";
  traffic: TrafficSection;
  engine: EngineSection;
  evaluation: EvaluationSection;
  execution: { resources: ResourceLimits };
  router: RouterSection | null;
  planner: PlannerSection | null;
  autoscaler: AutoscalerSection | null;
}

/** A broken rule: the path that shows it and what is wrong. */
export interface Broken {
  path: string;
  message: string;
}

/** Rules of the document, then what no part of the simulation does, all of them. PlannerConfig has its own. */
export function* brokenRules(sections: Sections): Generator<Broken> {
  yield* documentRules(sections);
  yield* routerRules(sections);
  if (sections.planner) yield* plannerRules(sections, sections.planner);
  if (sections.autoscaler) yield* autoscalerRules(sections, sections.autoscaler);
  yield* capabilities(sections);
  yield* notSimulated(sections);
}

const AGGREGATED_ONLY = ["mooncake-delta", "agentic_mooncake"];

function* documentRules({ traffic: { source }, engine }: Sections): Generator<Broken> {
  if (source.type === "trace" && AGGREGATED_ONLY.includes(source.format) && engine.mode !== "aggregated") {
    const message = `Value error, ${source.format} requires aggregated engine mode`;
    yield { path: "engine.mode", message };
  }
  const { prefill, decode } = engine.workers;
  if (engine.mode === "disaggregated" && prefill && decode) {
    const [a, b] = [prefill.kv_cache.block_size, decode.kv_cache.block_size];
    if (a !== b && a !== null && b !== null) {
      const message = `offline disaggregated replay requires matching prefill/decode block_size, got ${a} and ${b}`;
      yield { path: "engine.workers.decode.kv_cache.block_size", message };
    }
  }
}

/** The place of each is the role it is about. */
function* autoscalerRules({ engine, planner }: Sections, autoscaler: AutoscalerSection): Generator<Broken> {
  if (planner) {
    yield { path: "autoscaler", message: "the Planner scales already: give planner or autoscaler, not both" };
  }
  const roles = rolesOf(engine).map(([role]) => role as string);
  for (const role of Object.keys(autoscaler.workers) as AutoscaledRole[]) {
    const path = `autoscaler.workers.${role}`, settings = autoscaler.workers[role];
    if (settings === null) continue;
    if (!roles.includes(role)) yield { path, message: `engine.mode ${engine.mode} has no ${role} workers` };
    else if (role !== "aggregated" && leavesNone(settings)) yield { path, message: SCALED_TO_ZERO };
  }
}

function* routerRules({ engine, router, planner, autoscaler }: Sections): Generator<Broken> {
  // An autoscaler can add the workers that are missing.
  if (router?.policy !== "kv_router" || planner !== null || autoscaler !== null) return;
  const ranks = rolesOf(engine).map(([, { parallelism }]) => parallelism.replicas * parallelism.attention_data);
  if (Math.max(...ranks) < 2) {
    yield { path: "router.policy", message: "router.policy=kv_router requires more than one routable worker" };
  }
}

function* plannerRules(
  { traffic: { source, load, stop }, evaluation: { sla }, router }: Sections,
  planner: PlannerSection,
): Generator<Broken> {
  const modes = scalingModes(planner);
  if (modes.throughput && (sla?.ttft_ms == null || sla.itl_ms == null)) {
    const message = "Planner throughput scaling requires evaluation.sla.ttft_ms and evaluation.sla.itl_ms";
    yield { path: "planner.target", message };
  }
  if (source.type === "trace" && AGGREGATED_ONLY.includes(source.format)) {
    yield { path: "planner.policy", message: `dynamo.planner does not support trace format '${source.format}'` };
  }
  if (planner.retune == null) return;
  const format = source.type === "trace" ? source.format : null;
  if (format !== "dynamo") {
    yield { path: "planner.retune", message: "planner.retune requires traffic.source.type=trace with format=dynamo" };
  }
  if (load.type !== "trace_timestamps") {
    yield { path: "planner.retune", message: "planner.retune requires traffic.load.type=trace_timestamps" };
  }
  for (const name of ["agentic_lanes", "agentic_snapshot", "agentic_warmup", "agentic_profile"] as const) {
    if (load[name] !== null) {
      yield { path: `traffic.load.${name}`, message: `planner.retune does not support traffic.load.${name}` };
    }
  }
  if (stop?.max_virtual_time_seconds != null) {
    const path = "traffic.stop.max_virtual_time_seconds";
    yield { path, message: `planner.retune does not support ${path}` };
  }
  const { router: searched } = Object(planner.retune) as { router?: unknown };
  if (searched != null && router?.policy !== "kv_router") {
    yield { path: "planner.retune.router", message: "planner.retune.router requires router.policy=kv_router" };
  }
}

function* capabilities({ stack, engine }: Sections): Generator<Broken> {
  if (stack !== "dynamo") return yield* contextParallelism(engine);
  if (engine.nextn > 0) {
    const message = "runner does not support explicit MTP expected acceptance; use --stack engine";
    yield { path: "engine.nextn", message };
  }
  for (const [path, value] of modelControls(engine)) {
    if (value === null) continue;
    const name = path.slice(path.lastIndexOf(".") + 1);
    yield { path, message: `runner does not support engine model controls ['${name}']; use --stack engine` };
  }
  for (const [role, { parallelism }] of rolesOf(engine)) {
    const prefix = role === "aggregated" ? "" : `${role}_`;
    const sizes = [
      ["pipeline", "pp", parallelism.pipeline],
      ["prefill_context", "cp", parallelism.prefill_context ?? 1],
      ["decode_context", "dcp", parallelism.decode_context ?? 1],
    ] as const;
    for (const [field, name, size] of sizes) {
      if (size === 1) continue;
      const path = `engine.workers.${role}.parallelism.${field}`;
      yield { path, message: `runner does not support parallel_config.${prefix}${name}=${size}` };
    }
  }
}

/** The engine stack runs pipelines, but knows no time of attention that is split over the tokens of a sequence. */
function* contextParallelism(engine: EngineSection): Generator<Broken> {
  for (const [role, { parallelism }] of rolesOf(engine)) {
    for (const field of ["prefill_context", "decode_context"] as const) {
      const size = parallelism[field] ?? 1;
      if (size === 1) continue;
      const path = `engine.workers.${role}.parallelism.${field}`;
      yield { path, message: `context parallelism (${size}) is not simulated; expected 1` };
    }
  }
}

const MODES = [
  "gemm_quant_mode",
  "moe_quant_mode",
  "kvcache_quant_mode",
  "fmha_quant_mode",
  "comm_quant_mode",
] as const;

/** Number formats as they are written, for all roles or for one, with their paths. */
function* modelControls(engine: EngineSection): Generator<[path: string, value: string | null]> {
  for (const name of MODES) yield [`engine.${name}`, engine[name]];
  for (const [role, { timing }] of rolesOf(engine)) {
    for (const name of MODES) yield [`engine.workers.${role}.timing.${name}`, timing[name]];
  }
}

const OPERATORS = "estimates are made operator by operator (op_level)";

const unsupported = (path: string, why: string): Broken => ({ path, message: `${path} is not supported: ${why}` });

/** Ways to estimate other than ours; `auto`, `op_level` and `deny` are what is done anyway. */
function* estimation(
  path: string,
  { estimation_mode, fallback_policy }: Pick<EngineSection, "estimation_mode" | "fallback_policy">,
): Generator<Broken> {
  if (estimation_mode?.startsWith("fpm")) yield unsupported(`${path}.estimation_mode`, OPERATORS);
  if (fallback_policy === "allow") {
    yield unsupported(`${path}.fallback_policy`, "a model without measurements ends the prediction (deny)");
  }
}

/** Fields the schema knows that no part of the simulation acts on. */
function* notSimulated({ stack, traffic: { source, load }, engine, router, planner }: Sections): Generator<Broken> {
  if (source.type === "trace" && source.format === "weka") {
    yield { path: "traffic.source.format", message: "runner does not support trace format 'weka'" };
  }
  if (source.type === "synthetic" && source.images) {
    yield unsupported("traffic.source.images", "multimodal requests are not simulated");
  }
  if (source.type === "synthetic" && source.cached_prefix_tokens > 0 && stack === "dynamo") {
    const path = "traffic.source.cached_prefix_tokens";
    yield { path, message: "runner does not support cached_prefix_tokens; use --stack engine" };
  }
  for (const name of ["agentic_snapshot", "agentic_warmup", "agentic_profile"] as const) {
    if (load[name] !== null) yield unsupported(`traffic.load.${name}`, "the replay starts at the beginning of a trace");
  }
  if (engine.speculation && (stack === "dynamo" || router || planner)) {
    yield {
      path: "engine.speculation",
      message: "ngram speculation requires offline --stack engine without adapters",
    };
  } else if (engine.speculation) {
    yield unsupported("engine.speculation", "drafts from the prompt are not simulated; use nextn");
  }
  for (
    const name of ["enable_eplb", "wideep_num_slots", "moe_backend", "moe_kernel_source", "attention_backend"] as const
  ) {
    if (engine[name] !== null && engine[name] !== false) {
      yield unsupported(`engine.${name}`, "the operator database has no such variants");
    }
  }
  for (
    const name of [
      "systems_paths",
      "systems_path",
    ] as const
  ) {
    if (engine[name] !== null) yield unsupported(`engine.${name}`, "engine.data_release names installed measurements");
  }
  for (const name of ["estimator_config", "fpm_profile"] as const) {
    if (engine[name] !== null) yield unsupported(`engine.${name}`, OPERATORS);
  }
  if (engine.enable_shared_layer !== null) {
    yield unsupported("engine.enable_shared_layer", "what versions share is settled when perf-data builds a set");
  }
  if (engine.strict_provenance) {
    yield unsupported("engine.strict_provenance", "database_mode: SILICON takes nothing but measurements");
  }
  if (engine.decoder_replay) yield unsupported("engine.decoder_replay", OPERATORS);
  yield* estimation("engine", engine);
  for (const [role, { kv_cache, timing }] of rolesOf(engine)) {
    const path = `engine.workers.${role}`;
    if (kv_cache.host_offload) {
      yield unsupported(`${path}.kv_cache.host_offload`, "offloading KV blocks to host memory is not simulated");
    }
    if (timing.forward_model === "fpm") yield unsupported(`${path}.timing.forward_model`, OPERATORS);
    yield* estimation(`${path}.timing`, timing);
  }
}
