/**
 * Every point of a space, shape by shape. Points that are the same deployment are tried once.
 *
 * @module
 */
import { canonicalJson } from "../planner/canonical_json.ts";
import type { Candidate, CandidateMaker } from "./candidate.ts";
import type { Suggestion } from "./branch.ts";
import type { Strategy, Trial } from "./trial.ts";

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

/** Tries all candidates. They are one wave, so that nobody waits for the slowest of a part of them. */
export function* exhaustiveSearch(candidates: Iterable<Candidate>): Strategy {
  yield trialsOf(candidates);
}

function* trialsOf(candidates: Iterable<Candidate>): Generator<Trial> {
  for (const candidate of candidates) yield { candidate, requests: null };
}
