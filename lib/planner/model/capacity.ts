/**
 * How many requests a second one engine can serve within the SLA: the best batch size a performance model finds.
 *
 * @module
 */
import { chunkedSeconds, missShare, type ModelRole, type PassEstimator, passSeconds } from "./pass.ts";

/** The load and the SLA a capacity is asked for. */
export interface CapacityQuestion {
  /** Mean prompt and output tokens of the expected requests. */
  inputTokens: number;
  outputTokens: number;
  ttftMs: number;
  itlMs: number;
  /** Share of prompt tokens found in the KV cache; null when unknown. */
  kvHitRate: number | null;
  /** Tokens a decode forward yields per sequence. */
  acceptLength: number;
}

/** The best operating point. A latency the role does not have is null. */
export interface Capacity {
  requestsPerSecond: number;
  ttftMs: number | null;
  itlMs: number | null;
  e2eMs: number | null;
  /** Whether the point keeps the SLA; if no point does, the fastest one is returned all the same. */
  eligible: boolean;
}

/** Limits with their defaults filled in. */
export interface CapacityLimits {
  maxBatchedTokens: number;
  maxSequences: number;
  maxKvTokens: number;
}

const MOST_CANDIDATES = 128;

function* batchSizes(largest: number): Generator<number> {
  if (largest <= MOST_CANDIDATES) {
    for (let size = 1; size <= largest; size++) yield size;
  } else {
    for (let i = 0; i < MOST_CANDIDATES; i++) yield 1 + Math.floor((i * (largest - 1)) / (MOST_CANDIDATES - 1));
  }
}

/** Finds the capacity of one engine; null when the model cannot tell or no batch fits. */
export function engineCapacity(
  role: ModelRole,
  estimator: PassEstimator,
  limits: CapacityLimits,
  question: CapacityQuestion,
): Capacity | null {
  const { inputTokens, outputTokens } = question;
  if (!(inputTokens > 0) || (role !== "prefill" && !(outputTokens > 0))) return null;
  const input = Math.ceil(inputTokens);
  const shape: Shape = {
    output: Math.max(1, Math.ceil(outputTokens)),
    computed: Math.max(1, Math.ceil(input * missShare(question.kvHitRate))),
    context: 0,
    accept: Math.max(1, question.acceptLength),
  };
  shape.context = Math.max(1, input + Math.floor(shape.output / 2));

  const points = { prefill: prefillPoint, decode: decodePoint, aggregated: aggregatedPoint };
  const largest = largestBatch(role, limits, shape);
  let best: Capacity | null = null;
  for (const batch of batchSizes(largest)) {
    const point = points[role](estimator, limits, shape, batch, question);
    if (point === "unavailable") return null;
    if (point === null) continue;
    const better = best === null || (point.eligible && !best.eligible) ||
      (point.eligible === best.eligible && point.requestsPerSecond > best.requestsPerSecond);
    if (better) best = point;
  }
  return best;
}

/** What an average request looks like to the engine, in tokens. */
interface Shape {
  output: number;
  /** Prompt tokens to compute. */
  computed: number;
  /** Mean context while it decodes. */
  context: number;
  accept: number;
}

function largestBatch(role: ModelRole, limits: CapacityLimits, { computed, context }: Shape): number {
  const { maxBatchedTokens, maxSequences, maxKvTokens } = limits;
  if (role === "prefill") {
    return computed > maxBatchedTokens ? 1 : Math.min(maxSequences, Math.floor(maxBatchedTokens / computed));
  }
  const decode = Math.min(maxSequences, Math.floor(maxKvTokens / context));
  if (role === "decode") return decode;
  return maxBatchedTokens <= 1 ? 0 : Math.min(decode, Math.max(1, maxBatchedTokens - 1));
}

/** A point, null to skip the batch size, or `unavailable` when a pass cannot be estimated. */
type Point = Capacity | null | "unavailable";

const ALONE = { prefillRequests: 1, decodeRequests: 0, decodeKvTokens: 0 };

function prefillPoint(
  estimator: PassEstimator,
  { maxBatchedTokens }: CapacityLimits,
  { computed }: Shape,
  batch: number,
  { ttftMs: bound }: CapacityQuestion,
): Point {
  const seconds = chunkedSeconds(estimator, computed * batch, maxBatchedTokens, ALONE);
  if (seconds === null) return "unavailable";
  if (seconds <= 0) return null;
  const ttftMs = seconds * 1000;
  return { requestsPerSecond: batch / seconds, ttftMs, itlMs: null, e2eMs: ttftMs, eligible: ttftMs <= bound };
}

function decodePoint(
  estimator: PassEstimator,
  _limits: CapacityLimits,
  { output, context, accept }: Shape,
  batch: number,
  { itlMs: bound }: CapacityQuestion,
): Point {
  const seconds = passSeconds(estimator, {
    prefillRequests: 0,
    prefillTokens: 0,
    prefillKvTokens: 0,
    decodeRequests: batch,
    decodeKvTokens: batch * context,
  });
  if (seconds === null) return "unavailable";
  if (seconds <= 0) return null;
  const itl = seconds / accept;
  const itlMs = itl * 1000;
  return { requestsPerSecond: batch / (output * itl), ttftMs: null, itlMs, e2eMs: null, eligible: itlMs <= bound };
}

function aggregatedPoint(
  estimator: PassEstimator,
  { maxBatchedTokens }: CapacityLimits,
  { output, computed, context, accept }: Shape,
  batch: number,
  { ttftMs: ttftBound, itlMs: itlBound }: CapacityQuestion,
): Point {
  // Prompt tokens each pass must compute so that prompts keep up with the sequences that finish.
  const prompts = Math.ceil((batch * accept * computed) / output);
  if (prompts > maxBatchedTokens - batch) return null;
  const decodeKvTokens = batch * context;
  const seconds = passSeconds(estimator, {
    prefillRequests: 1,
    prefillTokens: Math.min(maxBatchedTokens, prompts),
    prefillKvTokens: 0,
    decodeRequests: batch,
    decodeKvTokens,
  });
  if (seconds === null) return "unavailable";
  if (seconds <= 0) return null;
  const beside = { prefillRequests: 1, decodeRequests: batch, decodeKvTokens };
  const wait = chunkedSeconds(estimator, prompts + computed, maxBatchedTokens, beside);
  if (wait === null) return "unavailable";
  const itl = seconds / accept;
  const ttftMs = wait * 1000, itlMs = itl * 1000;
  return {
    requestsPerSecond: batch / (output * itl),
    ttftMs,
    itlMs,
    e2eMs: ttftMs + itlMs * (output - 1),
    eligible: ttftMs <= ttftBound && itlMs <= itlBound,
  };
}
