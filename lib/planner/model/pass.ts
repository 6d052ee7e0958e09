/**
 * A forward pass as the performance model sees it, and the one question every estimator answers: how long does it take?
 * The operator database, an analytic formula and the regression over observed passes all plug in here.
 *
 * @module
 */

/** What one rank computes in one pass. */
export interface Pass {
  /** Prompts computed, whole or in part. */
  prefillRequests: number;
  /** Prompt tokens computed. */
  prefillTokens: number;
  /** Tokens of those prompts that are already in the KV cache. */
  prefillKvTokens: number;
  /** Sequences that emit. */
  decodeRequests: number;
  /** Sum of the context lengths of the decoding sequences. */
  decodeKvTokens: number;
}

/** Tells how long a pass takes. */
export interface PassEstimator {
  /** Milliseconds, or null when the estimator cannot tell. */
  estimateMs(pass: Pass): number | null;
}

/** What a worker of the modelled role does. */
export type ModelRole = "prefill" | "decode" | "aggregated";

/** Limits of one worker of a role; null where the engine sets none. */
export interface EngineLimits {
  /** Token budget of a pass. */
  maxBatchedTokens: number | null;
  maxSequences: number | null;
  /** Tokens the KV pool of the worker holds, all ranks together. */
  maxKvTokens: number | null;
}

/** Estimated seconds of a pass, not negative; null when the estimator cannot tell. */
export function passSeconds(estimator: PassEstimator, pass: Pass): number | null {
  const ms = estimator.estimateMs(pass);
  return ms === null ? null : Math.max(0, ms) / 1000;
}

/** A pass with nothing in it, to fill in. */
export const emptyPass: Readonly<Pass> = Object.freeze({
  prefillRequests: 0,
  prefillTokens: 0,
  prefillKvTokens: 0,
  decodeRequests: 0,
  decodeKvTokens: 0,
});

/** Prompt tokens a hit rate leaves to compute: 1 minus the rate within [0, 0.95]; an unknown rate hits nothing. */
export function missShare(kvHitRate: number | null): number {
  if (kvHitRate === null || Number.isNaN(kvHitRate)) return 1;
  return 1 - Math.min(Math.max(kvHitRate, 0), 0.95);
}

/**
 * Seconds to compute `tokens` prompt tokens in passes of at most `chunk`, each beside the same decodes.
 *
 * @returns 0 without tokens, null when a pass cannot be estimated
 */
export function chunkedSeconds(
  estimator: PassEstimator,
  tokens: number,
  chunk: number,
  beside: { prefillRequests: number; decodeRequests: number; decodeKvTokens: number },
): number | null {
  const { prefillRequests, decodeRequests, decodeKvTokens } = beside;
  const pass = (prefillTokens: number): Pass => (
    { prefillRequests, prefillTokens, prefillKvTokens: 0, decodeRequests, decodeKvTokens }
  );
  const full = Math.floor(tokens / chunk), rest = tokens % chunk;
  let seconds = 0;
  if (full > 0) {
    const each = passSeconds(estimator, pass(chunk));
    if (each === null) return null;
    seconds += each * full;
  }
  if (rest > 0) {
    const last = passSeconds(estimator, pass(rest));
    if (last === null) return null;
    seconds += last;
  }
  return seconds;
}
