/**
 * A first performance model: passes of typical sizes with estimated times, before any pass was observed.
 *
 * @module
 */
import { canonicalJson, Float } from "./canonical_json.ts";
import { emptyPass, type PassEstimator } from "./model/pass.ts";
import { emptyPassRow } from "./pass_row.ts";
import type { PassRow } from "./policy.ts";

/** Steps per grid. */
export const BENCHMARK_GRANULARITY = 8;

const SHORTEST_PROMPT = 100;
const CONTEXTS = [500, 2000, 4000, 8000];
const DEFAULT_BATCHED_TOKENS = 8192, DEFAULT_SEQUENCES = 256, DEFAULT_KV_TOKENS = 262_144;

/** What the grid is cut to. */
export interface BootstrapEngine {
  /** Token budget of a pass. */
  maxBatchedTokens: number | null;
  /** Most sequences of a pass. */
  maxSequences: number | null;
  /** Tokens of one rank's KV pool; 262,144 if not positive. */
  kvTokens: number;
  /** Drafted tokens per forward; null without speculation. */
  speculationDepth: number | null;
}

/** How the model of one role starts. */
export interface BootstrapRole {
  /** Limits of the role's engine. */
  engine: BootstrapEngine;
  /** Pass times; null when nothing is known about the hardware. */
  estimator: PassEstimator | null;
}

/** What a bootstrap yields: passes to learn, and its record in the report. */
export interface Bootstrap {
  /** What is reported of it. */
  metadata: BootstrapMetadata;
  /** Passes over prompts. */
  prefill: PassRow[];
  /** Decode passes. */
  decode: PassRow[];
}

function sampleRow(given: Partial<PassRow> & { wallTimeS: number }): PassRow {
  return { ...emptyPassRow(0, 0, 0), ...given };
}

/** Prompts of growing length, alone in their pass. */
export function prefillSamples(
  { maxBatchedTokens }: BootstrapEngine,
  estimator: PassEstimator,
  granularity = BENCHMARK_GRANULARITY,
): PassRow[] {
  const most = maxBatchedTokens ?? DEFAULT_BATCHED_TOKENS;
  const step = Math.max(1, Math.floor((most - SHORTEST_PROMPT) / granularity));
  const rows: PassRow[] = [];
  for (let tokens = SHORTEST_PROMPT; tokens <= most; tokens += step) {
    const ms = estimator.estimateMs({ ...emptyPass, prefillRequests: 1, prefillTokens: tokens });
    if (ms !== null && ms > 0) {
      rows.push(sampleRow({ wallTimeS: ms / 1000, prefillRequests: 1, prefillTokens: tokens }));
    }
  }
  return rows;
}

/** Batches of growing size at four context lengths, as far as the KV pool holds them. */
export function decodeSamples(
  { maxSequences, kvTokens, speculationDepth }: BootstrapEngine,
  estimator: PassEstimator,
  granularity = BENCHMARK_GRANULARITY,
): PassRow[] {
  const most = maxSequences ?? DEFAULT_SEQUENCES;
  const step = Math.max(1, Math.floor(most / granularity));
  const pool = kvTokens > 0 ? kvTokens : DEFAULT_KV_TOKENS;
  const perSequence = (speculationDepth ?? 0) + 1;
  const rows: PassRow[] = [];
  for (const context of CONTEXTS) {
    for (let batch = 1; batch <= most && batch * context <= pool; batch += step) {
      // The estimate is of the iteration that writes the next token, hence one token of context more.
      const ms = estimator.estimateMs({
        ...emptyPass,
        decodeRequests: batch * perSequence,
        decodeKvTokens: batch * (context + 1),
      });
      if (ms === null || !(ms > 0)) continue;
      rows.push(sampleRow({ wallTimeS: ms / 1000, decodeRequests: batch, decodeKvTokens: batch * context }));
    }
  }
  return rows;
}

