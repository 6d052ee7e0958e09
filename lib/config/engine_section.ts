/**
 * The `engine` section: which model runs on what, with which workers.
 *
 * @module
 */
import type * as v from "valibot";
import { BACKENDS } from "../engine/settings.ts";
import {
  anything,
  boolean,
  databaseModeName,
  literal,
  nonemptyText,
  orNull,
  orWord,
  Problem,
  reads,
  strictInt,
  strictNumber,
  text,
  transferPolicy,
  withDefault,
} from "./schema_parts.ts";
import { type Rule, section } from "./schema_sections.ts";
import { ESTIMATION_MODES, FALLBACK_POLICIES, type RoleName, worker, type WorkerSection } from "./worker_section.ts";

/** Options of the performance model, with the value that means "not used". */
const MODEL_CONTROLS = {
  gemm_quant_mode: null,
  moe_quant_mode: null,
  kvcache_quant_mode: null,
  fmha_quant_mode: null,
  comm_quant_mode: null,
  enable_eplb: null,
  wideep_num_slots: null,
  moe_backend: null,
  moe_kernel_source: null,
  attention_backend: null,
  database_mode: "SILICON",
} as const;

const ESTIMATOR_POLICIES = [
  "transfer_policy",
  "systems_paths",
  "systems_path",
  "estimation_mode",
  "fallback_policy",
  "estimator_config",
  "data_release",
] as const;

const kvTransfer = section("KvTransfer", {
  bytes_per_token: withDefault(orWord("auto", strictInt({ gt: 0 }), "constrained-int"), "auto"),
  bandwidth_gb_per_second: orNull(strictNumber({ gt: 0 })),
  timing_mode: withDefault(literal(["destination_missing", "full_prompt"]), "destination_missing"),
});

const speculation = section("NgramSpeculation", {
  kind: literal(["ngram"]),
  num_speculative_tokens: strictInt({ ge: 1, le: 5 }),
  acceptance_rates: reads<number[]>((value) =>
    Array.isArray(value) && value.every((rate) => typeof rate === "number" && rate >= 0 && rate <= 1)
      ? value
      : new Problem("Input should be a valid list")
  ),
  seed: withDefault(strictInt({ ge: 0 }), 42),
}, [
  ({ num_speculative_tokens, acceptance_rates }) =>
    acceptance_rates.length === num_speculative_tokens
      ? undefined
      : "acceptance_rates must contain one conditional probability per speculative token",
]);

const hardware = text((name) => {
  if (name === "") return new Problem("Value error, value must be nonempty");
  return name === "auto" ? new Problem("Value error, engine.hardware='auto' is recommendation-only") : name;
});

const fields = {
  mode: withDefault(literal(["aggregated", "disaggregated"]), "aggregated"),
  model: nonemptyText(),
  hardware,
  backend: withDefault(literal(BACKENDS), "vllm"),
  backend_version: orNull(text()),
  context_length: withDefault(orWord("max", strictInt({ gt: 0 }), "constrained-int"), "max"),
  nextn: withDefault(strictInt({ ge: 0, le: 5 }), 0),
  nextn_accepted: orNull(strictNumber()),
  speculation: orNull(speculation),
  enable_chunked_prefill: orNull(boolean()),
  gemm_quant_mode: orNull(text()),
  moe_quant_mode: orNull(text()),
  kvcache_quant_mode: orNull(text()),
  fmha_quant_mode: orNull(text()),
  comm_quant_mode: orNull(text()),
  enable_eplb: orNull(boolean()),
  wideep_num_slots: orNull(strictInt({ gt: 0 })),
  moe_backend: orNull(text()),
  moe_kernel_source: orNull(text()),
  attention_backend: orNull(text()),
  database_mode: withDefault(databaseModeName(), "SILICON"),
  transfer_policy: orNull(transferPolicy()),
  systems_paths: anything(),
  systems_path: anything(),
  estimation_mode: orNull(literal(ESTIMATION_MODES)),
  fallback_policy: orNull(literal(FALLBACK_POLICIES)),
  estimator_config: anything(),
  enable_shared_layer: orNull(boolean()),
  strict_provenance: orNull(boolean()),
  decoder_replay: orNull(boolean()),
  fpm_profile: anything(),
  data_release: orNull(nonemptyText()),
  workers: withDefault(
    section("Workers", {
      aggregated: orNull(worker("aggregated")),
      prefill: orNull(worker("prefill")),
      decode: orNull(worker("decode")),
    }),
    {},
  ),
  kv_transfer: orNull(kvTransfer),
};

/** `engine` as the file has it, defaults filled. */
export type EngineSection = v.InferOutput<v.ObjectSchema<typeof fields, undefined>>;

