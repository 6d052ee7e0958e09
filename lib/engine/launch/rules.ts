/**
 * The rules between the values of a launch mapping, in the reference's order and words. The first broken one throws.
 *
 * @module
 */
import { ConfigError } from "../../errors.ts";
import type { Fields } from "./fields.ts";
import type { Backend, RankSettings, TimingSettings, WorkerSettings } from "../settings.ts";

/** The launch field that holds each backend's memory fraction. */
export const MEMORY_FRACTION: Record<Backend, string> = {
  vllm: "gpu_memory_utilization",
  sglang: "mem_fraction_static",
  trtllm: "free_gpu_memory_fraction",
};
/** Acceptance rates of the drafted tokens when none are given. */
const DEFAULT_ACCEPT_RATES = [0.85, 0.3, 0, 0, 0];
const EXTERNAL_PROVIDERS = ["ais", "aic"];

function fail(path: string, message: string): never {
  throw new ConfigError(message, [{ path, message }]);
}

/** Tokens of a KV block at most: what is kept by block size must fit the memory. */
const MOST_BLOCK_TOKENS = 2 ** 20;
/** Passes between prefills at most. */
const MOST_INTERVAL = 10_000;

/** Rules of the rank, in the order in which the reference checks them. Sets `acceptRates`, which depend on several fields. */
export function checkRank(rank: RankSettings, engine: Fields): void {
  const { backend } = rank;
  const positive = (name: string, value: unknown) => {
    if (value === 0) fail(`engine.${name}`, `${name} must be positive`);
  };
  const finite = (name: string, value: number) => {
    if (!(Number.isFinite(value) && value >= 0)) fail(`engine.${name}`, `${name} must be finite and non-negative`);
  };
  if (engine.state_cache != null) {
    if (backend !== "vllm") fail("engine.state_cache", "state_cache is supported only for backend=vllm");
    notSimulated("state_cache", "a recurrent-state cache");
  }
  if (engine.prefix_match_unit != null) {
    const text = "engine: prefix_match_unit currently requires state_cache";
    fail("engine.prefix_match_unit", `invalid engine launch config: ${text}`);
  }
  positive("num_gpu_blocks", rank.blocks);
  positive("block_size", rank.blockTokens);
  if (rank.blockTokens > MOST_BLOCK_TOKENS) {
    fail("engine.block_size", `block_size must be at most ${MOST_BLOCK_TOKENS}, got ${rank.blockTokens}`);
  }
  if (backend !== "sglang" && rank.blockTokens < 2) {
    fail("engine.block_size", "vLLM/TRT-LLM block_size must be at least two");
  }
  positive("max_num_seqs", rank.maxSequences);
  positive("max_num_batched_tokens", rank.maxBatchedTokens);
  positive("prefill_schedule_interval", rank.prefillScheduleInterval);
  if (rank.prefillDecodeInterval > MOST_INTERVAL) {
    // an idle rank counts these passes down one by one
    const text = `prefill_decode_interval must be at most ${MOST_INTERVAL}, got ${rank.prefillDecodeInterval}`;
    fail("engine.prefill_decode_interval", text);
  }
  if (rank.prefillScheduleInterval !== 1 && backend !== "vllm") {
    const text = "prefill_schedule_interval is supported only for backend=vllm; " +
      "use prefill_decode_interval for backend=sglang";
    fail("engine.prefill_schedule_interval", text);
  }
  if (rank.prefillDecodeInterval !== 0 && backend !== "sglang") {
    fail("engine.prefill_decode_interval", "prefill_decode_interval is supported only for backend=sglang");
  }
  positive("max_model_len", rank.maxModelTokens);
  finite("speedup_ratio", rank.speedup);
  finite("decode_speedup_ratio", rank.decodeSpeedup);
  rank.acceptRates = readAcceptRates(engine, rank.decodeSpeedup);
  if (backend === "sglang") checkSglang(rank);
  if (engine.emit_kv_token_ids && !engine.emit_kv_events) {
    fail("engine.emit_kv_token_ids", "emit_kv_token_ids requires emit_kv_events");
  }
  positive("kv_transfer_bytes_per_token", rank.transferBytesPerToken);
  positive("kv_cache_bytes_per_token", engine.kv_cache_bytes_per_token);
  if ((engine.kv_cache_groups as unknown[] | undefined)?.length) notSimulated("kv_cache_groups", "grouped KV caches");
  if (engine.kv_cache_capacity_bytes != null) {
    fail("engine.kv_cache_capacity_bytes", "kv_cache_capacity_bytes requires kv_cache_groups");
  }
  if (engine.g3_offload != null && engine.native_host_offload == null) {
    fail("engine.g3_offload", "g3_offload requires native_host_offload");
  }
  if (engine.native_host_offload != null) {
    if (backend !== "vllm") {
      fail("engine.native_host_offload", "native_host_offload is supported only for backend=vllm");
    }
    notSimulated("native_host_offload", "offloading KV blocks to host memory");
  }
  if (rank.transferGigabytesPerSecond !== null) finite("kv_transfer_bandwidth", rank.transferGigabytesPerSecond);
}

