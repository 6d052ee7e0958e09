/**
 * A trace in the order of time.
 *
 * @module
 */
import type { TraceRequest } from "./request.ts";
import { batchStage, type Stage } from "./stage.ts";

const BATCH = 512;

/**
 * Orders requests by time; equal times keep their order, and turns without a time stay behind the turn before them. Holds
 * the whole trace in memory.
 *
 * @example
 * ```ts
 * import { readTrace, sortByTime } from "dynosim";
 *
 * const row = (ms: number) => `{"timestamp": ${ms}, "input_length": 9, "output_length": 4, "hash_ids": [1]}\n`;
 * const trace = readTrace(new Blob([row(7), row(3)]).stream());
 * for await (const request of trace.pipeThrough(sortByTime())) console.log(request.timestampMs); // 3, 7
 * ```
 */
export function sortByTime(): Stage<TraceRequest, TraceRequest> {
  return batchStage(async function* (batches) {
    const requests: TraceRequest[] = [], times: number[] = [];
    const last = new Map<string, number>();
    for await (const batch of batches) {
      for (const request of batch) {
        const { timestampMs, sessionId } = request;
        const time = timestampMs ?? (sessionId === undefined ? undefined : last.get(sessionId)) ?? -Infinity;
        if (sessionId !== undefined) last.set(sessionId, time);
        requests.push(request);
        times.push(time);
      }
    }
    const order = Uint32Array.from(times, (_, i) => i).sort((a, b) => times[a] - times[b] || a - b);
    for (let from = 0; from < order.length; from += BATCH) {
      yield Array.from(order.subarray(from, from + BATCH), (i) => requests[i]);
    }
  });
}
