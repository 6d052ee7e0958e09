/**
 * GPU budgets: how wished replica counts are fitted between a floor and a ceiling of GPUs. One role (`single…`,
 * aggregated clusters) or a prefill/decode pair (`pair…`). A negative bound is off. A *clamp* fits counts whatever the
 * present state; a *guard* never moves a role the way nobody asked for, and answers with a reason when it interferes.
 *
 * @module
 */

/** Why a budget replaced a wish: the deployment was outside its band, or the wish would have left it. */
export type BudgetReason = "gpu_budget_reconcile" | "gpu_budget_guard_hold";

/** Bounds in GPUs; a negative one is off. */
export interface GpuBand {
  minGpus: number;
  maxGpus: number;
}

/** Replica counts of both roles. */
export interface Pair {
  /** Prefill workers; 0 when aggregated. */
  prefill: number;
  /** Decode or aggregated workers. */
  decode: number;
}

/** Band, cost of a replica and least count of each role. */
export interface PairBudget extends GpuBand {
  gpus: Pair;
  minimum: Pair;
}

/** Band, cost of a replica and least count of the only role. */
export interface SingleBudget extends GpuBand {
  gpus: number;
  minimum: number;
}

/** A count with the reason a guard changed it, null when it let the wish through. */
export interface Guarded<Count> {
  count: Count;
  reason: BudgetReason | null;
}

const active = (bound: number) => bound >= 0;

/** A floor counts as met within one replica when both bounds are on, because costs seldom divide a band. */
function inBand(total: number, tolerance: number, { minGpus, maxGpus }: GpuBand): boolean {
  return (!active(maxGpus) || total <= maxGpus) && (!active(minGpus) || total >= minGpus - tolerance);
}

/** Whether the deployment's total is outside its band; `largestCost` is the dearest role's GPUs per replica. */
export function outOfBand(totalGpus: number, largestCost: number, band: GpuBand): boolean {
  return !inBand(totalGpus, active(band.minGpus) && active(band.maxGpus) ? largestCost : 0, band);
}

/** Fits one count into the band; 0 when even the minimum is too dear. */
export function clampSingle(wanted: number, budget: SingleBudget): number {
  const { gpus, minimum, minGpus, maxGpus } = budget;
  if ((!active(minGpus) && !active(maxGpus)) || gpus <= 0 || !outOfBand(wanted * gpus, gpus, budget)) return wanted;
  if (active(maxGpus) && wanted * gpus > maxGpus) {
    return maxGpus < minimum * gpus ? 0 : Math.max(minimum, Math.floor(maxGpus / gpus));
  }
  return Math.max(minimum, Math.ceil(minGpus / gpus));
}

/** Lets `proposed` through where the band allows it, going from `current`. */
export function guardSingle(current: number, proposed: number, budget: SingleBudget): Guarded<number> {
  const { gpus, minGpus, maxGpus } = budget;
  const total = current * gpus;
  if (outOfBand(total, gpus, budget)) return { count: clampSingle(current, budget), reason: "gpu_budget_reconcile" };
  const hold: Guarded<number> = { count: current, reason: "gpu_budget_guard_hold" };
  if (active(minGpus) && total <= minGpus && proposed < current) return hold;
  if (active(maxGpus) && total >= maxGpus && proposed > current) return hold;
  const fitted = clampSingle(proposed, budget);
  const between = fitted >= Math.min(current, proposed) && fitted <= Math.max(current, proposed);
  return between ? { count: fitted, reason: null } : hold;
}

const gpuTotal = (pair: Pair, gpus: Pair) => pair.prefill * gpus.prefill + pair.decode * gpus.decode;
const equal = (a: Pair, b: Pair) => a.prefill === b.prefill && a.decode === b.decode;
const free = ({ prefill, decode }: Pair) => prefill <= 0 || decode <= 0;

/** Fits a pair into the band, keeping its proportion where it can; (0, 0) when even the minimums are too dear. */
export function clampPair(wanted: Pair, budget: PairBudget): Pair {
  const { gpus, minimum, minGpus, maxGpus } = budget;
  if ((!active(minGpus) && !active(maxGpus)) || free(gpus)) return wanted;
  const total = gpuTotal(wanted, gpus);
  if (!outOfBand(total, Math.max(gpus.prefill, gpus.decode), budget)) return wanted;
  if (active(maxGpus) && total > maxGpus) {
    if (maxGpus < gpuTotal(minimum, gpus)) return { prefill: 0, decode: 0 };
    const room = Math.floor((maxGpus - minimum.decode * gpus.decode) / gpus.prefill);
    const prefill = Math.max(minimum.prefill, Math.min(room, Math.floor(wanted.prefill * (maxGpus / total))));
    return { prefill, decode: Math.max(minimum.decode, Math.floor((maxGpus - prefill * gpus.prefill) / gpus.decode)) };
  }
  const share = total <= 0 ? minGpus / 2 / gpus.prefill : wanted.prefill * (minGpus / total);
  const prefill = Math.max(minimum.prefill, Math.ceil(share));
  const needed = Math.max(minimum.decode, Math.ceil(Math.max(0, minGpus - prefill * gpus.prefill) / gpus.decode));
  const decode = Math.max(wanted.decode, needed);
  if (!active(maxGpus) || prefill * gpus.prefill + decode * gpus.decode <= maxGpus) return { prefill, decode };
  return needed < wanted.decode ? fitTowards(wanted, { prefill, decode: needed }, budget) : wanted;
}

