/**
 * The built-in timing model: a quadratic in the batch's new tokens for prefill, a parabola in the KV pool's fill for
 * decode. It imitates no particular GPU; use it to study schedulers, not hardware.
 *
 * @module
 */
import type { Timing } from "./timing.ts";

/** Made by {@linkcode polynomial}. */
class PolynomialTiming implements Timing {
  prefillMs(requests: number, newTokens: number, _prefixTokens: number): number {
    const x = requests * newTokens;
    return (4.209989e-07 * (x * x) + 1.518344e-02 * x) + 1.650142e+01;
  }

  decodeMs(_requests: number, contextTokens: number, capacityTokens: number): number {
    const fill = Math.min(contextTokens / capacityTokens, 1);
    return Math.max(((-25.74 * (fill * fill)) + 54.01 * fill) + 5.74, 1.0);
  }
}

/**
 * The polynomial timing model.
 *
 * @example
 * ```ts
 * import { polynomial } from "dynosim";
 *
 * console.log(polynomial().prefillMs(1, 100, 0)); // 18.023973988999998
 * ```
 */
export function polynomial(): Timing {
  return new PolynomialTiming();
}
