/**
 * The largest value at which something holds: doubling or halving until there is one on either side, then narrowing,
 * with as many values asked at once as there is room for.
 *
 * @module
 */

/** Options of {@linkcode largestHolding}. */
export interface BracketOptions {
  /** Where to begin. */
  start: number;
  /** Whole numbers only, at least 1. */
  whole: boolean;
  /** Values asked at once. */
  parallel: number;
  /** Narrow until the two sides differ by this share. */
  precision: number;
  /** How far from the start to look, as a factor. */
  reach: number;
}

/** Both sides of the edge: where it holds and where not; null where no such value was found. */
export interface Bracket {
  /** Largest value that holds. */
  holds: number | null;
  /** Smallest value above it that does not. */
  fails: number | null;
}

/**
 * Looks for the edge of a condition that holds below it and not above.
 *
 * @param ask answers for several values at once, in their order; is told how many rounds it takes after this one at most,
 *   given that this one finds a value on the other side
 */
export async function largestHolding(
  ask: (values: readonly number[], roundsAfter: number) => Promise<readonly boolean[]>,
  { start, whole, parallel, precision, reach }: BracketOptions,
): Promise<Bracket> {
  const shaped = (value: number) => whole ? Math.max(1, Math.round(value)) : Number(value.toPrecision(6));
  let holds: number | null = null, fails: number | null = null;
  const learn = async (wanted: readonly number[]) => {
    const values = [...new Set(wanted.map(shaped))].filter((value) => value !== holds && value !== fails);
    if (values.length === 0) return false;
    const low: number = holds ?? (fails ?? 2 * start) / 2;
    const rounds = holds !== null && fails !== null ? roundsToNarrow(low, fails) - 1 : roundsToNarrow(low, 2 * low);
    const answers = await ask(values, Math.max(0, rounds));
    const order = values.map((value, i) => ({ value, ok: answers[i] })).toSorted((a, b) => a.value - b.value);
    const failing = order.find(({ ok }) => !ok)?.value;
    if (failing !== undefined && (fails === null || failing < fails)) fails = failing;
    for (const { value, ok } of order) {
      if (ok && (fails === null || value < fails) && (holds === null || value > holds)) holds = value;
    }
    return true;
  };
  /** Rounds until two sides are near enough: each divides their ratio, and about so their difference. */
  const roundsToNarrow = (low: number, high: number) => {
    const parts = Math.log(high / low) / Math.log1p(precision);
    return Math.ceil(Math.log(whole ? Math.min(parts, high - low) : parts) / Math.log(parallel + 1));
  };
  await learn(Array.from({ length: parallel }, (_, i) => start * 2 ** i));
  for (let at = start * 2 ** (parallel - 1); fails === null && at < start * reach;) {
    const next = Array.from({ length: parallel }, (_, i) => at * 2 ** (i + 1));
    at = next.at(-1)!;
    if (!await learn(next)) break;
  }
  for (let at = start; holds === null && at > start / reach;) {
    const next = Array.from({ length: parallel }, (_, i) => at / 2 ** (i + 1));
    at = next.at(-1)!;
    if (!await learn(next)) break;
  }
  while (holds !== null && fails !== null && fails / holds > 1 + precision && !(whole && fails - holds <= 1)) {
    const from: number = holds, ratio: number = fails / holds;
    const between = Array.from({ length: parallel }, (_, i) => from * ratio ** ((i + 1) / (parallel + 1)));
    if (!await learn(between)) break;
  }
  return { holds, fails };
}
