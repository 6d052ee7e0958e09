/**
 * dynosim: replay LLM request traces through simulated inference clusters.
 *
 * Everything the commands do can be done with these parts: a source of requests, stages, a replay, tables and figures.
 *
 * Contents, by room of `lib/`; types stand beside what takes or gives them:
 *
 * - **replay**, the whole, from a configuration, from options, from the names of the reference: `planSpec`,
 *   `predict`, `readReplaySpec`, `replay`, `ReplayRun`, `replaySpecText`, `run`, `runSyntheticTraceReplay`,
 *   `runTraceReplay`, `SharedData`, `simulate`, `traceReplaySpec`
 * - **capacity**, how much load a deployment carries: `capacity`
 * - **config**, configuration files: `loadPrediction`, `readPlannerConfig`, `readRetune`, `workerSettings`
 * - **errors**, what goes wrong, and where: `ConfigError`, `FileError`, `nearName`, `QueueError`, `ResourceLimitError`,
 *   `SimulationError`, `TraceError`
 * - **trace**, reading, converting, writing and measuring traces: `batchStage`, `convert`, `Flow`, `inspect`,
 *   `Ledger`, `limit`, `readTrace`, `regroup`, `scale`, `Sink`, `slice`, `sortByTime`, `spread`, `Stage`, `stage`,
 *   `warmupIntervals`, `writeTrace`
 * - **traffic**, what arrives when: `admittedUntil`, `loadRequests`, `loadTrace`, `loadTraffic`, `syntheticTraffic`
 * - **timing**, how long passes take, measured operators, KV capacity, facts of models: `assumptionsOf`,
 *   `decodeStepMs`, `deploy`, `deployIdentity`, `Deployment`, `Deployments`, `evidenceWarnings`, `findModel`,
 *   `fixed`, `ForwardPassModel`, `generationRunMs`, `kvBytesPerToken`, `loadModel`, `maxContextLength`, `mixedStepMs`,
 *   `modelFacts`, `modelSupport`, `operatorTiming`, `passDurationMs`, `passLoads`, `PerfCatalog`, `polynomial`,
 *   `precisionWarnings`, `promptMs`, `shippedModels`, `transferKinds`
 * - **engine**, one worker: `parseLaunch`, `PromptIndex`, `RequestRecords`, `sglang`, `trtllm`, `vllm`
 * - **router**, which worker gets a request: `kvRouter`, `leastLoaded`, `readKvRouterConfig`, `readPolicyFile`,
 *   `roundRobin`, `routerFrom`, `routerSpecOf`, `SimpleRouter`
 * - **cluster**, workers in virtual time: `isPending`
 * - **forecast**, load predictors and the traffic they learn from: `bucketSeries`, `createPredictor`, `Predictor`,
 *   `recordedHistory`, `trafficIntervals`
 * - **planner**, how many workers there should be: `bootstrap`, `capabilitiesOf`, `parsePlannerConfig`, `planner`,
 *   `Planner`, `plannerWarnings`, `timingEstimator`, `unreachableBounds`
 * - **retune**, which parameters the last window would have wanted: `answerWith`, `RetunePolicy`, `runSweep`,
 *   `scoreReplay`
 * - **report**, what a run reports, and its story: `attainment`, `explainRun`, `figuresOf`, `firstDivergence`,
 *   `GapStatistics`, `percentile`, `percentileRank`, `plannerHealth`, `PlannerRecorder`, `predictionText`,
 *   `RecordedPlanner`, `requestLines`, `storyText`, `terminalTable`, `verdictLines`
 * - **calibrate**, measurements of real systems beside their simulation: `calibrate`, `Measured`, `readMeasured`
 * - **analysis**, results as tables and figures: `capacityPage`, `capacityPlot`, `compareRuns`, `explainCapacity`,
 *   `explainRecommendation`, `goodputOverTime`,
 *   `goodputPlot`, `gpuHoursByPhase`, `gpuHoursPlot`, `htmlReport`, `kvPlot`, `latencyCdfPlot`, `latencyPlot`,
 *   `lifecycleTable`, `percentilesOverTime`, `queueOverTime`, `queuePlot`, `readCapacity`, `readRecommendation`, `readRun`,
 *   `recommendationPage`, `recommendationTable`, `replicasOverTime`, `replicasPlot`, `requestsTable`, `retuneTable`,
 *   `scalingEventsTable`, `ticksTable`, `toRun`, `traceTable`, `tradeOffPlot`, `trafficOverTime`, `trafficPlot`,
 *   `ttftByInputLength`, `ttftByLengthPlot`
 * - **jobs**, work on other threads: `inline`, `JobExpired`, `threads`
 * - **recommend**, what to run: `candidates`, `loadRecommendation`, `recommend`, `RecommendRun`, `searchSpace`
 *
 * @example
 * ```ts
 * import { kvRouter, planner, readTrace, replay, requestsTable, scale, slice, vllm } from "dynosim";
 *
 * const requests = readTrace("fixtures/traces/chat.jsonl")
 *   .pipeThrough(slice({ from: "2m", to: "10m" }))
 *   .pipeThrough(scale({ speedup: 4 }));
 * const run = replay(requests, {
 *   cluster: { replicas: 2, engine: vllm({ blocks: 4096 }), startupSeconds: 30 },
 *   router: kvRouter({ temperature: 0.2, seed: 7 }),
 *   planner: planner({ target: "latency", maxGpus: 4 }),
 *   sla: { ttftMs: 200, itlMs: 20 },
 *   capturePerRequest: true,
 * });
 * for await (const { atMs, targets } of run.ticks) if (targets.decode !== null) console.log(atMs / 1000, targets.decode);
 * const report = await run.report; // the same object as prediction.json
 * console.log(report.summary.goodput_completed_requests, report.summary.gpu_hours);
 * requestsTable(report).rollup({ slowest: "d => op.max(d.ttft_ms)" }).print();
 * ```
 *
 * @module
 */

