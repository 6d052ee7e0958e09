/**
 * Whole attention blocks measured as one: over prompts by new tokens and by what was computed before, in decode steps by
 * batch and length. What differs from block to block is the table and its bound.
 *
 * @module
 */
import type { Levels } from "../perf_member.ts";
import type { Operator } from "./operator.ts";

/** Milliseconds of one repetition; NaN where nothing was measured. */
export type ModuleTime = (batch: number, seq: number, prefix: number) => number;

/** What an estimate of a block is made from. */
export interface ModuleEstimate {
  /** Least milliseconds. */
  readonly bound: ModuleTime;
  /** Coordinates in the table of measurements, 0 where it has fewer than four. */
  readonly place: (batch: number, seq: number, prefix: number) => readonly [number, number, number, number];
  readonly measured: readonly ModuleSample[];
  /** Which coordinate is the prefix; null in decode steps, which have none. The next one is the new tokens. */
  readonly prefixAxis: 0 | 1 | null;
}

/** One measurement of a block. */
export interface ModuleSample {
  readonly place: readonly number[];
  /** Least milliseconds. */
  readonly bound: number;
  readonly ms: number;
}

/** A whole attention block. */
export class AttentionModuleOperator implements Operator {
  readonly name: string;
  readonly dependence = "sequences";
  readonly #count: number;
  readonly #time: ModuleTime;

  constructor(spec: { readonly name: string; readonly count: number }, time: ModuleTime) {
    this.name = spec.name;
    this.#count = spec.count;
    this.#time = time;
  }

  ms(_tokens: number, batch: number, seq: number, prefix: number, scale: number): number {
    let latency = this.#time(batch, seq, prefix);
    if (scale !== 1) latency *= scale;
    return Math.max(latency, 0) * this.#count;
  }

  problem(_tokens: number, batch: number, seq: number, prefix: number): string | undefined {
    return Number.isNaN(this.#time(batch, seq, prefix)) ? `no usable measurement for ${this.name}` : undefined;
  }
}

/**
 * Pairs of a new token and a token it attends to, when every token attends to `limit` others at most: of one sequence of
 * `seq` new tokens after `prefix` others.
 */
export function limitedPairs(seq: number, prefix: number, limit: number): number {
  const full = seq + prefix;
  if (full <= limit) return (full * (full + 1) - prefix * (prefix + 1)) / 2;
  if (prefix >= limit) return seq * limit;
  return (limit * (limit + 1) - prefix * (prefix + 1)) / 2 + (full - limit) * limit;
}

/** The head count that stands for `wanted` where heads are not interpolated: the greatest that is not above it, else the smallest. */
export function closestBelow(measured: readonly number[], wanted: number): number | undefined {
  const sorted = [...new Set(measured)].sort((a, b) => a - b);
  return sorted.filter((value) => value <= wanted).at(-1) ?? sorted[0];
}

/** Calls `visit` with the coordinates and the value of every measurement of a table. */
export function forEachMeasurement(
  { keys, starts, values }: Levels,
  visit: (path: readonly number[], value: number) => void,
): void {
  const path: number[] = [];
  const walk = (level: number, from: number, to: number) => {
    for (let i = from; i < to; i++) {
      path[level] = keys[level][i];
      if (level === starts.length) visit(path, values[i]);
      else walk(level + 1, starts[level][i], starts[level][i + 1]);
    }
  };
  walk(0, 0, keys[0].length);
}

/** Least milliseconds of a block by its heads. */
export interface HeadedBound {
  context(heads: number, prefix: number, seq: number, batch: number): number;
  generation(heads: number, batch: number, known: number): number;
}

/** What an estimate of a block is made from whose tables begin with the heads of a rank; null where it was not measured. */
export function headedEstimate(
  { heads, phase }: { readonly heads: number; readonly phase: "context" | "generation" },
  bound: HeadedBound,
  levels: Levels | null,
): ModuleEstimate {
  const measured: ModuleSample[] = [];
  if (levels !== null) {
    forEachMeasurement(levels, ([n, a, b, c], ms) => {
      if (phase === "generation") measured.push({ place: [n, a, b], bound: bound.generation(n, a, b), ms });
      else measured.push({ place: [n, a, b, c], bound: bound.context(n, a, b, c), ms });
    });
  }
  return phase === "context"
    ? {
      bound: (batch, seq, prefix) => bound.context(heads, prefix, seq, batch),
      place: (batch, seq, prefix) => [heads, prefix, seq, batch],
      measured,
      prefixAxis: 1,
    }
    : {
      bound: (batch, seq) => bound.generation(heads, batch, seq),
      place: (batch, seq) => [heads, batch, seq, 0],
      measured,
      prefixAxis: null,
    };
}
