/**
 * `engine.workers.<role>`: replicas, parallelism, scheduler, KV cache and timing of one role.
 *
 * @module
 */
import type * as v from "valibot";
import {
  boolean,
  databaseModeName,
  laxNumber,
  literal,
  nonemptyText,
  orNull,
  orWord,
  strictInt,
  strictNumber,
  text,
  transferPolicy,
  withDefault,
} from "./schema_parts.ts";
import { type Rule, section } from "./schema_sections.ts";

/** Roles a worker may have. */
export type RoleName = "aggregated" | "prefill" | "decode";

const positive = () => strictInt({ gt: 0 });

/** GPUs along one axis of a split; nobody builds more, and times and bytes stay numbers. */
const ranks = () => withDefault(strictInt({ gt: 0, le: 65_536 }), 1);

const parallelism = section("Parallelism", {
  replicas: withDefault(positive(), 1),
  tensor: ranks(),
  pipeline: ranks(),
  attention_data: ranks(),
  moe_tensor: ranks(),
  moe_expert: ranks(),
  prefill_context: orNull(positive()),
  decode_context: orNull(positive()),
});

const scheduler = (role: RoleName) =>
  section("Scheduler", {
    max_batched_tokens: withDefault(positive(), 8192),
    max_sequences: withDefault(positive(), role === "prefill" ? 1 : 256),
    prefill_schedule_interval: withDefault(positive(), 1),
    prefill_decode_interval: withDefault(strictInt({ ge: 0 }), 0),
  });

const capacity = section("KvCapacity", {
  type: withDefault(literal(["default", "fixed"]), "default"),
  memory_fraction: orNull(strictNumber({ gt: 0, le: 1 })),
  blocks: orNull(positive()),
  bytes: orNull(positive()),
  cuda_graph_reserved_bytes: withDefault(strictInt({ ge: 0, le: 2 ** 53 }), 0),
}, [
  ({ type, blocks, bytes, memory_fraction, cuda_graph_reserved_bytes }) => {
    if (type === "default") {
      return blocks !== null || bytes !== null ? "default KV capacity rejects blocks or bytes" : undefined;
    }
    if (blocks === null && bytes === null) return "fixed KV capacity requires blocks or bytes";
    if (blocks !== null && bytes !== null) return "fixed KV capacity accepts only one of blocks or bytes";
    if (memory_fraction !== null) return "fixed KV capacity rejects memory_fraction";
    if (cuda_graph_reserved_bytes !== 0) return "fixed KV capacity rejects cuda_graph_reserved_bytes";
  },
]);

const bandwidth = (gigabytesPerSecond: number) => withDefault(strictNumber({ gt: 0 }), gigabytesPerSecond);

const hostOffload = section("HostOffload", {
  num_host_blocks: positive(),
  d2h_bandwidth_gbps: bandwidth(32),
  h2d_bandwidth_gbps: bandwidth(32),
  scope: withDefault(literal(["worker_local", "cluster_shared"]), "worker_local"),
  shared_d2h_bandwidth_gbps: bandwidth(80),
  shared_h2d_bandwidth_gbps: bandwidth(80),
  latency_to_first_byte_ms: withDefault(strictNumber({ ge: 0 }), 0),
});

const g3Offload = section("G3Offload", {
  scope: literal(["worker_local", "cluster_shared"]),
  num_g3_blocks: positive(),
  latency_to_first_byte_ms: withDefault(strictNumber({ ge: 0 }), 0.1),
  read_bandwidth_gbps: bandwidth(10),
  write_bandwidth_gbps: bandwidth(10),
  shared_read_bandwidth_gbps: bandwidth(80),
  shared_write_bandwidth_gbps: bandwidth(80),
});

const kvCache = section("KvCache", {
  block_size: orNull(positive()),
  prefix_caching: withDefault(boolean(), true),
  bytes_per_token: withDefault(orWord("auto", positive(), "constrained-int"), "auto"),
  capacity: withDefault(capacity, {}),
  host_offload: orNull(hostOffload),
  g3_offload: orNull(g3Offload),
}, [
  ({ host_offload, g3_offload }) => g3_offload && !host_offload ? "g3_offload requires host_offload" : undefined,
  ({ capacity, block_size, bytes_per_token }) =>
    capacity.bytes !== null && (block_size === null || bytes_per_token === "auto")
      ? "KV capacity in bytes requires explicit block_size and bytes_per_token"
      : undefined,
]);

