/**
 * What is worth saying of a GPU budget before a run: whether it leaves room to scale.
 *
 * @module
 */
import type { Pair } from "./budget.ts";

/** What a budget is compared with; a negative bound is off. GPUs are those of one replica of each role. */
export interface BudgetQuestion {
  maxGpus: number;
  minGpus: number;
  gpus: Pair;
  starting: Pair;
  /** Fewest replicas the Planner keeps. */
  minimum: Pair;
  /** What the two bounds are called where they were written. */
  names: { max: string; min: string };
}

/** Whether the starting deployment leaves room to scale. */
export function* budgetWarnings(question: BudgetQuestion): Generator<string> {
  const { maxGpus: most, minGpus: least, gpus, names: { max, min } } = question;
  const total = (replicas: Pair) => replicas.prefill * gpus.prefill + replicas.decode * gpus.decode;
  const starting = total(question.starting), needed = total(question.minimum);
  if (most >= 0 && needed > most) {
    yield `the minimum replicas need ${needed} GPUs and ${max} is ${most}: the Planner will scale to 0`;
  } else if (most >= 0 && starting > most) {
    yield `the starting replicas take ${starting} GPUs and ${max} is ${most}: the first decision removes some`;
  } else if (most >= 0 && starting === most) {
    yield `${max} (${most}) is used up by the starting replicas (${starting} GPUs): every scale-up will be held`;
  } else if (most >= 0 && starting + Math.min(gpus.prefill || gpus.decode, gpus.decode) > most) {
    yield `${max} (${most}) leaves no room for another replica beside the starting ${starting} GPUs`;
  } else if (most >= 0) {
    const used = mostUsable(most, gpus, question.minimum);
    if (used < most) yield `${max} (${most}) cannot be used up: ${engineSizes(gpus)}, so at most ${used} will run`;
  }
  if (least >= 0 && most >= 0 && least > most) yield `${min} (${least}) is above ${max} (${most}): no deployment fits`;
}

/** Most GPUs that whole replicas take within a budget. */
function mostUsable(most: number, gpus: Pair, { prefill: least, decode }: Pair): number {
  const withDecode = (taken: number) => taken + Math.floor((most - taken) / gpus.decode) * gpus.decode;
  if (gpus.prefill === 0) return withDecode(0);
  let used = 0;
  for (let count = least; count * gpus.prefill + decode * gpus.decode <= most && used < most; count++) {
    used = Math.max(used, withDecode(count * gpus.prefill));
  }
  return used;
}

const engineSizes = ({ prefill, decode }: Pair): string =>
  prefill === 0
    ? `an engine takes ${decode} GPUs`
    : `a prefill engine takes ${prefill} GPUs and a decode engine ${decode}`;
