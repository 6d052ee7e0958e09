/**
 * The mean over the nearest measurements that values outside of what was measured are scaled with.
 *
 * @module
 */

/** Measurements that are looked at: four that count and the one that ends their reach. */
export const NEAREST = 5;

/**
 * Bound over latency at a place: the mean of the four nearest measurements, weighed by their closeness. The weights fall
 * to zero where the fifth nearest begins, which makes the mean continuous.
 *
 * @param squares squared distances, ascending
 * @param utils bound over latency, in the same order
 * @param count how many there are, at most {@linkcode NEAREST}; fewer only when nothing more was measured
 */
export function nearestMean(squares: Float64Array, utils: Float64Array, count: number): number {
  const bounded = count === NEAREST;
  const reach = bounded ? Math.sqrt(squares[NEAREST - 1]) : Infinity;
  const end = Math.min(count, NEAREST - 1);
  let weighted = 0;
  let weights = 0;
  for (let i = 0; i < end; i++) {
    const distance = Math.sqrt(squares[i]);
    let weight: number;
    if (bounded) {
      const closeness = Math.max(reach - distance, 0) / (reach * distance + 1e-12);
      weight = closeness * closeness;
    } else {
      weight = 1 / (distance * distance + 1e-12);
    }
    weighted += weight * utils[i];
    weights += weight;
  }
  if (weights > 0) return weighted / weights;
  weighted = 0;
  for (let i = 0; i < end; i++) weighted += utils[i];
  return weighted / end;
}
