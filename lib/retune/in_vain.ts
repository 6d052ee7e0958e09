/**
 * What a `retune` block searches that changes nothing in the run it is for: equal replays, of which one would win.
 *
 * @module
 */
import type { RetuneConfig } from "./config.ts";

/** The run a block is for. */
export interface SearchedRun {
  /** What the Planner aims at (`optimization_target`). */
  target: string;
  /** Whether the workers that compute prompts keep their KV blocks for other requests. */
  prefixCaching: boolean;
}

/** A block without what is in vain, and a sentence on each thing that was left out. */
export function withoutVainSearches(settings: RetuneConfig, run: SearchedRun): [RetuneConfig, string[]] {
  const left: string[] = [];
  let { router, planner } = settings;
  if (planner?.load_scaling_down_sensitivity && run.target !== "sla") {
    planner = { ...planner, load_scaling_down_sensitivity: null };
    left.push(`planner.load_scaling_down_sensitivity is not searched: target ${run.target} has thresholds of its own`);
  }
  if (router && router.overlap_score_credit.length > 1 && !run.prefixCaching) {
    router = { ...router, overlap_score_credit: router.overlap_score_credit.slice(0, 1) };
    left.push("router.overlap_score_credit is not searched: prefix caching is off, nothing overlaps");
  }
  return [{ ...settings, router, planner }, left];
}

/** Whether a block has nothing to choose among. */
export const searchesNothing = ({ router, planner }: RetuneConfig): boolean =>
  router === null && !planner?.load_scaling_down_sensitivity && !planner?.load_predictor;
