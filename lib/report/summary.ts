/**
 * The `summary` of a report: every figure about a whole run, from the requests that ended, gap statistics and the
 * cluster's totals.
 *
 * @module
 */
import type { RequestRecords } from "../engine/records.ts";
import type { Distribution } from "./distribution.ts";
import type { ServedRequests } from "./served_requests.ts";

/** What only the cluster knows about a finished run. */
export interface ClusterTotals {
  /** Seconds workers were alive (active, starting or draining), by pool; aggregated workers count as decode. */
  prefillWorkerSeconds: number;
  /** The same of the decode or aggregated pool. */
  decodeWorkerSeconds: number;
  /** GPUs of one worker; 0 for prefill in aggregated clusters. */
  prefillGpusPerWorker: number;
  /** The same of a decode or aggregated worker. */
  decodeGpusPerWorker: number;
  /** Tokens computed by prefills over all ended passes, recomputed ones included. */
  committedPrefillTokens: number;
  /** Host time of the run in milliseconds. */
  wallMs: number;
  /** Largest prompt the KV cache can hold, told in the summary when requests were rejected. */
  largestPromptTokens?: number;
  /** Requests that the end of virtual time kept out or left unfinished; absent when there was no such end. */
  cutoffRequests?: { keptOut: number; unfinished: number };
}

const STATISTICS: readonly Statistic[] = ["mean", "min", "max", "median", "p75", "p90", "p95", "p99", "std"];
/** A statistic of a distribution. */
export type Statistic = "mean" | "min" | "max" | "median" | "p75" | "p90" | "p95" | "p99" | "std";
/** What is distributed. */
export type Metric =
  | "ttft_ms"
  | "ttst_ms"
  | "tpot_ms"
  | "itl_ms"
  | "e2e_latency_ms"
  | "output_token_throughput_per_user";

/** Where the times of a role come from. */
export interface RoleProvenance {
  /** Always null. */
  data_identity?: null;
  /** Version of the engine that was measured; null where nothing was. */
  data_version: string | null;
  /** Why there is no version; null where there is one. */
  data_version_unavailable_reason: string | null;
  /** `op_level`, `fixed` or `polynomial`. */
  estimator: string;
  /** What the estimator stands on. */
  timing_source: string;
}

/** Format of a role's KV cache. */
export interface RolePrecision {
  /** Its name in the operator database. */
  dtype: string;
  /** `user_override` where the configuration names it, else `aisimulate_policy`. */
  source: string;
}

/** The `summary` object of `prediction.json`. Times in milliseconds, rates per second, unless the key says otherwise. */
export type Summary =
  & {
    kv_eviction_policy: "lru";
    committed_prefill_tokens: number;
    num_requests: number;
    completed_requests: number;
    total_input_tokens: number;
    total_output_tokens: number;
    duration_ms: number;
    wall_time_ms: number;
    request_throughput_rps: number;
    input_throughput_tok_s: number;
    output_throughput_tok_s: number;
    total_throughput_tok_s: number;
    prefill_worker_seconds: number;
    decode_worker_seconds: number;
    prefill_gpus_per_worker: number;
    decode_gpus_per_worker: number;
    gpu_hours: number;
    goodput_completed_requests?: number;
    goodput_request_throughput_rps?: number;
    goodput_output_throughput_tok_s?: number;
    /** Watts of a GPU while passes run; null where less than 90 % of their time has a known energy. */
    power_w: number | null;
    /** Share of the time of passes whose energy is known; null off the engine stack and where times are not measured. */
    power_coverage: number | null;
    /** Predictions only: where the times come from, by role; on the Dynamo stack why that is not known. */
    prediction_provenance?: Record<string, RoleProvenance> | { runner: { unavailable_reason: string } };
    /** Predictions of the engine stack: format of the KV cache by role, where its size was derived from it. */
    kv_cache_precision?: Record<string, RolePrecision>;
    /** Predictions in which no request completed: every latency and rate of the summary is then null. */
    prediction_status?: "invalid";
    stop_reason?: "no_completed_requests";
    diagnostic?: string;
    processed_tokens: number;
    processed_tokens_per_s: number;
    processed_output_tokens_per_s: number;
    prefix_cache_reused_ratio: number;
    first_admission_prefix_cache_reused_ratio: number;
    num_ttft_samples: number;
    num_tpot_samples: number;
    num_e2e_latency_samples: number;
    /** Requests no worker could ever hold; absent when there are none. */
    rejected_requests?: number;
    /** Requests that failed; absent when there are none. */
    failed_requests?: number;
    /** Requests that were never admitted because of the cutoff; absent without one. */
    cutoff_unadmitted_requests?: number;
    /** Admitted requests that the cutoff left unfinished; absent without one. */
    cutoff_unfinished_requests?: number;
    /** Longest prompt that would have been accepted; only beside rejected requests. */
    largest_prompt_tokens?: number;
  }
  & { [K in `${Statistic}_${Metric}`]: number };

