/**
 * Cutting a window out of the replayed trace, and making a load of it again.
 *
 * @module
 */
import { Arrivals, TimestampQueue } from "../traffic/timestamp_queue.ts";
import type { Traffic, Workload } from "../traffic/workload.ts";
import type { WindowRequests } from "./types.ts";

/** The replayed trace as retune sees it. */
export interface ReplayedTrace {
  /** Its requests in columns. */
  readonly workload: Pick<Workload, "blockTokens" | "inputTokens" | "outputTokens" | "blockStart" | "blockIds">;
  /** Virtual arrival of each request in milliseconds, ascending; the first is 0. */
  readonly arrivalMs: Float64Array;
  /** Recorded duration of each request in milliseconds, NaN where none was recorded; null when none is known at all. */
  readonly totalTimeMs: Float64Array | null;
}

/** Half-open interval of virtual time, and the moment at which its requests are looked at. */
export interface WindowBounds {
  startMs: number;
  endMs: number;
  launchMs: number;
}

/** Index of the first arrival at or after a time. */
function firstAtOrAfter(arrivalMs: Float64Array, timeMs: number): number {
  let low = 0, high = arrivalMs.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (arrivalMs[middle] < timeMs) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * Requests of a window: arrived inside, and completed before the launch as far as the recording tells.
 *
 * @returns request indices in trace order
 */
export function windowIndices(trace: ReplayedTrace, bounds: WindowBounds): number[] {
  const { arrivalMs, totalTimeMs } = trace;
  const end = firstAtOrAfter(arrivalMs, bounds.endMs);
  const indices = [];
  for (let i = firstAtOrAfter(arrivalMs, bounds.startMs); i < end; i++) {
    const unfinished = totalTimeMs !== null && arrivalMs[i] + totalTimeMs[i] >= bounds.launchMs;
    if (!unfinished) indices.push(i);
  }
  return indices;
}

/**
 * The given requests as a trace of their own, in one piece of shared memory.
 *
 * @param indices requests in trace order, at least one
 */
export function windowRequests(trace: ReplayedTrace, indices: readonly number[]): WindowRequests {
  const { workload, arrivalMs } = trace;
  const count = indices.length;
  let blocks = 0;
  for (const i of indices) blocks += workload.blockStart[i + 1] - workload.blockStart[i];
  const memory = new SharedArrayBuffer(8 * count + 4 * (count + count + count + 1 + blocks));
  let offset = 8 * count;
  const integers = (length: number) => {
    const column = new Int32Array(memory, offset, length);
    offset += 4 * length;
    return column;
  };
  const window = {
    count,
    blockTokens: workload.blockTokens,
    arrivalMs: new Float64Array(memory, 0, count),
    inputTokens: integers(count),
    outputTokens: integers(count),
    blockStart: integers(count + 1),
    blockIds: integers(blocks),
  };
  const renumbered = new Map<number, number>();
  let block = 0;
  indices.forEach((request, i) => {
    window.arrivalMs[i] = arrivalMs[request] - arrivalMs[indices[0]];
    window.inputTokens[i] = workload.inputTokens[request];
    window.outputTokens[i] = workload.outputTokens[request];
    window.blockStart[i] = block;
    for (let at = workload.blockStart[request]; at < workload.blockStart[request + 1]; at++) {
      const id = workload.blockIds[at];
      let mine = renumbered.get(id);
      if (mine === undefined) renumbered.set(id, mine = renumbered.size);
      window.blockIds[block++] = mine;
    }
  });
  window.blockStart[count] = block;
  return window;
}

/** A window as a load of its own: arrivals as they were, from 0. */
export function windowTraffic(window: WindowRequests): Traffic {
  const { count, blockTokens, inputTokens, outputTokens, blockStart, blockIds, arrivalMs } = window;
  const workload: Workload = {
    count,
    blockTokens,
    inputTokens,
    outputTokens,
    blockStart,
    blockIds,
    outputTokenIds: new Map(),
    priority: null,
    strictPriority: null,
    policyClass: null,
    session: null,
    turn: null,
    sessionName: () => "",
    sessionMadeUp: null,
    requestIds: null,
    playIds: null,
  };
  return { workload, start: () => new TimestampQueue(workload, new Arrivals(arrivalMs), null) };
}

/** The replayed trace of an open-loop load: arrivals in virtual time, durations where they were recorded. */
export function replayedTrace({ workload, recording, start }: Traffic): ReplayedTrace {
  const source = start();
  const arrivalMs = new Float64Array(workload.count);
  for (let request = source.admit(Infinity); request >= 0; request = source.admit(Infinity)) {
    arrivalMs[request] = source.arrivalMs;
  }
  return { workload, arrivalMs, totalTimeMs: recording?.durationMs ?? null };
}
