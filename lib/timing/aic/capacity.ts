/**
 * How many KV blocks fit beside a model: weights, activations and the framework's own memory against what the GPU has.
 *
 * @module
 */
import { checkNumber, checkOptions, ConfigError, type OptionNames } from "../../errors.ts";
import type { Hardware } from "./hardware.ts";
import type { ModelFacts } from "./model_facts.ts";
import { requireFamily } from "./operator_lists.ts";
import { mhcWeightBytes } from "./operators/mhc.ts";
import type { OperatorSpec, Parallelism } from "./operator_spec.ts";
import { GEMM_MODES, KV_MODES, type KvMode, MOE_MODES, type QuantModes } from "./quant.ts";

/** What capacity depends on besides the request. */
export interface CapacityDeployment {
  readonly facts: ModelFacts;
  readonly hardware: Hardware;
  readonly backend: string;
  readonly parallelism: Parallelism;
  readonly modes: QuantModes;
  /** Whether the mode of dense products was given by the caller. */
  readonly gemmFixed: boolean;
  /** Operators of a pass over prompts; their weights are counted. */
  readonly operators: readonly OperatorSpec[];
}

/** What the engine is configured to use. */
export interface CapacityRequest {
  /** Token budget of a pass; sizes the activations. */
  readonly maxBatchedTokens: number;
  /**
   * Share, 0 to 1: of the GPU memory for everything (vllm), of what is free before the model is loaded (sglang), of what
   * is free after everything else (trtllm).
   */
  readonly memoryFraction: number;
  /** Bytes that CUDA graphs take. Default 0. */
  readonly reservedBytes?: number;
  /** Share of the cache's bytes that is held back. Default 0. */
  readonly tolerance?: number;
}

const CAPACITY_REQUEST: OptionNames<CapacityRequest> = {
  maxBatchedTokens: true,
  memoryFraction: true,
  reservedBytes: true,
  tolerance: true,
};

/** Capacity of one rank. */
export interface KvCapacity {
  /** Bytes for the KV cache. */
  readonly bytes: number;
  /** Bytes of one token's keys and values on the rank. */
  readonly bytesPerToken: number;
  /** Tokens that fit. */
  readonly tokens: number;
  /** Bytes of the GPU's memory. */
  readonly gpuBytes: number;
  /** Bytes that CUDA graphs take. */
  readonly reservedBytes: number;
  /** Bytes that the rest takes. */
  readonly memory: {
    readonly weights: number;
    readonly activations: number;
    readonly runtime: number;
    readonly collectives: number;
  };
}

/** Default share of memory when a configuration names none. */
export const DEFAULT_MEMORY_FRACTION: Readonly<Record<string, number>> = { vllm: 0.9, trtllm: 0.9, sglang: 0.88 };

const MEBIBYTE = 1 << 20;

/**
 * KV capacity of one rank.
 *
 * @throws {ConfigError} when nothing is left for the cache, or the parallelism has no memory figures.
 */
export function kvCapacity(deployment: CapacityDeployment, request: CapacityRequest): KvCapacity {
  checkOptions("kvCapacity()", request, CAPACITY_REQUEST);
  checkNumber("kvCapacity(): maxBatchedTokens", request.maxBatchedTokens ?? null, { least: 1 });
  checkNumber("kvCapacity(): reservedBytes", request.reservedBytes, { least: 0 });
  checkNumber("kvCapacity(): tolerance", request.tolerance, { least: 0, most: 1 });
  const { hardware, backend } = deployment;
  const { memoryFraction } = request;
  if (!(memoryFraction >= 0 && memoryFraction <= 1)) {
    throw new ConfigError(`memory fraction ${memoryFraction} must be between 0 and 1`);
  }
  const sglang = backend === "sglang";
  const memory = {
    weights: residentWeights(deployment) / deployment.parallelism.pipeline,
    activations: activationBytes(deployment, request.maxBatchedTokens),
    runtime: hardware.otherBytes * (sglang ? 1.2 : 1),
    collectives: collectivesBytes(deployment),
  };
  const capacity = hardware.memoryBytes;
  // SGLang takes its share of what is free once the GPU is set up and before the model is loaded; room for activations
  // is what the share leaves
  const before = sglang ? memory.runtime + memory.collectives : 0;
  const rest = sglang ? memory.weights : memory.weights + memory.activations + memory.runtime + memory.collectives;
  const taken = rest + (request.reservedBytes ?? 0);
  const free = capacity - before;
  const budget = backend === "trtllm" ? (free - taken) * memoryFraction : free * memoryFraction - taken;
  if (!(budget > 0)) {
    throw new ConfigError(
      `no KV budget: non-KV memory (${Math.floor(taken)} bytes) meets/exceeds the KV-cache memory limit ` +
        `(capacity=${capacity} bytes) at memory fraction ${memoryFraction} on ${hardware.name}` +
        (backend !== "trtllm" && taken < free ? `; it leaves room from ${ceilHundredth(taken / free)} on` : ""),
    );
  }
  const { facts } = deployment;
  const cache = requireFamily(facts).memory.cache({ ...deployment, own: facts.own, kv: deployment.modes.kvcache });
  const usable = request.tolerance ? Math.floor(Math.floor(budget) * (1 - request.tolerance)) : budget;
  return {
    bytes: Math.floor(budget),
    bytesPerToken: cache.bytes(1),
    tokens: cache.tokens(usable),
    gpuBytes: capacity,
    reservedBytes: request.reservedBytes ?? 0,
    memory,
  };
}

