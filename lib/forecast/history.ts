/**
 * Recorded traffic on the Planner's clock, cut into the buckets that load predictors learn from.
 *
 * @module
 */
import { checkNumber, checkOptions, TraceError } from "../errors.ts";

/** Traffic of one interval. */
export interface TrafficObservation {
  /** Requests that arrived. */
  requests: number;
  /** Mean prompt tokens of its requests. */
  inputTokens: number;
  /** Mean output tokens of its requests. */
  outputTokens: number;
}

/** Traffic of an interval that starts `startS` seconds after the clock's zero. */
export interface TrafficInterval extends TrafficObservation {
  /** Its start in seconds. */
  startS: number;
}

/** Arrivals in ascending order, in seconds on the Planner's clock (negative before the replay), with their lengths. */
export interface ArrivalLog {
  /** Arrivals. */
  readonly arrivalS: Float64Array;
  /** Prompt tokens. */
  readonly inputTokens: Int32Array;
  /** Output tokens. */
  readonly outputTokens: Int32Array;
}

/** A request of a recorded history. */
export interface RecordedRequest {
  /** Arrival on the recorder's own clock. */
  timestampMs: number;
  /** Prompt tokens. */
  inputTokens: number;
  /** Output tokens. */
  outputTokens: number;
}

/**
 * Puts a recorded history onto the Planner's clock.
 *
 * @param rows requests in any order, on the replayed trace's own clock
 * @param firstReplayedMs earliest arrival of the replayed trace on that clock
 * @param speedup factor by which arrivals are compressed in the replay
 * @throws {TraceError} when a row arrives after the first replayed request
 *
 * @example
 * ```ts
 * import { recordedHistory } from "dynosim";
 *
 * const rows = [{ timestampMs: 40_000, inputTokens: 100, outputTokens: 10 }];
 * console.log(recordedHistory(rows, 100_000).arrivalS[0]); // -60
 * ```
 */
export function recordedHistory(
  rows: readonly RecordedRequest[],
  firstReplayedMs: number,
  speedup = 1,
): ArrivalLog {
  const sorted = [...rows].sort((a, b) => a.timestampMs - b.timestampMs);
  if (sorted.length > 0 && sorted.at(-1)!.timestampMs > firstReplayedMs) {
    throw new TraceError("retune history must end at or before the first replayed request");
  }
  return {
    arrivalS: Float64Array.from(sorted, (row) => (row.timestampMs - firstReplayedMs) / speedup / 1000),
    inputTokens: Int32Array.from(sorted, (row) => row.inputTokens),
    outputTokens: Int32Array.from(sorted, (row) => row.outputTokens),
  };
}

/**
 * Buckets of one throughput interval over several logs: whole ones only, edges at multiples of the interval, from the
 * first with a request to the last that ends by `endS`; zeros where nothing arrived.
 *
 * @param options.endS no bucket ends later
 * @param options.historyS no bucket starts earlier than this long before `endS`
 *
 * @example
 * ```ts
 * import { bucketSeries } from "dynosim";
 *
 * const log = {
 *   arrivalS: Float64Array.of(1, 2, 70),
 *   inputTokens: Int32Array.of(100, 200, 50),
 *   outputTokens: Int32Array.of(10, 20, 5),
 * };
 * const buckets = bucketSeries([log], { intervalS: 60, endS: 150, historyS: 600 });
 * console.log(buckets.map(({ requests, inputTokens }) => [requests, inputTokens])); // [ [ 2, 150 ], [ 1, 50 ] ]
 * ```
 */
export function bucketSeries(
  logs: readonly ArrivalLog[],
  options: { intervalS: number; endS: number; historyS: number },
): TrafficInterval[] {
  checkOptions("bucketSeries()", options, { intervalS: true, endS: true, historyS: true });
  const { intervalS, endS, historyS } = options;
  checkNumber("bucketSeries(): intervalS", intervalS, { above: 0 });
  const first = Math.ceil((endS - historyS) / intervalS);
  const count = Math.floor(endS / intervalS) - first;
  if (count <= 0) return [];
  const buckets = new Buckets(first, count, intervalS);
  for (const { arrivalS, inputTokens, outputTokens } of logs) {
    for (let i = 0; i < arrivalS.length; i++) {
      buckets.add(Math.floor(arrivalS[i] / intervalS), inputTokens[i], outputTokens[i]);
    }
  }
  const begin = buckets.firstUsed;
  return begin < 0 ? [] : buckets.series(begin);
}

/** A longer history is a mistake in the times, not a history. */
const MOST_INTERVALS = 1_000_000;

/**
 * Requests of a recorded history by interval, from the first interval with a request to the last, empty ones between
 * them included.
 *
 * @param requests in any order
 * @param options.intervalS length of an interval in seconds
 * @param options.originMs where the first interval starts, on the requests' clock
 * @throws {TraceError} when the times cannot be of one origin
 *
 * @example
 * ```ts
 * import { trafficIntervals } from "dynosim";
 *
 * const request = { timestampMs: 70_000, inputTokens: 100, outputTokens: 10 };
 * console.log(trafficIntervals([request], { intervalS: 60, originMs: 0 })[0].startS); // 60
 * ```
 */
export function trafficIntervals(
  requests: readonly RecordedRequest[],
  options: { intervalS: number; originMs: number },
): TrafficInterval[] {
  checkOptions("trafficIntervals()", options, { intervalS: true, originMs: true });
  const { intervalS, originMs } = options;
  checkNumber("trafficIntervals(): intervalS", intervalS, { above: 0 });
  if (requests.length === 0) return [];
  const indexOf = ({ timestampMs }: RecordedRequest) => Math.floor((timestampMs - originMs) / (intervalS * 1000));
  let first = Infinity, last = -Infinity;
  for (const request of requests) {
    const index = indexOf(request);
    first = Math.min(first, index);
    last = Math.max(last, index);
  }
  if (last - first >= MOST_INTERVALS) {
    throw new TraceError(
      `The warmup trace spans ${last - first + 1} intervals of ${intervalS} s; are its times all of one origin?`,
    );
  }
  const buckets = new Buckets(first, last - first + 1, intervalS);
  for (const request of requests) buckets.add(indexOf(request), request.inputTokens, request.outputTokens);
  return buckets.series(0);
}

/** Counts and sums of `count` intervals from number `first` on; what falls outside is left out. */
class Buckets {
  readonly #first: number;
  readonly #intervalS: number;
  readonly #requests: Float64Array;
  readonly #input: Float64Array;
  readonly #output: Float64Array;

  constructor(first: number, count: number, intervalS: number) {
    this.#first = first;
    this.#intervalS = intervalS;
    this.#requests = new Float64Array(count);
    this.#input = new Float64Array(count);
    this.#output = new Float64Array(count);
  }

  add(interval: number, inputTokens: number, outputTokens: number): void {
    const at = interval - this.#first;
    if (at < 0 || at >= this.#requests.length) return;
    this.#requests[at]++;
    this.#input[at] += inputTokens;
    this.#output[at] += outputTokens;
  }

  /** Place of the first interval with a request, -1 when there is none. */
  get firstUsed(): number {
    return this.#requests.findIndex((n) => n > 0);
  }

  /** The intervals from a place on; an empty one has lengths 0. */
  series(begin: number): TrafficInterval[] {
    return Array.from(this.#requests.subarray(begin), (n, i) => ({
      startS: (this.#first + begin + i) * this.#intervalS,
      requests: n,
      inputTokens: n > 0 ? this.#input[begin + i] / n : 0,
      outputTokens: n > 0 ? this.#output[begin + i] / n : 0,
    }));
  }
}
