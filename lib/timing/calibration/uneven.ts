/**
 * How uneven the sequences of a decode step are. Attention over sequences of uneven lengths takes longer than over even
 * ones of the same sum; the operator database was measured with even ones.
 *
 * @module
 */

/**
 * What a calibration assumes where a recording does not tell otherwise: the share of the time of attention by which a
 * step is longer, for each unit of {@linkcode unevenness}. Together best of fourteen runs of three models that were
 * measured on B300 with vLLM 0.20 (docs/validation.md): a sweep of even batches, fitted with it, is 4.4 % off the uneven
 * batches of the run after it, without it 6.3 %.
 */
export const USUAL_UNEVEN = 1.4;

/**
 * Coefficient of variation of some lengths: their standard deviation by their mean.
 *
 * @param squares sum of their squares
 */
export function unevenness(count: number, sum: number, squares: number): number {
  const variation = count * squares / (sum * sum) - 1;
  return variation > 0 ? Math.sqrt(variation) : 0;
}
