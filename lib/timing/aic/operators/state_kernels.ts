/**
 * Kernels around a recurrent state (linear attention, Mamba). They come from a table of shapes, over batch and sequence
 * for prompts and over batch for decode steps; a shape that was not measured takes as long as moving its bytes.
 *
 * @module
 */
import type { GridBound } from "../bounds.ts";
import { Curve } from "../curve.ts";
import { Grid } from "../grid.ts";
import type { Member } from "../perf_member.ts";
import type { PerfTables } from "../perf_set.ts";
import type { Dependence, Operator } from "./operator.ts";

/** Least time by batch and new tokens per sequence; a decode step is asked with 0 tokens. */
export interface StateKernelBound {
  ms(batch: number, seq: number): number;
}

/** Milliseconds of one repetition by batch and new tokens per sequence; NaN where nothing was measured. */
export type StateKernelTable = (batch: number, seq: number) => number;

/** The table of a kernel over prompts; undefined when the shape was not measured. */
export function promptTable(
  member: Member | undefined,
  name: string,
  bound: StateKernelBound,
): StateKernelTable | undefined {
  const data = member?.grid(name);
  if (data === undefined) return undefined;
  const onGrid: GridBound = { ms: (_, batch, seq) => bound.ms(batch, seq) };
  const grid = new Grid(data, onGrid, 0, { moving: "leaf" });
  return (batch, seq) => seq > 0 ? grid.at(batch, seq) : NaN;
}

/** The table of a kernel of decode steps; undefined when the shape was not measured. */
export function decodeTable(
  member: Member | undefined,
  name: string,
  bound: StateKernelBound,
): StateKernelTable | undefined {
  const data = member?.curve(name);
  if (data === undefined) return undefined;
  const curve = new Curve(data, { ms: (batch) => bound.ms(batch, 0) });
  return (batch) => curve.at(batch);
}

/** A kernel around a recurrent state. What was computed before plays no role. */
export class StateKernelOperator implements Operator {
  readonly name: string;
  readonly dependence: Dependence;
  readonly #count: number;
  readonly #prompts: boolean;
  readonly #table: StateKernelTable | undefined;
  readonly #bound: StateKernelBound;

  /**
   * @param table undefined: the bound alone answers
   * @param set where the table is from: of those of energies, the bound adds nothing
   */
  constructor(
    spec: { name: string; count: number; phase: "context" | "generation" | "verify" },
    table: StateKernelTable | undefined,
    bound: StateKernelBound,
    set: PerfTables | undefined,
  ) {
    this.name = spec.name;
    this.#count = spec.count;
    this.#prompts = spec.phase === "context";
    this.dependence = this.#prompts ? "lengths" : "tokens";
    this.#table = table;
    this.#bound = set?.unit === undefined ? bound : { ms: () => 0 };
  }

  ms(tokens: number, batch: number, seq: number): number {
    const width = this.#prompts ? batch : tokens;
    const length = this.#prompts ? seq : 0;
    let latency = this.#table === undefined ? NaN : this.#table(width, length);
    if (latency !== latency) latency = this.#bound.ms(width, length);
    return Math.max(latency, 0) * this.#count;
  }

  problem(): undefined {}
}
