/**
 * SplitMix32: a 32-bit counter that is mixed (the finaliser of Steele, Lea and Flood, "Fast splittable pseudorandom
 * number generators", 2014, with constants for 32 bits). A few operations a number, no allocation.
 *
 * @module
 */

/**
 * Uniform numbers of [0, 1) from a whole seed.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { splitmix32 } from "./splitmix32.ts";
 *
 * assert.equal(splitmix32(42)(), splitmix32(42)());
 * ```
 */
export function splitmix32(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = state + 0x9e3779b9 | 0;
    let mixed = Math.imul(state ^ state >>> 16, 0x21f0aaad);
    mixed = Math.imul(mixed ^ mixed >>> 15, 0x735a2d97);
    return ((mixed ^ mixed >>> 15) >>> 0) / 4294967296;
  };
}
