/**
 * dynosim: replay LLM request traces through simulated inference clusters.
 *
 * @module
 */
export {
  ConfigError,
  type ConfigIssue,
  nearName,
  type Place,
  ResourceLimitError,
  SimulationError,
  TraceError,
} from "./lib/errors.ts";

// planner: how many workers there should be
export { type Bootstrap, bootstrap, type BootstrapRole, noBootstrap } from "./lib/planner/bootstrap.ts";
export { capabilitiesOf, type DeploymentCapabilities, type EngineCapabilities } from "./lib/planner/capabilities.ts";
export { parsePlannerConfig, type PlannerConfig } from "./lib/planner/config.ts";
export {
  type ExplainedReport,
  type ExplainOptions,
  explainRun,
  type StoryEntry,
  storyText,
} from "./lib/planner/explain.ts";
export type { Pass, PassEstimator } from "./lib/planner/model/pass.ts";
export { timingEstimator } from "./lib/planner/model/timing_estimator.ts";
export { planner, type PlannerChoices } from "./lib/planner/options.ts";
export { Planner, type PlannerOptions } from "./lib/planner/planner.ts";
export type { Predictor, PredictorSettings } from "./lib/planner/predictors/predictor.ts";
export { createPredictor, type PredictorName } from "./lib/planner/predictors/registry.ts";
export { type PlannedRun, plannerWarnings, type ReachQuestion, unreachableBounds } from "./lib/planner/warnings.ts";
export { type WarmupInterval, warmupIntervals, type WarmupLine } from "./lib/planner/warmup.ts";
export type {
  Decision,
  PassRow,
  Pending,
  RoleSnapshot,
  RouterKnobs,
  RouterState,
  ScalingPolicy,
  Snapshot,
  TrafficWindow,
} from "./lib/planner/policy.ts";

export { parseLaunch, type ParseLaunchOptions } from "./lib/engine/launch.ts";
export type {
  Backend,
  RankSettings,
  Role,
  SglangSettings,
  TimingSettings,
  WorkerSettings,
} from "./lib/engine/settings.ts";

// report: what a run reports
export {
  type ComparableReport,
  type Figure,
  FIGURES,
  figuresOf,
  firstParting,
  type Parting,
} from "./lib/report/compare.ts";
export { percentile, percentileRank } from "./lib/report/distribution.ts";
export { GapStatistics } from "./lib/report/gap_statistics.ts";
export type { RecordList, RequestRecord } from "./lib/report/per_request.ts";
export type { LifecycleOperation, PlannerSection, PlannerTick, ScalingEvent } from "./lib/report/planner_section.ts";
export { predictionText, type Report, requestLines, type RunMetadata } from "./lib/report/report.ts";
export type { Sla } from "./lib/report/sla.ts";
export type { ClusterTotals, Summary } from "./lib/report/summary.ts";
export type { Telemetry, TelemetrySample } from "./lib/report/telemetry.ts";
export { terminalTable } from "./lib/report/terminal_table.ts";
export { type ByteSource } from "./lib/trace/feed.ts";
export { readTrace, type ReadTraceOptions } from "./lib/trace/read_trace.ts";
export { type HashId, type TraceRequest } from "./lib/trace/request.ts";
export { type Batches, batchStage, Flow, Sink, Stage, stage } from "./lib/trace/stage.ts";
export { writeTrace, type WriteTraceOptions } from "./lib/trace/write_trace.ts";
export { loadRequests, loadTrace, type LoadTraceOptions } from "./lib/traffic/load_trace.ts";
export { type AdmissionSource, type Traffic, type Workload } from "./lib/traffic/workload.ts";

export {
  type LoadedPrediction,
  loadPrediction,
  type LoadPredictionOptions,
  type Stack,
  STACKS,
} from "./lib/config/load.ts";
export { type Resolved, workerSettings } from "./lib/config/lower.ts";
export { readPlannerConfig } from "./lib/config/planner_source.ts";
export type {
  CapacityPlan,
  EstimatorConfig,
  LoadPlan,
  PredictionPlan,
  RolePlan,
  RouterPlan,
  SlaPlan,
  SourcePlan,
  TrafficPlan,
} from "./lib/config/plan.ts";

export { readRetune } from "./lib/config/retune_mapping.ts";

// retune: which parameters the last window would have wanted
export type { Objective, PredictorPreset, RetuneConfig } from "./lib/retune/config.ts";
export { type ArrivalLog, bucketSeries, recordedHistory } from "./lib/retune/history.ts";
export { RetunePolicy, type RetunePolicyOptions } from "./lib/retune/retune_policy.ts";
export { scoreReplay } from "./lib/retune/score.ts";
export { answerWith, runSweep } from "./lib/retune/sweep.ts";
export type {
  PlannerFields,
  Point,
  ReplayMetrics,
  ReplayTask,
  ReplayWindow,
  RetuneEvent,
  RetuneOutcome,
  SweepOutcome,
  SweepPlan,
  TunablePlanner,
  WindowRequests,
} from "./lib/retune/types.ts";
export type { ReplayedTrace } from "./lib/retune/window.ts";

