/**
 * Which models can be timed where: a deployment is asked for a prompt, a decode step and both together, and what is
 * missing is told. A model is tried on more and more GPUs until it fits and has times.
 *
 * @module
 */
import { ConfigError, SimulationError } from "../../errors.ts";
import { DEFAULT_MEMORY_FRACTION } from "./capacity.ts";
import type { PerfCatalog } from "./catalog.ts";
import { Deployment, type DeploymentOptions } from "./deployment.ts";
import { familyOf } from "./families/registry.ts";
import type { ModelFacts } from "./model_facts.ts";
import { findModel, type FoundModel, shippedModels } from "./model_sources.ts";
import { requireFamily } from "./operator_lists.ts";

/** GPUs of one worker that are tried. */
const WIDTHS = [1, 2, 4, 8, 16, 32, 64];
/** Ranks over which attention is split where it is replicated. */
const NODE = 8;
/** Token budget of a pass, for the memory. */
const BATCHED_TOKENS = 8192;
/** The load that is asked for: prompts and sequences of a usual length. */
const PROMPT = 1024;
const DECODES = 8;

/** What a worker is for: all of it, prompts alone, decode steps alone. */
export type Duty = "aggregated" | "prefill" | "decode";

/**
 * Why a deployment cannot be timed; null when it can.
 *
 * @param duty a worker for prompts needs no times of decode steps, and the other way round
 */
function missingTimes(deployment: Deployment, duty: Duty = "aggregated"): string | null {
  try {
    const model = deployment.forwardPassModel();
    if (duty !== "decode") model.contextMs(1, PROMPT, 0);
    if (duty !== "prefill") model.generationMs(DECODES, PROMPT);
    if (duty === "aggregated") model.sumsMs(1, PROMPT, 0, DECODES, DECODES * PROMPT);
    return null;
  } catch (problem) {
    if (problem instanceof SimulationError || problem instanceof ConfigError) return problem.message.trim();
    throw problem;
  }
}

/**
 * Demands that a deployment can be timed.
 *
 * @param model its name, for the message
 * @throws {ConfigError} when it cannot: what is missing, the nearest model that can be timed in its place, and which ways
 *   of timing need no measurements.
 */
export function requireTimes(deployment: Deployment, model: string, duty: Duty = "aggregated"): void {
  const { facts, hardware: { name: system }, backend, catalog, databaseMode } = deployment;
  if (databaseMode !== "SOL") catalog.load({ system, backend, version: deployment.backendVersion });
  const reason = missingTimes(deployment, duty);
  if (reason === null) return;
  const nearest = () => nearestTimedModel(facts, system, backend, catalog);
  const estimated = databaseMode === "SILICON" && missingTimes(deployment.inMode("HYBRID"), duty) === null;
  throw withoutTimes(`${model} with ${backend} ${deployment.backendVersion} on ${system}`, reason, nearest, estimated);
}

/**
 * Demands that there is a list of operators for a model.
 *
 * @throws {ConfigError} as {@linkcode requireTimes}.
 */
export function requireOperators(
  { name, facts }: Pick<FoundModel, "name" | "facts">,
  hardware: string,
  backend: string,
  catalog: PerfCatalog,
): void {
  try {
    requireFamily(facts);
  } catch (problem) {
    if (!(problem instanceof ConfigError)) throw problem;
    const nearest = () => nearestTimedModel(facts, hardware, backend, catalog);
    throw withoutTimes(`${name} with ${backend} on ${hardware}`, problem.message, nearest);
  }
}

/** @param estimated whether HYBRID has times where measurements have none */
function withoutTimes(what: string, reason: string, nearest: () => string | null, estimated = false): ConfigError {
  const near = nearest();
  const said = reason.replace(/^perf database error: /, "").replace(/ \(supported: .*\)$/, "").replace(/\.$/, "");
  const message = `no timing data for ${what}: ${said}. ` +
    (estimated ? "database_mode HYBRID estimates it from similar operators. " : "") +
    (near === null ? "" : `The nearest model that has some there is '${near}' (the command 'models' lists all). `) +
    "Try another backend, backend_version or parallelism; timing of type fixed or polynomial " +
    "needs no measurements (with kv_cache.capacity of type fixed where the model is not known)";
  return new ConfigError(message, [{ path: "engine.model", message }]);
}

/** How a worker is spread over GPUs; sizes that are not named are 1. */
export interface SupportShape {
  /** Tensor-parallel ranks. */
  readonly tensor: number;
  /** Attention-data-parallel ranks. */
  readonly attentionData: number;
  /** Ranks over which every expert is split. */
  readonly moeTensor: number;
  /** Ranks over which the experts are spread. */
  readonly moeExpert: number;
}

/** Whether one model can be timed on one system with one backend. */
export interface ModelSupport {
  /** Its name, as given. */
  readonly model: string;
  /** `architectures[0]` of its `config.json`. */
  readonly architecture: string;
  /** Name of the GPU system. */
  readonly hardware: string;
  /** Serving framework, in its current version. */
  readonly backend: string;
  /** Whether prompts, decode steps and both together have times. */
  readonly status: "timed" | "refused";
  /** What is missing; null when the model is timed. */
  readonly reason: string | null;
  /** The smallest shape that fits and is timed, else the one the reason is about; null when there is no legal one. */
  readonly shape: SupportShape | null;
}

