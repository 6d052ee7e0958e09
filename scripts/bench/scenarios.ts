/**
 * What is measured: loads and clusters, once as options of `runTraceReplay` (and of the reference's Python function,
 * whose names they share) and once as a prediction file, for the command.
 */
import type { GeneratedLoad } from "./generated.ts";
import type { TraceReplayOptions } from "../../lib/replay/replay_options.ts";

/** One scenario. Options keep the reference's snake_case; `options()` gives ours. */
export interface Scenario {
  name: string;
  /** File name of the trace, or how it is made. */
  trace: "conversation_trace.jsonl" | "synthetic_trace.jsonl" | GeneratedLoad;
  reference: Record<string, unknown>;
  /** The reference would take minutes: it is not run beside. */
  alone?: true;
}

const SLA = { sla_ttft_ms: 1500, sla_itl_ms: 50 };
const transfer = { kv_transfer_bytes_per_token: 65536, kv_transfer_bandwidth: 32 };

export const SCENARIOS: readonly Scenario[] = [
  { name: "vllm-2-workers", trace: "conversation_trace.jsonl", reference: { num_workers: 2, ...SLA } },
  { name: "vllm-8-workers", trace: "conversation_trace.jsonl", reference: { num_workers: 8, ...SLA } },
  {
    name: "vllm-1-worker-x20",
    trace: "conversation_trace.jsonl",
    reference: { num_workers: 1, arrival_speedup_ratio: 20, ...SLA },
  },
  {
    name: "vllm-concurrency-64",
    trace: "conversation_trace.jsonl",
    reference: { num_workers: 2, replay_concurrency: 64, ...SLA },
  },
  {
    name: "sglang-4-workers",
    trace: "conversation_trace.jsonl",
    reference: {
      num_workers: 4,
      extra_engine_args: { engine: { backend: "sglang", num_gpu_blocks: 1048576 } },
      ...SLA,
    },
  },
  {
    name: "trtllm-4-workers",
    trace: "conversation_trace.jsonl",
    reference: { num_workers: 4, extra_engine_args: { engine: { backend: "trtllm", num_gpu_blocks: 32768 } }, ...SLA },
  },
  {
    name: "disagg-vllm-2-2",
    trace: "conversation_trace.jsonl",
    reference: {
      num_prefill_workers: 2,
      num_decode_workers: 2,
      prefill_engine_args: { engine: { worker_type: "prefill", ...transfer } },
      decode_engine_args: { engine: { worker_type: "decode", ...transfer } },
      ...SLA,
    },
  },
  {
    name: "kv-router-8-workers",
    trace: "conversation_trace.jsonl",
    reference: { num_workers: 8, router_mode: "kv_router", ...SLA },
  },
  {
    name: "vllm-synthetic-1-worker-x3",
    trace: "synthetic_trace.jsonl",
    reference: { num_workers: 1, arrival_speedup_ratio: 3, ...SLA },
  },
  {
    name: "workers-1000-x100",
    trace: "conversation_trace.jsonl",
    reference: { num_workers: 1000, arrival_speedup_ratio: 100, ...SLA },
  },
  {
    name: "kv-router-1000-x100",
    trace: "conversation_trace.jsonl",
    reference: { num_workers: 1000, arrival_speedup_ratio: 100, router_mode: "kv_router", ...SLA },
  },
];

const CHAT: GeneratedLoad = { requests: 5000, everyMs: 60, input: [100, 1500], output: [20, 200] };
const FEW: GeneratedLoad = { ...CHAT, requests: 200 };

const PLANNER = {
  num_workers: 2,
  planner_config: { mode: "agg", optimization_target: "throughput" },
  capture_planner_details: false,
};

/** What recorded traces do not show; loads are made. */
export const GENERATED: readonly Scenario[] = [
  { name: "plain", trace: CHAT, reference: { num_workers: 4 } },
  {
    name: "telemetry-quiet",
    trace: { ...FEW, pauseMs: 2_000_000 },
    reference: { num_workers: 2, capture_telemetry: true, telemetry_sample_interval_ms: 10 },
  },
  {
    name: "telemetry-busy",
    trace: CHAT,
    reference: { num_workers: 4, capture_telemetry: true, telemetry_sample_interval_ms: 50 },
  },
  {
    name: "cutoff",
    trace: { ...CHAT, requests: 20_000 },
    reference: { num_workers: 4, max_sim_time_ms: 1_000_000 },
  },
  {
    name: "sessions",
    trace: { ...CHAT, turns: 5, delayMs: 500 },
    reference: { num_workers: 4 },
  },
  {
    name: "dp-groups",
    trace: CHAT,
    reference: { num_workers: 1, extra_engine_args: { dp_size: 4 } },
  },
  { name: "named-outputs", trace: { ...CHAT, requests: 2000, named: true }, reference: { num_workers: 4 } },
  {
    name: "agents",
    trace: { ...CHAT, turns: 5, delayMs: 500, agents: true },
    reference: { num_workers: 4, trace_format: "agentic_mooncake", execution_model: "bench" },
  },
  { name: "planner-ticks", trace: { ...FEW, pauseMs: 10_000_000 }, reference: PLANNER },
  { name: "planner-quiet", trace: { ...FEW, pauseMs: 500_000_000 }, reference: PLANNER, alone: true },
];

/** The scenario's options for `runTraceReplay`. */
export function options({ reference }: Scenario): TraceReplayOptions {
  const camel = (name: string) => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
  return Object.fromEntries(Object.entries(reference).map(([name, value]) => [camel(name), value]));
}

/** The scenario as a prediction file for `--stack dynamo`; JSON is YAML. */
export function prediction({ reference }: Scenario, tracePath: string): string {
  const given = reference as Record<string, number> & { router_mode?: string };
  const role = (launch: { engine?: Record<string, unknown> } | undefined, replicas: number, sequences = 256) => ({
    parallelism: { replicas },
    scheduler: { max_sequences: sequences },
    kv_cache: { capacity: { type: "fixed", blocks: launch?.engine?.num_gpu_blocks ?? 16384 } },
    timing: { type: "polynomial" },
  });
  const extra = reference.extra_engine_args as { engine?: Record<string, unknown> } | undefined;
  const split = reference.prefill_engine_args !== undefined;
  return JSON.stringify({
    traffic: {
      source: { type: "trace", paths: [tracePath], format: "mooncake", block_size: 512 },
      load: given.replay_concurrency
        ? { type: "concurrency", concurrency: given.replay_concurrency }
        : { type: "trace_timestamps", speedup: given.arrival_speedup_ratio ?? 1 },
    },
    engine: {
      mode: split ? "disaggregated" : "aggregated",
      model: "Qwen/Qwen3-32B",
      hardware: "h200_sxm",
      backend: extra?.engine?.backend ?? "vllm",
      context_length: 10_000_000,
      workers: split
        ? {
          prefill: role(undefined, given.num_prefill_workers),
          decode: role(undefined, given.num_decode_workers),
        }
        : { aggregated: role(extra, given.num_workers) },
      ...(split
        ? { kv_transfer: { bytes_per_token: 65536, bandwidth_gb_per_second: 32, timing_mode: "full_prompt" } }
        : {}),
    },
    router: given.router_mode ? { policy: given.router_mode } : { policy: "round_robin" },
    evaluation: { sla: { ttft_ms: 1500, itl_ms: 50 } },
  });
}
