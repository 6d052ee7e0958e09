/**
 * Passes that stand for a load when the measurements behind a deployment are judged before it runs.
 *
 * @module
 */
import type { PassLoad } from "./forward_pass_model.ts";

/** What is known of a load beforehand. */
export interface ExpectedLoad {
  /** Tokens of a usual prompt. */
  readonly promptTokens: number;
  /** Tokens that a usual sequence knows in the middle of its output. */
  readonly contextTokens: number;
  /** Sequences of a full decode step. */
  readonly batch: number;
  /** Most tokens of a pass over prompts. */
  readonly passTokens: number;
}

/** A load of which nothing is known. */
const USUAL: ExpectedLoad = { promptTokens: 2048, contextTokens: 2048, batch: 32, passTokens: Infinity };

/** A usual prompt (its last piece, when it takes several passes), and decode steps of one sequence and of a full batch. */
export function probes({ promptTokens, contextTokens, batch, passTokens }: ExpectedLoad = USUAL): PassLoad[] {
  const fresh = Math.min(promptTokens, passTokens);
  const decode = (sequences: number): PassLoad => {
    return { num_decode_requests: sequences, sum_decode_kv_tokens: sequences * contextTokens };
  };
  return [
    { num_prefill_requests: 1, sum_prefill_tokens: fresh, sum_prefill_kv_tokens: promptTokens - fresh },
    decode(1),
    ...batch > 1 ? [decode(batch)] : [],
  ];
}

/** Of passes over prompts, decode steps and those that are both: the one with the fewest tokens and the one with the most. */
export function smallestAndLargest(loads: readonly PassLoad[]): PassLoad[] {
  const kinds = new Map<string, PassLoad[]>();
  for (const load of loads) {
    const { num_decode_requests: decodes = 0, num_prefill_requests: prompts = 0 } = load;
    const kind = `${prompts > 0} ${decodes > 0}`;
    kinds.set(kind, [...kinds.get(kind) ?? [], load]);
  }
  return [...kinds.values()].flatMap((alike) => {
    const sorted = alike.toSorted((a, b) => tokensOf(a) - tokensOf(b));
    return [...new Set([sorted[0], sorted[sorted.length - 1]])];
  });
}

const tokensOf = ({ sum_prefill_tokens: fresh = 0, num_decode_requests: decodes = 0 }: PassLoad) => fresh + decodes;

/** What a warning calls a pass. */
export function passText(load: PassLoad): string {
  const { num_decode_requests: decodes = 0, sum_prefill_tokens: fresh = 0, sum_prefill_kv_tokens: prior = 0 } = load;
  if (decodes > 0) return fresh > 0 ? "a mixed pass" : `a decode step of ${decodes}`;
  return prior > 0 ? `a pass over ${fresh} tokens of a prompt after ${prior}` : `a prompt of ${fresh} tokens`;
}