/** The roles that are configured, in the order messages use. */
export function rolesOf({ workers }: Pick<EngineSection, "workers">): [RoleName, WorkerSection][] {
  return (["aggregated", "prefill", "decode"] as const)
    .filter((role) => workers[role] !== null)
    .map((role) => [role, workers[role]!]);
}

const nextnRules: Rule<EngineSection> = ({ nextn, nextn_accepted }) => {
  if (nextn > 0 && nextn_accepted === null) return "nextn requires explicit nextn_accepted";
  if (nextn_accepted !== null && !(nextn > 0 && nextn_accepted >= 0 && nextn_accepted <= nextn)) {
    return "nextn_accepted requires nextn > 0 and must be within [0, nextn]";
  }
};

const timingRules: Rule<EngineSection> = (engine) => {
  if (rolesOf(engine).every(([, { timing }]) => timing.type === "default")) return undefined;
  const controls = Object.entries(MODEL_CONTROLS);
  if (engine.nextn > 0 || controls.some(([name, unused]) => engine[name as keyof EngineSection] !== unused)) {
    return "engine model controls require default timing in every regular language role";
  }
  if (ESTIMATOR_POLICIES.some((name) => ![null, "auto", "deny"].includes(engine[name] as string | null))) {
    return "estimator policies require regular language workers with default timing in every role";
  }
};

const hardwareRules: Rule<EngineSection> = (engine) => {
  for (const [role, { hardware }] of rolesOf(engine)) {
    if (hardware === null) continue;
    if (role === "aggregated" || engine.mode === "aggregated") {
      return "worker hardware overrides require prefill/decode workers in disaggregated mode";
    }
    if (hardware.trim() !== hardware || hardware === "" || hardware === "auto") {
      return `workers.${role}.hardware must be one concrete nonempty hardware identifier`;
    }
  }
};

const topologyRules: Rule<EngineSection> = ({ mode, workers, kv_transfer }) => {
  if (mode === "aggregated") {
    if (!workers.aggregated) return "aggregated mode requires workers.aggregated";
    if (workers.prefill || workers.decode) return "aggregated mode rejects prefill/decode workers";
    if (kv_transfer) return "aggregated mode rejects kv_transfer";
    return undefined;
  }
  if (!workers.prefill || !workers.decode) return "disaggregated mode requires prefill and decode workers";
  if (workers.aggregated) return "disaggregated mode rejects aggregated workers";
};

const offloadRules: Rule<EngineSection> = (engine) => {
  for (const [role, { kv_cache, parallelism }] of rolesOf(engine)) {
    if (!kv_cache.host_offload) continue;
    if (role !== "aggregated") return "host_offload is supported only for the aggregated worker";
    if (engine.backend !== "vllm") return "host_offload is supported only for backend=vllm";
    if (!kv_cache.prefix_caching) return "host_offload requires prefix_caching=true";
    if (parallelism.attention_data !== 1) return "host_offload requires attention_data=1";
  }
};

const blockSizeRules: Rule<EngineSection> = (engine) => {
  if (engine.backend === "sglang") return undefined;
  for (const [role, { kv_cache }] of rolesOf(engine)) {
    if (kv_cache.block_size === 1) {
      return `${role} KV block_size has no value supported by vLLM/TensorRT-LLM; ` +
        "those backends require block_size >= 2";
    }
  }
  return undefined;
};

const schedulerRules: Rule<EngineSection> = (engine) => {
  for (const [role, { scheduler }] of rolesOf(engine)) {
    const only = (field: string, backend: string) =>
      `workers.${role}.scheduler.${field} is supported only for backend=${backend}`;
    if (scheduler.prefill_schedule_interval !== 1 && engine.backend !== "vllm") {
      return only("prefill_schedule_interval", "vllm");
    }
    if (scheduler.prefill_decode_interval !== 0 && engine.backend !== "sglang") {
      return only("prefill_decode_interval", "sglang");
    }
  }
};

const speculationRules: Rule<EngineSection> = (engine) => {
  if (!engine.speculation) return undefined;
  const roles = rolesOf(engine);
  if (engine.nextn > 0) return "speculation cannot be combined with nextn";
  if (engine.backend !== "vllm") return "ngram speculation requires vllm aggregated/disaggregated language workers";
  if (roles.some(([, { kv_cache }]) => kv_cache.host_offload)) return "ngram speculation does not support host_offload";
  if (roles.some(([, { timing }]) => timing.type !== "default" || timing.forward_model === "fpm")) {
    return "ngram speculation requires op_level timing";
  }
};

/** Schema of `engine`. */
export const engineSection = section("EngineConfig", fields, [
  nextnRules,
  timingRules,
  hardwareRules,
  topologyRules,
  offloadRules,
  blockSizeRules,
  schedulerRules,
  speculationRules,
]);
