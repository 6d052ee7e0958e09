/**
 * A trace at another speed.
 *
 * @module
 */
import { checkOptions, ConfigError, type OptionNames, TraceError } from "../errors.ts";
import { MOST_TIME_MS } from "./clock.ts";
import type { TraceRequest } from "./request.ts";
import { batchStage, type Stage } from "./stage.ts";

/** Options of {@linkcode scale}. */
export interface ScaleOptions {
  /** How many times faster requests arrive; less than 1 is slower. */
  speedup: number;
}

const OPTIONS: OptionNames<ScaleOptions> = {
  speedup: true,
};

/**
 * Divides the times between requests (and the delays inside sessions) by the speedup; the first request keeps its time.
 *
 * @example
 * ```ts
 * import { readTrace, scale } from "dynosim";
 *
 * const row = (ms: number) => `{"timestamp": ${ms}, "input_length": 9, "output_length": 4, "hash_ids": [1]}\n`;
 * const trace = readTrace(new Blob([row(1000), row(1100)]).stream());
 * for await (const request of trace.pipeThrough(scale({ speedup: 2 }))) console.log(request.timestampMs); // 1000, 1050
 * ```
 */
export function scale(options: ScaleOptions): Stage<TraceRequest, TraceRequest> {
  checkOptions("scale()", options, OPTIONS);
  const { speedup } = options;
  if (!(speedup > 0 && speedup < Infinity)) {
    throw new ConfigError(`speedup must be a finite positive number, got ${speedup}`);
  }
  return batchStage(async function* (batches) {
    let originMs = NaN;
    for await (const batch of batches) {
      yield batch.map((request) => {
        let { timestampMs, delayMs } = request;
        if (timestampMs !== undefined) {
          if (Number.isNaN(originMs)) originMs = timestampMs;
          timestampMs = originMs + (timestampMs - originMs) / speedup;
        }
        if (delayMs !== undefined) delayMs /= speedup;
        if (!(Math.abs(timestampMs ?? 0) <= MOST_TIME_MS && (delayMs ?? 0) <= MOST_TIME_MS)) {
          const what = timestampMs === undefined || Math.abs(timestampMs) <= MOST_TIME_MS ? "delay" : "timestamp";
          throw new TraceError(
            `trace line ${request.line}: ${what} ${request.timestampMs ?? request.delayMs} with speedup ${speedup} ` +
              "is beyond what a clock tells",
            { line: request.line },
          );
        }
        return { ...request, timestampMs, delayMs };
      });
    }
  });
}
