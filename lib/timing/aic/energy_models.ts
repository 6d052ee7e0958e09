/**
 * The energy of passes, and how much of their time it is known for.
 *
 * @module
 */
import type { Deployment } from "./deployment.ts";
import { ForwardPassModel, type OperatorFactory } from "./forward_pass_model.ts";
import type { OperatorSpec } from "./operator_spec.ts";
import type { Dependence, Operator } from "./operators/operator.ts";

/** Two models of the same passes as a model of times. */
export interface EnergyModels {
  /** Watt-milliseconds of a GPU; operators whose power nobody measured add nothing. */
  readonly energy: ForwardPassModel;
  /** Milliseconds of the operators whose energy is known. */
  readonly covered: ForwardPassModel;
}

/** The models of a deployment; null when no power was measured. */
export function energyModels(deployment: Deployment): EnergyModels | null {
  const factories = deployment.energyFactories();
  if (factories === null) return null;
  const { times, energies } = factories, { lists, nextn } = deployment;
  const covered = { operators: (specs: readonly OperatorSpec[]) => coveredOperators(times, energies, specs) };
  return {
    energy: new ForwardPassModel(energies, lists, nextn),
    covered: new ForwardPassModel(covered, lists, nextn),
  };
}

function coveredOperators(
  times: OperatorFactory,
  energies: OperatorFactory,
  specs: readonly OperatorSpec[],
): Operator[] {
  const known = energies.operators(specs);
  return times.operators(specs).map((time) =>
    new CoveredOperator(time, known.filter((energy) => energy.name === time.name))
  );
}

const STRENGTH: readonly Dependence[] = ["tokens", "lengths", "sequences"];

/** The time of an operator where its energy is known, else nothing. Operators of one name count as one. */
class CoveredOperator implements Operator {
  readonly dependence: Dependence;
  readonly #time: Operator;
  readonly #energies: readonly Operator[];

  constructor(time: Operator, energies: readonly Operator[]) {
    this.#time = time;
    this.#energies = energies;
    this.dependence = STRENGTH[Math.max(...[time, ...energies].map(({ dependence }) => STRENGTH.indexOf(dependence)))];
  }

  get name(): string {
    return this.#time.name;
  }

  ms(tokens: number, batch: number, seq: number, prefix: number, scale: number): number {
    for (let i = 0; i < this.#energies.length; i++) {
      if (this.#energies[i].ms(tokens, batch, seq, prefix, scale) > 0) {
        return this.#time.ms(tokens, batch, seq, prefix, scale);
      }
    }
    return 0;
  }

  problem(tokens: number, batch: number, seq: number, prefix: number): string | undefined {
    return this.#time.problem(tokens, batch, seq, prefix);
  }
}
