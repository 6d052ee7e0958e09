/**
 * Options of every public function: a name that there is not is refused, with the one that was probably meant. A function
 * that is new in `mod.ts` must be listed here, with a call or as one without options.
 */
import "./without_user_cache.ts";
import assert from "node:assert/strict";
import { test } from "node:test";
import * as dynosim from "../mod.ts";
import { ConfigError } from "../mod.ts";

const PLAN = (await dynosim.loadPrediction(`
traffic: {source: {type: synthetic}, load: {concurrency: 8}, stop: {requests: 2}}
engine: {model: Qwen/Qwen3-32B, hardware: h200_sxm, workers: {aggregated: {parallelism: {tensor: 2}}}}
evaluation: {sla: {ttft_ms: 1000}}
`)).plan;
const REPORT = await dynosim.predict(PLAN, { capturePerRequest: true });
const TABLE = dynosim.requestsTable(REPORT);
const RUN = dynosim.toRun(REPORT);
const SEARCH_TEXT = `
traffic: {source: {type: synthetic}, load: {concurrency: 4}, stop: {requests: 8}}
engine: {mode: aggregated, model: Qwen/Qwen3-32B, hardware: h200_sxm, backend: vllm, context_length: 8192, workers: {aggregated: {}}}
optimization: {target: throughput_per_gpu, constraints: {max_candidate_gpus: 2}}
`;
const SEARCH = dynosim.loadRecommendation(SEARCH_TEXT);
const DEPLOYMENT = dynosim.deploy({ model: "Qwen/Qwen3-32B", hardware: "h200_sxm", tensor: 2 });
const SETTINGS = dynosim.parseLaunch({ engine: { num_gpu_blocks: 64 } });
const ENGINES = { prefill: null, decode: dynosim.capabilitiesOf(SETTINGS) };
const TRAFFIC = { count: 2, inputTokens: 5, outputTokens: 2, concurrency: 1 };
const STEP = { contextTokens: 100, decodes: 1, inputLength: 100, outputLength: 10 };
const ESTIMATOR = dynosim.timingEstimator(dynosim.fixed({ prefillMs: 1, decodeMs: 1 }), 1000);
const REACH = { ttftMs: 1, itlMs: 1, inputTokens: 1, outputTokens: 1, maxBatchedTokens: 1 };
const POOL = { settings: SETTINGS, timing: dynosim.polynomial(), replicas: 1, router: dynosim.roundRobin() };
const TRACE = "fixtures/traces/chat.jsonl";
const sha256 = () => "";

