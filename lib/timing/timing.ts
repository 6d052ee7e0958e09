/**
 * How long a forward pass takes, before scaling and rounding (`duration.ts` does both). A timing model is asked at most
 * twice a pass and must not allocate.
 *
 * @module
 */

/** The questions a scheduler asks a timing model. All results are raw milliseconds. */
export interface Timing {
  /**
   * Prefill of one batch; only asked when `requests > 0` and `newTokens > 0`.
   *
   * @param requests prompts in the batch
   * @param newTokens mean prompt tokens to compute per request (floored means, see the engine's batch rule)
   * @param prefixTokens mean prompt tokens already computed or cached per request
   */
  prefillMs(requests: number, newTokens: number, prefixTokens: number): number;
  /**
   * One decode step; only asked when `requests > 0`.
   *
   * @param requests sequences that emit a token
   * @param contextTokens sum of their known tokens
   * @param capacityTokens tokens the rank's KV pool holds
   * @param squaredTokens sum of the squares of their known tokens, which tells how uneven they are; 0 when nobody knows
   */
  decodeMs(requests: number, contextTokens: number, capacityTokens: number, squaredTokens?: number): number;
  /**
   * One pass that computes prompts and decodes at once; only asked when both are there. A model without it takes both
   * durations one after the other.
   *
   * @param prompts prompts in the pass
   * @param newTokens prompt tokens to compute, of all of them
   * @param priorTokens their prompt tokens that are already computed or cached
   * @param decodes sequences that emit a token
   * @param contextTokens sum of their known tokens
   */
  mixedMs?(prompts: number, newTokens: number, priorTokens: number, decodes: number, contextTokens: number): number;
  /** Asked once a pass and in the order of the run: nobody may ask ahead of it. Default false. */
  readonly inOrder?: boolean;
  /** GPUs of the deployment that the model is of, where it is of one: tensor-parallel, and attention data-parallel ranks. */
  readonly ranks?: { readonly tensor: number; readonly attentionData: number };
}