/** Where the pooled distributions come from; `GapStatistics` is one. */
export interface TokenDistributions {
  itl(): Distribution;
  userRate(): Distribution;
}

/** Summarises a run, in pieces between which it may be stopped. */
export function* summarize(
  records: RequestRecords,
  served: ServedRequests,
  gaps: TokenDistributions,
  totals: ClusterTotals,
): Generator<void, Summary> {
  const { completed, inputTokens: input, outputTokens: output, lastEndMs: durationMs, rejected, failed } = served;
  const { reusedTokens: reused, firstReusedTokens: reusedFirst, sla } = served;
  const seconds = Math.max(durationMs / 1000, 1e-9);
  yield;
  const ttft = served.ttft.describe();
  yield;
  const ttst = served.ttst.describe();
  yield;
  const tpot = served.tpot.describe();
  yield;
  const e2e = served.e2e.describe();
  yield;
  const perWallSecond = (tokens: number) => totals.wallMs > 0 ? (tokens / totals.wallMs) * 1000 : 0;
  return {
    kv_eviction_policy: "lru",
    committed_prefill_tokens: totals.committedPrefillTokens,
    num_requests: records.admitted,
    completed_requests: completed,
    total_input_tokens: input,
    total_output_tokens: output,
    duration_ms: durationMs,
    wall_time_ms: totals.wallMs,
    request_throughput_rps: completed / seconds,
    input_throughput_tok_s: input / seconds,
    output_throughput_tok_s: output / seconds,
    total_throughput_tok_s: (input + output) / seconds,
    prefill_worker_seconds: totals.prefillWorkerSeconds,
    decode_worker_seconds: totals.decodeWorkerSeconds,
    prefill_gpus_per_worker: totals.prefillGpusPerWorker,
    decode_gpus_per_worker: totals.decodeGpusPerWorker,
    gpu_hours: (totals.prefillWorkerSeconds * totals.prefillGpusPerWorker +
      totals.decodeWorkerSeconds * totals.decodeGpusPerWorker) / 3600,
    ...(sla === null ? {} : {
      goodput_completed_requests: sla.within,
      goodput_request_throughput_rps: sla.within / seconds,
      goodput_output_throughput_tok_s: sla.outputTokens / seconds,
    }),
    power_w: null,
    power_coverage: null,
    processed_tokens: input + output,
    processed_tokens_per_s: perWallSecond(input + output),
    processed_output_tokens_per_s: perWallSecond(output),
    prefix_cache_reused_ratio: input === 0 ? 0 : reused / input,
    first_admission_prefix_cache_reused_ratio: input === 0 ? 0 : reusedFirst / input,
    num_ttft_samples: served.ttft.count,
    num_tpot_samples: served.tpot.count,
    num_e2e_latency_samples: served.e2e.count,
    ...(rejected > 0 ? { rejected_requests: rejected } : {}),
    ...(rejected > 0 && totals.largestPromptTokens !== undefined
      ? { largest_prompt_tokens: totals.largestPromptTokens }
      : {}),
    ...(failed > 0 ? { failed_requests: failed } : {}),
    ...(totals.cutoffRequests === undefined ? {} : {
      cutoff_unadmitted_requests: totals.cutoffRequests.keptOut,
      cutoff_unfinished_requests: totals.cutoffRequests.unfinished,
    }),
    ...statistics("ttft_ms", ttft),
    ...statistics("ttst_ms", ttst),
    ...statistics("tpot_ms", tpot),
    ...statistics("itl_ms", gaps.itl()),
    ...statistics("e2e_latency_ms", e2e),
    ...statistics("output_token_throughput_per_user", gaps.userRate()),
  };
}

function statistics<M extends Metric>(metric: M, distribution: Distribution): { [K in `${Statistic}_${M}`]: number } {
  return Object.fromEntries(STATISTICS.map((name) => [`${name}_${metric}`, distribution[name]])) as {
    [K in `${Statistic}_${M}`]: number;
  };
}

const RATES = [
  "request_throughput_rps",
  "input_throughput_tok_s",
  "output_throughput_tok_s",
  "total_throughput_tok_s",
  "processed_tokens_per_s",
  "processed_output_tokens_per_s",
];

/**
 * The summary of a prediction, which is invalid when no request completed: latencies and rates that nothing is behind
 * become null, so that no table or search takes a 0 for a good one.
 */
export function predictionSummary<S extends Summary>(summary: S): S {
  if (summary.completed_requests > 0) return summary;
  const nothing = Object.keys(summary).filter((key) =>
    RATES.includes(key) || STATISTICS.some((name) => key.startsWith(`${name}_`))
  );
  return {
    ...summary,
    ...Object.fromEntries(nothing.map((key) => [key, null])),
    prediction_status: "invalid",
    stop_reason: "no_completed_requests",
    diagnostic: NO_COMPLETED_REQUESTS,
  };
}

/** What is said of a prediction in which no request completed. */
const NO_COMPLETED_REQUESTS =
  "No requests completed; serving latency and throughput are unavailable. Check KV capacity against request lengths, " +
  "context limits, and traffic stop limits.";