/** Calls with options that hold one wrong name, and the name that is suggested. The same function may stand here twice. */
const CALLS: [name: string, call: (typo: any) => unknown, typo: string, meant: string][] = [
  [
    "bucketSeries",
    (typo) => dynosim.bucketSeries([], { intervalS: 1, endS: 1, historyS: 1, ...typo }),
    "intervals",
    "intervalS",
  ],
  ["calibrate", (typo) => dynosim.calibrate(new dynosim.Measured(), PLAN, typo), "rol", "role"],
  ["candidates", (typo) => dynosim.loadRecommendation(SEARCH_TEXT, typo), "sets", "set"],
  ["capabilitiesOf", (typo) => dynosim.capabilitiesOf(SETTINGS, typo), "pipelineParalel", "pipelineParallel"],
  ["capacity", (typo) => dynosim.capacity(PLAN, typo), "atainment", "attainment"],
  ["convert", (typo) => dynosim.convert(TRACE, "/dev/null", { to: "mooncake", ...typo }), "speedUp", "speedup"],
  ["deploy", (typo) => dynosim.deploy({ model: "Qwen/Qwen3-32B", hardware: "h200_sxm", ...typo }), "tensr", "tensor"],
  ["deploy", (typo) => dynosim.deploy({ model: "Qwen/Qwen3-32B", hardware: "h200_sxm", quant: typo }), "gem", "gemm"],
  [
    "Deployment",
    (typo) =>
      new dynosim.Deployment(
        DEPLOYMENT.facts,
        { hardware: "h200_sxm", ...typo },
        new dynosim.PerfCatalog(),
      ),
    "nextN",
    "nextn",
  ],
  [
    "Deployment",
    (typo) => DEPLOYMENT.kvCapacity({ maxBatchedTokens: 1, memoryFraction: 0.9, ...typo }),
    "reserved",
    "reservedBytes",
  ],
  ["explainRun", (typo) => dynosim.explainRun(REPORT, typo), "holdSecond", "holdSeconds"],
  ["fixed", (typo) => dynosim.fixed({ prefillMs: 1, decodeMs: 1, ...typo }), "prefilMs", "prefillMs"],
  ["goodputOverTime", (typo) => dynosim.goodputOverTime(TABLE, {}, typo), "bucket", "bucketMs"],
  ["goodputPlot", (typo) => dynosim.goodputPlot([RUN], {}, typo), "bucket", "bucketMs"],
  ["gpuHoursPlot", (typo) => dynosim.gpuHoursPlot([RUN], typo), "heigth", "height"],
  ["htmlReport", (typo) => dynosim.htmlReport([RUN], typo), "titel", "title"],
  ["inspect", (typo) => dynosim.inspect(dynosim.readTrace(TRACE), typo), "blockToken", "blockTokens"],
  ["kvPlot", (typo) => dynosim.kvPlot([RUN], typo), "with", "width"],
  ["kvRouter", (typo) => dynosim.kvRouter(typo), "temprature", "temperature"],
  ["latencyCdfPlot", (typo) => dynosim.latencyCdfPlot([RUN], "ttft_ms", typo), "slo", "sla"],
  ["latencyPlot", (typo) => dynosim.latencyPlot([RUN], "ttft_ms", typo), "until", "untilMs"],
  ["limit", (typo) => dynosim.limit(3, typo), "leger", "ledger"],
  ["loadPrediction", (typo) => dynosim.loadPrediction("", typo), "stak", "stack"],
  ["loadRecommendation", (typo) => dynosim.loadRecommendation(SEARCH_TEXT, typo), "output", "outputs"],
  ["loadRequests", (typo) => dynosim.loadRequests(dynosim.readTrace(TRACE), typo), "nam", "name"],
  ["loadTrace", (typo) => dynosim.loadTrace(TRACE, { format: "mooncake", ...typo }), "speedUp", "speedup"],
  [
    "mixedStepMs",
    (typo) => dynosim.mixedStepMs(DEPLOYMENT.forwardPassModel(), { ...STEP, ...typo }),
    "prefixes",
    "prefix",
  ],
  ["mixedStepMs", (typo) => dynosim.mixedStepMs(DEPLOYMENT.forwardPassModel(), STEP, typo), "contexts", "context"],
  ["operatorTiming", (typo) => dynosim.operatorTiming(DEPLOYMENT, typo), "stak", "stack"],
  ["parseLaunch", (typo) => dynosim.parseLaunch({}, typo), "onIgnore", "onIgnored"],
  ["percentilesOverTime", (typo) => dynosim.percentilesOverTime(TABLE, "ttft_ms", typo), "percentile", "percentiles"],
  ["PerfCatalog", (typo) => new dynosim.PerfCatalog(typo), "relase", "release"],
  ["planner", (typo) => dynosim.planner(typo), "maxGpu", "maxGpus"],
  [
    "Planner",
    (typo) => new dynosim.Planner({ config: dynosim.parsePlannerConfig({ mode: "agg" }), engines: ENGINES, ...typo }),
    "bootstraps",
    "bootstrap",
  ],
  ["planSpec", (typo) => dynosim.planSpec(PLAN, typo), "perRequests", "perRequest"],
  ["predict", (typo) => dynosim.predict(PLAN, typo), "capture", "capturePerRequest"],
  ["predictionText", (typo) => dynosim.predictionText(REPORT, typo).next(), "flatt", "flat"],
  ["queueOverTime", (typo) => dynosim.queueOverTime(TABLE, typo), "bucketms", "bucketMs"],
  ["queuePlot", (typo) => dynosim.queuePlot([RUN], typo), "tittle", "title"],
  ["readPolicyFile", (typo) => dynosim.readPolicyFile({}, typo), "role", "roles"],
  ["readRun", (typo) => dynosim.readRun("nowhere", typo), "names", "name"],
  ["readTrace", (typo) => dynosim.readTrace(TRACE, typo), "fromat", "format"],
  ["recommend", (typo) => dynosim.recommend(SEARCH, typo), "executer", "executor"],
  ["capacityPage", (typo) => dynosim.capacityPage({} as any, typo), "titel", "title"],
  ["recommendationPage", (typo) => dynosim.recommendationPage({} as any, typo), "titel", "title"],
  ["RecommendRun", (typo) => new dynosim.RecommendRun(SEARCH, typo), "signl", "signal"],
  [
    "RecordedPlanner",
    (typo) =>
      new dynosim.RecordedPlanner({
        config: dynosim.parsePlannerConfig({ mode: "agg" }),
        engines: ENGINES,
        sha256,
        ...typo,
      }),
    "histori",
    "history",
  ],
  ["regroup", (typo) => dynosim.regroup({ from: 1, to: 2, ...typo }), "form", "from"],
  ["replay", (typo) => dynosim.replay(dynosim.readTrace(TRACE), typo), "speedUp", "speedup"],
  ["replay", (typo) => dynosim.replay(dynosim.readTrace(TRACE), { cluster: typo }), "replica", "replicas"],
  [
    "replay",
    (typo) => dynosim.replay(dynosim.readTrace(TRACE), { price: { perGpuHour: 1, ...typo } }),
    "curency",
    "currency",
  ],
  ["ReplayRun", (typo) => new dynosim.ReplayRun(dynosim.planSpec(PLAN), typo), "onProgres", "onProgress"],
  ["replicasPlot", (typo) => dynosim.replicasPlot(RUN, typo), "maxWorker", "maxWorkers"],
  ["RetunePolicy", (typo) => new dynosim.RetunePolicy(typo), "setting", "settings"],
  ["routerFrom", (typo) => dynosim.routerFrom({ policy: "kv_router", ...typo }), "setings", "settings"],
  ["routerFrom", (typo) => dynosim.routerFrom({}, typo), "role", "roles"],
  ["routerSpecOf", (typo) => dynosim.routerSpecOf(typo), "routerMod", "routerMode"],
  ["run", (typo) => dynosim.run(dynosim.planSpec(PLAN), typo), "signl", "signal"],
  ["run", (typo) => dynosim.run({ ...dynosim.planSpec(PLAN), ...typo }), "routers", "router"],
  [
    "runSyntheticTraceReplay",
    (typo) => dynosim.runSyntheticTraceReplay(5, 2, 2, { replayConcurrency: 1, ...typo }),
    "slaTtft",
    "slaTtftMs",
  ],
  ["runTraceReplay", (typo) => dynosim.runTraceReplay([TRACE], typo), "numWorker", "numWorkers"],
  ["scale", (typo) => dynosim.scale(typo), "speedUp", "speedup"],
  ["sglang", (typo) => dynosim.sglang(typo), "block", "blocks"],
  [
    "simulate",
    (typo) => dynosim.simulate({ traffic: dynosim.syntheticTraffic(TRAFFIC), pools: [POOL], ...typo }).next(),
    "polcy",
    "policy",
  ],
  [
    "simulate",
    (typo) => dynosim.simulate({ traffic: dynosim.syntheticTraffic(TRAFFIC), pools: [{ ...POOL, ...typo }] }).next(),
    "setting",
    "settings",
  ],
  ["slice", (typo) => dynosim.slice({ from: "1s", ...typo }), "form", "from"],
  ["spread", (typo) => dynosim.spread(typo), "sead", "seed"],
  ["storyText", (typo) => dynosim.storyText([], typo), "stile", "style"],
  ["syntheticTraffic", (typo) => dynosim.syntheticTraffic({ ...TRAFFIC, ...typo }), "inputToken", "inputTokens"],
  ["terminalTable", (typo) => dynosim.terminalTable({ summary: {} }, typo), "column", "columns"],
  ["threads", (typo) => dynosim.threads(2, typo), "heapMegabyte", "heapMegabytes"],
  ["traceReplaySpec", (typo) => dynosim.traceReplaySpec([TRACE], typo), "numWorker", "numWorkers"],
  ["tradeOffPlot", (typo) => dynosim.tradeOffPlot([RUN], typo), "agains", "against"],
  ["trafficOverTime", (typo) => dynosim.trafficOverTime(TABLE, typo), "bucket", "bucketMs"],
  ["trafficPlot", (typo) => dynosim.trafficPlot([RUN], typo), "bucket", "bucketMs"],
  [
    "trafficIntervals",
    (typo) => dynosim.trafficIntervals([], { intervalS: 1, originMs: 0, ...typo }),
    "origin",
    "originMs",
  ],
  ["trtllm", (typo) => dynosim.trtllm(typo), "block", "blocks"],
  ["ttftByInputLength", (typo) => dynosim.ttftByInputLength(TABLE, typo), "edge", "edges"],
  ["ttftByLengthPlot", (typo) => dynosim.ttftByLengthPlot([RUN], typo), "titel", "title"],
  [
    "unreachableBounds",
    (typo) => dynosim.unreachableBounds({ ...REACH, prefill: ESTIMATOR, decode: ESTIMATOR, ...typo }),
    "maxBatched",
    "maxBatchedTokens",
  ],
  ["vllm", (typo) => dynosim.vllm(typo), "block", "blocks"],
  [
    "writeTrace",
    (typo) => dynosim.writeTrace("/dev/null", { format: "mooncake", ...typo }),
    "blockToken",
    "blockTokens",
  ],
];

