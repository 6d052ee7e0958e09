/**
 * Arrivals that were recorded in batches, apart again.
 *
 * @module
 */
import { checkNumber, checkOptions, type OptionNames } from "../errors.ts";
import { splitmix32 } from "../random/splitmix32.ts";
import type { TraceRequest } from "./request.ts";
import { batchStage, type Stage } from "./stage.ts";

/** Options of {@linkcode spread}. */
export interface SpreadOptions {
  /** Seed of the arrivals. Default 42. */
  seed?: number;
}

/**
 * Puts requests that arrive at one time anywhere between it and the next time, at random but in their order: what a
 * recorder with a coarse clock lost. The last batch keeps its time. Expects the order of time.
 *
 * @example
 * ```ts
 * import { readTrace, spread } from "dynosim";
 *
 * const row = (ms: number) => `{"timestamp": ${ms}, "input_length": 9, "output_length": 4, "hash_ids": [1]}\n`;
 * const trace = readTrace(new Blob([row(0), row(0), row(3000)]).stream());
 * for await (const request of trace.pipeThrough(spread())) console.log(request.timestampMs); // 100.6…, 385.4…, 3000
 * ```
 */
export function spread(options: SpreadOptions = {}): Stage<TraceRequest, TraceRequest> {
  checkOptions("spread()", options, { seed: true } satisfies OptionNames<SpreadOptions>);
  const { seed = 42 } = options;
  checkNumber("spread(): seed", seed);
  return batchStage(async function* (batches) {
    const random = splitmix32(seed);
    let together: TraceRequest[] = [], timeMs = NaN;
    for await (const batch of batches) {
      const apart: TraceRequest[] = [];
      for (const request of batch) {
        const next = request.timestampMs;
        if (next !== undefined && next !== timeMs) {
          const span = Math.max(0, next - timeMs);
          const offsets = together.length > 1 ? Array.from(together, () => random() * span).sort((a, b) => a - b) : [0];
          let place = 0;
          for (const one of together) {
            apart.push(one.timestampMs === undefined ? one : { ...one, timestampMs: timeMs + offsets[place++] });
          }
          together = [];
          timeMs = next;
        }
        together.push(request);
      }
      yield apart;
    }
    yield together;
  });
}
