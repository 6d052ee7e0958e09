/**
 * A search: which strategy runs, what it tries, what came of it. Everything a command does can be done with this and the
 * parts it is made of.
 *
 *     document ─ space ─ strategy ⇄ evaluator ─ ranking
 *
 * @module
 */
import { checkOptions, ConfigError, type OptionNames, TraceError } from "../errors.ts";
import type { Executor, JobRunner } from "../jobs/job.ts";
import { inline } from "../jobs/inline.ts";
import { PerfCatalog } from "../timing/aic/catalog.ts";
import { type Candidate, CandidateMaker, type Document } from "./candidate.ts";
import { type CandidateAnswer, type CandidateTask, PREFIX_FORMATS } from "./candidate_jobs.ts";
import { Evaluator } from "./evaluator.ts";
import { foreseen } from "./foreseen.ts";
import type { KnownOutcome } from "./replays.ts";
import { survey } from "./survey.ts";
import { distinctCandidates, exhaustiveSearch } from "./exhaustive_search.ts";
import type { Algorithm } from "./goal_sections.ts";
import { halvingSearch, LEAST_WHOLE } from "./halving_search.ts";
import { JobNames } from "./identity.ts";
import type { Recommendation } from "./load.ts";
import { Points } from "./points.ts";
import { randomSearch } from "./random_search.ts";
import { type Goal, paretoFront, type Ranked, ranking } from "./score.ts";
import { type SearchSpace, searchSpace } from "./space.ts";
import { candidatesOf, type Shard } from "./shards.ts";
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

/** What runs, and over how much. */
export interface SearchPlan {
  /** The order in which candidates are tried. */
  algorithm: Exclude<Algorithm, "bayesian">;
  /** Replays at most. */
  most: number;
  /** Points of the space; `Infinity` when a parameter is continuous. */
  size: number;
}

/** A search that has found out what it searches. */
export interface OpenSearch {
  /** The search as it was checked. */
  search: Recommendation;
  /** What it chooses from. */
  space: SearchSpace;
  /** What runs. */
  plan: SearchPlan;
  /** What is looked for. */
  goal: Goal;
  /**
   * @internal
   */
  names: JobNames;
  /** Name of the whole search. */
  id: string;
  /** Requests of the load when all candidates have the same; null when they differ, or nobody has counted yet. */
  requests: number | null;
}

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

/** What the goal of a search is. */
export const goalOf = ({ optimization: { target, strict_sla, constraints }, sla }: Recommendation): Goal => ({
  target,
  sla,
  strictSla: strict_sla,
  minGoodputRps: constraints.min_goodput_rps,
  minAttainment: constraints.min_attainment,
  gpuBudget: constraints.max_candidate_gpus,
});

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

async function openSearch(search: Recommendation, options: RecommendOptions): Promise<OpenSearch> {
  const { catalog = new PerfCatalog(), version = "" } = options;
  const space = await searchSpace(search, catalog);
  const names = await JobNames.of(search, space, catalog, version);
  const plan = planOf(search, space);
  // a survey may leave so little of the space that all of it is tried
  const decided = plan.algorithm !== "halving" || search.optimizer.algorithm === "halving";
  if (options.shard !== undefined && decided && plan.algorithm !== "exhaustive") throw notInParts(plan.algorithm);
  const whole = plan.algorithm === "halving" ? uncuttable(search) : null;
  return {
    search,
    space: whole === null
      ? space
      : { ...space, warnings: [...space.warnings, `halving replays the whole load each time: ${whole}`] },
    plan,
    goal: goalOf(search),
    names,
    id: names.search(search.written, search.stack),
    requests: syntheticRequests(search),
  };
}

/**
 * Has the trace read before anything else, by a worker that keeps it.
 *
 * @throws {TraceError} when it cannot be replayed, whatever the candidate
 */
