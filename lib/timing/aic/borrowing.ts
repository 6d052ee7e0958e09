/**
 * Which measurements stand in for those an operator does not have: other number formats by likeness, other shapes by
 * nearness, and how much better or worse those usually do.
 *
 * @module
 */
import type { FlopsType, Hardware } from "./hardware.ts";
import type { PerfTables } from "./perf_set.ts";
import type { ModeCost } from "./quant.ts";

/** Speed of a number format as a multiple of 16-bit arithmetic. */
const SPEED: Readonly<Record<FlopsType, number>> = { bfloat16: 1, int8: 2, fp8: 2, fp4: 4 };

/** Share of their bound that operators usually reach, by bytes of a weight and speed of the arithmetic. */
const LEVELS: Readonly<Record<"gemm" | "moe", Readonly<Record<string, number>>>> = {
  gemm: {
    ...{ "2,1": 0.7, "1,1": 0.55, "0.5625,1": 0.45, "0.5,1": 0.45 },
    ...{ "1,2": 0.45, "0.5,2": 0.35, "1,4": 0.3, "0.5,4": 0.3, "0.5625,4": 0.3 },
  },
  moe: {
    ...{ "2,1": 0.53, "1,1": 0.45, "0.5625,1": 0.07, "0.5,1": 0.07 },
    ...{ "1,2": 0.4, "0.5,2": 0.15, "1,4": 0.3, "0.5,4": 0.23, "0.5625,4": 0.23 },
  },
};
const OTHER_LEVEL = { gemm: 0.45, moe: 0.3 } as const;

function level(kind: "gemm" | "moe", { bytes, flops }: ModeCost): number {
  return LEVELS[kind][`${bytes},${SPEED[flops]}`] ?? OTHER_LEVEL[kind];
}

/** How much of its bound `wanted` reaches for what `measured` reaches of its own. */
export function formatRatio(kind: "gemm" | "moe", wanted: ModeCost, measured: ModeCost): number {
  return level(kind, wanted) / level(kind, measured);
}

/** Whether two number formats take the same space and compute at the same speed. */
export function sameProfile(a: ModeCost, b: ModeCost): boolean {
  return a.bytes === b.bytes && SPEED[a.flops] === SPEED[b.flops];
}

/**
 * The modes among `measured` that are no stranger to the hardware, the ones most like `wanted` first: products look at
 * the speed before the space, experts at the sum of both.
 */
export function byLikeness<Mode extends string>(
  kind: "gemm" | "moe",
  wanted: ModeCost,
  measured: readonly Mode[],
  costs: Readonly<Record<Mode, ModeCost>>,
  hardware: Hardware,
): Mode[] {
  const distance = (mode: Mode): readonly [number, number] => {
    const speed = Math.abs(SPEED[costs[mode].flops] - SPEED[wanted.flops]);
    const space = Math.abs(costs[mode].bytes - wanted.bytes);
    return kind === "gemm" ? [speed, space] : [speed + space, 0];
  };
  return measured.filter((mode) => hardware.flops[costs[mode].flops])
    .map((mode) => ({ mode, away: distance(mode) }))
    .sort((a, b) => a.away[0] - b.away[0] || a.away[1] - b.away[1])
    .map(({ mode }) => mode);
}

/**
 * Index of the candidate nearest to `wanted`: distances between logarithms, each axis stretched to the candidates' own
 * range; the first of equal ones. -1 when there are none.
 */
export function nearestShape(wanted: readonly number[], candidates: readonly (readonly number[])[]): number {
  const logs = candidates.map((sizes) => sizes.map(logarithm));
  const low = wanted.map((_, axis) => Math.min(...logs.map((sizes) => sizes[axis])));
  const span = wanted.map((_, axis) => Math.max(...logs.map((sizes) => sizes[axis])) - low[axis] || 1);
  const place = (value: number, axis: number) => (value - low[axis]) / span[axis];
  const query = wanted.map((size, axis) => place(logarithm(size), axis));
  let best = -1;
  let nearest = Infinity;
  logs.forEach((sizes, i) => {
    let square = 0;
    sizes.forEach((size, axis) => square += (place(size, axis) - query[axis]) ** 2);
    if (square < nearest) {
      nearest = square;
      best = i;
    }
  });
  return best;
}

const logarithm = (value: number) => Math.log(Math.max(value, 1e-9));

/** Utilisation of attention over prompts by head size, against that of heads of 128. */
const HEAD_SIZE_RATIOS: Readonly<Record<string, readonly number[]>> = {
  trtllm: [0.58, 1, 1.1, 1.17, 1.2],
  sglang: [0.6, 1, 1.18, 1.32, 1.38],
  vllm: [0.6, 1, 1.27, 1.51, 1.6],
};
const HEAD_SIZES = [64, 128, 192, 256, 512];

/** How much of its bound attention with heads of one size reaches for what it reaches with heads of another. */
export function headSizeRatio(backend: string, wanted: number, measured: number): number {
  return headLevel(backend, wanted) / headLevel(backend, measured);
}

function headLevel(backend: string, size: number): number {
  const ratios = HEAD_SIZE_RATIOS[backend];
  const at = HEAD_SIZES.findIndex((known) => known >= size);
  if (at === 0) return ratios[0];
  if (at < 0) return ratios[ratios.length - 1];
  if (HEAD_SIZES[at] === size) return ratios[at];
  const [low, high] = [Math.log2(HEAD_SIZES[at - 1]), Math.log2(HEAD_SIZES[at])];
  return ratios[at - 1] + (ratios[at] - ratios[at - 1]) * ((Math.log2(size) - low) / (high - low));
}

/** Number formats that were measured, in the order of the tables. */
export function measuredModes<Mode extends string>(
  set: PerfTables,
  table: string,
  known: Readonly<Record<Mode, unknown>>,
): Mode[] {
  return Object.keys(set.header.members).filter((name) => name.startsWith(`${table}/`))
    .map((name) => name.slice(table.length + 1) as Mode)
    .filter((mode) => Object.hasOwn(known, mode));
}