/**
 * The admissible pair nearest to a proposal among those that move each role only between its current and proposed
 * count; the current pair when there is none. An opposing proposal (one role up, the other down) moves both or neither.
 */
export function fitTowards(current: Pair, proposed: Pair, budget: PairBudget): Pair {
  const { gpus, minimum, minGpus, maxGpus } = budget;
  if (free(gpus)) return proposed;
  const tolerance = active(minGpus) && active(maxGpus) ? Math.max(gpus.prefill, gpus.decode) : 0;
  let lowP = Math.max(minimum.prefill, Math.min(current.prefill, proposed.prefill));
  let lowD = Math.max(minimum.decode, Math.min(current.decode, proposed.decode));
  let highP = Math.max(current.prefill, proposed.prefill);
  let highD = Math.max(current.decode, proposed.decode);
  if (active(maxGpus)) {
    highP = Math.min(highP, Math.floor((maxGpus - lowD * gpus.decode) / gpus.prefill));
    highD = Math.min(highD, Math.floor((maxGpus - lowP * gpus.prefill) / gpus.decode));
  }
  if (active(minGpus)) {
    lowP = Math.max(lowP, Math.ceil((minGpus - tolerance - highD * gpus.decode) / gpus.prefill));
    lowD = Math.max(lowD, Math.ceil((minGpus - tolerance - highP * gpus.prefill) / gpus.decode));
  }
  if (lowP > highP || lowD > highD) return current;
  const reachable = proposed.prefill >= lowP && proposed.prefill <= highP && proposed.decode >= lowD &&
    proposed.decode <= highD;
  if (reachable && inBand(gpuTotal(proposed, gpus), tolerance, budget)) return proposed;

  const stepP = proposed.prefill - current.prefill, stepD = proposed.decode - current.decode;
  const opposing = stepP * stepD < 0;
  let best: Pair | null = null, bestMiss = 0, bestSkew = 0, bestMoved = 0;
  for (let prefill = lowP; prefill <= highP; prefill++) {
    for (let decode = lowD; decode <= highD; decode++) {
      const movedP = Math.abs(prefill - current.prefill), movedD = Math.abs(decode - current.decode);
      if (opposing && (movedP === 0) !== (movedD === 0)) continue;
      if (!inBand(prefill * gpus.prefill + decode * gpus.decode, tolerance, budget)) continue;
      const miss = Math.abs(proposed.prefill - prefill) + Math.abs(proposed.decode - decode);
      const skew = Math.abs(movedP * Math.abs(stepD) - movedD * Math.abs(stepP));
      const moved = movedP + movedD;
      // Nearest first, then the proposal's own proportion, then the longer way; smaller counts win what is left.
      const better = miss - bestMiss || skew - bestSkew || bestMoved - moved;
      if (best === null || better < 0) {
        best = { prefill, decode };
        bestMiss = miss, bestSkew = skew, bestMoved = moved;
      }
    }
  }
  return best ?? current;
}

/** Lets a proposed pair through where the band allows it, going from `current`. */
export function guardPair(current: Pair, proposed: Pair, budget: PairBudget): Guarded<Pair> {
  const { gpus, minGpus, maxGpus } = budget;
  if (free(gpus)) return { count: clampPair(proposed, budget), reason: null };
  const tolerance = active(maxGpus) ? Math.max(gpus.prefill, gpus.decode) : 0;
  const total = gpuTotal(current, gpus);
  if (!inBand(total, tolerance, budget)) return { count: clampPair(current, budget), reason: "gpu_budget_reconcile" };
  const hold: Guarded<Pair> = { count: current, reason: "gpu_budget_guard_hold" };
  const down = proposed.prefill < current.prefill || proposed.decode < current.decode;
  const up = proposed.prefill > current.prefill || proposed.decode > current.decode;
  const trade = () => {
    const count = fitTowards(current, proposed, budget);
    return equal(count, current) ? hold : { count, reason: null };
  };
  if (total <= minGpus && down) return up ? trade() : hold;
  if (active(maxGpus) && total >= maxGpus && up) return down ? trade() : hold;
  const count = clampPair(proposed, budget);
  const within = (role: keyof Pair) =>
    count[role] >= Math.min(current[role], proposed[role]) && count[role] <= Math.max(current[role], proposed[role]);
  const fits = within("prefill") && within("decode") && inBand(gpuTotal(count, gpus), tolerance, budget);
  return fits ? { count, reason: null } : hold;
}

const below = (ready: Pair, minimum: Pair) => ready.prefill < minimum.prefill || ready.decode < minimum.decode;
const raised = (pair: Pair, minimum: Pair): Pair => ({
  prefill: Math.max(pair.prefill, minimum.prefill),
  decode: Math.max(pair.decode, minimum.decode),
});

/** `guardPair`, but a deployment that misses one of its minimums is brought to them first. */
export function guardPairWithRecovery(current: Pair, proposed: Pair, budget: PairBudget): Guarded<Pair> {
  if (!below(current, budget.minimum)) return guardPair(current, proposed, budget);
  return { count: clampPair(raised(proposed, budget.minimum), budget), reason: "gpu_budget_reconcile" };
}

/** Fits a wished pair under the ceiling alone; what throughput floors are made of. */
export function fitUnderCeiling(current: Pair, wanted: Pair, budget: PairBudget): Pair {
  const ceiling = { ...budget, minGpus: -1 };
  if (below(current, budget.minimum)) return clampPair(raised(wanted, budget.minimum), ceiling);
  return fitTowards(current, wanted, ceiling);
}
