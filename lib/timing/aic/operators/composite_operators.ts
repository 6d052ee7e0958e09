/**
 * Operators made of operators: one in place of several, and two groups at the same time.
 *
 * @module
 */
import { firstProblem, type Operator, sumMs } from "./operator.ts";

/** An operator made of others: of two lists, one gives it its time. */
export interface CompositeOperator extends Operator {
  readonly lists: readonly [readonly Operator[], readonly Operator[]];
  /** Which of the lists that is; arguments as in {@linkcode Operator.ms}. */
  taken(tokens: number, batch: number, seq: number, prefix: number): 0 | 1;
}

/** One operator where its data exist, else the sum of others. */
export class FallbackOperator implements CompositeOperator {
  readonly dependence = "sequences";
  readonly #primary: Operator;
  readonly #list: readonly Operator[];

  constructor(readonly name: string, primary: Operator, list: readonly Operator[]) {
    this.#primary = primary;
    this.#list = list;
  }

  get lists(): CompositeOperator["lists"] {
    return [[this.#primary], this.#list];
  }

  taken(tokens: number, batch: number, seq: number, prefix: number): 0 | 1 {
    return Number.isNaN(this.#primary.ms(tokens, batch, seq, prefix, 1)) ? 1 : 0;
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

/** Two groups side by side: the longer one counts, or of energies both. */
export class OverlapOperator implements CompositeOperator {
  readonly dependence = "tokens";
  readonly #sum: boolean;

  constructor(readonly name: string, readonly lists: CompositeOperator["lists"], options: { sum?: boolean } = {}) {
    this.#sum = options.sum ?? false;
  }

  taken(tokens: number, batch: number, seq: number, prefix: number): 0 | 1 {
    const [first, second] = this.lists.map((list) => sumMs(list, tokens, batch, seq, prefix, 1));
    return first >= second ? 0 : 1;
  }

  ms(tokens: number, batch: number, seq: number, prefix: number, scale: number): number {
    const first = sumMs(this.lists[0], tokens, batch, seq, prefix, scale);
    const second = sumMs(this.lists[1], tokens, batch, seq, prefix, scale);
    return this.#sum ? first + second : Math.max(first, second);
  }

  problem(tokens: number, batch: number, seq: number, prefix: number): string | undefined {
    const [first, second] = this.lists;
    return firstProblem(first, tokens, batch, seq, prefix) ?? firstProblem(second, tokens, batch, seq, prefix);
  }
}