export * from "./replay.ts";

// capacity: how much load a deployment carries
export { type Capacity, capacity, type CapacityOptions, type CapacityPoint } from "./lib/capacity/capacity.ts";
export type { LoadAxis } from "./lib/capacity/load_axis.ts";
export type { Bottleneck, Saturation } from "./lib/report/saturation.ts";

// calibrate: measurements of real systems beside their simulation
export {
  calibrate,
  type Calibrated,
  type CalibrateOptions,
  type CalibrateProgress,
  type MetricErrors,
} from "./lib/calibrate/calibrate.ts";
export type { TriedLevel } from "./lib/calibrate/choose_level.ts";
export { Measured, type MeasuredPass, type MeasuredRequest } from "./lib/calibrate/measured.ts";
export type { ErrorRow } from "./lib/calibrate/pass_report.ts";
export { readMeasured } from "./lib/calibrate/read_measured.ts";

// analysis: results as tables and figures
export { type Comparable, compareRuns } from "./lib/analysis/compare_runs.ts";
export type { ComparisonFigureOptions, NamedRun, TradeOffFigureOptions } from "./lib/analysis/comparison_plot.ts";
export type { HtmlReportOptions } from "./lib/analysis/html_report.ts";
export type { LatencyCdfFigureOptions } from "./lib/analysis/latency_distribution_plot.ts";
export type { LatencyFigureOptions } from "./lib/analysis/latency_plot.ts";
export {
  type BucketOptions,
  goodputOverTime,
  percentilesOverTime,
  queueOverTime,
  trafficOverTime,
  ttftByInputLength,
} from "./lib/analysis/over_time.ts";
export {
  lifecycleTable,
  type PlannerSource,
  retuneTable,
  scalingEventsTable,
  ticksTable,
} from "./lib/analysis/planner_tables.ts";
export {
  capacityPage,
  capacityPlot,
  goodputPlot,
  gpuHoursPlot,
  htmlReport,
  kvPlot,
  latencyCdfPlot,
  latencyPlot,
  queuePlot,
  recommendationPage,
  replicasPlot,
  tradeOffPlot,
  trafficPlot,
  ttftByLengthPlot,
} from "./lib/analysis/plots.ts";
export {
  type Figures as RecommendationFigures,
  readRecommendation,
  type RecommendationResult,
  type RecommendedCandidate,
} from "./lib/analysis/read_recommendation.ts";
export { explainCapacity } from "./lib/analysis/capacity_story.ts";
export { type CapacityResult, readCapacity, type TriedLoad } from "./lib/analysis/read_capacity.ts";
export { explainRecommendation } from "./lib/analysis/recommendation_story.ts";
export { recommendationTable } from "./lib/analysis/recommendation_table.ts";
export { gpuHoursByPhase, type ReplicaSource, replicasOverTime } from "./lib/analysis/replicas.ts";
export type { ReplicasFigureOptions, TimeFigureOptions } from "./lib/analysis/replicas_plot.ts";
export type { LatencyMetric, RequestsRun } from "./lib/analysis/request_figures.ts";
export { type RequestSource, requestsTable } from "./lib/analysis/requests_table.ts";
export { readRun, type Run, type RunOptions, toRun } from "./lib/analysis/run.ts";
export { traceTable } from "./lib/analysis/trace_table.ts";
export type { KvFigureOptions } from "./lib/analysis/kv_plot.ts";
export type { KvRun } from "./lib/analysis/kv_use.ts";
export type { QueueFigureOptions } from "./lib/analysis/traffic_plot.ts";

