/**
 * A small seeded generator for choices that only have to be reproducible (the ties of the sample store).
 *
 * @module
 */

/**
 * Uniform numbers in [0, 1) from a whole seed (Mulberry32: one 32-bit counter, mixed).
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { mulberry32 } from "./mulberry32.ts";
 *
 * const random = mulberry32(1);
 * const first = random();
 * assert.ok(first >= 0 && first < 1);
 * assert.equal(mulberry32(1)(), first);
 * ```
 */
export function mulberry32(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
