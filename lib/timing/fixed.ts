/**
 * Constant time per phase of a pass, for arithmetic that can be checked by hand.
 *
 * @module
 */
import { checkOptions, ConfigError } from "../errors.ts";
import { MOST_PASS_MS } from "./duration.ts";
import type { Timing } from "./timing.ts";

/** Made by {@linkcode fixed}. */
class FixedTiming implements Timing {
  readonly #prefillMs: number;
  readonly #decodeMs: number;

  constructor(prefillMs: number, decodeMs: number) {
    this.#prefillMs = prefillMs;
    this.#decodeMs = decodeMs;
  }

  prefillMs(): number {
    return this.#prefillMs;
  }

  decodeMs(): number {
    return this.#decodeMs;
  }
}

/**
 * A timing model in which every prefill lasts `prefillMs` and every decode step `decodeMs` milliseconds.
 *
 * @example
 * ```ts
 * import { fixed } from "dynosim";
 *
 * console.log(fixed({ prefillMs: 10, decodeMs: 2 }).decodeMs(8, 4096, 65536)); // 2
 * ```
 */
export function fixed(options: { prefillMs: number; decodeMs: number }): Timing {
  checkOptions("fixed()", options, { prefillMs: true, decodeMs: true });
  for (const [name, value] of Object.entries(options)) {
    if (!(typeof value === "number" && value >= 0 && value <= MOST_PASS_MS)) {
      throw new ConfigError(`${name} must be from 0 to ${MOST_PASS_MS} milliseconds, got ${value}`);
    }
  }
  return new FixedTiming(options.prefillMs, options.decodeMs);
}
