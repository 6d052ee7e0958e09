/**
 * How far estimates of passes are from what was measured: by phase, size and time.
 *
 * @module
 */
import { type CalibrationError, PHASES } from "../timing/calibration/profile.ts";
import type { PassSamples } from "./pass_samples.ts";
import { errorOf } from "./statistics.ts";

/** Parts of a recording that are compared by their error. */
const WINDOWS = 10;

/** One group of passes, or of requests. */
export interface ErrorRow extends CalibrationError {
  /** What groups are made by: `phase`, `decode batch`, `prompt tokens`, … */
  readonly by: string;
  /** Which group. */
  readonly group: string;
  /** Median of the measured values, in milliseconds. */
  readonly measured_ms: number;
  /** Median of the simulated values, in milliseconds. */
  readonly simulated_ms: number;
  /** Error with the correction, of measurements that the fit did not see, in percent; null where there is none. */
  readonly after_mdape: number | null;
  /** Bias with it, in percent. */
  readonly after_bias: number | null;
}

/** Errors of groups, with those of corrected figures beside them. */
export const withAfter = (rows: readonly ErrorRow[], corrected: readonly ErrorRow[]): ErrorRow[] =>
  rows.map((row, i) => ({ ...row, after_mdape: corrected[i].mdape, after_bias: corrected[i].bias }));

/** `9–16`: the octave of a size, its upper bound a power of two. */
export function octave(size: number): string {
  const most = 2 ** Math.ceil(Math.log2(size));
  return most <= 2 ? String(most) : `${most / 2 + 1}–${most}`;
}

/** Errors of estimates by group. */
export function passErrorRows(samples: PassSamples, simulatedMs: Float64Array, rowOf: RowMaker = errorRow): ErrorRow[] {
  const { count, phase, tokens, decodes, prompts, measuredMs } = samples;
  const rows = Array.from({ length: count }, (_, row) => row);
  const grouped = (by: string, keep: (row: number) => boolean, group: (row: number) => string, order?: Order) => {
    const groups = [...Map.groupBy(rows.filter(keep), group)];
    if (order !== undefined) groups.sort(([, a], [, b]) => order(a[0]) - order(b[0]));
    return groups.map(([name, own]) =>
      rowOf(by, name, own.map((row) => simulatedMs[row]), own.map((row) => measuredMs[row]))
    );
  };
  const is = (...names: readonly string[]) => (row: number) => names.includes(PHASES[phase[row]]);
  const window = Math.max(1, Math.ceil(count / WINDOWS));
  return [
    ...grouped("phase", () => true, (row) => PHASES[phase[row]], (row) => phase[row]),
    ...grouped("decode batch", is("decode"), (row) => octave(decodes[row]), (row) => decodes[row]),
    ...grouped("prompt tokens", is("prefill"), (row) => octave(tokens[row]), (row) => tokens[row]),
    ...grouped(
      "prompt length",
      is("prefill"),
      (row) => octave(tokens[row] / prompts[row]),
      (row) => tokens[row] / prompts[row],
    ),
    ...grouped("mixed, prompt tokens", is("mixed"), (row) => octave(tokens[row]), (row) => tokens[row]),
    ...grouped("time", () => true, (row) => {
      const first = Math.floor(row / window) * window;
      return `passes ${first + 1}–${Math.min(first + window, count)}`;
    }),
  ];
}

type Order = (row: number) => number;
type RowMaker = typeof errorRow;

/** A row of a group. */
export function errorRow(
  by: string,
  group: string,
  simulated: readonly number[],
  measured: readonly number[],
): ErrorRow {
  const middle = (values: readonly number[]) => values.toSorted((a, b) => a - b)[values.length >> 1];
  return {
    by,
    group,
    ...errorOf(simulated, measured),
    measured_ms: middle(measured),
    simulated_ms: middle(simulated),
    after_mdape: null,
    after_bias: null,
  };
}

/**
 * Errors by metric: each phase, all passes, and the time of all passes together.
 *
 * @param besideMs what simulated mixed passes cost their neighbours, which counts in the time of all
 */
export function passMetrics(
  samples: PassSamples,
  simulatedMs: Float64Array,
  besideMs = 0,
): Record<string, CalibrationError> {
  const { count, phase, measuredMs } = samples;
  const metrics: Record<string, CalibrationError> = {};
  const of = (keep: (row: number) => boolean) => {
    const rows = Array.from({ length: count }, (_, row) => row).filter(keep);
    return errorOf(rows.map((row) => simulatedMs[row]), rows.map((row) => measuredMs[row]));
  };
  PHASES.forEach((name, i) => {
    const error = of((row) => phase[row] === i);
    if (error.n > 0) metrics[`${name}_pass_ms`] = error;
  });
  metrics.pass_ms = of(() => true);
  const sum = (values: Float64Array) => values.reduce((all, value) => all + value, 0);
  const beside = besideMs * (metrics.mixed_pass_ms?.n ?? 0);
  const total = errorOf([sum(simulatedMs) + beside], [sum(measuredMs)]);
  metrics.total_pass_ms = { ...total, n: count };
  return metrics;
}
