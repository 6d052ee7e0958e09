/**
 * The timing model made of measured operators, asked the way an engine asks it: prompts and decode steps separately.
 *
 * @module
 */
import { checkOptions, type OptionNames } from "../../errors.ts";
import type { Timing } from "../timing.ts";
import { PerfCatalog } from "./catalog.ts";
import { Deployment, DEPLOYMENT_OPTIONS, type DeploymentOptions } from "./deployment.ts";
import type { ForwardPassModel } from "./forward_pass_model.ts";
import { findModel, type FoundModel, unknownModel } from "./model_sources.ts";

/**
 * Which engine asks for decode steps. That of AISimulate asks for sequences of the length they have (`engine`); that of
 * Dynamo at one token more, and no step takes less than a millisecond (`dynamo`).
 */
export type AskingStack = "engine" | "dynamo";

/** Options of {@linkcode operatorTiming}. */
export interface OperatorTimingOptions {
  /** Default `dynamo`. */
  stack?: AskingStack;
}

/** How a stack asks for a decode step: tokens beyond those that are known, and the shortest step in milliseconds. */
export const DECODE_QUESTION: Readonly<Record<AskingStack, { readonly beyond: number; readonly floorMs: number }>> = {
  engine: { beyond: 0, floorMs: 0 },
  dynamo: { beyond: 1, floorMs: 1 },
};

/** Made by {@linkcode operatorTiming}. */
class OperatorTiming implements Timing {
  readonly #model: ForwardPassModel;
  /** Tokens that a sequence adds to the batch of a decode step: itself and its drafts. */
  readonly #width: number;
  readonly #beyond: number;
  readonly #floorMs: number;

  readonly ranks: NonNullable<Timing["ranks"]>;

  constructor(model: ForwardPassModel, stack: AskingStack, { tensor, attentionData }: Deployment["parallelism"]) {
    this.#model = model;
    this.ranks = { tensor, attentionData };
    this.#width = model.nextn + 1;
    this.#beyond = DECODE_QUESTION[stack].beyond;
    this.#floorMs = DECODE_QUESTION[stack].floorMs;
  }

  prefillMs(requests: number, newTokens: number, prefixTokens: number): number {
    if (requests === 0 || newTokens === 0) return 0;
    return this.#model.contextMs(requests, newTokens, prefixTokens);
  }

  decodeMs(requests: number, contextTokens: number): number {
    if (requests === 0) return 0;
    const length = Math.floor(contextTokens / requests) + this.#beyond;
    return Math.max(this.#model.generationMs(requests * this.#width, length), this.#floorMs);
  }
}

/**
 * The timing model of a deployment. Measurements are loaded here, so that a replay never waits for them.
 *
 * @throws {ConfigError} when the measurements are not on this machine.
 *
 * @example
 * ```ts
 * import { deploy, operatorTiming } from "dynosim";
 *
 * const timing = operatorTiming(deploy({ model: "Qwen/Qwen3-32B", hardware: "h200_sxm", tensor: 2 }));
 * console.log(timing.decodeMs(16, 16 * 1250, 1_000_000).toFixed(3)); // 13.406
 * ```
 */
export function operatorTiming(deployment: Deployment, options: OperatorTimingOptions = {}): Timing {
  checkOptions("operatorTiming()", options, { stack: true } satisfies OptionNames<OperatorTimingOptions>);
  return new OperatorTiming(deployment.forwardPassModel(), options.stack ?? "dynamo", deployment.parallelism);
}

/** Options of {@linkcode deploy}. */
export interface DeployOptions extends DeploymentOptions {
  /** Name of the model, a folder with its `config.json`, or what {@linkcode loadModel} found. */
  model: string | FoundModel;
}

const DEPLOY_OPTIONS: OptionNames<DeployOptions> = { model: true, ...DEPLOYMENT_OPTIONS };

/**
 * A model on a GPU system. A model given by name must be on this machine (shipped, a folder, the hub's cache); use
 * {@linkcode loadModel} first for one that may have to be downloaded.
 *
 * @param catalog systems and measurements; pass the same one for several deployments, so that they share what they load
 * @throws {ConfigError} when a name is not known, or the model cannot be split as asked.
 *
 * @example
 * ```ts
 * import { deploy } from "dynosim";
 *
 * const deployment = deploy({ model: "Qwen/Qwen3-32B", hardware: "h200_sxm", tensor: 2 });
 * const { tokens } = deployment.kvCapacity({ maxBatchedTokens: 8192, memoryFraction: 0.9 });
 * console.log(Math.floor(tokens / 64)); // 11742
 * ```
 */
export function deploy(options: DeployOptions, catalog: PerfCatalog = new PerfCatalog()): Deployment {
  checkOptions("deploy()", options, DEPLOY_OPTIONS);
  const { model, ...rest } = options;
  const found = typeof model === "string" ? findModel(model) : model;
  if (found === undefined) throw unknownModel(model as string);
  return new Deployment(found.facts, rest, catalog);
}
