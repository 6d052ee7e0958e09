/**
 * Single ranks of many numbers, without sorting all of them.
 *
 * @module
 */

/** Ranges of no more numbers than this are sorted. */
const SMALL = 64;

/**
 * Rearranges numbers so that those of the given ranks stand where they would stand in ascending order, with no larger
 * ones before and no smaller ones behind them.
 *
 * @param numbers none of them `NaN`
 * @param ranks ascending indices
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { select } from "./select.ts";
 *
 * const numbers = Float64Array.of(30, 10, 50, 20, 40);
 * select(numbers, [1, 3]);
 * assert.deepEqual([numbers[1], numbers[3]], [20, 40]);
 * ```
 */
export function select(numbers: Float64Array, ranks: readonly number[]): void {
  let from = 0;
  for (const rank of ranks) {
    if (rank < from) continue;
    place(numbers, rank, from, numbers.length - 1);
    from = rank + 1;
  }
}

/** Quickselect in `numbers[low .. high]`; what does not get smaller quickly is sorted. */
function place(numbers: Float64Array, rank: number, low: number, high: number): void {
  for (let left = 2 * Math.log2(high - low + 2); high - low >= SMALL && left > 0; left--) {
    const pivot = middle(numbers[low], numbers[(low + high) >>> 1], numbers[high]);
    let i = low, j = high;
    // Equal numbers are exchanged too, so that many equal ones are cut in halves.
    while (i <= j) {
      while (numbers[i] < pivot) i++;
      while (numbers[j] > pivot) j--;
      if (i > j) break;
      const number = numbers[i];
      numbers[i++] = numbers[j];
      numbers[j--] = number;
    }
    if (rank <= j) high = j;
    else if (rank >= i) low = i;
    else return;
  }
  numbers.subarray(low, high + 1).sort();
}

function middle(a: number, b: number, c: number): number {
  return Math.max(Math.min(a, b), Math.min(Math.max(a, b), c));
}
