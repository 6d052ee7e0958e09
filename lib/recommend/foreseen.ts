/**
 * What a strategy will probably want, found by telling another one like it that everything works out.
 *
 * @module
 */
import { refused } from "./evaluator.ts";
import type { Evaluated, Strategy, Trial } from "./trial.ts";

/** The trials of a strategy whose replays all succeed. */
export function* foreseen(strategy: Strategy): Generator<Trial, void, void> {
  let step = strategy.next();
  while (!step.done) {
    const results: Evaluated[] = [];
    for (const trial of step.value) {
      yield trial;
      results.push(hoped(trial));
    }
    step = strategy.next(results);
  }
}

const hoped = (trial: Trial): Evaluated => {
  const result = refused(trial);
  return trial.candidate.document === null ? result : { ...result, status: "feasible" };
};