/** What is public and takes no options by name: values, data that is checked as such, identities with more fields, errors, streams. */
// deno-fmt-ignore
const WITHOUT_OPTIONS = [
  "admittedUntil", "answerWith", "assumptionsOf", "attainment", "batchStage", "bootstrap", "capacityPlot", "compareRuns", "ConfigError", "createPredictor",
  "decodeStepMs", "deployIdentity", "Deployments", "evidenceWarnings", "explainCapacity", "explainRecommendation", "figuresOf", "FileError", "findModel",
  "firstDivergence", "Flow", "ForwardPassModel", "GapStatistics", "generationRunMs", "gpuHoursByPhase", "inline", "isPending",
  "JobExpired", "kvBytesPerToken", "leastLoaded", "Ledger", "lifecycleTable", "loadModel", "loadTraffic", "maxContextLength", "Measured",
  "modelFacts", "modelSupport", "nearName", "parsePlannerConfig", "passDurationMs", "passLoads", "percentile", "percentileRank",
  "plannerHealth", "PlannerRecorder", "plannerWarnings", "polynomial", "precisionWarnings", "Predictor", "promptMs", "PromptIndex", "QueueError",
  "readCapacity", "readKvRouterConfig", "readMeasured", "readPlannerConfig", "readRecommendation", "readReplaySpec", "readRetune", "recommendationTable",
  "recordedHistory", "replaySpecText", "replicasOverTime", "requestLines", "requestsTable", "ResourceLimitError", "retuneTable",
  "roundRobin", "runSweep", "scalingEventsTable", "scoreReplay", "searchSpace", "SharedData", "shippedModels", "SimpleRouter",
  "SimulationError", "Sink", "sortByTime", "Stage", "stage", "ticksTable", "timingEstimator",
  "toRun", "TraceError", "traceTable", "transferKinds", "verdictLines", "warmupIntervals", "workerSettings",
];

