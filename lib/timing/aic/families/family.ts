/**
 * A family of models: which architectures belong to it, what it needs to know of a model, which operators a pass is
 * made of, and what a sequence takes in memory. A new family is one file beside this one and a line in `registry.ts`.
 *
 * @module
 */
import type { Hardware } from "../hardware.ts";
import type { ListRequest } from "../list_builder.ts";
import type { CheckpointParts, Json } from "../checkpoint_quant.ts";
import type { ModelFacts } from "../model_facts.ts";
import type { OperatorLists, Parallelism } from "../operator_spec.ts";
import type { KvMode, QuantModes } from "../quant.ts";
import type { ActivationFactors, SequenceCache } from "./memory.ts";

/** What the memory of a sequence depends on. */
export interface CacheRequest<Own> {
  readonly facts: ModelFacts;
  readonly own: Own;
  readonly parallelism: Parallelism;
  readonly hardware: Hardware;
  readonly backend: string;
  readonly kv: KvMode;
}

/** Modes that follow from a checkpoint; absent ones take their default. */
export type ImpliedModes = { readonly [mode in keyof QuantModes]?: QuantModes[mode] };

/** Where a checkpoint is served. */
export interface Serving {
  readonly backend: string;
  readonly backendVersion: string | null;
  readonly hardware: Hardware;
}

/** What the resident weights depend on. */
export interface WeightsRequest<Own> {
  readonly facts: ModelFacts;
  readonly own: Own;
  readonly parallelism: Parallelism;
  readonly backend: string;
  readonly modes: QuantModes;
  /** Whether the mode of dense products was given by the caller. */
  readonly gemmFixed: boolean;
  /** Bytes of the weights behind the operators of a pass over prompts. */
  readonly operators: number;
}

/** How a family's models use memory. */
export interface FamilyMemory<Own> {
  /** Bytes of the weights of one rank before they are split over pipeline stages. Default: those of the operators. */
  weights?(request: WeightsRequest<Own>): number;
  /** Activations per token and element of {@linkcode FamilyMemory.width}. */
  readonly activations: ActivationFactors;
  /** Elements per token that activations are counted in. Default: heads times head size. */
  width?(facts: ModelFacts): number;
  /** Elements per token that the router's workspace is counted in; absent or 0 when there is none. */
  routerWidth?(facts: ModelFacts, backend: string): number;
  /** KV cache and state of one sequence in one rank. */
  cache(request: CacheRequest<Own>): SequenceCache;
}

/** One family. `Own` is what its lists need beyond {@linkcode ModelFacts}, plain JSON; null when nothing. */
export interface Family<Own = null> {
  readonly name: string;
  readonly architectures: readonly string[];
  /** Those among them whose language model is described in `text_config` alone. */
  readonly nested?: readonly string[];
  /**
   * The family's own facts.
   *
   * @param text where the language model is described: `config.json` or its `text_config`
   * @param facts what all models have
   * @param parts how the checkpoint quantises its parts
   * @param root all of `config.json`
   * @throws {ConfigError} naming the field that is missing or wrong.
   */
  own?(text: Json, facts: ModelFacts, parts: CheckpointParts, root: Json): Own;
  /** What the checkpoint implies where this family's models differ from others: a backend serves them in another way. */
  implied?(modes: ImpliedModes, facts: ModelFacts, own: Own, serving: Serving): ImpliedModes;
  /** Whether the ranks of the experts must be those of attention (tensor · data = MoE tensor · expert). */
  spreadsExperts(facts: ModelFacts): boolean;
  /**
   * Further demands on how a model is split.
   *
   * @throws {ConfigError} when they are not met.
   */
  check?(request: ListRequest<Own>): void;
  lists(request: ListRequest<Own>): OperatorLists;
  readonly memory: FamilyMemory<Own>;
}