/**
 * Whether a model can be timed: at the smallest number of GPUs on which it fits beside a KV cache, or the next larger ones
 * when that shape was not measured.
 *
 * @throws {ConfigError} when the system or the backend is not known.
 *
 * @example
 * ```ts
 * import { findModel, modelSupport, PerfCatalog } from "dynosim";
 *
 * const { status, shape } = modelSupport(findModel("Qwen/Qwen3-32B")!, "h200_sxm", "vllm", new PerfCatalog());
 * console.log(status, shape?.tensor); // timed 1
 * ```
 */
export function modelSupport(
  { name, facts }: Pick<FoundModel, "name" | "facts">,
  hardware: string,
  backend: string,
  catalog: PerfCatalog,
): ModelSupport {
  const about = { model: name, architecture: facts.architecture, hardware, backend };
  catalog.version(hardware, backend);
  let refused: { reason: string; shape: SupportShape | null } | undefined;
  let tooLarge: string | undefined;
  for (const shape of shapesOf(facts)) {
    let deployment: Deployment;
    try {
      deployment = new Deployment(facts, { hardware, backend, ...shape } satisfies DeploymentOptions, catalog);
    } catch (problem) {
      if (!(problem instanceof ConfigError)) throw problem;
      tooLarge ??= problem.message.trim();
      continue;
    }
    if (!fits(deployment)) {
      tooLarge = `does not fit into ${shape.tensor * shape.attentionData} GPUs of ${hardware}`;
      continue;
    }
    const reason = missingTimes(deployment);
    if (reason === null) return { ...about, status: "timed", reason: null, shape };
    refused ??= { reason, shape };
  }
  return { ...about, status: "refused", ...refused ?? { reason: tooLarge ?? "no legal parallel shape", shape: null } };
}

/** Whether weights and activations leave anything for a KV cache; models whose cache cannot be sized count as fitting. */
function fits(deployment: Deployment): boolean {
  const memoryFraction = DEFAULT_MEMORY_FRACTION[deployment.backend];
  try {
    deployment.kvCapacity({ maxBatchedTokens: BATCHED_TOKENS, memoryFraction });
    return true;
  } catch (problem) {
    if (problem instanceof ConfigError) return !problem.message.startsWith("no KV budget");
    throw problem;
  }
}

/**
 * Shapes to try, small ones first: experts spread whole over the ranks, then each expert split over them, then attention
 * in every node for itself.
 */
function shapesOf(facts: ModelFacts): SupportShape[] {
  const family = familyOf(facts.architecture);
  if (family === undefined || facts.problem !== null || !family.spreadsExperts(facts)) {
    return WIDTHS.map((tensor) => ({ tensor, attentionData: 1, moeTensor: 1, moeExpert: 1 }));
  }
  return WIDTHS.flatMap((width) => [
    { tensor: width, attentionData: 1, moeTensor: 1, moeExpert: width },
    ...width > 1 ? [{ tensor: width, attentionData: 1, moeTensor: width, moeExpert: 1 }] : [],
    ...width > NODE ? [{ tensor: NODE, attentionData: width / NODE, moeTensor: 1, moeExpert: width }] : [],
  ]);
}

/**
 * The model most like `facts` among those whose facts come with the project that can be timed on a system; null when
 * none can.
 */
export function nearestTimedModel(
  facts: ModelFacts,
  hardware: string,
  backend: string,
  catalog: PerfCatalog,
): string | null {
  try {
    catalog.load({ system: hardware, backend, version: catalog.version(hardware, backend) });
  } catch (problem) {
    if (problem instanceof ConfigError) return null;
    throw problem;
  }
  const candidates = shippedModels().map((name) => ({ name, facts: findModel(name)!.facts }))
    .map((model) => ({ ...model, away: unlikeness(facts, model.facts) }))
    .sort((a, b) => a.away - b.away);
  return candidates.find((model) => modelSupport(model, hardware, backend, catalog).status === "timed")?.name ?? null;
}

/** How little two models have in common: size above all, then what their layers are made of. */
function unlikeness(a: ModelFacts, b: ModelFacts): number {
  const size = ({ layers, hidden, inter, moeInter, topk }: ModelFacts) =>
    Math.log2(Math.max(layers * hidden * (hidden * 4 + 3 * (topk > 0 ? moeInter * topk : inter)), 1));
  const whole = ({ layers, hidden, moeInter, experts }: ModelFacts) =>
    Math.log2(Math.max(layers * hidden * moeInter * Math.max(experts, 1), 1));
  const different = (left: unknown, right: unknown, weight: number) => left === right ? 0 : weight;
  return Math.abs(size(a) - size(b)) + Math.abs(whole(a) - whole(b)) +
    different(a.architecture, b.architecture, 1) +
    different(a.experts > 0, b.experts > 0, 2) +
    different(a.latent === null, b.latent === null, 1) +
    different(a.quant.algorithm, b.quant.algorithm, 0.5);
}