async function readLoad(
  { search, space }: OpenSearch,
  runner: JobRunner<CandidateTask, CandidateAnswer>,
  signal: AbortSignal | undefined,
): Promise<void> {
  if (search.traffic.prediction.source.type !== "trace") return;
  const document = firstDocument(new Points(space.branches), new CandidateMaker(search, space));
  if (document === null) return;
  const task: CandidateTask = { ask: "load", document, stack: search.stack, requests: null };
  const outcome = await runner.do({ id: null, data: task }, { signal });
  if (outcome.status !== "done" || outcome.result.ok || outcome.result.trace === undefined) return;
  throw new TraceError(outcome.result.trace);
}

/** Points of a space that are looked at for one that can be replayed. */
const LOOKS = 100;

function firstDocument(points: Points, maker: CandidateMaker): Document | null {
  let looks = 0;
  for (const point of points.spread(0)) {
    const { document } = maker.make(point);
    if (document !== null || ++looks === LOOKS) return document;
  }
  return null;
}

async function narrowed(
  open: OpenSearch,
  runner: JobRunner<CandidateTask, CandidateAnswer>,
  signal: AbortSignal | undefined,
): Promise<OpenSearch> {
  const { search, goal, requests } = open;
  const { space, load } = await survey(search, open.space, goal, runner, signal);
  const cuttable = search.traffic.prediction.source.type === "trace" && uncuttable(search) === null;
  const surveyed = { ...open, space, requests: cuttable ? load?.requests ?? null : requests };
  if (search.optimizer.algorithm === "halving") checkHalving(surveyed.requests);
  return { ...surveyed, plan: planOf(search, space) };
}

/** Why a load has no beginning that could be replayed alone; null when it has. */
function uncuttable({ traffic: { prediction: { source } } }: Recommendation): string | null {
  if (source.type === "synthetic-session") return "a load of sessions cannot be cut off after some requests";
  if (source.type !== "trace") return null;
  const { format = "mooncake", paths } = source;
  if (!PREFIX_FORMATS.includes(format)) return `a ${format} trace cannot be cut off after some requests`;
  return paths.length > 1 ? `${paths.length} trace files cannot be cut off after some requests` : null;
}

/** Requests of a synthetic load; null when nobody knows. */
function syntheticRequests({ traffic: { prediction: { source, stop } } }: Recommendation): number | null {
  if (source.type !== "synthetic" || stop?.requests == null) return null;
  return stop.requests;
}

function planOf(search: Recommendation, { branches }: SearchSpace): SearchPlan {
  const { optimizer: { algorithm, max_trials }, written } = search;
  const { size } = new Points(branches);
  const given = (written.optimizer as Record<string, unknown> | undefined)?.max_trials !== undefined;
  const refuse = (path: string, message: string): never => {
    throw new ConfigError(message, [{ path, message }]);
  };
  switch (algorithm) {
    case "random":
      return { algorithm, most: max_trials, size };
    case "exhaustive":
      if (size === Infinity) {
        refuse(
          "optimizer.algorithm",
          "exhaustive needs a finite space: give the continuous ranges a step, or use halving",
        );
      }
      if (given && size > max_trials) {
        refuse(
          "optimizer.max_trials",
          `the space has ${size} configurations, more than max_trials=${max_trials}: raise it, or use halving`,
        );
      }
      return { algorithm, most: size, size };
    case "halving":
      checkHalving(syntheticRequests(search));
      return { algorithm, most: Math.min(max_trials, size), size };
    case "bayesian":
      return size <= max_trials
        ? { algorithm: "exhaustive", most: size, size }
        : { algorithm: "halving", most: max_trials, size };
  }
}

/** @throws {ConfigError} when a load is too short to be replayed in part */
function checkHalving(requests: number | null): void {
  if (requests === null || requests >= LEAST_WHOLE) return;
  const message =
    `halving replays a ninth of the load first: ${requests} requests are too few, it needs ${LEAST_WHOLE}; ` +
    "use exhaustive or random";
  throw new ConfigError(message, [{ path: "optimizer.algorithm", message }]);
}

/** Only where every configuration is tried does none depend on what came of others. */
function notInParts(algorithm: string): ConfigError {
  const message =
    `a search can only be done in shards when it tries every configuration, and ${algorithm} decides by ` +
    "what came of others: use exhaustive, or --executor";
  return new ConfigError(message, [{ path: "optimizer.algorithm", message }]);
}

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
