/**
 * Latency bounds, and whether a request keeps them. Imports nothing.
 *
 * @module
 */

/**
 * Latency bounds that make a request good. Either any of the first two, or the third alone; all inclusive. What is null
 * or absent is no bound.
 */
export interface Sla {
  ttftMs?: number | null;
  /** Bound on the mean time between output tokens of a request. */
  itlMs?: number | null;
  e2eMs?: number | null;
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
  const { ttftMs: ttft = null, itlMs: itl = null, e2eMs: e2e = null } = sla;
  if (tokens === 0) return e2e !== null && ttft === null && itl === null && wholeMs <= e2e;
  return (e2e === null || e2eMs <= e2e) &&
    (ttft === null || ttftMs <= ttft) &&
    (itl === null || tokens < 2 || (e2eMs - ttftMs) / (tokens - 1) <= itl);
}
