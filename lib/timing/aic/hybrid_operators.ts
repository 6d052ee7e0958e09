/**
 * Operators from measurements, and where those say nothing, from the empirical estimate.
 *
 * @module
 */
import type { BoundOperatorFactory } from "./bound_operators.ts";
import type { MeasuredOperatorFactory } from "./measured_operators.ts";
import type { OperatorSpec } from "./operator_spec.ts";
import { FallbackOperator, OverlapOperator } from "./operators/composite_operators.ts";
import { EitherOperator, FormulaOperator } from "./operators/formula_operator.ts";
import type { Operator } from "./operators/operator.ts";

/** Gives every operator, also those inside others, its measurements first. */
export class HybridOperatorFactory {
  readonly #measured: MeasuredOperatorFactory;
  readonly #empirical: BoundOperatorFactory | null;

  /** @param empirical absent with measurements of energies: what is estimated has none */
  constructor(measured: MeasuredOperatorFactory, empirical: BoundOperatorFactory | null = null) {
    this.#measured = measured;
    this.#empirical = empirical;
  }

  operators(specs: readonly OperatorSpec[]): Operator[] {
    return specs.map((spec) => this.#operator(spec));
  }

  #operator(spec: OperatorSpec): Operator {
    switch (spec.kind) {
      case "fallback": {
        // what stands in for a whole block is taken from measurements before any of it is estimated
        const [primary] = this.#measured.operators([spec.primary]);
        return new FallbackOperator(spec.name, primary, this.operators(spec.list));
      }
      case "overlap":
        return new OverlapOperator(spec.name, [this.operators(spec.groups[0]), this.operators(spec.groups[1])], {
          sum: this.#empirical === null,
        });
      default: {
        // products that are too narrow for the measurements have an estimate here, and need not be at their bound
        const measurable = spec.kind === "gemm" ? { ...spec, belowGrid: false } : spec;
        return new EitherOperator(
          this.#measured.operators([measurable])[0],
          this.#empirical?.operator(spec) ?? new FormulaOperator(spec, "tokens", () => 0),
        );
      }
    }
  }
}