// jobs: work on other threads
export { inline } from "./lib/jobs/inline.ts";
export {
  type Executor,
  type Job,
  type JobControl,
  JobExpired,
  type JobFunction,
  type JobKind,
  type JobModule,
  type JobOptions,
  type JobRunner,
  type Outcome,
} from "./lib/jobs/job.ts";
export { threads, type ThreadsOptions } from "./lib/jobs/threads.ts";

// recommend: what to run
export type {
  Branch,
  Conditional,
  Parameters as SearchParameters,
  PoolEntry,
  Suggestion,
} from "./lib/recommend/branch.ts";
export type { Candidate as DeploymentCandidate, Category } from "./lib/recommend/candidate.ts";
export type { CandidateAnswer, IdleRole, LoadFacts } from "./lib/recommend/candidate_jobs.ts";
export type { Mode as DeploymentMode } from "./lib/recommend/engine_domain.ts";
export type { KnownOutcome } from "./lib/recommend/replays.ts";
export {
  type Algorithm,
  ALGORITHMS,
  type OptimizationSection,
  type OptimizerSection,
  type Target,
  TARGETS,
} from "./lib/recommend/goal_sections.ts";
export { loadRecommendation, type LoadRecommendationOptions } from "./lib/recommend/load.ts";
export type { AutoscalerSearch, Recommendation } from "./lib/recommend/recommendation.ts";
export type { Bounds as SearchBounds } from "./lib/recommend/planner_space.ts";
export type { OpenSearch } from "./lib/recommend/open_search.ts";
export {
  candidates,
  recommend,
  type Recommended,
  type RecommendOptions,
  RecommendRun,
} from "./lib/recommend/recommend.ts";
export type { Goal, Metrics } from "./lib/recommend/score.ts";
export type { Replicas } from "./lib/recommend/shapes.ts";
export type { SearchPlan } from "./lib/recommend/search_plan.ts";
export type { Shard } from "./lib/recommend/shards.ts";
export { type SearchSpace, searchSpace } from "./lib/recommend/space.ts";
export type { Evaluated, Status, Trial } from "./lib/recommend/trial.ts";

// Named so that a script without permission to read files can load it, as are others in replay.ts; nothing calls this.
void (() => import("./lib/analysis/diagnostics_page.ts"));
