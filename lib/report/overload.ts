/**
 * Whether a run was saturated: its queues grew as long as requests came, or requests never ran at all. Latencies of such
 * a run say how long it was, not how fast the deployment is.
 *
 * @module
 */
import { Outcome, type RequestRecords } from "../engine/records.ts";

/** What shows that a run was saturated. */
export interface Overload {
  /** Whether queues grew until the last request came. */
  queues_growing: boolean;
  /** Requests that waited for a scheduler on average, in each quarter of the time in which requests came. */
  waiting: [number, number, number, number];
  /** Requests that no scheduler had admitted when the run ended, other than rejected and failed ones. */
  never_ran: number;
}

/** Fewest requests that a growth is told from. */
const FEWEST = 20;
/** Share of all requests by which the queues must grow from the second quarter to the last. */
const GROWTH = 0.02;
/** Fewest requests by which they must. */
const LEAST_GROWTH = 4;
/** The last quarter has so many times as many waiting as the second. */
const FACTOR = 1.5;
/** Share of requests that never ran from which a run counts as saturated by that alone. */
const NEVER_RAN = 0.01;

/** Looks for saturation; null where there is none. Loads of a fixed concurrency cannot make queues grow. */
export function overloadOf(records: RequestRecords): Overload | null {
  const { arrivalMs, firstAdmitMs, status, disaggregated } = records;
  let from = Infinity, to = -Infinity, neverRan = 0;
  for (let r = 0; r < arrivalMs.length; r++) {
    const at = arrivalMs[r];
    if (Number.isNaN(at)) continue;
    if (at < from) from = at;
    if (at > to) to = at;
    if (Number.isNaN(firstAdmitMs[r]) && status[r] === Outcome.none) neverRan++;
  }
  const quarterMs = (to - from) / 4;
  const waiting: Overload["waiting"] = [0, 0, 0, 0];
  /** Adds the time of one wait to the quarters it lies in. Most lie in one: the others are passed over quickly. */
  const add = (sinceMs: number, untilMs: number) => {
    for (let quarter = 0; quarter < 4; quarter++) {
      const start = from + quarter * quarterMs, end = start + quarterMs;
      if (end <= sinceMs) continue;
      if (start >= untilMs) break;
      const overlap = (untilMs < end ? untilMs : end) - (sinceMs > start ? sinceMs : start);
      if (overlap > 0) waiting[quarter] += overlap / quarterMs;
    }
  };
  if (records.admitted >= FEWEST && quarterMs > 0) {
    for (let r = 0; r < arrivalMs.length; r++) {
      const at = arrivalMs[r];
      if (Number.isNaN(at)) continue;
      // a request that was refused did not wait, one that never ran waited to the end
      add(at, orElse(firstAdmitMs[r], status[r] === Outcome.none ? Infinity : at));
      if (disaggregated === null) continue;
      const held = disaggregated.sourceHeldMs[r];
      if (!Number.isNaN(held)) {
        add(held, orElse(disaggregated.decodeWaitedMs[r], Infinity));
      }
    }
  }
  const [, second, third, last] = waiting;
  const growing = last > third && third > second && last >= FACTOR * second &&
    last - second >= Math.max(LEAST_GROWTH, GROWTH * records.admitted);
  if (!growing && neverRan <= NEVER_RAN * records.admitted) return null;
  return { queues_growing: growing, waiting, never_ran: neverRan };
}

const orElse = (value: number, other: number): number => Number.isNaN(value) ? other : value;