/** Hundredths, rounded up. */
const ceilHundredth = (value: number) => Math.ceil(value * 100) / 100;

/** Bytes of the weights that a rank keeps, of all pipeline stages. */
function residentWeights(deployment: CapacityDeployment): number {
  const { facts } = deployment;
  const operators = weightBytes(deployment.operators);
  return requireFamily(facts).memory.weights?.({ ...deployment, own: facts.own, operators }) ?? operators;
}

/** Bytes of the weights behind operators. */
export function weightBytes(operators: readonly OperatorSpec[]): number {
  return operators.reduce((sum, operator) => sum + weightsOf(operator), 0);
}

function weightsOf(spec: OperatorSpec): number {
  switch (spec.kind) {
    case "gemm":
      return spec.n * spec.k * GEMM_MODES[spec.mode].bytes * spec.count;
    case "embedding":
      return spec.rows * spec.width * 2 * spec.count;
    case "moe": {
      const all = spec.hidden * spec.inter * spec.experts * MOE_MODES[spec.mode].bytes * (spec.gated ?? true ? 3 : 2);
      return Math.floor(Math.floor(all / spec.moeExpert) / spec.moeTensor) * spec.count;
    }
    case "dsa":
    case "dsv4":
      return spec.weightBytes * spec.count;
    case "mhc":
      return mhcWeightBytes(spec) * spec.count;
    case "fallback":
      return weightsOf(spec.primary) || weightBytes(spec.list);
    case "overlap":
      return weightBytes(spec.groups[0]) + weightBytes(spec.groups[1]);
    default:
      return 0;
  }
}

function activationBytes({ facts, backend, parallelism }: CapacityDeployment, maxTokens: number): number {
  const { tensor, attentionData, moeExpert } = parallelism;
  const sglang = backend === "sglang";
  const { memory } = requireFamily(facts);
  const factor = memory.activations[sglang ? "sglang" : "other"][[1, 2, 4, 8].indexOf(Math.min(tensor, 8))];
  if (factor === undefined) {
    throw new ConfigError(`no memory figures for tensor parallelism ${tensor}; expected 1, 2, 4, 8 or more`);
  }
  const width = memory.width?.(facts) ?? facts.heads * facts.headSize;
  const routerWidth = memory.routerWidth?.(facts, backend) ?? 0;
  let bytes = 2 * maxTokens * width * factor;
  bytes += maxTokens * routerWidth * attentionData * facts.experts * facts.topk / moeExpert / 128 * 4;
  bytes = Math.max(bytes, (sglang ? 90 : 70) * MEBIBYTE);
  return sglang ? bytes * 1.15 : bytes;
}

function collectivesBytes({ hardware, parallelism }: CapacityDeployment): number {
  const bytes = hardware.ncclBytes[Math.min(parallelism.tensor, 8)];
  if (bytes === undefined) {
    throw new ConfigError(`no memory figures for tensor parallelism ${parallelism.tensor} on ${hardware.name}`);
  }
  return bytes;
}

/** Bytes of an element stored in a number format, as the checkpoint names it. */
function storedBytes(type: string | null): number {
  const name = (type ?? "").toLowerCase();
  if (name.includes("float32")) return 4;
  return /fp8|float8|int8/.test(name) ? 1 : 2;
}

/**
 * Bytes that a token's KV takes in one rank, in the rough form used for transfers: it follows the number format the
 * checkpoint is stored in, not the cache's quantisation.
 *
 * @param model name for the error message
 * @param kv an explicit KV mode, which replaces the stored format
 * @throws {ConfigError} when the model's configuration does not give a positive number.
 *
 * @example
 * ```ts
 * import { findModel, kvBytesPerToken } from "dynosim";
 *
 * const model = "Qwen/Qwen3-32B-FP8";
 * console.log(kvBytesPerToken(findModel(model)!.facts, 2, model)); // 131072
 * ```
 */
export function kvBytesPerToken(facts: ModelFacts, tensor: number, model: string, kv: KvMode | null = null): number {
  const width = kv === null ? storedBytes(facts.storedType) : KV_MODES[kv];
  const bytes = facts.latent
    ? facts.layers * (facts.latent.kvRank + facts.latent.ropeSize) * width
    : 2 * Math.ceil((facts.kvHeads || facts.heads) / tensor) * facts.headSize * facts.layers * width;
  if (!(bytes > 0)) throw new ConfigError(`could not derive KV bytes per token for model '${model}'`);
  return bytes;
}
