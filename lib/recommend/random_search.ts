/**
 * The random search of the reference: rounds of suggestions from every deployment mode in turn, until its trials are
 * used up, nothing is left to suggest, or a round finds nothing new.
 *
 * @module
 */
import { canonicalJson } from "../planner/canonical_json.ts";
import type { Branch, Suggestion } from "./branch.ts";
import type { CandidateMaker } from "./candidate.ts";
import { branchSeed, RandomSampler } from "./random_sampler.ts";
import { type Evaluated, isSuccess, type Strategy, type Trial } from "./trial.ts";

/** Settings of the search. */
export interface RandomSearchOptions {
  seed: number;
  maxTrials: number;
  /** Suggestions of a round. */
  parallelism: number;
  /** Told of a suggestion that was tried before. */
  onRepeat: () => void;
}

/** Suggestions a round may take for each success it wants, and one more. */
const TRIES = 11;

interface BranchState {
  sampler: RandomSampler;
  left: number;
  live: boolean;
}

/** Parts of a whole number, the first ones taking what does not divide. */
const shares = (whole: number, parts: number): number[] =>
  Array.from({ length: parts }, (_, i) => Math.floor(whole / parts) + (i < whole % parts ? 1 : 0));

/** Makes the search. */
export function* randomSearch(
  branches: readonly Branch[],
  maker: CandidateMaker,
  { seed, maxTrials, parallelism, onRepeat }: RandomSearchOptions,
): Strategy {
  const round = Math.min(parallelism, maxTrials);
  const budgets = shares(maxTrials, branches.length);
  const states: BranchState[] = branches.map((branch, i) => ({
    sampler: new RandomSampler(branch, branchSeed(seed, branch.mode)),
    left: budgets[i],
    live: true,
  }));
  const seen = new Map<string, boolean>();
  for (let cycle = Math.ceil(maxTrials / round); cycle > 0; cycle--) {
    for (const state of states) {
      if (!state.live || state.left === 0) continue;
      const target = Math.min(round, state.left);
      let successes = 0, asked = 0;
      while (state.live && successes < target && asked < TRIES * round && state.left > 0) {
        const count = Math.min(target - successes, TRIES * round - asked, state.left);
        const suggestions = take(state.sampler, count);
        asked += suggestions.length;
        state.left -= suggestions.length;
        const trials: Trial[] = [], keys: string[] = [];
        for (const suggestion of suggestions) {
          const candidate = maker.make(suggestion);
          const key = canonicalJson(suggestion);
          const known = seen.get(key);
          if (known !== undefined) {
            onRepeat();
            if (known) successes++;
            continue;
          }
          trials.push({ candidate, requests: null });
          keys.push(key);
        }
        const results = trials.length > 0 ? yield trials : [];
        for (const [i, result] of results.entries()) {
          const success = isSuccess(result);
          if (success) successes++;
          if (success || isRemembered(result)) seen.set(keys[i], success);
        }
        if (suggestions.length < count) retire(state, states);
      }
      if (successes < target) state.live = false;
    }
  }
}

/** Failures that would be the same again. */
const isRemembered = ({ category }: Evaluated): boolean =>
  category !== null && ["gpu_budget", "kv_capacity", "sla_constraint", "load_constraint"].includes(category);

function take(sampler: RandomSampler, count: number): Suggestion[] {
  const taken: Suggestion[] = [];
  for (let next; taken.length < count && (next = sampler.next()) !== null;) taken.push(next);
  return taken;
}

/** A mode whose space is used up hands the rest of its trials to the others. */
function retire(state: BranchState, states: readonly BranchState[]): void {
  state.live = false;
  const others = states.filter(({ live }) => live);
  const parts = shares(state.left, others.length);
  for (const [i, other] of others.entries()) other.left += parts[i];
  state.left = 0;
}
