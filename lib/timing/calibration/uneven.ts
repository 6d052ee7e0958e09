/**
 * How uneven the sequences of a decode step are. Attention over sequences of uneven lengths takes longer than over even
 * ones of the same sum; the operator database was measured with even ones.
 *
 * @module
 */

/**
 * What a calibration assumes where a recording does not tell otherwise: the share of the time of attention by which a
 * step is longer, for each unit of {@linkcode unevenness}. Together best of fourteen runs of three models that were
 * measured on B300 with vLLM 0.20 (docs/validation.md): a curve fitted with it to a sweep of even batches is 4.6 % off the
 * uneven batches of the run after it, without it 6.4 %; chosen on runs of the other models alone (1.05 to 2.1) it leaves
 * 5.6 %.
 */
export const USUAL_UNEVEN = 1.4;

/**
 * What attention takes of a decode step that is estimated to take `ms`: all that it has beyond one of a token each.
 *
 * @param emptyMs estimates a step whose sequences know a token each
 */
export function attentionOf(emptyMs: (decodes: number) => number): (ms: number, decodes: number) => number {
  const known = new Map<number, number>();
  return (ms, decodes) => {
    let empty = known.get(decodes);
    if (empty === undefined) known.set(decodes, empty = emptyMs(decodes));
    return Math.max(ms - empty, 0);
  };
}

/**
 * Coefficient of variation of some lengths: their standard deviation by their mean.
 *
 * @param squares sum of their squares
 */
export function unevenness(count: number, sum: number, squares: number): number {
  const variation = count * squares / (sum * sum) - 1;
  return variation > 0 ? Math.sqrt(variation) : 0;
}
