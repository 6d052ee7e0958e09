import {
  ROUTERS,
  decodeStepMs,
  generationRunMs,
  mixedStepMs,
  planner,
  promptMs,
  replay,
  routerSpecOf,
  runSyntheticTraceReplay,
  runTraceReplay,
  sglang,
  traceReplaySpec,
  trtllm,
  vllm
} from "./scripts.js";
import {
  Measured,
  calibrate,
  readMeasured
} from "./calibrate.js";
import {
  ALGORITHMS,
  RecommendRun,
  TARGETS,
  candidates,
  capacity,
  loadRecommendation,
  recommend,
  searchSpace
} from "./search.js";
import {
  ReplayRun,
  RetunePolicy,
  answerWith,
  readReplaySpec,
  readRetune,
  replaySpecText,
  run,
  runSweep,
  scoreReplay
} from "./retune.js";
import {
  kvRouter,
  readKvRouterConfig,
  readPolicyFile
} from "./router.js";
import {
  Planner,
  PlannerRecorder,
  RecordedPlanner,
  bootstrap,
  bucketSeries,
  capabilitiesOf,
  createPredictor,
  noBootstrap,
  parsePlannerConfig,
  plannerWarnings,
  predictors,
  readPlannerConfig,
  recordedHistory,
  trafficIntervals,
  warmupIntervals
} from "./planner.js";
import {
  explainCapacity,
  explainRecommendation,
  figureSvg,
  goodputOverTime,
  gpuHoursByPhase,
  lifecycleTable,
  makeColumns,
  percentilesOverTime,
  pushRow,
  queueOverTime,
  readCapacity,
  readRecommendation,
  readRun,
  recommendationTable,
  replicasOverTime,
  requestsTable,
  retuneTable,
  scalingEventsTable,
  table,
  ticksTable,
  toRun,
  trafficOverTime,
  ttftByInputLength
} from "./analysis.js";
import {
  Flow,
  Ledger,
  Sink,
  Stage,
  batchStage,
  convert,
  inspect,
  limit,
  readTrace,
  regroup,
  scale,
  slice,
  sortByTime,
  spread,
  stage,
  writeTrace
} from "./traces.js";
import {
  AUTOSCALER_KINDS,
  Deployments,
  GapStatistics,
  SharedData,
  SimpleRouter,
  admittedUntil,
  fixed,
  isPending,
  leastLoaded,
  loadRequests,
  loadTrace,
  loadTraffic,
  passDurationMs,
  planSpec,
  polynomial,
  predict,
  roundRobin,
  routerFrom,
  simulate,
  syntheticTraffic,
  timingEstimator,
  unreachableBounds
} from "./core.js";
import {
  explainRun,
  storyText,
  threads
} from "./shared.js";
import {
  FIGURES,
  JobExpired,
  OBJECTIVES,
  ROUTER_KNOBS,
  ROUTER_NAMES,
  STACKS,
  TRACE_FORMATS,
  attainment,
  figuresOf,
  firstDivergence,
  inline,
  loadPrediction,
  parseLaunch,
  percentile,
  percentileRank,
  plannerHealth,
  predictionText,
  requestLines,
  terminalTable,
  verdictLines,
  workerSettings
} from "./config.js";
import {
  COMM_MODES,
  DEFAULT_MEMORY_FRACTION,
  Deployment,
  FMHA_MODES,
  ForwardPassModel,
  GEMM_MODES,
  KV_MODES,
  MOE_MODES,
  PerfCatalog,
  deploy,
  deployIdentity,
  evidenceWarnings,
  findModel,
  kvBytesPerToken,
  loadModel,
  maxContextLength,
  modelFacts,
  modelSupport,
  operatorTiming,
  passLoads,
  precisionWarnings,
  shippedModels
} from "./timing.js";
import {
  BACKENDS,
  ConfigError,
  DATABASE_MODES,
  FileError,
  QueueError,
  ResourceLimitError,
  SimulationError,
  TRANSFER_KINDS,
  TraceError,
  assumptionsOf,
  checkOptions,
  nearName,
  transferKinds
} from "./base.js";

// lib/analysis/compare_runs.ts
function compareRuns(runs) {
  const rows = runs.map(figuresOf);
  const names = Object.keys(rows[0] ?? {}).filter((name) => rows.some((row) => row[name] !== null));
  const difference = (row, name) => row[name] === null || rows[0][name] === null ? null : row[name] - rows[0][name];
  return table({
    name: runs.map((run2, i) => run2.name ?? `run ${i + 1}`),
    ...Object.fromEntries(names.map((name) => [
      name,
      rows.map((row) => row[name])
    ])),
    ...Object.fromEntries(names.map((name) => [
      `${name}_diff`,
      rows.map((row) => difference(row, name))
    ]))
  });
}

