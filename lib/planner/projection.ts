/**
 * From the loops' proposals to the counts the Planner asks for: missing minimums and broken budgets are repaired, except
 * while a worker is starting.
 *
 * @module
 */
import { clampPair, clampSingle, outOfBand, type Pair, type PairBudget } from "./budget.ts";
import { type RoleCounts, type RoleName, ROLES } from "./observations.ts";

const AGGREGATED: readonly RoleName[] = ["decode"], NOBODY: readonly RoleName[] = [];

/** Counts to scale to; a role that is null keeps what it has. */
export interface ScaleTo {
  /** Prefill workers. */
  prefill: number | null;
  /** Decode or aggregated workers. */
  decode: number | null;
}

/**
 * Projects proposed counts onto what the budget allows.
 *
 * @param proposed counts of the loops, null where none proposed anything
 * @returns null when everything stays
 */
export function project(
  proposed: ScaleTo,
  counts: { prefill: RoleCounts; decode: RoleCounts },
  budget: PairBudget,
  aggregated: boolean,
): ScaleTo | null {
  const ready: Pair = { prefill: counts.prefill.ready, decode: counts.decode.ready };
  const wanted: Pair = { prefill: proposed.prefill ?? ready.prefill, decode: proposed.decode ?? ready.decode };
  const raised = { prefill: false, decode: false };
  let settled = true, total = 0, dearest = -Infinity;
  for (const role of aggregated ? AGGREGATED : ROLES) {
    const { expected, inProgress } = counts[role];
    settled &&= ready[role] === expected && !inProgress;
    total += ready[role] * budget.gpus[role];
    dearest = Math.max(dearest, budget.gpus[role]);
  }
  for (const role of settled ? aggregated ? AGGREGATED : ROLES : NOBODY) {
    if (ready[role] >= budget.minimum[role]) continue;
    wanted[role] = Math.max(wanted[role], budget.minimum[role]);
    raised[role] = true;
  }
  const broken = settled && outOfBand(total, dearest, budget);
  const same = (pair: Pair) => pair.decode === ready.decode && (aggregated || pair.prefill === ready.prefill);
  if (same(wanted) && !broken) return null;

  if (aggregated) {
    const minimum = budget.minimum.decode;
    const single = { ...budget, gpus: budget.gpus.decode, minimum };
    const decode = clampSingle(Math.max(wanted.decode, minimum), single);
    return decode === ready.decode ? null : { prefill: null, decode };
  }
  const lifted: Pair = {
    prefill: Math.max(wanted.prefill, budget.minimum.prefill),
    decode: Math.max(wanted.decode, budget.minimum.decode),
  };
  const fitted = clampPair(lifted, budget);
  if (same(fitted)) return null;
  // A mere repair of a minimum speaks for the role that was short, and for no other.
  const proposedNothing = proposed.prefill === null && proposed.decode === null;
  const clamped = fitted.prefill !== lifted.prefill || fitted.decode !== lifted.decode;
  if (proposedNothing && !clamped && (raised.prefill || raised.decode)) {
    return { prefill: raised.prefill ? fitted.prefill : null, decode: raised.decode ? fitted.decode : null };
  }
  return fitted;
}
