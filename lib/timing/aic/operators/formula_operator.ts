/**
 * Operators that are a formula, and one that asks another where it knows nothing.
 *
 * @module
 */
import type { Dependence, Operator } from "./operator.ts";

/** Milliseconds of one repetition. */
export type Formula = (tokens: number, batch: number, seq: number, prefix: number) => number;

/** A formula times a count. */
export class FormulaOperator implements Operator {
  readonly name: string;
  readonly dependence: Dependence;
  readonly #count: number;
  readonly #formula: Formula;

  constructor(spec: { name: string; count: number }, dependence: Dependence, formula: Formula) {
    this.name = spec.name;
    this.dependence = dependence;
    this.#count = spec.count;
    this.#formula = formula;
  }

  ms(tokens: number, batch: number, seq: number, prefix: number, scale: number): number {
    let latency = this.#formula(tokens, batch, seq, prefix);
    if (scale !== 1 && this.dependence === "sequences") latency *= scale;
    return Math.max(latency, 0) * this.#count;
  }

  problem(tokens: number, batch: number, seq: number, prefix: number): string | undefined {
    return Number.isNaN(this.#formula(tokens, batch, seq, prefix)) ? `no estimate for ${this.name}` : undefined;
  }
}

/** The first operator's time where it has one, else the second's. */
export class EitherOperator implements Operator {
  readonly #first: Operator;
  readonly #second: Operator;

  constructor(first: Operator, second: Operator) {
    this.#first = first;
    this.#second = second;
  }

  get name(): string {
    return this.#first.name;
  }

  get dependence(): Dependence {
    return this.#first.dependence;
  }

  ms(tokens: number, batch: number, seq: number, prefix: number, scale: number): number {
    const ms = this.#first.ms(tokens, batch, seq, prefix, scale);
    return ms === ms ? ms : this.#second.ms(tokens, batch, seq, prefix, scale);
  }

  problem(tokens: number, batch: number, seq: number, prefix: number): string | undefined {
    return this.#first.problem(tokens, batch, seq, prefix) && this.#second.problem(tokens, batch, seq, prefix);
  }
}
