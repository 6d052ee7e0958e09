/**
 * Whether a run was saturated: its queues grew as long as requests came, or requests never ran at all. Latencies of such
 * a run say how long it was, not how fast the deployment is.
 *
 * @module
 */
import type { RequestRecords } from "../engine/records.ts";
import type { Waits } from "./waits.ts";

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
export function overloadOf(records: RequestRecords, waits: Waits): Overload | null {
  const { admitted } = records, { waits: waited, neverRan } = waits.result(records);
  const waiting: Overload["waiting"] = admitted >= FEWEST ? waited : [0, 0, 0, 0], [, second, third, last] = waiting;
  const growing = last > third && third > second && last >= FACTOR * second &&
    last - second >= Math.max(LEAST_GROWTH, GROWTH * admitted);
  if (!growing && neverRan <= NEVER_RAN * admitted) return null;
  return { queues_growing: growing, waiting, never_ran: neverRan };
}
