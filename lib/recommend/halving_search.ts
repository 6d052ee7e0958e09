/**
 * Many candidates on the beginning of the load, the best of them on more of it, the best of those on all of it; then the
 * neighbours of the best, until the trials are used up. Method: successive halving (K. Jamieson, A. Talwalkar,
 * "Non-stochastic best arm identification and hyperparameter optimization", AISTATS 2016) and local search.
 *
 * @module
 */
import type { Suggestion } from "./branch.ts";
import type { Candidate, CandidateMaker } from "./candidate.ts";
import { Distinct } from "./exhaustive_search.ts";
import type { Points } from "./points.ts";
import { paretoFront, type Ranked, ranking } from "./score.ts";
import type { Target } from "./goal_sections.ts";
import type { Evaluated, Strategy, Trial } from "./trial.ts";

/** Settings of the search. */
export interface HalvingOptions {
  target: Target;
  seed: number;
  /** Replays, whole and partial ones. */
  maxTrials: number;
  /** Requests of the whole load; null when nobody knows: every replay is whole then. */
  requests: number | null;
}

/** Each rung replays so many times more of the load for so many times fewer candidates. */
const FACTOR = 3;
/** Rungs before the whole load. */
const RUNGS = 2;
/** Fewest requests that a partial replay is worth. */
const LEAST_REQUESTS = 32;
/** Fewest requests of a load that is replayed in part. */
export const LEAST_WHOLE = LEAST_REQUESTS * FACTOR ** RUNGS;
/** Share of the trials that goes into the first rung. */
const FIRST_SHARE = 0.5;
/** Candidates whose neighbours are tried at once. */
const CENTRES = 4;
/** Suggestions looked at for each that is new. */
const PATIENCE = 50;

/** Makes the search. */
export function* halvingSearch(points: Points, maker: CandidateMaker, options: HalvingOptions): Strategy {
  const { target, seed, maxTrials, requests } = options;
  const distinct = new Distinct();
  const spread = points.spread(seed);
  // with fewer trials than rungs nothing would ever be replayed whole
  const rungs = requests === null || requests < LEAST_WHOLE || maxTrials <= RUNGS ? 0 : RUNGS;
  let left = maxTrials;
  const first = Math.max(1, Math.floor(maxTrials * FIRST_SHARE));
  let candidates = fresh(spread, maker, distinct, first);
  for (let rung = 0; rung < rungs; rung++) {
    const part = Math.ceil(requests! / FACTOR ** (rungs - rung));
    const trials = candidates.slice(0, left).map((candidate): Trial => ({ candidate, requests: part }));
    left -= trials.length;
    const results = yield trials;
    candidates = best(target, results, Math.max(1, Math.ceil(trials.length / FACTOR)));
    if (candidates.length === 0 || left === 0) return;
  }
  const whole: Evaluated[] = [];
  const tryAll = function* (those: readonly Candidate[]): Generator<readonly Trial[], void, readonly Evaluated[]> {
    const trials = those.slice(0, left).map((candidate): Trial => ({ candidate, requests: null }));
    left -= trials.length;
    if (trials.length > 0) whole.push(...yield trials);
  };
  yield* tryAll(candidates);
  const expanded = new Set<Candidate>();
  while (left > 0) {
    const centres = best(target, whole, CENTRES * 4).filter((candidate) => !expanded.has(candidate)).slice(0, CENTRES);
    const around: Candidate[] = [];
    for (const centre of centres) {
      expanded.add(centre);
      for (const suggestion of points.beside(centre.suggestion)) {
        const candidate = maker.make(suggestion);
        if (distinct.isNew(candidate)) around.push(candidate);
      }
    }
    // where the best has no neighbours left, the spread goes on
    const next = around.length > 0 || centres.length > 0 ? around : fresh(spread, maker, distinct, Math.min(left, 16));
    if (next.length === 0 && centres.length === 0) return;
    yield* tryAll(next);
  }
}

/** The next new candidates of a spread; fewer when it keeps coming to the same ones. */
function fresh(spread: Iterator<Suggestion>, maker: CandidateMaker, distinct: Distinct, count: number): Candidate[] {
  const found: Candidate[] = [];
  for (let looks = count * PATIENCE; found.length < count && looks > 0; looks--) {
    const candidate = maker.make(spread.next().value);
    if (distinct.isNew(candidate)) found.push(candidate);
  }
  return found;
}

/** The best feasible candidates: of a Pareto search its front first. */
function best(target: Target, results: readonly Evaluated[], count: number): Candidate[] {
  const feasible = results.filter(({ status }) => status === "feasible").map((
    result,
  ): Ranked & { candidate: Candidate } => ({
    score: result.score!,
    objectives: result.objectives,
    usedGpus: result.trial.candidate.usedGpus,
    metrics: result.metrics!,
    config: result.trial.candidate.config,
    candidate: result.trial.candidate,
  }));
  if (target !== "pareto") return ranking(target, feasible).slice(0, count).map(({ candidate }) => candidate);
  const chosen: Candidate[] = [];
  for (let rest = feasible; rest.length > 0 && chosen.length < count;) {
    const front = new Set(paretoFront(rest));
    chosen.push(...[...front].map(({ candidate }) => candidate));
    rest = rest.filter((one) => !front.has(one));
  }
  return chosen.slice(0, count);
}
