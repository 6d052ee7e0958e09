/**
 * A suggestion made concrete: the prediction it stands for, and how ledgers describe it.
 *
 * @module
 */
import { roundHalfEven } from "../arithmetic/rounding.ts";
import type { Backend } from "../engine/settings.ts";
import { ConfigError } from "../errors.ts";
import { DEFAULT_MEMORY_FRACTION } from "../timing/aic/capacity.ts";
import { CURRENCY } from "../report/price.ts";
import { entryGpus, type Suggestion } from "./branch.ts";
import { ROLE_NAMES, type RoleSearch, rolesOfMode } from "./engine_domain.ts";
import type { Recommendation } from "./recommendation.ts";
import { routerOf } from "./router_domain.ts";
import { type Replicas, strategyOf, workerGpus } from "./shapes.ts";
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

/** A document of plain values. */
export type Document = Record<string, any>;

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

/** Knobs of a role with their defaults filled in. */
interface RoleKnobs {
  role: RoleSearch;
  shape: Replicas;
  tokens: number;
  sequences: number;
  blockTokens: number;
  memoryFraction: number;
  version: string;
  backend: Backend;
}

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
    const config = { ...this.#sample(suggestion, knobs), used_gpus: usedGpus };
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
    const load = this.#load(suggestion, knobs);
    if ("reason" in load) return refuse("kv_capacity", load.reason);
    Object.assign(config, load.config);
    return { suggestion, usedGpus, config, document: this.#document(suggestion, knobs, load.value), refusal: null };
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

  /** The suggestion as ledgers list it. */
  #sample({ mode, backend, values }: Suggestion, knobs: readonly RoleKnobs[]): Record<string, unknown> {
    const { engine, optimization, router, planner, autoscaler } = this.#search;
    const own = Object.entries(values).filter(([name]) => !name.startsWith("adapter::"));
    const sample: Record<string, unknown> = {
      deployment_mode: mode,
      backend,
      backend_version: knobs[0].version,
      model_name: engine.model,
      hardware_sku: engine.hardware,
      gpu_budget: optimization.constraints.max_candidate_gpus,
      context_length: this.#space.contextTokens,
      ...Object.fromEntries(own),
    };
    if (optimization.constraints.min_candidate_gpus !== null) {
      sample.min_gpu_budget = optimization.constraints.min_candidate_gpus;
    }
    for (const { role, shape } of knobs) this.#describeRole(sample, role, shape);
    const transfer = engine.written.kv_transfer;
    if (mode === "disagg") sample.kv_transfer_timing_mode = transfer?.timing_mode ?? "destination_missing";
    if (mode === "disagg" && transfer) {
      sample.kv_transfer_bytes_per_token = transfer.bytes_per_token ?? "auto";
      if (transfer.bandwidth_gb_per_second != null) sample.kv_transfer_bandwidth = transfer.bandwidth_gb_per_second;
    }
    if (autoscaler) sample.autoscaler = autoscaler.type;
    const adapters: Record<string, unknown> = {};
    if (router) adapters["dynamo.router"] = routerOf(values);
    if (planner) adapters["dynamo.planner"] = this.#space.planner!.planner(values);
    return Object.keys(adapters).length > 0 ? { ...sample, adapters } : sample;
  }

  #describeRole(sample: Record<string, unknown>, role: RoleSearch, shape: Replicas): void {
    const { key, written, fixedBlocks } = role;
    const prefix = key === "agg" ? "" : `${key}_`;
    const sizes = {
      tp: shape.tensor,
      pp: shape.pipeline,
      attention_dp: shape.attentionData,
      moe_tp: shape.moeTensor,
      moe_ep: shape.moeExpert,
      replicas: shape.replicas,
      strategy: strategyOf(shape),
    };
    for (const [name, size] of Object.entries(sizes)) sample[prefix + name] = size;
    const cache = written.kv_cache ?? {}, timing = written.timing ?? {};
    const details: Record<string, unknown> = {
      block_size: role.blockSize?.kind === "choices" && role.blockSize.pinned ? role.blockSize.values[0] : undefined,
      gpu_memory_utilization: role.memoryFraction?.kind === "choices" && role.memoryFraction.pinned
        ? role.memoryFraction.values[0]
        : undefined,
      num_gpu_blocks: fixedBlocks ?? undefined,
      enable_prefix_caching: cache.prefix_caching ?? true,
      kv_bytes_per_token: cache.bytes_per_token ?? "auto",
      startup_time: written.startup_seconds ?? 0,
      timing_model: timing.type === undefined || timing.type === "default" ? undefined : timing,
      hardware_sku: key === "agg" ? undefined : role.hardware,
      context_length: role.contextLength ?? undefined,
    };
    for (const [name, value] of Object.entries(details)) if (value !== undefined) sample[`${key}_${name}`] = value;
  }

  /** The load of the candidate: what goes into the document, and what ledgers say of it. */
  #load(
    { values }: Suggestion,
    knobs: readonly RoleKnobs[],
  ): { value: number; config: Record<string, unknown> } | { reason: string } {
    const { field, domain, lengths, prediction } = this.#search.traffic;
    const drawn = values.traffic_load as number | undefined;
    const pinned = domain.kind === "choices" ? domain.values[0] : domain.min;
    if (field === "fraction") return this.#fraction(drawn ?? pinned, knobs, lengths!, drawn !== undefined);
    const value = field === "concurrency" ? Math.max(1, roundHalfEven(drawn ?? pinned)) : drawn ?? pinned;
    const name = field === "speedup"
      ? "arrival_speedup_ratio"
      : field !== "concurrency"
      ? "request_rate"
      : prediction.source.type === "trace"
      ? "replay_concurrency"
      : "concurrency";
    const both = field === "concurrency" ? { concurrency: value, [name]: value } : { [name]: value };
    if (drawn === undefined) return { value, config: field === "concurrency" ? both : {} };
    return { value, config: { traffic_load: value, ...both } };
  }

  /** A share of the KV cache as a number of requests at once. */
  #fraction(
    fraction: number,
    knobs: readonly RoleKnobs[],
    { input, output }: { input: number; output: number },
    searched: boolean,
  ): { value: number; config: Record<string, unknown> } | { reason: string } {
    const config: Record<string, unknown> = { kv_load_ratio: fraction };
    if (searched) config.traffic_load = fraction;
    let capacity = 0;
    for (const { role, shape, tokens, blockTokens, memoryFraction, backend } of knobs) {
      const perRank = role.fixedBlocks !== null
        ? role.fixedBlocks * blockTokens
        : Math.floor(this.#space.feasibility.tokens(role, backend, shape, tokens, memoryFraction) / blockTokens) *
          blockTokens;
      capacity = perRank * shape.attentionData * shape.replicas;
      config[`${role.key}_kv_capacity_tokens`] = capacity;
    }
    const requests = Math.floor(capacity / (input + Math.floor(output / 2)));
    if (requests < 1) {
      return {
        reason:
          `candidate KV capacity infeasible: ${capacity} tokens hold no request of ${input} prompt and ${output} output tokens`,
      };
    }
    const value = Math.max(1, Math.trunc(fraction * requests));
    return {
      value,
      config: {
        ...config,
        concurrency: value,
        kv_load_capacity_tokens: capacity,
        kv_load_concurrency_capacity: requests,
      },
    };
  }

  #document({ mode, backend, values }: Suggestion, knobs: readonly RoleKnobs[], load: number): Document {
    const { traffic, engine, sla, price, resources, sections, written } = this.#search;
    const planner = this.#space.planner?.planner(values) ?? null;
    const scales = planner?.policy === "enabled" || this.#search.autoscaler !== null;
    const { mode: _mode, backend: _backend, backend_version: _version, kv_transfer, nextn: _nextn, ...rest } =
      engine.written;
    // a KV router between fewer than two ranks has nothing to decide, and a prediction refuses it
    const choice = scales || Math.max(...knobs.map(({ shape }) => shape.replicas * shape.attentionData)) > 1;
    const router = choice ? routerOf(values) : ONE_WORKER_ROUTER;
    const adapters = {
      router: () => router,
      planner: () => planner,
      autoscaler: () => this.#autoscalerOf(knobs),
    };
    const bounds = Object.entries(sla ?? {}).filter(([, bound]) => bound !== null);
    const evaluation = {
      ...(bounds.length > 0 ? { sla: Object.fromEntries(bounds) } : {}),
      ...(price === null ? {} : { price_per_gpu_hour: price.perGpuHour, currency: price.currency ?? CURRENCY }),
    };
    return {
      traffic: {
        ...traffic.prediction,
        load: { ...traffic.prediction.load, ...this.#loadFields(load) },
        ...stopOf(traffic.prediction.stop),
      },
      engine: {
        ...rest,
        mode: mode === "agg" ? "aggregated" : "disaggregated",
        backend,
        backend_version: knobs[0].version,
        context_length: this.#space.contextTokens,
        workers: Object.fromEntries(knobs.map((one) => [ROLE_NAMES[one.role.key], workerOf(one)])),
        ...(mode === "agg" ? {} : { kv_transfer: kv_transfer ?? {} }),
      },
      ...(Object.keys(evaluation).length > 0 ? { evaluation } : {}),
      ...(Object.hasOwn(written, "execution") ? { execution: { resources } } : {}),
      ...Object.fromEntries(
        sections.map((section) => [section, adapters[section]()]),
      ),
    };
  }

  /** The autoscaler as it is written, of the roles that there are. */
  #autoscalerOf(knobs: readonly RoleKnobs[]): Document {
    const written = this.#search.written.autoscaler as Document;
    const names = knobs.map(({ role }) => ROLE_NAMES[role.key]).filter((name) => written.workers[name] != null);
    return { ...written, workers: Object.fromEntries(names.map((name) => [name, written.workers[name]])) };
  }

  #loadFields(load: number): Record<string, unknown> {
    const { field, prediction } = this.#search.traffic;
    if (field === "fraction") return { type: "concurrency", concurrency: load };
    if (field === "speedup" && prediction.load.speedup == null) return {};
    return { [field]: load };
  }
}

