/** How far a recording disagrees with itself. */
import type { PassSamples } from "../../lib/calibrate/pass_samples.ts";
import { median } from "../../lib/calibrate/statistics.ts";

/** Passes whose twins are looked for, at most. */
const MOST_TWINS = 1500;

/**
 * How far passes of nearly the same recorded load differ, in percent: for each pass the ones most like it in all that was
 * recorded of its load, of these groups the quarter whose loads are nearest (all that are as near), the median difference of
 * measured times (less what their estimates differ by) by the square root of two, because both of a pair are off.
 */
export function twinsDiffer(samples: PassSamples, phase: number): string {
  const { tokens, decodes, prompts, priorTokens, contextTokens, unevenMs, measuredMs, estimateMs } = samples;
  let rows = Array.from({ length: samples.count }, (_, row) => row).filter((row) => samples.phase[row] === phase);
  const every = Math.max(1, Math.ceil(rows.length / MOST_TWINS));
  // whole stretches, in which twins are
  rows = rows.filter((_, i) => Math.floor(i / 50) % every === 0);
  if (rows.length < 8) return "–";
  const columns = [tokens, decodes, prompts, priorTokens, contextTokens, unevenMs].map((column) => {
    const values = rows.map((row) => Math.log2(1 + column[row])), middle = values.reduce((a, b) => a + b) / rows.length;
    const spread = Math.sqrt(values.reduce((sum, value) => sum + (value - middle) ** 2, 0) / rows.length);
    return values.map((value) => spread > 0 ? value / spread : 0);
  });
  const ratios = rows.map((row) => measuredMs[row] / estimateMs[row]);
  const twins = rows.map((_, i) => {
    let nearest = Infinity, apart: number[] = [];
    for (let j = 0; j < rows.length; j++) {
      if (j === i) continue;
      let distance = 0;
      for (const column of columns) distance += (column[i] - column[j]) ** 2;
      if (distance > nearest) continue;
      if (distance < nearest) [nearest, apart] = [distance, []];
      apart.push(Math.abs(ratios[i] / ratios[j] - 1));
    }
    return { nearest, apart: median(apart) };
  });
  const near = twins.map(({ nearest }) => nearest).toSorted((a, b) => a - b)[twins.length >> 2];
  const found = twins.filter(({ nearest }) => nearest <= near);
  return (100 * median(found.map(({ apart }) => apart)) / Math.SQRT2).toFixed(1);
}
