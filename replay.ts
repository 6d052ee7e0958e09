/**
 * What replays need, without what looks at their results: everything that `mod.ts` exports but `analysis`, `calibrate`,
 * `capacity`, `jobs` and `recommend`. Figures and tables come from large packages, and importing them takes several
 * times as long as a small replay; a script that only replays starts sooner with `dynosim/replay`.
 *
 * @example
 * ```ts
 * import { runTraceReplay } from "dynosim/replay";
 *
 * const { summary } = await runTraceReplay(["fixtures/traces/chat.jsonl"], { numWorkers: 2 });
 * console.log(summary.completed_requests === summary.num_requests); // true
 * ```
 *
 * @module
 */

// replay: the whole, from a configuration, from options, from the names of the reference
export { type Autoscaler, AUTOSCALER_KINDS } from "./lib/replay/autoscaler.ts";
export type { RunProgress } from "./lib/replay/drive.ts";
export { planSpec, predict, type PredictOptions } from "./lib/replay/predict.ts";
export { readReplaySpec, replaySpecText } from "./lib/replay/read_spec.ts";
export { type PoolChoices, replay, type ReplayOptions } from "./lib/replay/replay.ts";
export type { ReplayCallOptions, SyntheticReplayOptions, TraceReplayOptions } from "./lib/replay/replay_options.ts";
export type { ResolvedRole } from "./lib/replay/roles.ts";
export { type ReadyParts, ReplayRun, type ReplayRunOptions, run } from "./lib/replay/run.ts";
export type { ReplayTick } from "./lib/replay/run_streams.ts";
export { runSyntheticTraceReplay, runTraceReplay, traceReplaySpec } from "./lib/replay/run_trace_replay.ts";
export { SharedData } from "./lib/replay/shared_data.ts";
export { simulate, type Simulation } from "./lib/replay/simulate.ts";
export type { AutoscalerSpec, CaptureSpec, PassTimingSpec, ReplaySpec, RoleSpec } from "./lib/replay/spec.ts";

// config: configuration files
export {
  type LoadedPrediction,
  loadPrediction,
  type LoadPredictionOptions,
  type Stack,
  STACKS,
} from "./lib/config/load.ts";
export { type Resolved, workerSettings } from "./lib/config/make_plan.ts";
export type {
  AutoscalerPlan,
  CapacityPlan,
  EstimatorConfig,
  LoadPlan,
  PredictionPlan,
  PricePlan,
  ResourceLimits,
  RolePlan,
  RouterPlan,
  SlaPlan,
  SourcePlan,
  TrafficPlan,
} from "./lib/config/plan.ts";
export { readPlannerConfig } from "./lib/config/planner_source.ts";
export { readRetune } from "./lib/config/retune_mapping.ts";
export { TRACE_FORMATS } from "./lib/config/traffic_section.ts";

// errors: what goes wrong, and where
export {
  ConfigError,
  type ConfigIssue,
  FileError,
  nearName,
  type Place,
  QueueError,
  ResourceLimitError,
  SimulationError,
  TraceError,
} from "./lib/errors.ts";

