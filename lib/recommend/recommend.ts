/**
 * A search: which strategy runs, what it tries, what came of it. Everything a command does can be done with this and the
 * parts it is made of.
 *
 *     document ─ space ─ strategy ⇄ evaluator ─ ranking
 *
 * @module
 */
import { checkOptions, type OptionNames } from "../errors.ts";
import { inline } from "../jobs/inline.ts";
import type { Executor, JobRunner } from "../jobs/job.ts";
import type { PerfCatalog } from "../timing/aic/catalog.ts";
import { type Candidate, CandidateMaker } from "./candidate.ts";
import type { CandidateAnswer, CandidateTask } from "./candidate_jobs.ts";
import { Evaluator } from "./evaluator.ts";
import { distinctCandidates, exhaustiveSearch } from "./exhaustive_search.ts";
import { foreseen } from "./foreseen.ts";
import { halvingSearch } from "./halving_search.ts";
import type { Recommendation } from "./recommendation.ts";
import { narrowed, type OpenSearch, openSearch, readLoad } from "./open_search.ts";
import { Points } from "./points.ts";
import { randomSearch } from "./random_search.ts";
import type { KnownOutcome } from "./replays.ts";
import { type Goal, paretoFront, type Ranked, ranking } from "./score.ts";
import { notInParts } from "./search_plan.ts";
import { candidatesOf, type Shard } from "./shards.ts";
import type { SearchSpace } from "./space.ts";
import type { Evaluated, Strategy } from "./trial.ts";

/** The jobs of a search. */
export const CANDIDATE_JOBS = { name: "candidate", module: new URL("./candidate_jobs.ts", import.meta.url) };

/** How a search runs and whom it tells. */
export interface RecommendOptions {
  /** Where candidates are replayed. Default here, one after the other. */
  executor?: Executor;
  /** Ends the search; what is done is ranked. */
  signal?: AbortSignal;
  /** Systems and measurements, when other searches share them. */
  catalog?: PerfCatalog;
  /** Version of dynosim, part of the names of jobs. */
  version?: string;
  /** Outcomes of jobs of an earlier search, by name. */
  known?: ReadonlyMap<string, KnownOutcome>;
  /** Tries only this part of the configurations. Default all. */
  shard?: Shard;
}

const OPTIONS: OptionNames<RecommendOptions> = {
  executor: true,
  signal: true,
  catalog: true,
  version: true,
  known: true,
  shard: true,
};

/** What a search has come to. */
export interface Recommended {
  /** What was searched. */
  open: OpenSearch;
  /** Whole replays, in the order of suggestion. */
  evaluated: readonly Evaluated[];
  /** Partial replays, in the order of suggestion. */
  screened: readonly Evaluated[];
  /** Suggestions that were tried before. */
  repeats: number;
  /** Whether it was ended before its time. */
  interrupted: boolean;
  /** The ranked candidates, best first; of a Pareto search its front. */
  ranked: readonly Evaluated[];
}

/**
 * A search that runs when its results are asked for: one by one as they come, or all of them ranked.
 *
 * @example
 * ```ts
 * import { loadRecommendation, recommend } from "dynosim";
 *
 * const search = loadRecommendation(`
 * traffic: {source: {type: synthetic, input_tokens: 512, output_tokens: 16}, load: {concurrency: {choices: [4, 16]}}, stop: {requests: 32}}
 * engine:
 *   {mode: aggregated, model: Qwen/Qwen3-32B, hardware: h200_sxm, backend: vllm, context_length: 8192,
 *    workers: {aggregated: {scheduler: {max_batched_tokens: 8192, max_sequences: 64},
 *      kv_cache: {block_size: 64, capacity: {type: fixed, blocks: 1000}}, timing: {type: fixed, prefill_ms: 40, decode_ms: 8}}}}
 * optimization: {target: throughput_per_gpu, constraints: {max_candidate_gpus: 2}}
 * `);
 * const { ranked } = await recommend(search).result;
 * console.log(ranked[0].trial.candidate.usedGpus, ranked[0].trial.candidate.config.concurrency); // 1 16
 * ```
 */
export class RecommendRun implements AsyncIterable<Evaluated> {
  readonly #search: Recommendation;
  readonly #options: RecommendOptions;
  #open: Promise<OpenSearch> | null = null;
  #result: Promise<Recommended> | null = null;
  #stream: AsyncGenerator<Evaluated, Recommended, void> | null = null;
  readonly #survey = Promise.withResolvers<OpenSearch>();

  /** A search that starts when its result or its first candidate is asked for. */
  constructor(search: Recommendation, options: RecommendOptions) {
    checkOptions("recommend()", options, OPTIONS);
    this.#survey.promise.catch(() => {}); // told by the results too
    this.#search = search;
    this.#options = options;
  }

  /** What is searched; found out without a replay. */
  get open(): Promise<OpenSearch> {
    return this.#open ??= openSearch(this.#search, this.#options);
  }

  /** Everything, ranked. What of the stream is not read by then is read here. */
  get result(): Promise<Recommended> {
    return this.#result ??= this.#finish();
  }

  /** Every result, whole replays and partial ones, in the order of suggestion. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Evaluated, void, void> {
    this.#stream ??= this.#run();
    for (;;) {
      const step = await this.#stream.next();
      if (step.done) {
        this.#result ??= Promise.resolve(step.value);
        return;
      }
      yield step.value;
    }
  }

  /** What is left to search once every shape was looked at. */
  get surveyed(): Promise<OpenSearch> {
    return this.#survey.promise;
  }