// lib/analysis/plots.ts
var TIME = {
  title: true,
  width: true,
  untilMs: true
};
var BUCKETS = {
  bucketMs: true,
  by: true
};
var LATENCY = {
  ...TIME,
  ...BUCKETS,
  sla: true,
  height: true,
  apart: true
};
var DISTRIBUTION = {
  title: true,
  width: true,
  height: true,
  sla: true
};
var COMPARISON = {
  title: true,
  width: true,
  height: true
};
async function replicasPlot(run2, options = {}) {
  checkOptions("replicasPlot()", options, {
    ...TIME,
    maxWorkers: true
  });
  return figureSvg((await import(import.meta.resolve("./lib.analysis.replicas_plot.js"))).replicasPlot(run2, options));
}
async function latencyPlot(runs, metric, options = {}) {
  checkOptions("latencyPlot()", options, LATENCY);
  return figureSvg((await import(import.meta.resolve("./lib.analysis.latency_plot.js"))).latencyPlot(runs, metric, options));
}
async function goodputPlot(runs, sla, options = {}) {
  checkOptions("goodputPlot()", options, LATENCY);
  return figureSvg((await import(import.meta.resolve("./lib.analysis.latency_plot.js"))).goodputPlot(runs, sla, options));
}
async function latencyCdfPlot(runs, metric, options = {}) {
  checkOptions("latencyCdfPlot()", options, DISTRIBUTION);
  return figureSvg((await import(import.meta.resolve("./lib.analysis.latency_distribution_plot.js"))).latencyCdfPlot(runs, metric, options));
}
async function ttftByLengthPlot(runs, options = {}) {
  checkOptions("ttftByLengthPlot()", options, DISTRIBUTION);
  return figureSvg((await import(import.meta.resolve("./lib.analysis.latency_distribution_plot.js"))).ttftByLengthPlot(runs, options));
}
async function trafficPlot(runs, options = {}) {
  checkOptions("trafficPlot()", options, {
    ...TIME,
    ...BUCKETS
  });
  return figureSvg((await import(import.meta.resolve("./lib.analysis.traffic_plot.js"))).trafficPlot(runs, options));
}
async function queuePlot(runs, options = {}) {
  checkOptions("queuePlot()", options, {
    ...TIME,
    bucketMs: true,
    apart: true
  });
  return figureSvg((await import(import.meta.resolve("./lib.analysis.traffic_plot.js"))).queuePlot(runs, options));
}
async function kvPlot(runs, options = {}) {
  checkOptions("kvPlot()", options, {
    ...TIME,
    apart: true
  });
  const figure = (await import(import.meta.resolve("./lib.analysis.kv_plot.js"))).kvPlot(runs, options);
  return figure && figureSvg(figure);
}
async function tradeOffPlot(runs, options = {}) {
  checkOptions("tradeOffPlot()", options, {
    ...COMPARISON,
    against: true
  });
  return figureSvg((await import(import.meta.resolve("./lib.analysis.comparison_plot.js"))).tradeOffPlot(runs, options));
}
async function gpuHoursPlot(runs, options = {}) {
  checkOptions("gpuHoursPlot()", options, COMPARISON);
  return figureSvg((await import(import.meta.resolve("./lib.analysis.comparison_plot.js"))).gpuHoursPlot(runs, options));
}
async function htmlReport(runs, options = {}) {
  return (await import(import.meta.resolve("./lib.analysis.html_report.js"))).htmlReport(runs, options);
}
async function capacityPlot(found) {
  return figureSvg((await import(import.meta.resolve("./lib.analysis.capacity_plot.js"))).capacityPlot(found));
}
async function capacityPage(found, options = {}) {
  checkOptions("capacityPage()", options, {
    title: true
  });
  return (await import(import.meta.resolve("./lib.analysis.capacity_page.js"))).capacityPage(found, options);
}
async function recommendationPage(result, options = {}) {
  checkOptions("recommendationPage()", options, {
    title: true
  });
  return (await import(import.meta.resolve("./lib.analysis.recommendation_page.js"))).recommendationPage(result, options);
}