// trace: reading, converting, writing and measuring traces
export { convert, type ConvertOptions } from "./lib/trace/convert.ts";
export type { ByteSource, FeedOptions } from "./lib/trace/feed.ts";
export type { FormatOptions, OpenTrace, PrefixIdentity, Sample, TraceFormat } from "./lib/trace/format.ts";
export { inspect, type InspectOptions, type LengthFigures, type TraceFigures } from "./lib/trace/inspect.ts";
export type { JsonValue } from "./lib/trace/json_cursor.ts";
export { Ledger } from "./lib/trace/ledger.ts";
export { limit, type LimitOptions } from "./lib/trace/limit.ts";
export type { Line } from "./lib/trace/lines.ts";
export { type OpenedTrace, readTrace, type ReadTraceOptions } from "./lib/trace/read_trace.ts";
export { regroup, type RegroupOptions } from "./lib/trace/regroup.ts";
export type { AgentFacts, Dependency, HashId, Relation, TraceRequest } from "./lib/trace/request.ts";
export type { Emit, RowReader, RowRequest, Wording } from "./lib/trace/row.ts";
export { scale, type ScaleOptions } from "./lib/trace/scale.ts";
export { slice, type SliceOptions, type Span } from "./lib/trace/slice.ts";
export { sortByTime } from "./lib/trace/sort.ts";
export { spread, type SpreadOptions } from "./lib/trace/spread.ts";
export { type Batches, batchStage, Flow, Sink, type SinkParts, Stage, stage } from "./lib/trace/stage.ts";
export { warmupIntervals, type WarmupLine } from "./lib/trace/warmup_trace.ts";
export { type RowWriterOptions, writeTrace, type WriteTraceOptions } from "./lib/trace/write_trace.ts";

// traffic: what arrives when
export { admittedUntil } from "./lib/traffic/cutoff.ts";
export {
  type LoadOptions,
  loadRequests,
  type LoadRequestsOptions,
  loadTrace,
  type LoadTraceOptions,
} from "./lib/traffic/load_trace.ts";
export { loadTraffic, type SyntheticTrafficSpec, type TraceTrafficSpec, type TrafficSpec } from "./lib/traffic/spec.ts";
export { type SyntheticOptions, syntheticTraffic } from "./lib/traffic/synthetic.ts";
export type {
  AdmissionSource,
  AgentOutcome,
  EndStatus,
  Pace,
  PlayOutcome,
  PromptRuns,
  Recording,
  Traffic,
  Workload,
} from "./lib/traffic/workload.ts";

// timing: how long passes take, measured operators, KV capacity, facts of models
export type { MixedPasses } from "./lib/timing/calibration/calibrated_timing.ts";
export type {
  CalibrationError,
  CalibrationKey,
  CalibrationLevel,
  CalibrationProfile,
  CellAxis,
  CorrectionCells,
  CorrectionTable,
  PartCorrection,
  Phase,
  PhaseCorrection,
  TableAxis,
} from "./lib/timing/calibration/profile.ts";
export { type Assumptions, assumptionsOf } from "./lib/timing/aic/assumptions.ts";
export {
  type CapacityRequest,
  DEFAULT_MEMORY_FRACTION,
  kvBytesPerToken,
  type KvCapacity,
} from "./lib/timing/aic/capacity.ts";
export {
  PerfCatalog,
  type PerfCatalogOptions,
  type SetName,
  type SystemEntry,
  type VersionSlots,
} from "./lib/timing/aic/catalog.ts";
export type { CheckpointQuant, Json } from "./lib/timing/aic/checkpoint_quant.ts";
export { DATABASE_MODES, type DatabaseMode } from "./lib/timing/aic/database_mode.ts";
export { Deployment, type DeploymentOptions } from "./lib/timing/aic/deployment.ts";
export { deployIdentity, type EstimatorIdentity } from "./lib/timing/aic/estimator_identity.ts";
export { ForwardPassModel, type OperatorTime, type PassLoad } from "./lib/timing/aic/forward_pass_model.ts";
export type { FlopsType, Hardware } from "./lib/timing/aic/hardware.ts";
export { type ModelFacts, modelFacts } from "./lib/timing/aic/model_facts.ts";
export {
  findModel,
  type FoundModel,
  loadModel,
  maxContextLength,
  shippedModels,
} from "./lib/timing/aic/model_sources.ts";
export type { Parallelism } from "./lib/timing/aic/operator_spec.ts";
export {
  type AskingStack,
  deploy,
  type DeployOptions,
  operatorTiming,
  type OperatorTimingOptions,
} from "./lib/timing/aic/operator_timing.ts";
export type { OperationSource, OperationTotal, OperationTotals } from "./lib/timing/aic/operation_ledger.ts";
export { passLoads } from "./lib/timing/aic/pass_loads.ts";
export type { Origin } from "./lib/timing/aic/perf_set.ts";
export { evidenceWarnings } from "./lib/timing/aic/evidence_check.ts";
export { precisionWarnings } from "./lib/timing/aic/precision_check.ts";
export {
  COMM_MODES,
  type CommMode,
  FMHA_MODES,
  type FmhaMode,
  GEMM_MODES,
  type GemmMode,
  KV_MODES,
  type KvMode,
  MOE_MODES,
  type MoeMode,
  type QuantModes,
} from "./lib/timing/aic/quant.ts";
export type { QuantOverrides } from "./lib/timing/aic/quant_choice.ts";
export {
  decodeStepMs,
  generationRunMs,
  type ImbalanceScales,
  type MixedStep,
  mixedStepMs,
  promptMs,
} from "./lib/timing/aic/step_estimates.ts";
export { type ModelSupport, modelSupport, type SupportShape } from "./lib/timing/aic/support.ts";
export { TRANSFER_KINDS, type TransferKind, transferKinds } from "./lib/timing/aic/transfer_policy.ts";
export { Deployments } from "./lib/timing/deployments.ts";
export { passDurationMs } from "./lib/timing/duration.ts";
export { fixed } from "./lib/timing/fixed.ts";
export { polynomial } from "./lib/timing/polynomial.ts";
export type { Timing } from "./lib/timing/timing.ts";

