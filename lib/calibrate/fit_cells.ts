/**
 * Nested cells over several sizes of passes: what wide cells leave is fitted by narrower ones.
 *
 * @module
 */
import { cellPlaces } from "../timing/calibration/nested_cells.ts";
import type { CellAxis, CorrectionCells } from "../timing/calibration/profile.ts";
import type { PassSamples } from "./pass_samples.ts";
import { median } from "./statistics.ts";

/** Widths of cells, in doublings. */
const STEPS = [2, 1, 0.5, 0.25, 0.125];
/** Of a median of n passes a cell keeps n / (n + this). */
const HELD_BACK = 1;
/** A pass counts with so many standard deviations at most, told from the median of deviations. */
const MOST_DEVIATIONS = 4, DEVIATION = 1.4826;

/**
 * Fits cells.
 *
 * @param ratioOf what is left of a row, as a ratio around 1
 */
export function fitCells(
  { tokens, priorTokens, decodes, prompts }: PassSamples,
  rows: Int32Array,
  ratioOf: (row: number) => number,
  over: readonly CellAxis[],
): CorrectionCells {
  const all = Float64Array.from(rows, (row) => ratioOf(row) - 1);
  const bound = MOST_DEVIATIONS * DEVIATION * median(all.map(Math.abs));
  const left = all.map((value) => Math.min(Math.max(value, -bound), bound));
  const steps = STEPS.map((step) => {
    const places = Array.from(rows, (row) =>
      cellPlaces(over, step, {
        tokens: tokens[row],
        prior: priorTokens[row],
        decodes: decodes[row],
        prompts: prompts[row],
      }));
    const members = Map.groupBy(rows.keys(), (i) => places[i].join());
    const cells = Array.from(members.values(), (own) => {
      const deviation = median(own.map((i) => left[i])) * own.length / (own.length + HELD_BACK);
      for (const i of own) left[i] -= deviation;
      return [...places[own[0]], deviation];
    });
    return { step, cells };
  });
  return { over: [...over], steps };
}
