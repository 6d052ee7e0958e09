/**
 * How much memory sequences take: caches that grow with every token, caches that stop growing, states of fixed size;
 * and the factors that activations are counted with.
 *
 * @module
 */

/** KV cache and state of one sequence in one rank. */
export interface SequenceCache {
  /** Bytes of a sequence of so many tokens. */
  bytes(tokens: number): number;
  /** Length of the longest sequence that fits into `budget` bytes. */
  tokens(budget: number): number;
}

/** A cache that takes the same for every token, and a state of fixed size beside it. */
export function linearCache(bytesPerToken: number, state = 0): SequenceCache {
  return {
    bytes: (tokens) => tokens * bytesPerToken + state,
    tokens: (budget) => Math.max(Math.floor((budget - state) / bytesPerToken), 0),
  };
}

/**
 * A cache whose growth has bends.
 *
 * @param bytes bytes by tokens, never falling
 * @param longest answer when the cache stops growing altogether
 */
export function bentCache(bytes: (tokens: number) => number, longest: number): SequenceCache {
  return {
    bytes,
    tokens(budget) {
      if (bytes(1) > budget) return 0;
      let fits = 1;
      while (bytes(fits * 2) <= budget) {
        if (bytes(fits * 2) === bytes(fits)) return longest;
        fits *= 2;
      }
      let exceeds = fits * 2;
      while (exceeds - fits > 1) {
        const middle = Math.floor((fits + exceeds) / 2);
        if (bytes(middle) <= budget) fits = middle;
        else exceeds = middle;
      }
      return fits;
    },
  };
}

/** Factors for 1, 2, 4 and 8 tensor-parallel ranks, by backend. */
export interface ActivationFactors {
  readonly sglang: readonly [number, number, number, number];
  readonly other: readonly [number, number, number, number];
}

/** Of dense models. */
export const DENSE_ACTIVATIONS: ActivationFactors = { sglang: [14, 8.5, 6.5, 6.5], other: [11, 6.5, 5, 5] };
/** Of mixtures of experts. */
export const EXPERT_ACTIVATIONS: ActivationFactors = { sglang: [28, 17, 13, 13], other: [22, 13, 10, 10] };
/** Of everything else. */
export const PLAIN_ACTIVATIONS: ActivationFactors = { sglang: [13, 8, 6.5, 6.5], other: [10, 6, 5, 5] };