// engine: one worker
export type { GapSink } from "./lib/engine/gap_sink.ts";
export { type EngineChoices, type EngineLaunch, sglang, trtllm, vllm } from "./lib/engine/launch/choices.ts";
export { parseLaunch, type ParseLaunchOptions } from "./lib/engine/launch/launch.ts";
export type { PromptIndex } from "./lib/engine/prompt_index.ts";
export type { CacheListener } from "./lib/engine/rank.ts";
export type { Outcome as RequestOutcome, Pool as PoolKind, RequestRecords } from "./lib/engine/records.ts";
export {
  type Backend,
  BACKENDS,
  type RankSettings,
  type Role,
  type SglangSettings,
  type TimingSettings,
  type WorkerSettings,
} from "./lib/engine/settings.ts";

// router: which worker gets a request
export { type KvRouterConfig, readKvRouterConfig } from "./lib/router/kv_config.ts";
export { kvRouter, type KvRouterOptions } from "./lib/router/kv_factory.ts";
export type { KvRouterSettings, QueueProfile } from "./lib/router/kv_settings.ts";
export { leastLoaded } from "./lib/router/least_loaded.ts";
export { type PolicyFile, type PolicyFileOptions, readPolicyFile } from "./lib/router/policy_file.ts";
export type { PrefillLoadModel } from "./lib/router/prefill_load.ts";
export type { QueueClass, QueuePolicy } from "./lib/router/queue.ts";
export { ROUTER_NAMES, type RouterName } from "./lib/router/names.ts";
export { ROUTERS } from "./lib/router/registry.ts";
export { roundRobin } from "./lib/router/round_robin.ts";
export {
  type PlacementView,
  type Router,
  type RouterContext,
  type RouterFactory,
  SimpleRouter,
} from "./lib/router/router.ts";
export { type MadeRouter, routerFrom, type RouterSurroundings } from "./lib/router/router_from.ts";
export { type ReplayRouterOptions, type RouterSettings, type RouterSpec, routerSpecOf } from "./lib/router/spec.ts";

// cluster: workers in virtual time
export type {
  LifecycleOperation as ClusterOperation,
  PoolName,
  WorkerTransition as ClusterTransition,
} from "./lib/cluster/lifecycle.ts";
export { type ClusterOutcome, isPending, type PoolSpec, type Progress, type WorkerUsage } from "./lib/cluster/spec.ts";
export type { IntervalMetrics, SchedulerMetrics } from "./lib/cluster/telemetry_probe.ts";

