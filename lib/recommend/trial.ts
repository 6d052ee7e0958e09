/**
 * Trials: candidates that a strategy wants replayed, and what came of them.
 *
 * @module
 */
import type { Outcome } from "../jobs/job.ts";
import type { Candidate, Category } from "./candidate.ts";
import type { CandidateAnswer } from "./candidate_jobs.ts";
import type { Metrics } from "./score.ts";

/** A candidate to be replayed. */
export interface Trial {
  /** What is replayed. */
  candidate: Candidate;
  /** Only the first requests of its load; null for all of them. */
  requests: number | null;
}

/** How the reference's ledgers call what became of a candidate. */
export type Status = "feasible" | "infeasible" | "unsupported" | "timed_out" | "failed" | "resource_limited";

/** What came of a trial. */
export interface Evaluated {
  /** The trial. */
  trial: Trial;
  /** Digest of everything that the figures depend on; null when nothing was replayed. */
  job: string | null;
  /** What the job answered. */
  outcome: Outcome<CandidateAnswer> | null;
  /** How it ended. */
  status: Status;
  /** Objective, higher is better; null unless feasible. */
  score: number | null;
  /** Both objectives of a Pareto search, by name; null otherwise. */
  objectives: Readonly<Record<string, number>> | null;
  /** Figures of its replay; null unless it was replayed. */
  metrics: Metrics | null;
  /** Why it is not feasible, in a word; null when it is. */
  category: Category | null;
  /** Why it is not feasible, in a sentence; null when it is. */
  reason: string | null;
}

/** Decides what is tried next from what came of the trials before. It is over when it returns. */
export type Strategy = Generator<Iterable<Trial>, void, readonly Evaluated[]>;

/** Whether the random search of the reference counts a trial towards its round. */
export const isSuccess = ({ status, category }: Evaluated): boolean =>
  status === "feasible" || status === "resource_limited" || category === "no_samples";