function canonicalSample(row: PassRow): unknown {
  const none = { num_decode_requests: 0, num_prefill_requests: 0, sum_decode_kv_tokens: 0, sum_prefill_tokens: 0 };
  const zeroVariance = { var_decode_kv_tokens: new Float(0), var_prefill_length: new Float(0) };
  return {
    counter_id: 0,
    dp_rank: 0,
    queued_requests: { ...none, ...zeroVariance },
    scheduled_requests: {
      num_decode_requests: row.decodeRequests,
      num_prefill_requests: row.prefillRequests,
      sum_decode_kv_tokens: row.decodeKvTokens,
      sum_prefill_kv_tokens: row.prefillKvTokens,
      sum_prefill_tokens: row.prefillTokens,
      ...zeroVariance,
    },
    version: 1,
    wall_time: new Float(row.wallTimeS),
    worker_id: "",
  };
}

/** The text whose SHA-256 identifies a set of samples. */
export function samplesText(prefill: readonly PassRow[], decode: readonly PassRow[]): string {
  return canonicalJson({ decode: decode.map(canonicalSample), prefill: prefill.map(canonicalSample) });
}

/** Passes of a first model that are not yet identified. */
export interface EstimatedPasses extends Bootstrap {
  /** The text whose SHA-256 identifies them; null when nothing was estimated. */
  identity: string | null;
}

/** Estimates the samples of a deployment, as {@linkcode bootstrap} does, but for their digest. */
export function estimatedPasses(
  roles: { prefill: BootstrapRole | null; decode: BootstrapRole },
): EstimatedPasses {
  const aggregated = roles.prefill === null;
  const prefillRole = roles.prefill ?? roles.decode;
  if (!prefillRole.estimator || !roles.decode.estimator) {
    return {
      metadata: { status: "not_configured_load_only", benchmark_granularity: BENCHMARK_GRANULARITY },
      prefill: [],
      decode: [],
      identity: null,
    };
  }
  const prefill = prefillSamples(prefillRole.engine, prefillRole.estimator);
  const decode = decodeSamples(roles.decode.engine, roles.decode.estimator);
  const empty = aggregated ? prefill.length === 0 && decode.length === 0 : prefill.length === 0 || decode.length === 0;
  return {
    metadata: {
      status: empty ? "empty" : "installed",
      benchmark_granularity: BENCHMARK_GRANULARITY,
      prefill_fpm_count: prefill.length,
      decode_fpm_count: decode.length,
    },
    prefill,
    decode,
    identity: samplesText(prefill, decode),
  };
}

/**
 * Prepares the samples of a deployment.
 *
 * @param roles `decode` is the aggregated role when `prefill` is null; an estimator that throws fails the whole
 * @param sha256 hexadecimal digest of a text
 *
 * @example
 * ```ts
 * import { createHash } from "node:crypto";
 * import { bootstrap } from "dynosim";
 *
 * const engine = { maxBatchedTokens: 8192, maxSequences: 256, kvTokens: 1 << 20, speculationDepth: null };
 * const estimator = { estimateMs: () => 10 };
 * const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
 * const { metadata } = bootstrap({ prefill: null, decode: { engine, estimator } }, sha256);
 * console.log(metadata.status, metadata.prefill_fpm_count, metadata.decode_fpm_count); // installed 9 29
 * ```
 */
export function bootstrap(
  roles: { prefill: BootstrapRole | null; decode: BootstrapRole },
  sha256: (text: string) => string,
): Bootstrap {
  const { identity, ...model } = estimatedPasses(roles);
  if (identity !== null) model.metadata.fpm_sha256 = sha256(identity);
  return model;
}

/** How the performance model was started. */
export interface BootstrapMetadata {
  /** What came of it. */
  status: "not_required" | "not_configured_load_only" | "session_failed_load_only" | "installed" | "empty";
  /** Steps of the grid. */
  benchmark_granularity?: number;
  /** Estimated prefill passes. */
  prefill_fpm_count?: number;
  /** Estimated decode passes. */
  decode_fpm_count?: number;
  /** Digest of them. */
  fpm_sha256?: string;
}

/** The bootstrap of a deployment whose estimator could not be made. */
export const failedBootstrap: Bootstrap = {
  metadata: { status: "session_failed_load_only", benchmark_granularity: BENCHMARK_GRANULARITY },
  prefill: [],
  decode: [],
};

/** The bootstrap of a target that needs no performance model. */
export const noBootstrap: Bootstrap = { metadata: { status: "not_required" }, prefill: [], decode: [] };
