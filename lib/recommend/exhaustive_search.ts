/**
 * Every point of a space, shape by shape. Points that are the same deployment are tried once.
 *
 * @module
 */
import { canonicalJson } from "../planner/canonical_json.ts";
import type { Candidate, CandidateMaker } from "./candidate.ts";
import type { Suggestion } from "./branch.ts";
import type { Strategy, Trial } from "./trial.ts";

/** Trials handed over at a time. */
const WAVE = 64;

/** Remembers deployments, so that none is tried twice. */
export class Distinct {
  readonly #seen = new Set<string>();

  /** Whether the candidate's deployment is new. */
  isNew({ document, config }: Candidate): boolean {
    const key = canonicalJson(document ?? config);
    if (this.#seen.has(key)) return false;
    this.#seen.add(key);
    return true;
  }
}

/** Candidates of suggestions, the same deployment once. */
export function* distinctCandidates(
  suggestions: Iterable<Suggestion>,
  maker: CandidateMaker,
  distinct = new Distinct(),
): Generator<Candidate> {
  for (const suggestion of suggestions) {
    const candidate = maker.make(suggestion);
    if (distinct.isNew(candidate)) yield candidate;
  }
}

/** Tries all candidates. */
export function* exhaustiveSearch(candidates: Iterable<Candidate>): Strategy {
  let wave: Trial[] = [];
  for (const candidate of candidates) {
    wave.push({ candidate, requests: null });
    if (wave.length < WAVE) continue;
    yield wave;
    wave = [];
  }
  if (wave.length > 0) yield wave;
}