// autoscaler: scaling by Kubernetes' rules
export type { MetricName } from "./lib/autoscaler/metrics.ts";

// forecast: load predictors and the traffic they learn from
export {
  type ArrivalLog,
  bucketSeries,
  recordedHistory,
  type RecordedRequest,
  type TrafficInterval,
  trafficIntervals,
  type TrafficObservation,
} from "./lib/forecast/history.ts";
export type { Predictor, PredictorSettings } from "./lib/forecast/predictor.ts";
export { createPredictor, type PredictorName, predictors } from "./lib/forecast/registry.ts";
export type { Forecast } from "./lib/forecast/traffic_forecaster.ts";

// planner: how many workers there should be
export {
  type Bootstrap,
  bootstrap,
  type BootstrapEngine,
  type BootstrapRole,
  noBootstrap,
} from "./lib/planner/bootstrap.ts";
export type { Pair as ReplicaPair } from "./lib/planner/budget.ts";
export {
  capabilitiesOf,
  type DeploymentCapabilities,
  type EngineCapabilities,
  type WorkerShape,
} from "./lib/planner/capabilities.ts";
export { parsePlannerConfig, type PlannerConfig, type RuntimeFields } from "./lib/planner/config.ts";
export type { OptimizationTarget, PlannerFields as PlannerConfigFields } from "./lib/planner/config_fields.ts";
export type { PerRole, PlannerListener, ScalingChange, TickFindings, TickView } from "./lib/planner/listener.ts";
export type { Pass, PassEstimator } from "./lib/planner/model/pass.ts";
export { timingEstimator } from "./lib/planner/model/timing_estimator.ts";
export type { ConsumedTraffic, RoleCounts, RoleName, Traffic as PlannerTraffic } from "./lib/planner/observations.ts";
export { planner, type PlannerChoices } from "./lib/planner/options.ts";
export { Planner, type PlannerOptions } from "./lib/planner/planner.ts";
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
export type { ScaleTo } from "./lib/planner/projection.ts";
export type { ScheduledTick } from "./lib/planner/schedule.ts";
export { type ReachQuestion, unreachableBounds } from "./lib/planner/unreachable_bounds.ts";
export { type PlannedRun, plannerWarnings } from "./lib/planner/warnings.ts";

// retune: which parameters the last window would have wanted
export {
  type Objective,
  OBJECTIVES,
  type PredictorPreset,
  type RetuneConfig,
  ROUTER_KNOBS,
  type RouterKnob,
} from "./lib/retune/config.ts";
export { RetunePolicy, type RetunePolicyOptions } from "./lib/retune/retune_policy.ts";
export { scoreReplay } from "./lib/retune/score.ts";
export { answerWith, runSweep } from "./lib/retune/sweep.ts";
export type {
  Candidate,
  ForecastTask,
  PlannerFields,
  Point,
  PredictorFindings,
  ReplayMetrics,
  ReplayTask,
  ReplayWindow,
  ReplicaCounts,
  RetuneEvent,
  RetuneOutcome,
  SlaBounds,
  SweepAnswer,
  SweepFindings,
  SweepOutcome,
  SweepPlan,
  SweepTask,
  TunablePlanner,
  WindowRequests,
} from "./lib/retune/types.ts";
export type { ReplayedTrace } from "./lib/retune/window.ts";

