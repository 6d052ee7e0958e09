/**
 * Where ranks send the time between two output tokens of a request (inter-token latency, ITL). Ranks own the interface;
 * `lib/report/gap_statistics.ts` implements it.
 *
 * @module
 */

/** Takes gaps between consecutive output tokens, many equal ones at once. */
export interface GapSink {
  /**
   * Counts `count` gaps of `gapMs` milliseconds. Only gaps of completed requests belong here; the order of the calls
   * does not matter beyond round-off of mean and standard deviation.
   *
   * @param gapMs time between two tokens, not negative
   * @param count how many gaps lasted exactly that long, at least 1; any integer below 2^53
   */
  add(gapMs: number, count: number): void;
}
