/**
 * Whether the times of a trace look as if they were written in another unit.
 *
 * @module
 */

/** Requests a second that hardly any recording has, and every one whose seconds are read as milliseconds. */
const DOUBTFUL_RATE = 200;

/**
 * A warning when requests come so fast that their times are probably seconds, else undefined.
 *
 * @param requests how many there are
 * @param spanMs milliseconds from the first to the last of them
 */
export function timeDoubt(requests: number, spanMs: number): string | undefined {
  const spanSeconds = Number((spanMs / 1000).toPrecision(12)), rate = requests / spanSeconds;
  if (requests <= 100 || !(rate > DOUBTFUL_RATE)) return undefined;
  return `${
    Math.round(rate)
  } requests a second over ${spanSeconds} s: are the times in seconds instead of milliseconds?`;
}