// report: what a run reports, and its story
export type { AgenticSummary } from "./lib/report/agentic_summary.ts";
export {
  type ComparableReport,
  type Divergence,
  type Figure,
  FIGURES,
  figuresOf,
  firstDivergence,
} from "./lib/report/compare.ts";
export { type Distribution, percentile, percentileRank } from "./lib/report/distribution.ts";
export { GapStatistics } from "./lib/report/gap_statistics.ts";
export type { AdmissionEntry, RecordList, RequestRecord, RoutingEntry } from "./lib/report/per_request.ts";
export {
  type ObservedLatency,
  PlannerRecorder,
  RecordedPlanner,
  type RecordedPlannerOptions,
} from "./lib/report/planner_recorder.ts";
export type {
  BootstrapMetadata,
  Component,
  FpmObservation,
  PlannerMetadata,
  PredictorWarmup,
  ReportedCounts,
  ReportedPass,
  ReportedSchedule,
  ReportedTraffic,
  ReportedWork,
  RetunedFields,
  RetuneMetrics,
  RoleTopology,
  RoleVerdict,
  RouterParameters,
  RouterPolicy,
  ScalerReason,
  ScoredPoint,
  SeenMetric,
  TickDiagnostics,
  WorkerTransition,
} from "./lib/report/planner_section.ts";
export type { LifecycleOperation, PlannerSection, PlannerTick, ScalingEvent } from "./lib/report/planner_section.ts";
export type { Detail, Details } from "./lib/report/details.ts";
export {
  type Coverage,
  predictionText,
  type Report,
  requestLines,
  type RunCalibration,
  type RunMetadata,
} from "./lib/report/report.ts";
export type { Sla } from "./lib/report/sla.ts";
export { type Attained, attainment, type Evaluation, type SlaVerdict } from "./lib/report/evaluation.ts";
export type { Overload } from "./lib/report/overload.ts";
export type { Cost, Price } from "./lib/report/price.ts";
export { plannerHealth } from "./lib/report/story/health.ts";
export { type JudgedReport, verdictLines } from "./lib/report/story/verdict.ts";
export {
  type ExplainedReport,
  type ExplainOptions,
  explainRun,
  type StoryEntry,
  type StoryPart,
  storyText,
  type StoryTextOptions,
} from "./lib/report/story/run_story.ts";
export type { ClusterTotals, Metric, RolePrecision, RoleProvenance, Statistic, Summary } from "./lib/report/summary.ts";
export type { Telemetry, TelemetrySample, TelemetryTraffic } from "./lib/report/telemetry.ts";
export type { WorkerRow } from "./lib/report/worker_rows.ts";
export { type TabledReport, terminalTable, type TerminalTableOptions } from "./lib/report/terminal_table.ts";

// Parts that are loaded by name when a run asks for them (docs/speed.md). A script that may not read files can load
// modules that are named in its graph only, so they are named here; nothing calls this.
void [
  () => import("./lib/config/retune_mapping.ts"),
  () => import("./lib/planner/config.ts"),
  () => import("./lib/replay/hpa_autoscaler.ts"),
  () => import("./lib/replay/keda_autoscaler.ts"),
  () => import("./lib/replay/make_retune.ts"),
  () => import("./lib/replay/planner_autoscaler.ts"),
  () => import("./lib/replay/run_evidence.ts"),
  () => import("./lib/replay/run_operations.ts"),
  () => import("./lib/replay/run_power.ts"),
  () => import("./lib/router/kv_router_from.ts"),
  () => import("./lib/router/policy_source.ts"),
  () => import("./lib/timing/aic/run_parts.ts"),
  () => import("./lib/timing/calibration/key.ts"),
  () => import("./lib/trace/agentic_mooncake.ts"),
  () => import("./lib/trace/applied_compute.ts"),
  () => import("./lib/trace/azure.ts"),
  () => import("./lib/trace/burstgpt.ts"),
  () => import("./lib/trace/detect.ts"),
  () => import("./lib/trace/dynamo.ts"),
  () => import("./lib/trace/format_hint.ts"),
  () => import("./lib/trace/llmservingsim.ts"),
  () => import("./lib/trace/plain_lengths.ts"),
  () => import("./lib/trace/qwen_bailian.ts"),
  () => import("./lib/trace/ragpulse.ts"),
  () => import("./lib/trace/splitwise.ts"),
  () => import("./lib/trace/vidur.ts"),
  () => import("./lib/traffic/agent_graph.ts"),
  () => import("./lib/traffic/load_dynamo.ts"),
  () => import("./lib/traffic/synthetic.ts"),
];
