/**
 * A search before its first trial: what it chooses from, what is known of its load, what need not be tried.
 *
 * @module
 */
import { TraceError } from "../errors.ts";
import type { JobRunner } from "../jobs/job.ts";
import { PerfCatalog } from "../timing/aic/catalog.ts";
import { CandidateMaker } from "./candidate.ts";
import type { Document } from "./candidate_document.ts";
import type { CandidateAnswer, CandidateTask } from "./candidate_jobs.ts";
import { JobNames } from "./identity.ts";
import type { Recommendation } from "./recommendation.ts";
import { Points } from "./points.ts";
import type { Goal } from "./score.ts";
import { checkHalving, notInParts, planOf, type SearchPlan, syntheticRequests, uncuttable } from "./search_plan.ts";
import type { Shard } from "./shards.ts";
import { type SearchSpace, searchSpace } from "./space.ts";
import { survey } from "./survey.ts";

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

/** What the goal of a search is. */
const goalOf = ({ optimization: { target, strict_sla, constraints }, sla }: Recommendation): Goal => ({
  target,
  sla,
  strictSla: strict_sla,
  minGoodputRps: constraints.min_goodput_rps,
  minAttainment: constraints.min_attainment,
  gpuBudget: constraints.max_candidate_gpus,
});

/** What a search shares with others, and which part of it is done here. */
interface OpenOptions {
  catalog?: PerfCatalog;
  version?: string;
  shard?: Shard;
}

/** Finds out what a search searches, without a replay. */
export async function openSearch(search: Recommendation, options: OpenOptions): Promise<OpenSearch> {
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
export async function readLoad(
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

/** The search with what a look at every shape of deployment left of its space. */
export async function narrowed(
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
