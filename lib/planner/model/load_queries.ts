/**
 * What load scaling asks of a performance model about one rank: how long would a prompt that arrives now wait, and how
 * long does a decode step take, if the rank's queue and decodes were scaled by a factor (as when a neighbour leaves)?
 *
 * @module
 */
import type { PassRow } from "../policy.ts";
import { chunkedSeconds, missShare, type ModelRole, type PassEstimator, passSeconds } from "./pass.ts";

/** What the queries know besides the row. */
export interface QueryContext {
  role: ModelRole;
  estimator: PassEstimator;
  /** Token budget of a pass. */
  maxBatchedTokens: number;
  /** Mean prompt tokens of observed requests; 0 while unknown. */
  meanInputTokens: number;
  /** Mean context of observed decodes; 0 while unknown. */
  meanDecodeTokens: number;
  /** The prefill part a pass of an aggregated worker usually has. */
  typicalPrefill: { requests: number; tokens: number };
}

const whole = (x: number) => Math.max(0, Math.ceil(x));

/**
 * Seconds until the prompts queued at the rank, and one more of mean length, are computed; null on a decode role or when
 * a pass cannot be estimated.
 *
 * @param options `queue` and `decode` scale what waits and what decodes; `queuedDecodesJoin` counts waiting decodes as running
 */
export function queuedPrefillSeconds(
  { role, estimator, maxBatchedTokens, meanInputTokens }: QueryContext,
  row: PassRow,
  { queue, decode, queuedDecodesJoin, kvHitRate }: {
    queue: number;
    decode: number;
    queuedDecodesJoin: boolean;
    kvHitRate: number | null;
  },
): number | null {
  if (role === "decode") return null;
  let tokens = row.queuedPrefillTokens * queue, requests = row.queuedPrefillRequests * queue;
  if (meanInputTokens > 0) {
    tokens += meanInputTokens;
    requests += 1;
  }
  const joining = queuedDecodesJoin ? 1 : 0;
  const decodes = whole((row.decodeRequests + joining * row.queuedDecodeRequests) * decode);
  const decodeKv = whole((row.decodeKvTokens + joining * row.queuedDecodeKvTokens) * decode);
  const mixed = role === "aggregated";
  return chunkedSeconds(estimator, whole(tokens * missShare(kvHitRate)), maxBatchedTokens, {
    prefillRequests: Math.max(1, whole(requests)),
    decodeRequests: mixed ? decodes : 0,
    decodeKvTokens: mixed ? decodeKv : 0,
  });
}

/**
 * Seconds of a decode iteration with everything that waits to decode included, and one more sequence of mean length;
 * null on a prefill role or when the pass cannot be estimated.
 *
 * @param options `scale` multiplies the decodes; `queuedPrefillsToo` counts waiting prompts as decodes to come
 */
export function decodeIterationSeconds(
  { role, estimator, meanDecodeTokens, typicalPrefill }: QueryContext,
  row: PassRow,
  { scale, queuedPrefillsToo }: { scale: number; queuedPrefillsToo: boolean },
): number | null {
  if (role === "prefill") return null;
  const coming = queuedPrefillsToo ? 1 : 0;
  let kv = (row.decodeKvTokens + row.queuedDecodeKvTokens + coming * row.queuedPrefillTokens) * scale;
  let requests = (row.decodeRequests + row.queuedDecodeRequests + coming * row.queuedPrefillRequests) * scale;
  if (meanDecodeTokens > 0) {
    kv += meanDecodeTokens;
    requests += 1;
  }
  const mixed = role === "aggregated";
  return passSeconds(estimator, {
    prefillRequests: mixed ? typicalPrefill.requests : 0,
    prefillTokens: mixed ? typicalPrefill.tokens : 0,
    prefillKvTokens: 0,
    decodeRequests: whole(requests),
    decodeKvTokens: whole(kv),
  });
}