function notSimulated(name: string, what: string): never {
  return fail(`engine.${name}`, `${name} is not supported: ${what} is not simulated`);
}

/** Multi-token prediction: exactly `aic_nextn` rates, the list cut or padded with 0. */
function readAcceptRates(engine: Fields, decodeSpeedup: number): number[] | null {
  const depth = engine.aic_nextn as number | null | undefined;
  const text = engine.aic_nextn_accept_rates as string | null | undefined;
  const path = "engine.aic_nextn_accept_rates";
  if (depth == null) {
    if (text != null) fail(path, "aic_nextn_accept_rates requires aic_nextn");
    return null;
  }
  if (depth < 1 || depth > 5) fail("engine.aic_nextn", `aic_nextn must be in 1..=5, got ${depth}`);
  const rates = text == null || text.trim() === "" ? DEFAULT_ACCEPT_RATES : text.split(",").map((part) => {
    const number = part.trim();
    if (number === "") {
      fail(path, `invalid aic_nextn_accept_rates value "${part}": cannot parse float from empty string`);
    }
    if (!/^[+-]?(\d+\.?\d*([eE][+-]?\d+)?|\.\d+([eE][+-]?\d+)?|inf|infinity|nan)$/i.test(number)) {
      fail(path, `invalid aic_nextn_accept_rates value "${part}": invalid float literal`);
    }
    return /inf/i.test(number) ? (number[0] === "-" ? -Infinity : Infinity) : Number(number);
  });
  rates.forEach((rate, index) => {
    if (rate >= 0 && rate <= 1) return;
    const shown = String(rate).replace("Infinity", "inf");
    fail(path, `aic_nextn_accept_rates[${index}] must be finite and in [0, 1], got ${shown}`);
  });
  if (decodeSpeedup !== 1) {
    const rule =
      "aic_nextn requires decode_speedup_ratio=1.0 because MTP output acceleration is modeled by burst sampling";
    fail("engine.aic_nextn", rule);
  }
  return Array.from({ length: depth }, (_, index) => rates[index] ?? 0);
}

function checkSglang(rank: RankSettings): void {
  const { maxPrefillTokens, chunkedPrefillTokens, scheduleConservativeness } = rank.sglang;
  if (!rank.chunkedPrefill) {
    const text = "enable_chunked_prefill=false is not supported for backend=sglang";
    fail("engine.enable_chunked_prefill", text);
  }
  if (maxPrefillTokens === 0) fail("engine.sglang.max_prefill_tokens", "sglang.max_prefill_tokens must be positive");
  if (chunkedPrefillTokens === 0) {
    fail("engine.sglang.chunked_prefill_size", "sglang.chunked_prefill_size must be positive");
  }
  if (!(Number.isFinite(scheduleConservativeness) && scheduleConservativeness >= 0)) {
    const text = "sglang.schedule_conservativeness must be finite and non-negative";
    fail("engine.sglang.schedule_conservativeness", text);
  }
  if (chunkedPrefillTokens % rank.blockTokens !== 0) {
    const text = "sglang.chunked_prefill_size must be divisible by block_size";
    fail("engine.sglang.chunked_prefill_size", text);
  }
}

/** Rules of the timing model. */
export function checkTiming(timing: TimingSettings): void {
  const path = "engine.timing_model";
  if (timing.type === "fixed") {
    for (const [name, ms] of [["prefill", timing.prefillMs], ["decode", timing.decodeMs]] as const) {
      if (!(Number.isFinite(ms) && ms >= 0)) fail(path, `fixed ${name} latency must be finite and non-negative`);
    }
  } else if (timing.type === "external") {
    if (timing.provider.trim() === "") fail(path, "timing provider cannot be empty");
    if (!EXTERNAL_PROVIDERS.includes(timing.provider)) {
      fail(path, `unsupported external timing provider "${timing.provider}"`);
    }
  }
}

/** Rules of the launch level, checked last. */
export function checkWorker(worker: WorkerSettings, launch: Fields): void {
  if (worker.dpSize === 0) fail("dp_size", "dp_size must be positive");
  if (worker.tensorParallel === 0) fail("tensor_parallel_size", "tensor_parallel_size must be positive");
  if (!(Number.isFinite(worker.startupMs) && worker.startupMs >= 0)) {
    fail("startup_time", "startup_time must be finite and non-negative");
  }
  for (const name of Object.values(MEMORY_FRACTION)) {
    const value = launch[name] as number | null | undefined;
    if (value != null && !(value >= 0 && value <= 1)) fail(name, `${name} must be finite and in [0, 1]`);
  }
}
