/**
 * The beginning of a trace.
 *
 * @module
 */
import { checkOptions, ConfigError, type OptionNames } from "../errors.ts";
import type { Ledger } from "./ledger.ts";
import type { TraceRequest } from "./request.ts";
import { batchStage, type Stage } from "./stage.ts";

/** Options of {@linkcode limit}. */
export interface LimitOptions {
  /** Counts what was read but goes no further. */
  ledger?: Ledger;
}

/**
 * Keeps the first `count` requests and ends the trace there; what comes behind is not even read.
 *
 * @example
 * ```ts
 * import { limit, readTrace } from "dynosim";
 *
 * const row = '{"timestamp": 0, "input_length": 9, "output_length": 4, "hash_ids": [1]}\n';
 * let count = 0;
 * for await (const _ of readTrace(new Blob([row.repeat(9)]).stream()).pipeThrough(limit(3))) count++;
 * console.log(count); // 3
 * ```
 */
export function limit(count: number, options: LimitOptions = {}): Stage<TraceRequest, TraceRequest> {
  checkOptions("limit()", options, { ledger: true } satisfies OptionNames<LimitOptions>);
  if (!(Number.isInteger(count) && count >= 0)) throw new ConfigError(`a limit must be a whole number, got ${count}`);
  return batchStage(async function* (batches) {
    let left = count;
    if (left === 0) return;
    for await (const batch of batches) {
      yield batch.length <= left ? batch : batch.slice(0, left);
      options.ledger?.drop("beyond the limit", Math.max(0, batch.length - left));
      left -= batch.length;
      if (left <= 0) return;
    }
  });
}