// lib/analysis/trace_table.ts
var KINDS = {
  arrival_ms: "number",
  input_tokens: "number",
  output_tokens: "number",
  blocks: "number",
  reusable_blocks: "number",
  session: "text",
  line: "number"
};
async function traceTable(requests) {
  const columns = makeColumns(KINDS);
  const seen = /* @__PURE__ */ new Set();
  for await (const request of requests) {
    const blocks = request.hashIds;
    let reusable = 0;
    while (reusable < blocks.length && seen.has(blocks[reusable])) reusable++;
    for (let i = reusable; i < blocks.length; i++) seen.add(blocks[i]);
    pushRow(columns, {
      arrival_ms: request.timestampMs,
      input_tokens: request.inputTokens,
      output_tokens: request.outputTokens,
      blocks: blocks.length,
      reusable_blocks: reusable,
      session: request.sessionId,
      line: request.line
    });
  }
  return table(columns);
}
export {
  ALGORITHMS,
  AUTOSCALER_KINDS,
  BACKENDS,
  COMM_MODES,
  ConfigError,
  DATABASE_MODES,
  DEFAULT_MEMORY_FRACTION,
  Deployment,
  Deployments,
  FIGURES,
  FMHA_MODES,
  FileError,
  Flow,
  ForwardPassModel,
  GEMM_MODES,
  GapStatistics,
  JobExpired,
  KV_MODES,
  Ledger,
  MOE_MODES,
  Measured,
  OBJECTIVES,
  PerfCatalog,
  Planner,
  PlannerRecorder,
  QueueError,
  ROUTERS,
  ROUTER_KNOBS,
  ROUTER_NAMES,
  RecommendRun,
  RecordedPlanner,
  ReplayRun,
  ResourceLimitError,
  RetunePolicy,
  STACKS,
  SharedData,
  SimpleRouter,
  SimulationError,
  Sink,
  Stage,
  TARGETS,
  TRACE_FORMATS,
  TRANSFER_KINDS,
  TraceError,
  admittedUntil,
  answerWith,
  assumptionsOf,
  attainment,
  batchStage,
  bootstrap,
  bucketSeries,
  calibrate,
  candidates,
  capabilitiesOf,
  capacity,
  capacityPage,
  capacityPlot,
  compareRuns,
  convert,
  createPredictor,
  decodeStepMs,
  deploy,
  deployIdentity,
  evidenceWarnings,
  explainCapacity,
  explainRecommendation,
  explainRun,
  figuresOf,
  findModel,
  firstDivergence,
  fixed,
  generationRunMs,
  goodputOverTime,
  goodputPlot,
  gpuHoursByPhase,
  gpuHoursPlot,
  htmlReport,
  inline,
  inspect,
  isPending,
  kvBytesPerToken,
  kvPlot,
  kvRouter,
  latencyCdfPlot,
  latencyPlot,
  leastLoaded,
  lifecycleTable,
  limit,
  loadModel,
  loadPrediction,
  loadRecommendation,
  loadRequests,
  loadTrace,
  loadTraffic,
  maxContextLength,
  mixedStepMs,
  modelFacts,
  modelSupport,
  nearName,
  noBootstrap,
  operatorTiming,
  parseLaunch,
  parsePlannerConfig,
  passDurationMs,
  passLoads,
  percentile,
  percentileRank,
  percentilesOverTime,
  planSpec,
  planner,
  plannerHealth,
  plannerWarnings,
  polynomial,
  precisionWarnings,
  predict,
  predictionText,
  predictors,
  promptMs,
  queueOverTime,
  queuePlot,
  readCapacity,
  readKvRouterConfig,
  readMeasured,
  readPlannerConfig,
  readPolicyFile,
  readRecommendation,
  readReplaySpec,
  readRetune,
  readRun,
  readTrace,
  recommend,
  recommendationPage,
  recommendationTable,
  recordedHistory,
  regroup,
  replay,
  replaySpecText,
  replicasOverTime,
  replicasPlot,
  requestLines,
  requestsTable,
  retuneTable,
  roundRobin,
  routerFrom,
  routerSpecOf,
  run,
  runSweep,
  runSyntheticTraceReplay,
  runTraceReplay,
  scale,
  scalingEventsTable,
  scoreReplay,
  searchSpace,
  sglang,
  shippedModels,
  simulate,
  slice,
  sortByTime,
  spread,
  stage,
  storyText,
  syntheticTraffic,
  terminalTable,
  threads,
  ticksTable,
  timingEstimator,
  toRun,
  traceReplaySpec,
  traceTable,
  tradeOffPlot,
  trafficIntervals,
  trafficOverTime,
  trafficPlot,
  transferKinds,
  trtllm,
  ttftByInputLength,
  ttftByLengthPlot,
  unreachableBounds,
  verdictLines,
  vllm,
  warmupIntervals,
  workerSettings,
  writeTrace
};
