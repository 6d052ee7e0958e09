/**
 * What the Planner has to know about the engines it scales.
 *
 * @module
 */
import { checkOptions } from "../errors.ts";

/** One replica of a role. A limit the engine does not set is null. */
export interface EngineCapabilities {
  /** GPUs of one replica: the cost every budget counts with. */
  gpus: number;
  /** Token budget of a pass. */
  maxBatchedTokens: number | null;
  /** Most sequences of a pass. */
  maxSequences: number | null;
  /** Longest sequence. */
  contextTokens: number | null;
  /** Tokens the KV pools of all ranks hold. */
  maxKvTokens: number | null;
  /** Drafted tokens per forward; null without speculation. */
  speculationDepth: number | null;
}

/** The roles of a deployment; aggregated engines are the decode role, and prefill is null. */
export interface DeploymentCapabilities {
  /** A prefill replica. */
  prefill: EngineCapabilities | null;
  /** A decode or aggregated replica. */
  decode: EngineCapabilities;
}

/** The part of a worker's settings the Planner reads. */
export interface WorkerShape {
  /** Limits of one rank. */
  rank: {
    maxBatchedTokens: number;
    maxSequences: number;
    maxModelTokens: number;
    blocks: number;
    blockTokens: number;
    acceptRates: readonly number[] | null;
  };
  /** Attention data-parallel ranks. */
  dpSize: number;
  /** Tensor-parallel GPUs of a rank. */
  tensorParallel: number;
}

/**
 * Reads the capabilities off a worker's settings.
 *
 * @param options `pipelineParallel` multiplies the GPUs of a replica; 1 by default
 *
 * @example
 * ```ts
 * import { capabilitiesOf, parseLaunch } from "dynosim";
 *
 * const { gpus, maxKvTokens } = capabilitiesOf(parseLaunch({ tensor_parallel_size: 2 }));
 * console.log(gpus, maxKvTokens); // 2 1048576
 * ```
 */
export function capabilitiesOf(worker: WorkerShape, options: { pipelineParallel?: number } = {}): EngineCapabilities {
  checkOptions("capabilitiesOf()", options, { pipelineParallel: true });
  const ranks = Math.max(worker.dpSize, 1);
  const { rank } = worker;
  const limit = (value: number) => Number.isFinite(value) ? value : null;
  const kvTokens = rank.blocks * rank.blockTokens * ranks;
  return {
    gpus: (worker.tensorParallel || 1) * (options.pipelineParallel ?? 1) * ranks,
    maxBatchedTokens: limit(rank.maxBatchedTokens),
    maxSequences: limit(rank.maxSequences),
    contextTokens: limit(rank.maxModelTokens),
    maxKvTokens: kvTokens > 0 ? limit(kvTokens) : null,
    speculationDepth: rank.acceptRates ? rank.acceptRates.length : null,
  };
}
