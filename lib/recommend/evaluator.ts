/**
 * Has trials replayed by whoever runs jobs, and judges what comes back. Results come in the order of the trials, however
 * many workers there are and whichever is first.
 *
 * @module
 */
import type { JobRunner } from "../jobs/job.ts";
import type { CandidateAnswer, CandidateTask } from "./candidate_jobs.ts";
import { type KnownOutcome, LOOK, Replays, type ReplaysOptions } from "./replays.ts";
import { assess, type Goal } from "./score.ts";
import type { Evaluated, Trial } from "./trial.ts";

/** Settings of an {@linkcode Evaluator}. */
export interface EvaluatorOptions extends ReplaysOptions {
  goal: Goal;
}

/** Replays and judges. */
export class Evaluator {
  readonly #replays: Replays;
  readonly #options: EvaluatorOptions;
  /** Asked anew each time: machines join and leave. */
  readonly #parallel: () => number;

  constructor(runner: JobRunner<CandidateTask, CandidateAnswer>, options: EvaluatorOptions) {
    this.#parallel = () => runner.parallel;
    this.#replays = new Replays(runner, options);
    this.#options = options;
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
    for (let done = 0;; done++) {
      while (more && pending.length < done + LOOK + 2 * this.#parallel()) {
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
  }

  /** Ends replays that nobody waits for. */
  close(): void {
    this.#replays.close();
  }

  async #one(trial: Trial): Promise<Evaluated> {
    const { candidate, requests } = trial;
    if (candidate.document === null) return refused(trial);
    const { job, outcome } = this.#replays.want(candidate.document, requests);
    return this.#judge(trial, job, await outcome);
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

/** What comes of a trial that cannot be replayed. */
export const refused = (trial: Trial): Evaluated => ({
  ...nothing(trial, null, null),
  status: "infeasible",
  ...trial.candidate.refusal!,
});

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
