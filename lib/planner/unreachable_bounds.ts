/**
 * SLAs that no number of replicas can keep.
 *
 * @module
 */
import { checkOptions, type OptionNames } from "../errors.ts";
import { chunkedSeconds, emptyPass, type PassEstimator, passSeconds } from "./model/pass.ts";

/** What a run's SLA is checked against. */
export interface ReachQuestion {
  /** Bound on TTFT in milliseconds. */
  ttftMs: number;
  /** Bound on ITL in milliseconds. */
  itlMs: number;
  /** Mean lengths of the load in tokens. */
  inputTokens: number;
  /** See `inputTokens`. */
  outputTokens: number;
  /** Pass times of the engines that compute prompts and of those that decode (one and the same when aggregated). */
  prefill: PassEstimator;
  /** See `prefill`. */
  decode: PassEstimator;
  /** Token budget of a prefill pass; `Infinity` for none. */
  maxBatchedTokens: number;
}

const REACH_QUESTION: OptionNames<ReachQuestion> = {
  ttftMs: true,
  itlMs: true,
  inputTokens: true,
  outputTokens: true,
  prefill: true,
  decode: true,
  maxBatchedTokens: true,
};

/**
 * Bounds an idle engine already misses for a request of mean length: no number of replicas can keep them.
 *
 * @example
 * ```ts
 * import { fixed, timingEstimator, unreachableBounds } from "dynosim";
 *
 * const engine = timingEstimator(fixed({ prefillMs: 400, decodeMs: 20 }), 65_536);
 * const bounds = { ttftMs: 300, itlMs: 50, inputTokens: 2000, outputTokens: 100 };
 * console.log(unreachableBounds({ ...bounds, prefill: engine, decode: engine, maxBatchedTokens: 8192 }).length); // 1
 * ```
 */
export function unreachableBounds(question: ReachQuestion): string[] {
  checkOptions("unreachableBounds()", question, REACH_QUESTION);
  const { ttftMs, itlMs } = question;
  const input = Math.max(1, Math.ceil(question.inputTokens)), output = Math.max(1, Math.ceil(question.outputTokens));
  const alone = { prefillRequests: 1, decodeRequests: 0, decodeKvTokens: 0 };
  const chunk = Number.isFinite(question.maxBatchedTokens) ? question.maxBatchedTokens : input;
  const prompt = chunkedSeconds(question.prefill, input, Math.max(1, chunk), alone);
  const context = input + Math.floor(output / 2);
  const step = passSeconds(question.decode, { ...emptyPass, decodeRequests: 1, decodeKvTokens: context });
  const found: string[] = [];
  const missed = (seconds: number | null, bound: number): seconds is number =>
    seconds !== null && seconds * 1000 > bound;
  if (missed(prompt, ttftMs)) {
    found.push(
      `ttft_ms ${ttftMs} is out of reach: a prompt of ${input} tokens, nothing of it cached, takes an idle engine ` +
        `${milliseconds(prompt)} ms`,
    );
  }
  if (missed(step, itlMs)) {
    found.push(
      `itl_ms ${itlMs} is out of reach: a decode step of one sequence of ${context} tokens takes ${
        milliseconds(step)
      } ms`,
    );
  }
  return found;
}

const milliseconds = (seconds: number) => Number((seconds * 1000).toPrecision(4)).toString();
