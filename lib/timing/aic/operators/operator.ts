/**
 * One operator with its measurements.
 *
 * @module
 */

/**
 * What an operator's time depends on besides its fixed shape: the tokens of the pass alone, how they are divided into
 * sequences, or that and what was computed before.
 */
export type Dependence = "tokens" | "lengths" | "sequences";

/**
 * An operator of a pass. Times are milliseconds of all its repetitions in the pass; NaN stands for "the tables have
 * nothing to say", and then `problem` says what is missing.
 */
export interface Operator {
  readonly name: string;
  /** `tokens`: only the first argument of `ms` counts; `lengths`: only the first three. */
  readonly dependence: Dependence;
  /**
   * @param tokens tokens that go through the operator in this pass
   * @param batch sequences
   * @param seq new tokens per sequence (prompts), or tokens known per sequence, the new one included (decode)
   * @param prefix tokens computed before, per sequence (prompts only)
   * @param scale how much slower attention is for unequal sequences, 1 for equal ones
   */
  ms(tokens: number, batch: number, seq: number, prefix: number, scale: number): number;
  /** What data are missing at this point; undefined when none are. */
  problem(tokens: number, batch: number, seq: number, prefix: number): string | undefined;
}

/** An operator whose data are missing whatever it is asked. */
export class MissingOperator implements Operator {
  readonly #problem: string;

  constructor(readonly name: string, readonly dependence: Dependence, problem: string) {
    this.#problem = problem;
  }

  ms(): number {
    return NaN;
  }

  problem(): string {
    return this.#problem;
  }
}

/** Adds the times of operators one after the other. */
export function sumMs(
  operators: readonly Operator[],
  tokens: number,
  batch: number,
  seq: number,
  prefix: number,
  scale: number,
): number {
  let sum = 0;
  for (let i = 0; i < operators.length; i++) sum += operators[i].ms(tokens, batch, seq, prefix, scale);
  return sum;
}

/** The first thing that is missing among operators. */
export function firstProblem(
  operators: readonly Operator[],
  tokens: number,
  batch: number,
  seq: number,
  prefix: number,
): string | undefined {
  for (const operator of operators) {
    const problem = operator.problem(tokens, batch, seq, prefix);
    if (problem !== undefined) return problem;
  }
  return undefined;
}
