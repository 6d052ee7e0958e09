/**
 * A part of a trace by time.
 *
 * @module
 */
import { checkOptions, ConfigError, type OptionNames } from "../errors.ts";
import type { Ledger } from "./ledger.ts";
import type { TraceRequest } from "./request.ts";
import { batchStage, type Stage } from "./stage.ts";

/** A time span: milliseconds, or a number with a unit (`90s`, `20m`, `1.5h`, `250ms`; without a unit seconds). */
export type Span = number | string;

/** Options of {@linkcode slice}. */
export interface SliceOptions {
  /** First moment to keep, counted from the first request. Default 0. */
  from?: Span;
  /** First moment not to keep any more. Default: the end. */
  to?: Span;
  /** Counts what is left out. */
  ledger?: Ledger;
}

const UNITS: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, "": 1000 };

const OPTIONS: OptionNames<SliceOptions> = {
  from: true,
  to: true,
  ledger: true,
};

/** @throws {ConfigError} when the text is no time span. */
export function spanMs(span: Span): number {
  if (typeof span === "number") return span;
  const match = /^\s*(\d+(?:\.\d+)?)\s*(ms|s|m|h|d|)\s*$/.exec(span);
  if (match === null) {
    throw new ConfigError(`'${span}' is no time span: write a number with ms, s, m, h or d, like 90s or 20m`);
  }
  return Number(match[1]) * UNITS[match[2]];
}

/**
 * Keeps the requests from one moment (inclusive) to another (exclusive), counted from the first request's time. Times
 * stay as they are. A turn without a time of its own goes with its session's first turn.
 *
 * @example
 * ```ts
 * import { readTrace, slice } from "dynosim";
 *
 * const row = (ms: number) => `{"timestamp": ${ms}, "input_length": 9, "output_length": 4, "hash_ids": [1]}\n`;
 * const trace = readTrace(new Blob([row(0), row(60_000), row(120_000)]).stream());
 * for await (const request of trace.pipeThrough(slice({ from: "1m", to: "2m" }))) console.log(request.timestampMs); // 60000
 * ```
 */
export function slice(options: SliceOptions): Stage<TraceRequest, TraceRequest> {
  checkOptions("slice()", options, OPTIONS);
  const from = spanMs(options.from ?? 0), to = options.to === undefined ? Infinity : spanMs(options.to);
  if (!(to > from)) {
    throw new ConfigError(`a slice must end after it begins, got ${options.from ?? 0} to ${options.to}`);
  }
  return batchStage(async function* (batches) {
    let originMs = NaN;
    const kept = new Map<string, boolean>();
    for await (const batch of batches) {
      const rest = batch.filter((request) => {
        const { timestampMs, sessionId } = request;
        if (timestampMs === undefined) return sessionId === undefined || kept.get(sessionId) !== false;
        if (Number.isNaN(originMs)) originMs = timestampMs;
        const inside = timestampMs - originMs >= from && timestampMs - originMs < to;
        if (sessionId !== undefined && !kept.has(sessionId)) kept.set(sessionId, inside);
        return inside;
      });
      options.ledger?.drop("outside the slice", batch.length - rest.length);
      yield rest;
    }
  });
}
