/**
 * The operators of a pass down to those that read measurements themselves: of operators made of others, those that give
 * them their time.
 *
 * @module
 */
import type { OperatorTime } from "./forward_pass_model.ts";
import type { OperatorSpec } from "./operator_spec.ts";
import type { CompositeOperator } from "./operators/composite_operators.ts";
import type { Operator } from "./operators/operator.ts";

/** A plain operator in a pass. */
export interface PlainRow extends OperatorTime {
  /** Name of the operator of the pass that it is or is part of. */
  readonly top: string;
  /** What it was made from. */
  readonly spec: OperatorSpec;
  /** What it is asked for. */
  readonly at: AskedPoint;
}

/** Arguments of {@linkcode Operator.ms}. */
export interface AskedPoint {
  readonly tokens: number;
  readonly batch: number;
  readonly seq: number;
  readonly prefix: number;
}

/**
 * The rows of operators and what they were made from, both in the same order.
 *
 * @param tokensOf tokens that an operator sees of those of the pass
 */
export function plainRows(
  specs: readonly OperatorSpec[],
  operators: readonly Operator[],
  at: AskedPoint,
  tokensOf: (operator: Operator) => number = () => at.tokens,
): PlainRow[] {
  return operators.flatMap((operator, i) => {
    const spec = specs[i], lists = partsOf(spec), tokens = tokensOf(operator), { batch, seq, prefix } = at;
    const seen = { tokens, batch, seq, prefix };
    const { name } = operator;
    if (lists === null) {
      return [{ name, ms: operator.ms(tokens, batch, seq, prefix, 1), top: name, spec, at: seen }];
    }
    const composite = operator as CompositeOperator, taken = composite.taken(tokens, batch, seq, prefix);
    return plainRows(lists[taken], composite.lists[taken], seen).map((row) => ({ ...row, top: name }));
  });
}

/** All plain operators that a list may take its time from. */
export function plainSpecs(specs: readonly OperatorSpec[]): OperatorSpec[] {
  return specs.flatMap((spec) => partsOf(spec)?.flatMap(plainSpecs) ?? [spec]);
}

/** The two lists of an operator made of others, as in {@linkcode CompositeOperator}; null for a plain one. */
function partsOf(spec: OperatorSpec): readonly [readonly OperatorSpec[], readonly OperatorSpec[]] | null {
  switch (spec.kind) {
    case "fallback":
      return [[spec.primary], spec.list];
    case "overlap":
      return spec.groups;
    default:
      return null;
  }
}
