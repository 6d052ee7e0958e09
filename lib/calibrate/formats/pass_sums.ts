/**
 * A forward pass as Dynamo counts it, whichever file it stands in.
 *
 * @module
 */
import type { Measured } from "../measured.ts";

/** What a pass worked on, in Dynamo's names. */
export interface PassSums {
  readonly num_prefill_requests: number;
  readonly sum_prefill_tokens: number;
  readonly sum_prefill_kv_tokens: number;
  readonly num_decode_requests: number;
  readonly sum_decode_kv_tokens: number;
  readonly var_decode_kv_tokens?: number;
}

/** Takes a pass and what else is known of it; one that cannot be used is skipped and counted. */
export function takePass(sums: PassSums, known: { ms: number; segment?: string }, into: Measured): void {
  if (known.ms === 0) return into.skip("idle");
  if (sums.sum_prefill_tokens === 0 && sums.num_decode_requests === 0) return into.skip("passes without a load");
  if (sums.num_prefill_requests === 0 && sums.sum_prefill_tokens > 0) {
    return into.skip("prompt tokens without num_prefill_requests");
  }
  into.passes.push({
    prompts: sums.num_prefill_requests,
    promptTokens: sums.sum_prefill_tokens,
    priorTokens: sums.sum_prefill_kv_tokens,
    decodes: sums.num_decode_requests,
    decodeTokens: sums.sum_decode_kv_tokens,
    ...(sums.var_decode_kv_tokens === undefined ? {} : { decodeVariance: sums.var_decode_kv_tokens }),
    ...known,
  });
}
