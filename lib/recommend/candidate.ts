/**
 * A suggestion made concrete: the prediction it stands for (`candidate_document.ts`, `candidate_load.ts`), and how ledgers
 * describe it (`candidate_sample.ts`).
 *
 * @module
 */
import type { Backend } from "../engine/settings.ts";
import { ConfigError } from "../errors.ts";
import { DEFAULT_MEMORY_FRACTION } from "../timing/aic/capacity.ts";
import { entryGpus, type Suggestion } from "./branch.ts";
import { documentOf } from "./candidate_document.ts";
import { loadOf } from "./candidate_load.ts";
import { sampleOf } from "./candidate_sample.ts";
import { ROLE_NAMES, type RoleSearch, rolesOfMode } from "./engine_domain.ts";
import type { RoleKnobs } from "./role_knobs.ts";
import type { Recommendation } from "./recommendation.ts";
import { workerGpus } from "./shapes.ts";
import type { SearchSpace } from "./space.ts";

/** What kind of reason a candidate has not to be ranked. */
export type Category =
  | "gpu_budget"
  | "kv_capacity"
  | "sla_constraint"
  | "load_constraint"
  | "runtime_timeout"
  | "resource_limit"
  | "candidate_materialization"
  | "replay_runtime"
  | "invalid_metrics"
  | "no_samples"
  | "adapter_constraint";

/** A suggestion made concrete. */
export interface Candidate {
  /** What it was made of. */
  suggestion: Suggestion;
  /** GPUs of all its workers. */
  usedGpus: number;
  /** The suggestion in the names of ledgers. */
  config: Record<string, unknown>;
  /** A complete prediction; null when the suggestion cannot be one. */
  document: Record<string, any> | null;
  /** Why it cannot; null when it can. */
  refusal: { category: Category; reason: string } | null;
}

/** KV block sizes of engines that are given none. */
const BLOCK_TOKENS: Readonly<Record<Backend, number>> = { vllm: 64, sglang: 1, trtllm: 32 };

/** Makes suggestions of a space concrete. */
export class CandidateMaker {
  readonly #search: Recommendation;
  readonly #space: SearchSpace;

  constructor(search: Recommendation, space: SearchSpace) {
    this.#search = search;
    this.#space = space;
  }

  /** The space whose suggestions are made concrete. */
  get space(): SearchSpace {
    return this.#space;
  }

  /** The candidate that a suggestion stands for. */
  make(suggestion: Suggestion): Candidate {
    const { engine } = this.#search;
    const knobs = rolesOfMode(suggestion.mode).map((key, i) => this.#knobs(engine.roles[key]!, suggestion, i));
    const usedGpus = entryGpus(suggestion.roles);
    const config = { ...sampleOf(suggestion, knobs, this.#search, this.#space), used_gpus: usedGpus };
    const small = knobs.find(({ blockTokens }) => suggestion.backend !== "sglang" && blockTokens < 2);
    const refuse = (category: Category, reason: string): Candidate => ({
      suggestion,
      usedGpus,
      config,
      document: null,
      refusal: { category, reason },
    });
    if (small !== undefined) {
      return refuse(
        "adapter_constraint",
        "candidate adapter selection infeasible: generated prediction config is infeasible: " +
          `${
            ROLE_NAMES[small.role.key]
          } KV block_size ${small.blockTokens} is not supported by ${suggestion.backend}; it requires block_size >= 2`,
      );
    }
    const grown = this.#grownGpus(knobs), { max_candidate_gpus: budget } = this.#search.optimization.constraints;
    if (grown > budget) {
      return refuse(
        "gpu_budget",
        `the autoscaler may grow it to ${grown} GPUs, more than max_candidate_gpus=${budget}`,
      );
    }
    const load = loadOf(suggestion, knobs, this.#search.traffic, this.#space);
    if ("reason" in load) return refuse("kv_capacity", load.reason);
    Object.assign(config, load.config);
    return {
      suggestion,
      usedGpus,
      config,
      document: documentOf(suggestion, knobs, load.value, this.#search, this.#space),
      refusal: null,
    };
  }

  /** GPUs of a deployment with as many workers as its autoscaler may start. */
  #grownGpus(knobs: readonly RoleKnobs[]): number {
    const { autoscaler } = this.#search;
    return knobs.reduce((sum, { role, shape }) => {
      const { most = 0 } = autoscaler?.roles[ROLE_NAMES[role.key]] ?? {};
      return sum + workerGpus(shape) * Math.max(shape.replicas, most);
    }, 0);
  }

  #knobs(role: RoleSearch, { backend, roles, values }: Suggestion, i: number): RoleKnobs {
    const value = (name: string) => values[`${role.key}_${name}`] as number | undefined;
    const written = (domain: RoleSearch["blockSize"]) => domain?.kind === "choices" ? domain.values[0] : undefined;
    const version = this.#space.feasibility.version(role, backend);
    if (version instanceof ConfigError) throw version;
    return {
      role,
      shape: roles[i],
      tokens: value("max_num_batched_tokens")!,
      sequences: value("max_num_seqs")!,
      blockTokens: value("block_size") ?? written(role.blockSize) ?? BLOCK_TOKENS[backend],
      memoryFraction: value("gpu_memory_utilization") ?? written(role.memoryFraction) ??
        DEFAULT_MEMORY_FRACTION[backend],
      version,
      backend,
    };
  }
}
