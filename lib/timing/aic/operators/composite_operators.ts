/**
 * Operators made of operators: one in place of several, and two groups at the same time.
 *
 * @module
 */
import { firstProblem, type Operator, sumMs } from "./operator.ts";

/** One operator where its data exist, else the sum of others. */
export class FallbackOperator implements Operator {
  readonly dependence = "sequences";
  readonly #primary: Operator;
  readonly #list: readonly Operator[];

  constructor(readonly name: string, primary: Operator, list: readonly Operator[]) {
    this.#primary = primary;
    this.#list = list;
  }

  ms(tokens: number, batch: number, seq: number, prefix: number, scale: number): number {
    const whole = this.#primary.ms(tokens, batch, seq, prefix, scale);
    return whole === whole ? whole : sumMs(this.#list, tokens, batch, seq, prefix, scale);
  }

  problem(tokens: number, batch: number, seq: number, prefix: number): string | undefined {
    if (this.#primary.problem(tokens, batch, seq, prefix) === undefined) return undefined;
    return firstProblem(this.#list, tokens, batch, seq, prefix);
  }
}

/** Two groups side by side: the longer one counts. */
export class OverlapOperator implements Operator {
  readonly dependence = "tokens";
  readonly #groups: readonly [readonly Operator[], readonly Operator[]];

  constructor(readonly name: string, groups: readonly [readonly Operator[], readonly Operator[]]) {
    this.#groups = groups;
  }

  ms(tokens: number, batch: number, seq: number, prefix: number, scale: number): number {
    const [first, second] = this.#groups;
    return Math.max(
      sumMs(first, tokens, batch, seq, prefix, scale),
      sumMs(second, tokens, batch, seq, prefix, scale),
    );
  }

  problem(tokens: number, batch: number, seq: number, prefix: number): string | undefined {
    const [first, second] = this.#groups;
    return firstProblem(first, tokens, batch, seq, prefix) ?? firstProblem(second, tokens, batch, seq, prefix);
  }
}
