/**
 * Has trials replayed by whoever runs jobs, and judges what comes back. Results come in the order of the trials, however
 * many workers there are and whichever is first.
 *
 * @module
 */
import type { JobRunner, Outcome } from "../jobs/job.ts";
import type { Candidate } from "./candidate.ts";
import type { CandidateAnswer, CandidateTask } from "./candidate_jobs.ts";
import type { JobNames } from "./identity.ts";
import { assess, type Goal } from "./score.ts";
import type { Evaluated, Trial } from "./trial.ts";

/** What came of a job, as it is kept for later. */
export type KnownOutcome = Outcome<CandidateAnswer>;

/** Settings of an {@linkcode Evaluator}. */
export interface EvaluatorOptions {
  goal: Goal;
  stack: string;
  /** Limit of one replay in seconds. */
  timeoutSeconds: number;
  names: JobNames;
  /** Outcomes of earlier jobs by name. */
  known?: ReadonlyMap<string, KnownOutcome>;
  signal?: AbortSignal;
}

/** Replays and judges. */
export class Evaluator {
  readonly #runner: JobRunner<CandidateTask, CandidateAnswer>;
  readonly #options: EvaluatorOptions;
  readonly #known: Map<string, KnownOutcome | Promise<KnownOutcome>>;

  constructor(runner: JobRunner<CandidateTask, CandidateAnswer>, options: EvaluatorOptions) {
    this.#runner = runner;
    this.#options = options;
    this.#known = new Map(options.known);
  }

  /**
   * Evaluates trials, yielding each result as soon as those before it are there. Trials are taken as they are needed.
   *
   * @throws the reason of the signal, when it is aborted
   */
  async *evaluate(trials: Iterable<Trial>): AsyncGenerator<Evaluated, void, void> {
    const untried = trials[Symbol.iterator]();
    const pending: (Promise<Evaluated> | null)[] = [];
    let more = true;
    try {
      for (let done = 0;; done++) {
        // twice as many as run at once are handed in, so that no worker waits for the slowest of a wave
        while (more && pending.length < done + 2 * this.#runner.parallel) {
          const { done: end, value } = untried.next();
          if (end) more = false;
          else {
            const result = this.#one(value);
            result.catch(() => {}); // awaited below, or the run has ended
            pending.push(result);
          }
        }
        if (done === pending.length) return;
        yield await pending[done]!;
        pending[done] = null;
      }
    } finally {
      await Promise.allSettled(pending);
    }
  }

  async #one(trial: Trial): Promise<Evaluated> {
    const { candidate, requests } = trial;
    const { names, stack } = this.#options;
    if (candidate.document === null) {
      return { ...nothing(trial, null, null), status: "infeasible", ...candidate.refusal! };
    }
    const job = names.of(candidate.document, stack, requests);
    let outcome = this.#known.get(job);
    if (outcome === undefined) this.#known.set(job, outcome = this.#replay(job, candidate, requests));
    return this.#judge(trial, job, await outcome);
  }

  #replay(id: string, { document }: Candidate, requests: number | null): Promise<KnownOutcome> {
    const { stack, timeoutSeconds, signal } = this.#options;
    return this.#runner.do({ id, data: { ask: "replay", document: document!, stack, requests } }, {
      timeoutSeconds,
      signal,
    });
  }

  #judge(trial: Trial, job: string, outcome: KnownOutcome): Evaluated {
    const base = nothing(trial, job, outcome);
    const { goal, timeoutSeconds } = this.#options;
    if (outcome.status === "timeout") {
      return {
        ...base,
        status: "timed_out",
        category: "runtime_timeout",
        reason: `exceed runtime: replay > ${timeoutSeconds}s`,
      };
    }
    if (outcome.status === "failed") {
      const memory = /memory/i.test(outcome.reason);
      return memory
        ? { ...base, status: "resource_limited", category: "resource_limit", reason: outcome.reason }
        : { ...base, status: "failed", category: "replay_runtime", reason: `replay failed: ${outcome.reason}` };
    }
    const answer = outcome.result;
    if (!answer.ok) {
      const status = answer.category === "adapter_constraint" ? "infeasible" : "failed";
      return { ...base, status, category: answer.category, reason: answer.reason };
    }
    if (!("metrics" in answer)) throw new TypeError("a replay was answered with something else");
    const { metrics } = answer;
    const judged = assess(goal, metrics, trial.candidate.usedGpus);
    if (judged.status === "feasible") {
      return { ...base, status: "feasible", score: judged.score, objectives: judged.objectives, metrics };
    }
    return { ...base, status: judged.status, category: judged.category, reason: judged.reason, metrics };
  }
}

const nothing = (trial: Trial, job: string | null, outcome: KnownOutcome | null): Evaluated => ({
  trial,
  job,
  outcome,
  status: "failed",
  score: null,
  objectives: null,
  metrics: null,
  category: null,
  reason: null,
});
