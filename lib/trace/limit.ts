/**
 * The beginning of a trace.
 *
 * @module
 */
import { ConfigError } from "../errors.ts";
import type { Ledger } from "./ledger.ts";
import type { TraceRequest } from "./request.ts";
import { batchStage, type Stage } from "./stage.ts";

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
export function limit(
  count: number,
  options: { /** Counts what was read but goes no further. */ ledger?: Ledger } = {},
): Stage<TraceRequest, TraceRequest> {
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