/** Ways to estimate, of which only `op_level` is simulated. */
export const ESTIMATION_MODES = ["auto", "op_level", "fpm_interpolation", "fpm_regression"] as const;
/** What happens where a model lacks measurements: the prediction ends, or a regression takes their place. */
export const FALLBACK_POLICIES = ["deny", "allow"] as const;

const timing = section("Timing", {
  gemm_quant_mode: orNull(text()),
  moe_quant_mode: orNull(text()),
  kvcache_quant_mode: orNull(text()),
  fmha_quant_mode: orNull(text()),
  comm_quant_mode: orNull(text()),
  type: withDefault(literal(["default", "fixed", "polynomial"]), "default"),
  prefill_ms: orNull(laxNumber({ ge: 0 })),
  decode_ms: orNull(laxNumber({ ge: 0 })),
  forward_model: orNull(literal(["op_level", "fpm"])),
  fpm_parquet_path: orNull(text()),
  calibration: orNull(nonemptyText()),
  calibration_forced: withDefault(boolean(), false),
  mixed: orNull(literal(["sum", "fused"])),
  database_mode: orNull(databaseModeName()),
  transfer_policy: orNull(transferPolicy()),
  estimation_mode: orNull(literal(ESTIMATION_MODES)),
  fallback_policy: orNull(literal(FALLBACK_POLICIES)),
}, [
  ({ type, database_mode, transfer_policy, estimation_mode, fallback_policy }) =>
    type !== "default" &&
      [database_mode, transfer_policy, estimation_mode, fallback_policy].some((setting) => setting !== null)
      ? "estimator settings require default timing"
      : undefined,
  ({ type, calibration, mixed }) =>
    type !== "default" && (calibration !== null || mixed !== null)
      ? "calibration and mixed require default timing"
      : undefined,
  ({ calibration, calibration_forced }) =>
    calibration_forced && calibration === null ? "calibration_forced requires a calibration" : undefined,
  ({ type, prefill_ms, decode_ms }) => {
    if (type === "fixed") {
      return prefill_ms === null || decode_ms === null ? "fixed timing requires prefill_ms and decode_ms" : undefined;
    }
    return prefill_ms !== null || decode_ms !== null ? `${type} timing rejects fixed timing values` : undefined;
  },
  ({ type, gemm_quant_mode, moe_quant_mode, kvcache_quant_mode, fmha_quant_mode, comm_quant_mode }) => {
    const modes = [gemm_quant_mode, moe_quant_mode, kvcache_quant_mode, fmha_quant_mode, comm_quant_mode];
    const some = modes.some((mode) => mode !== null);
    return type !== "default" && some ? "estimator settings require default timing" : undefined;
  },
  ({ type, forward_model }) =>
    type !== "default" && forward_model === "fpm"
      ? `${type} timing rejects forward_model='fpm'; forward_model applies to default timing only`
      : undefined,
  ({ type, forward_model, fpm_parquet_path }) =>
    fpm_parquet_path !== null && !(type === "default" && forward_model === "fpm")
      ? "fpm_parquet_path requires default timing with forward_model='fpm'"
      : undefined,
]);

const bytesFit: Rule<{ kv_cache: v.InferOutput<typeof kvCache> }> = ({ kv_cache }) => {
  const { capacity, block_size, bytes_per_token } = kv_cache;
  return capacity.bytes !== null && capacity.bytes < block_size! * (bytes_per_token as number)
    ? "KV capacity in bytes is smaller than one block"
    : undefined;
};

/** Schema of one role's workers; a prefill worker runs one sequence at a time unless told otherwise. */
export const worker = (role: RoleName) =>
  section("WorkerConfig", {
    parallelism: withDefault(parallelism, {}),
    scheduler: withDefault(scheduler(role), {}),
    kv_cache: withDefault(kvCache, {}),
    timing: withDefault(timing, {}),
    startup_seconds: withDefault(laxNumber({ ge: 0 }), 0),
    hardware: orNull(text()),
    context_length: orNull(orWord("max", positive(), "constrained-int")),
  }, [bytesFit]);

/** One role as the file has it, defaults filled. */
export type WorkerSection = v.InferOutput<ReturnType<typeof worker>>;
