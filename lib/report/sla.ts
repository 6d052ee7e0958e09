/**
 * Latency bounds, and whether a request keeps them.
 *
 * @module
 */
import { ConfigError, type OptionNames } from "../errors.ts";

/**
 * Latency bounds that make a request good. Either any of the first two, or the third alone; all inclusive. What is null
 * or absent is no bound.
 */
export interface Sla {
  /** Bound on the time to first token. */
  ttftMs?: number | null;
  /** Bound on the mean time between output tokens of a request. */
  itlMs?: number | null;
  /** Bound on the time from arrival to the last token. */
  e2eMs?: number | null;
}

/** Names of the bounds. */
export const SLA_OPTIONS: OptionNames<Sla> = { ttftMs: true, itlMs: true, e2eMs: true };

/**
 * Refuses bounds that mean nothing.
 *
 * @throws {ConfigError} for a bound that is not finite and positive, and for `e2eMs` beside one of the others.
 */
export function checkSla(sla: Sla): void {
  const bounds = [["ttft_ms", sla.ttftMs], ["itl_ms", sla.itlMs], ["e2e_ms", sla.e2eMs]] as const;
  for (const [name, bound] of bounds) {
    if (bound === undefined || bound === null) continue;
    if (!Number.isFinite(bound) || bound < 0) {
      throw new ConfigError(`sla_${name} must be a finite, non-negative value, got ${bound}`);
    }
    if (bound === 0) {
      throw new ConfigError(`invalid replay spec: sla.${name} must be finite and positive, got ${bound}`);
    }
  }
  if (sla.e2eMs !== undefined && (sla.ttftMs !== undefined || sla.itlMs !== undefined)) {
    throw new ConfigError("invalid replay spec: sla.e2e_ms is mutually exclusive with sla.ttft_ms/itl_ms");
  }
}

/** What a request can miss, as bits. */
export const Bound = { ttft: 1, tpot: 2, e2e: 4, unserved: 8 } as const;

/**
 * What a completed request misses, as bits of {@linkcode Bound}; 0 when it keeps every bound. One without tokens has
 * neither TTFT nor gaps and can only be good under a bound on its whole duration.
 *
 * @param tokens output tokens emitted
 * @param ttftMs time to the first token; ignored without tokens
 * @param e2eMs time to the last token; ignored without tokens
 * @param wholeMs time to the end of the request
 */
export function missedBounds(tokens: number, ttftMs: number, e2eMs: number, wholeMs: number, sla: Sla): number {
  const { ttftMs: ttft = null, itlMs: itl = null, e2eMs: e2e = null } = sla;
  if (tokens === 0) {
    if (e2e === null || ttft !== null || itl !== null) return Bound.unserved;
    return wholeMs <= e2e ? 0 : Bound.e2e;
  }
  return (e2e === null || e2eMs <= e2e ? 0 : Bound.e2e) |
    (ttft === null || ttftMs <= ttft ? 0 : Bound.ttft) |
    (itl === null || tokens < 2 || (e2eMs - ttftMs) / (tokens - 1) <= itl ? 0 : Bound.tpot);
}

/** Whether a completed request keeps every bound, see {@linkcode missedBounds}. */
export const meetsSla = (...request: Parameters<typeof missedBounds>): boolean => missedBounds(...request) === 0;