  /** Looks at every shape; only the reference's own search tries what cannot be wanted. */
  async #surveyed(runner: JobRunner<CandidateTask, CandidateAnswer>): Promise<OpenSearch> {
    try {
      const open = await this.open;
      const { signal } = this.#options;
      await readLoad(open, runner, signal);
      const narrow = open.plan.algorithm === "random" ? open : await narrowed(open, runner, signal);
      this.#survey.resolve(narrow);
      return narrow;
    } catch (problem) {
      runner.close();
      this.#survey.reject(problem);
      throw problem;
    }
  }

  async #finish(): Promise<Recommended> {
    this.#stream ??= this.#run();
    for (;;) {
      const step = await this.#stream.next();
      if (step.done) return step.value;
    }
  }

  async *#run(): AsyncGenerator<Evaluated, Recommended, void> {
    const { executor = inline(), signal, known, shard } = this.#options;
    const { optimizer, stack } = this.#search;
    const runner = executor.open<null, CandidateTask, CandidateAnswer>(CANDIDATE_JOBS, null);
    const open = await this.#surveyed(executor.remote ? inline().open(CANDIDATE_JOBS, null) : runner);
    if (shard !== undefined && open.plan.algorithm !== "exhaustive") {
      runner.close();
      throw notInParts(open.plan.algorithm);
    }
    const evaluator = new Evaluator(runner, {
      goal: open.goal,
      stack,
      timeoutSeconds: optimizer.candidate_timeout_seconds,
      names: open.names,
      known,
      foreseen: open.plan.algorithm === "random" ? foreseen(strategyOf(open, () => {})) : undefined,
      signal,
    });
    const evaluated: Evaluated[] = [], screened: Evaluated[] = [];
    let repeats = 0, interrupted = false;
    const strategy = strategyOf(open, () => repeats++, shard);
    try {
      let step = strategy.next();
      while (!step.done) {
        const results: Evaluated[] = [];
        for await (const result of evaluator.evaluate(step.value)) {
          results.push(result);
          (result.trial.requests === null ? evaluated : screened).push(result);
          yield result;
        }
        step = strategy.next(results);
      }
    } catch (problem) {
      if (!signal?.aborted) throw problem;
      interrupted = true;
    } finally {
      evaluator.close();
      runner.close();
    }
    return { open, evaluated, screened, repeats, interrupted, ranked: ranked(open.goal, evaluated) };
  }
}

/**
 * Starts a search, see {@linkcode RecommendRun}.
 *
 * @example
 * ```ts
 * import { loadRecommendation, recommend } from "dynosim";
 *
 * const search = loadRecommendation(`
 * traffic: {source: {type: synthetic, input_tokens: 512, output_tokens: 16}, load: {concurrency: {choices: [4, 16]}}, stop: {requests: 32}}
 * engine:
 *   {mode: aggregated, model: Qwen/Qwen3-32B, hardware: h200_sxm, backend: vllm, context_length: 8192,
 *    workers: {aggregated: {scheduler: {max_batched_tokens: 8192, max_sequences: 64},
 *      kv_cache: {block_size: 64, capacity: {type: fixed, blocks: 1000}}, timing: {type: fixed, prefill_ms: 40, decode_ms: 8}}}}
 * optimization: {target: throughput_per_gpu, constraints: {max_candidate_gpus: 2}}
 * `);
 * let feasible = 0;
 * for await (const { status } of recommend(search)) if (status === "feasible") feasible++;
 * console.log(feasible); // 6
 * ```
 */
export const recommend = (search: Recommendation, options: RecommendOptions = {}): RecommendRun =>
  new RecommendRun(search, options);

function strategyOf(
  { search, space, plan, goal, requests }: OpenSearch,
  onRepeat: () => void,
  shard?: Shard,
): Strategy {
  const { seed, parallelism } = search.optimizer;
  const maker = new CandidateMaker(search, space);
  const points = new Points(space.branches);
  switch (plan.algorithm) {
    case "random":
      return randomSearch(space.branches, maker, { seed, maxTrials: plan.most, parallelism, onRepeat });
    case "exhaustive": {
      const all = distinctCandidates(points.all(), maker);
      return exhaustiveSearch(shard === undefined ? all : candidatesOf(all, shard));
    }
    case "halving":
      return halvingSearch(points, maker, {
        target: goal.target,
        seed,
        maxTrials: plan.most,
        requests,
      });
  }
}

/** The feasible results best first; of a Pareto search the front. */
export function ranked({ target }: Goal, results: readonly Evaluated[]): Evaluated[] {
  const feasible = results.filter(({ status }) => status === "feasible").map((
    result,
  ): Ranked & { result: Evaluated } => ({
    score: result.score!,
    objectives: result.objectives,
    usedGpus: result.trial.candidate.usedGpus,
    metrics: result.metrics!,
    config: result.trial.candidate.config,
    result,
  }));
  return (target === "pareto" ? paretoFront(feasible) : ranking(target, feasible)).map(({ result }) => result);
}

/**
 * Every distinct candidate of a space, shape by shape; without end when a parameter is continuous.
 *
 * @example
 * ```ts
 * import { candidates, loadRecommendation, searchSpace } from "dynosim";
 *
 * const search = loadRecommendation(`
 * engine: {mode: aggregated, model: Qwen/Qwen3-32B, hardware: h200_sxm, backend: vllm, context_length: 8192, workers: {aggregated: {}}}
 * optimization: {constraints: {max_candidate_gpus: 1}}
 * `);
 * console.log([...candidates(search, await searchSpace(search))].length); // 9
 * ```
 */
export function* candidates(search: Recommendation, space: SearchSpace): Generator<Candidate> {
  const points = new Points(space.branches);
  const maker = new CandidateMaker(search, space);
  yield* distinctCandidates(points.size === Infinity ? points.spread(search.optimizer.seed) : points.all(), maker);
}
