/**
 * Estimates in the terms of a workload (input length, output length) instead of a pass: prompts, single decode steps,
 * whole generations, mixed steps.
 *
 * @module
 */
import { checkOptions, type OptionNames, SimulationError } from "../../errors.ts";
import type { ForwardPassModel } from "./forward_pass_model.ts";

/** How much slower attention is for sequences of unequal length, 1 for equal ones. */
export interface ImbalanceScales {
  /** Factor of prompt attention. */
  context?: number;
  /** Factor of decode attention. */
  generation?: number;
}

const MIXED_STEP: OptionNames<MixedStep> = {
  contextTokens: true,
  decodes: true,
  inputLength: true,
  outputLength: true,
  prefix: true,
};

/** A step that computes prompt tokens and decodes at the same time. */
export interface MixedStep {
  /** Prompt tokens of the step, those in the prefix included. */
  contextTokens: number;
  /** Sequences that decode. */
  decodes: number;
  /** Prompt tokens of a sequence. */
  inputLength: number;
  /** Output tokens of a sequence. */
  outputLength: number;
  /** Tokens of each prompt that are cached. Default 0. */
  prefix?: number;
}

/** Decode steps that are taken together in {@linkcode generationRunMs}. */
const STRIDE = 32;

/**
 * Milliseconds to compute prompts of `inputLength` tokens, `prefix` of which are cached.
 *
 * @throws {SimulationError} when nothing is left to compute.
 *
 * @example
 * ```ts
 * import { deploy, promptMs } from "dynosim";
 *
 * const model = deploy({ model: "Qwen/Qwen3-32B", hardware: "h200_sxm", tensor: 2 }).forwardPassModel();
 * console.log(promptMs(model, 1, 1000) > promptMs(model, 1, 1000, 500)); // true
 * ```
 */
export function promptMs(model: ForwardPassModel, requests: number, inputLength: number, prefix = 0): number {
  if (prefix >= inputLength) {
    throw new SimulationError(`the prefix (${prefix}) must be shorter than the input (${inputLength})`);
  }
  return model.contextMs(requests, inputLength - prefix, prefix);
}

/**
 * Milliseconds to generate `outputLength` tokens for each of `batch` prompts, without the prompts themselves.
 *
 * @example
 * ```ts
 * import { deploy, generationRunMs } from "dynosim";
 *
 * const model = deploy({ model: "Qwen/Qwen3-32B", hardware: "h200_sxm", tensor: 2 }).forwardPassModel();
 * console.log(generationRunMs(model, 4, 1000, 100).toFixed(3)); // 1259.821
 * ```
 */
export function generationRunMs(
  model: ForwardPassModel,
  batch: number,
  inputLength: number,
  outputLength: number,
): number {
  let sum = 0;
  for (let i = 0; i < outputLength - 1; i += STRIDE) {
    const steps = Math.min(STRIDE, outputLength - 1 - i);
    sum += model.generationMs(batch * (model.nextn + 1), inputLength + i + 1) * steps;
  }
  return sum;
}

/**
 * Milliseconds of a decode step in the middle of the outputs.
 *
 * @example
 * ```ts
 * import { decodeStepMs, deploy } from "dynosim";
 *
 * const model = deploy({ model: "Qwen/Qwen3-32B", hardware: "h200_sxm", tensor: 2 }).forwardPassModel();
 * console.log(decodeStepMs(model, 16, 1000, 500).toFixed(3)); // 13.406
 * ```
 */
export function decodeStepMs(
  model: ForwardPassModel,
  decodes: number,
  inputLength: number,
  outputLength: number,
): number {
  const known = Math.max(inputLength, 1) + Math.floor(Math.max(outputLength, 1) / 2) + 1;
  return model.generationMs(decodes * (model.nextn + 1), known);
}

/**
 * Milliseconds of a mixed step in the middle of the outputs.
 *
 * @throws {SimulationError} when the prefixes take up all tokens of the step.
 *
 * @example
 * ```ts
 * import { deploy, mixedStepMs } from "dynosim";
 *
 * const model = deploy({ model: "Qwen/Qwen3-32B", hardware: "h200_sxm", tensor: 2 }).forwardPassModel();
 * const step = { contextTokens: 2048, decodes: 16, inputLength: 1000, outputLength: 500 };
 * console.log(mixedStepMs(model, step).toFixed(3)); // 108.198
 * ```
 */
export function mixedStepMs(model: ForwardPassModel, step: MixedStep, scales: ImbalanceScales = {}): number {
  checkOptions("mixedStepMs(): step", step, MIXED_STEP);
  checkOptions("mixedStepMs(): scales", scales, { context: true, generation: true });
  const { contextTokens, inputLength, outputLength, prefix = 0 } = step;
  if (contextTokens === 0 && step.decodes === 0) return 0;
  const decodes = step.decodes * (model.nextn + 1);
  const all = contextTokens + decodes;
  const cached = prefix * Math.floor(contextTokens / inputLength);
  if (all <= cached) {
    throw new SimulationError(`a mixed step of ${all} tokens must compute more than its prefixes (${cached})`);
  }
  const parts = model.mixedParts(
    all - cached,
    cached,
    contextTokens > 0
      ? {
        batch: Math.ceil(contextTokens / inputLength),
        seq: inputLength - prefix,
        prefix,
        scale: scales.context ?? 1,
      }
      : null,
    step.decodes > 0
      ? { batch: decodes, seq: inputLength + Math.floor(outputLength / 2) + 1, scale: scales.generation ?? 1 }
      : null,
  );
  const contextMs = contextTokens > 0 ? parts.context / Math.ceil(inputLength / contextTokens) : 0;
  return parts.others + contextMs + parts.generation;
}
