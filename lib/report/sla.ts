/**
 * Latency bounds, and whether a request keeps them. Imports nothing.
 *
 * @module
 */

/** Latency bounds that make a request good. Either any of the first two, or the third alone; all inclusive. */
export interface Sla {
  ttftMs?: number;
  /** Bound on the mean time between output tokens of a request. */
  itlMs?: number;
  e2eMs?: number;
}

/**
 * Whether a completed request keeps every bound. One without tokens has neither TTFT nor gaps and can only be good
 * under a bound on its whole duration.
 *
 * @param tokens output tokens emitted
 * @param ttftMs time to the first token; ignored without tokens
 * @param e2eMs time to the last token; ignored without tokens
 * @param wholeMs time to the end of the request
 */
export function meetsSla(tokens: number, ttftMs: number, e2eMs: number, wholeMs: number, sla: Sla): boolean {
  if (tokens === 0) {
    return sla.e2eMs !== undefined && sla.ttftMs === undefined && sla.itlMs === undefined && wholeMs <= sla.e2eMs;
  }
  return (sla.e2eMs === undefined || e2eMs <= sla.e2eMs) &&
    (sla.ttftMs === undefined || ttftMs <= sla.ttftMs) &&
    (sla.itlMs === undefined || tokens < 2 || (e2eMs - ttftMs) / (tokens - 1) <= sla.itlMs);
}