test("every public function with options is listed here", () => {
  const listed = new Set([...CALLS.map(([name]) => name), ...WITHOUT_OPTIONS]);
  const missing = Object.entries(dynosim).filter(([name, value]) => typeof value === "function" && !listed.has(name));
  assert.deepEqual(missing.map(([name]) => name), []);
});

for (const [name, call, typo, meant] of CALLS) {
  test(`${name} refuses the option ${typo} and suggests ${meant}`, async () => {
    await assert.rejects(async () => await call({ [typo]: 1 }), (error: unknown) => {
      assert.ok(error instanceof ConfigError, String((error as Error)?.stack ?? error));
      assert.match(error.message, new RegExp(`unknown option '${typo}' of .*, did you mean '${meant}'\\?$`));
      return true;
    });
  });
}

/** Values that an option cannot have, and what is said. */
const VALUES: [name: string, call: () => unknown, message: RegExp][] = [
  [
    "bucketSeries",
    () => dynosim.bucketSeries([], { intervalS: 0, endS: 1, historyS: 1 }),
    /intervalS must be a finite number, above 0/,
  ],
  [
    "capacity",
    () => dynosim.capacity(PLAN, { precision: 0 }),
    /precision must be a finite number, above 0 and at most 1, got 0/,
  ],
  ["createPredictor", () => dynosim.createPredictor("prohpet" as any), /did you mean 'prophet'/],
  [
    "createPredictor",
    () => dynosim.createPredictor("kalman", { kalman_r: -1 }),
    /kalman_r must be a finite number, at least 0, got -1/,
  ],
  [
    "deploy",
    () => dynosim.deploy({ model: "Qwen/Qwen3-32B", hardware: "h200_sxm", tensor: -2 }),
    /tensor must be a whole number/,
  ],
  ["fixed", () => dynosim.fixed({ prefillMs: "1" as any, decodeMs: 1 }), /prefillMs must be from 0 to/],
  [
    "inspect",
    () => dynosim.inspect(dynosim.readTrace(TRACE), { blockTokens: 0.5 }),
    /blockTokens must be a whole number, at least 1/,
  ],
  [
    "kvCapacity",
    () => DEPLOYMENT.kvCapacity({ maxBatchedTokens: -5, memoryFraction: 0.9 }),
    /maxBatchedTokens must be .*at least 1/,
  ],
  [
    "loadTrace",
    () => dynosim.loadTrace(TRACE, { concurrency: 2, speedup: 3 }),
    /speedup has no effect with concurrency/,
  ],
  ["regroup", () => dynosim.regroup({ from: 0.5, to: 1 }), /from must be a whole number, at least 1, got 0\.5/],
  [
    "replay",
    () => dynosim.replay("trace.jsonl" as any),
    /the source must be a stream of requests .*got 'trace\.jsonl'/,
  ],
  [
    "replay",
    () => dynosim.replay(dynosim.readTrace(TRACE), { cluster: { engine: "vllm" as any } }),
    /engine must be what vllm\(\)/,
  ],
  [
    "replay",
    () => dynosim.replay(dynosim.readTrace(TRACE), { cluster: { timing: {} as any } }),
    /timing must be a timing model/,
  ],
  ["spread", () => dynosim.spread({ seed: "a" as any }), /seed must be a finite number, got 'a'/],
  ["threads", () => dynosim.threads(1.5), /parallel must be a whole number, at least 0, got 1\.5/],
];

for (const [name, call, message] of VALUES) {
  test(`${name} refuses a value it cannot use: ${message.source}`, async () => {
    await assert.rejects(async () => await call(), { name: "ConfigError", message });
  });
}