/** A cutoff ends everything in searches, as in the reference's; predictions let admitted requests finish unless told. */
function stopOf(stop: Document | null | undefined): Document {
  return stop?.max_virtual_time_seconds == null ? {} : { stop: { cutoff: "hard", ...stop } };
}

const ONE_WORKER_ROUTER = { policy: "round_robin", prefill_load_model: { type: "none" } };

/** A role of the document, its defaults written out. */
function workerOf({ role, shape, tokens, sequences, blockTokens, memoryFraction }: RoleKnobs): Document {
  const { written, fixedBlocks } = role;
  const { block_size: _size, capacity, ...cache } = written.kv_cache ?? {};
  return {
    parallelism: {
      replicas: shape.replicas,
      tensor: shape.tensor,
      pipeline: shape.pipeline,
      attention_data: shape.attentionData,
      moe_tensor: shape.moeTensor,
      moe_expert: shape.moeExpert,
    },
    scheduler: { max_batched_tokens: tokens, max_sequences: sequences },
    kv_cache: {
      block_size: blockTokens,
      prefix_caching: true,
      bytes_per_token: "auto",
      ...cache,
      capacity: fixedBlocks !== null ? { type: "fixed", blocks: fixedBlocks } : {
        type: "default",
        memory_fraction: memoryFraction,
        ...(capacity?.cuda_graph_reserved_bytes == null
          ? {}
          : { cuda_graph_reserved_bytes: capacity.cuda_graph_reserved_bytes }),
      },
    },
    timing: written.timing ?? { type: "default" },
    startup_seconds: written.startup_seconds ?? 0,
    ...(role.key === "agg" || written.hardware == null ? {} : { hardware: written.hardware }),
    ...(role.contextLength === null ? {} : { context_length: role.contextLength }),
  };
}