// router: which worker gets a request
export { type KvRouterConfig, readKvRouterConfig } from "./lib/router/kv_config.ts";
export { kvRouter, type KvRouterOptions } from "./lib/router/kv_factory.ts";
export type { KvRouterSettings, QueueProfile } from "./lib/router/kv_settings.ts";
export { leastLoaded } from "./lib/router/least_loaded.ts";
export { type PolicyFile, type PolicyFileOptions, readPolicyFile } from "./lib/router/policy_file.ts";
export type { PrefillLoadModel } from "./lib/router/prefill_load.ts";
export type { QueueClass, QueuePolicy } from "./lib/router/queue.ts";
export { ROUTER_NAMES, routerByName, type RouterName } from "./lib/router/registry.ts";
export { type ReplayRouter, replayRouter, type ReplayRouterOptions } from "./lib/router/replay_router.ts";
export { roundRobin } from "./lib/router/round_robin.ts";
export {
  type PlacementView,
  type Router,
  type RouterContext,
  type RouterFactory,
  SimpleRouter,
} from "./lib/router/router.ts";

// timing and simulation
export { passDurationMs } from "./lib/timing/duration.ts";
export { fixed } from "./lib/timing/fixed.ts";
export { polynomial } from "./lib/timing/polynomial.ts";
export { type Timing } from "./lib/timing/timing.ts";
export { type Pools, simulate, type Simulation } from "./lib/simulate.ts";
export { type ClusterOutcome, isPending, type PoolSpec, type Progress } from "./lib/cluster/spec.ts";
// analysis: results as tables and figures
export { type Comparable, compareRuns } from "./lib/analysis/compare_runs.ts";
export {
  type BucketOptions,
  goodputOverTime,
  percentilesOverTime,
  queueOverTime,
  trafficOverTime,
  ttftByInputLength,
} from "./lib/analysis/over_time.ts";
export { lifecycleTable, retuneTable, scalingEventsTable, ticksTable } from "./lib/analysis/planner_tables.ts";
export {
  goodputPlot,
  gpuHoursPlot,
  htmlReport,
  kvPlot,
  latencyCdfPlot,
  latencyPlot,
  queuePlot,
  replicasPlot,
  tradeOffPlot,
  trafficPlot,
  ttftByLengthPlot,
} from "./lib/analysis/plots.ts";
export { gpuHoursByPhase, replicasOverTime } from "./lib/analysis/replicas.ts";
export { requestsTable } from "./lib/analysis/requests_table.ts";
export { readRun, type Run, type RunOptions, toRun } from "./lib/analysis/run.ts";
export { traceTable } from "./lib/analysis/trace_table.ts";

// timing: how long passes take, from measured operators; capacity; model facts
export {
  type CapacityRequest,
  DEFAULT_MEMORY_FRACTION,
  kvBytesPerToken,
  type KvCapacity,
} from "./lib/timing/aic/capacity.ts";
export { DATABASE_MODES, type DatabaseMode } from "./lib/timing/aic/database_mode.ts";
export { deployIdentity, type EstimatorIdentity } from "./lib/timing/aic/estimator_identity.ts";
export { passLoads } from "./lib/timing/aic/pass_loads.ts";
export { PerfCatalog, type SystemEntry, type VersionSlots } from "./lib/timing/aic/catalog.ts";
export { Deployment, type DeploymentOptions } from "./lib/timing/aic/deployment.ts";
export { ForwardPassModel, type OperatorTime, type PassLoad } from "./lib/timing/aic/forward_pass_model.ts";
export { type ModelFacts, modelFacts } from "./lib/timing/aic/model_facts.ts";
export {
  findModel,
  type FoundModel,
  loadModel,
  maxContextLength,
  shippedModels,
} from "./lib/timing/aic/model_sources.ts";
export { deploy, type DeployOptions, operatorTiming } from "./lib/timing/aic/operator_timing.ts";
export { type QuantModes } from "./lib/timing/aic/quant.ts";
export { type QuantOverrides } from "./lib/timing/aic/quant_choice.ts";
export { decodeStepMs, generationRunMs, mixedStepMs, promptMs } from "./lib/timing/aic/step_estimates.ts";
export { predict, type PredictOptions } from "./lib/predict.ts";
export { planTraffic, type TrafficContext, type TrafficLoad, type TrafficSource } from "./lib/traffic/plan.ts";
export { type SyntheticOptions, syntheticTraffic } from "./lib/traffic/synthetic.ts";
export { type EngineChoices, type EngineLaunch, sglang, trtllm, vllm } from "./lib/engine/choices.ts";
export { type PoolChoices, replay, type ReplayOptions, ReplayRun, type ReplayTick } from "./lib/replay.ts";
export type { ReplayCallOptions, SyntheticReplayOptions, TraceReplayOptions } from "./lib/replay_options.ts";
export { runSyntheticTraceReplay, runTraceReplay } from "./lib/run_trace_replay.ts";

// traces: converting and measuring
export { convert, type ConvertOptions } from "./lib/trace/convert.ts";
export type { FormatOptions, OpenTrace, PrefixIdentity, Sample, TraceFormat } from "./lib/trace/format.ts";
export { inspect, type InspectOptions, type LengthFigures, type TraceFigures } from "./lib/trace/inspect.ts";
export { Ledger } from "./lib/trace/ledger.ts";
export { limit } from "./lib/trace/limit.ts";
export { regroup, type RegroupOptions } from "./lib/trace/regroup.ts";
export { scale, type ScaleOptions } from "./lib/trace/scale.ts";
export { slice, type SliceOptions, type Span } from "./lib/trace/slice.ts";
export { spread, type SpreadOptions } from "./lib/trace/spread.ts";
export { sortByTime } from "./lib/trace/sort.ts";
