/**
 * The shape of a launch mapping, level by level: names and types. The rules between values stand in `launch.ts`.
 *
 * @module
 */
import {
  anything,
  bool,
  choice,
  f64,
  type Fields,
  invalid,
  mapping,
  nullable,
  type Reader,
  sequence,
  struct,
  structural,
  text,
  unknownName,
  unsigned,
} from "./fields.ts";
import { BACKENDS, type TimingSettings } from "../settings.ts";

const usize = unsigned("usize");

/** The tagged choice of `timing_model`: its tag is reported at `….type`, its contents at the choice itself; other keys pass. */
const timingModel: Reader<TimingSettings> = (value, path) => {
  const fields = mapping("internally tagged enum TimingModelConfig")(value, path);
  const required = (name: string, read: Reader) => {
    if (fields[name] === undefined) throw structural(path, `missing field \`${name}\``);
    return read(fields[name], path);
  };
  const tag = required("type", anything);
  switch (tag) {
    case "polynomial":
      return { type: "polynomial" };
    case "fixed": {
      for (const name of ["prefill_ms", "decode_ms"]) if (fields[name] !== undefined) f64(fields[name], path);
      return {
        type: "fixed",
        prefillMs: required("prefill_ms", f64) as number,
        decodeMs: required("decode_ms", f64) as number,
      };
    }
    case "external":
      return { type: "external", provider: required("provider", text) as string, config: fields.config ?? null };
  }
  if (typeof tag !== "string") throw invalid(`${path}.type`, tag, "variant identifier");
  throw unknownName(`${path}.type`, "variant", tag, ["polynomial", "fixed", "external"]);
};

const sglang = struct("SglangConfig", {
  schedule_policy: choice("fifo", "lpm"),
  max_prefill_tokens: usize,
  chunked_prefill_size: usize,
  clip_max_new_tokens: usize,
  schedule_conservativeness: f64,
});

const trtllm = struct("TrtllmConfig", { capacity_scheduler_policy: choice("guaranteed_no_evict") });

/** One rank. */
const engine = struct("EngineConfigWire", {
  backend: choice(...BACKENDS),
  num_gpu_blocks: usize,
  block_size: nullable(usize),
  max_model_len: nullable(usize),
  max_num_seqs: nullable(usize),
  max_num_batched_tokens: nullable(usize),
  prefill_schedule_interval: usize,
  prefill_decode_interval: usize,
  enable_prefix_caching: bool,
  enable_chunked_prefill: bool,
  speedup_ratio: f64,
  decode_speedup_ratio: f64,
  aic_nextn: nullable(usize),
  aic_nextn_accept_rates: nullable(text),
  aic_mtp_seed: unsigned("u64"),
  worker_type: choice("aggregated", "prefill", "decode"),
  preemption_mode: choice("lifo", "fifo"),
  emit_kv_events: bool,
  emit_kv_token_ids: bool,
  kv_transfer_bytes_per_token: nullable(usize),
  kv_cache_bytes_per_token: nullable(usize),
  kv_cache_groups: sequence,
  kv_cache_capacity_bytes: nullable(usize),
  native_host_offload: nullable(mapping("struct NativeHostOffloadConfig")),
  state_cache: nullable(mapping("struct StateCacheConfig")),
  prefix_match_unit: nullable(usize),
  g3_offload: nullable(mapping("struct G3OffloadConfig")),
  kv_transfer_bandwidth: nullable(f64),
  kv_transfer_timing_mode: choice("full_prompt", "destination_missing"),
  timing_model: timingModel,
  sglang,
  trtllm,
}, { kv_bytes_per_token: "kv_transfer_bytes_per_token" });

/** Options of the live runtime, known so that a launch file can be used as it stands. */
const dynamo = struct("MockerRuntimeOptions", {
  enable_local_indexer: anything,
  bootstrap_port: anything,
  handoff_session_timeout_ms: anything,
  reasoning: anything,
  response_replay_trace_path: anything,
  zmq_kv_events_port: anything,
  zmq_replay_port: anything,
  router_queue_policy: anything,
});

const launch = struct("EngineLaunchConfig", {
  engine,
  dp_size: unsigned("u32"),
  tensor_parallel_size: usize,
  startup_time: nullable(f64),
  num_gpu_blocks_is_explicit: bool,
  gpu_memory_utilization: nullable(f64),
  mem_fraction_static: nullable(f64),
  free_gpu_memory_fraction: nullable(f64),
  cuda_graph_reserved_bytes: nullable(unsigned("u64")),
});

/** Reads the shape of a whole launch mapping; nested mappings come back as {@link Fields}. */
export function readLaunchShape(value: unknown): Fields {
  const { dynamo: runtime, ...rest } = mapping("struct EngineLaunchConfig")(value, "");
  return { ...launch(rest, ""), ...(runtime === undefined ? {} : { dynamo: dynamo(runtime, "dynamo") }) };
}
