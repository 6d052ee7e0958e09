/**
 * Attention over prompts and in decode steps, ordinary and latent.
 *
 * @module
 */
import type { Grid } from "../grid.ts";
import { type Hardware, memoryMs } from "../hardware.ts";
import type { ContextAttentionSpec, GenerationAttentionSpec } from "../operator_spec.ts";
import { FMHA_MODES } from "../quant.ts";
import type { Operator } from "./operator.ts";

/** What the small kernels around attention take beyond moving their bytes. */
const EXTRA_LOSS = 1.1;

/** Name and count of an operator. */
interface Repeated {
  readonly name: string;
  readonly count: number;
}

/** Milliseconds of one norm of queries and keys, by their widths. */
function qkNormMs(spec: ContextAttentionSpec | GenerationAttentionSpec, hardware: Hardware): number {
  const queries = spec.heads * spec.headSize, keys = spec.kvHeads * spec.headSize;
  return memoryMs(hardware, 2 * queries) * 2 + memoryMs(hardware, 2 * keys) * 2;
}

/** Milliseconds per layer around attention over prompts: norms of queries and keys, rotation, writing the cache. */
export function contextAttentionExtraMs(spec: ContextAttentionSpec, hardware: Hardware): number {
  const queries = spec.heads * spec.headSize, keys = spec.kvHeads * spec.headSize;
  const norm = spec.qkNorm ? qkNormMs(spec, hardware) * 2 : 0;
  const rotation = spec.rotated === false ? 0 : memoryMs(hardware, 2 * queries + 2 * keys) * 2;
  const write = memoryMs(hardware, keys * FMHA_MODES[spec.fmha].bytes);
  return ((norm + rotation) + (write + write)) * EXTRA_LOSS;
}

/** Milliseconds per layer around attention of a decode step: norms of queries and keys. */
export function generationAttentionExtraMs(spec: GenerationAttentionSpec, hardware: Hardware): number {
  return spec.qkNorm ? qkNormMs(spec, hardware) * (2 * EXTRA_LOSS) : 0;
}

/** Attention over prompts: what was measured for the whole sequence, less the share of the prefix. */
export class ContextAttentionOperator implements Operator {
  readonly name: string;
  readonly dependence = "sequences";
  readonly #count: number;
  readonly #grid: Grid;
  readonly #extraMs: number;

  /** @param extraMs added to every layer whatever its size (0 for latent attention) */
  constructor(spec: Repeated, grid: Grid, extraMs: number) {
    this.name = spec.name;
    this.#count = spec.count;
    this.#grid = grid;
    this.#extraMs = extraMs;
  }

  ms(_tokens: number, batch: number, seq: number, prefix: number, scale: number): number {
    const full = seq + prefix;
    let latency = this.#grid.at(full, batch);
    const square = full * full;
    latency = latency * ((square - prefix * prefix) / square) + this.#extraMs;
    if (scale !== 1) latency *= scale;
    return Math.max(latency, 0) * this.#count;
  }

  problem(_tokens: number, batch: number, seq: number, prefix: number): string | undefined {
    return Number.isNaN(this.#grid.at(seq + prefix, batch)) ? `no usable measurement for ${this.name}` : undefined;
  }
}

/** Attention of a decode step: the mean over lengths around the given one, because sequences are not equally long. */
export class GenerationAttentionOperator implements Operator {
  readonly name: string;
  readonly dependence = "sequences";
  readonly #count: number;
  readonly #grid: Grid;
  readonly #extraMs: number;

  /** @param extraMs added to every layer whatever its size */
  constructor(spec: Repeated, grid: Grid, extraMs: number) {
    this.name = spec.name;
    this.#count = spec.count;
    this.#grid = grid;
    this.#extraMs = extraMs;
  }

  ms(_tokens: number, batch: number, seq: number, _prefix: number, scale: number): number {
    let latency = this.#mean(batch, seq) + this.#extraMs;
    if (scale !== 1) latency *= scale;
    return Math.max(latency, 0) * this.#count;
  }

  problem(_tokens: number, batch: number, seq: number): string | undefined {
    return Number.isNaN(this.#mean(batch, seq)) ? `no usable measurement for ${this.name}` : undefined;
  }

  #mean(batch: number, seq: number): number {
    const low = Math.max(Math.trunc(0.9 * seq), 1);
    const span = Math.max(Math.trunc(1.1 * seq), low) - low;
    let sum = 0;
    for (let i = 0; i < 5; i++) sum += this.#grid.at(batch, low + Math.floor(span * i / 4));
    return sum / 5;
  }
}

/** Latent attention of a decode step, kernel or whole module: one reading of the grid. */
export class GenerationMlaOperator implements Operator {
  readonly name: string;
  readonly dependence = "sequences";
  readonly #count: number;
  readonly #grid: Grid;

  constructor(spec: Repeated, grid: Grid) {
    this.name = spec.name;
    this.#count = spec.count;
    this.#grid = grid;
  }

  ms(_tokens: number, batch: number, seq: number, _prefix: number, scale: number): number {
    let latency = this.#grid.at(batch, seq);
    if (scale !== 1) latency *= scale;
    return Math.max(latency, 0) * this.#count;
  }

  problem(_tokens: number, batch: number, seq: number): string | undefined {
    return Number.isNaN(this.#grid.at(batch, seq)) ? `no usable measurement for ${this.name}` : undefined;
  }
}
