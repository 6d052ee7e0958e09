/** One run, described once: every way to ask for it gives the same report, and every ability works through each. */
import assert from "node:assert/strict";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { loadPrediction } from "../../lib/config/load.ts";
import { planSpec, predict, type PredictOptions } from "../../lib/replay/predict.ts";
import { replay } from "../../lib/replay/replay.ts";
import { type ReplayRun, run } from "../../lib/replay/run.ts";
import { runTraceReplay, traceReplaySpec } from "../../lib/replay/run_trace_replay.ts";
import { SharedData } from "../../lib/replay/shared_data.ts";
import type { ReplaySpec } from "../../lib/replay/spec.ts";
import { windowRun } from "../../lib/replay/window.ts";
import { windowSpec } from "../../lib/replay/window_spec.ts";
import { predictionText, type Report } from "../../lib/report/report.ts";
import { replayedTrace, windowRequests } from "../../lib/retune/window.ts";
import type { RouterSpec } from "../../lib/router/spec.ts";
import { loadTrace } from "../../lib/traffic/load_trace.ts";
import { vllm } from "../../mod.ts";
import { inFolder } from "../cli/support.ts";

const SLA = { ttftMs: 400, itlMs: 20 };
const ENGINE = { num_gpu_blocks: 4096, block_size: 64, max_model_len: 32_768 };
const PLANNER = { optimization_target: "load", max_gpu_budget: 4, load_adjustment_interval_seconds: 5 };
const THRESHOLDS = { decode_scale_up_kv_rate: 90, decode_scale_down_kv_rate: 70 };
const QUIET = { report_interval_hours: null, live_dashboard_port: 0 };

interface Asked {
  perRequest?: boolean;
  telemetryIntervalMs?: number;
  planner?: Record<string, unknown>;
  policyFile?: string;
  onStart?: (run: ReplayRun) => void;
}

/** Requests of a bursty load that share prefixes. */
function writeTrace(folder: string): string {
  const path = join(folder, "trace.jsonl");
  const rows = Array.from({ length: 240 }, (_, i) => ({
    timestamp: 90 * i + (i % 7) * 11,
    input_length: 900 + 37 * (i % 9),
    output_length: 20 + (i % 5) * 9,
    hash_ids: [i % 6, 100 + i, 1000 + i],
  }));
  writeFileSync(path, rows.map((row) => JSON.stringify(row)).join("\n"));
  return path;
}

const routerOf = (policyFile?: string): RouterSpec =>
  policyFile === undefined
    ? { policy: "round_robin" }
    : { policy: "kv_router", settings: { overlapScoreCredit: 1, temperature: 0 }, policyFile };

function written(trace: string, { perRequest, telemetryIntervalMs, planner, policyFile }: Asked): ReplaySpec {
  return {
    traffic: { type: "trace", paths: [trace] },
    roles: [{ role: "aggregated", replicas: 2, launch: { engine: ENGINE } }],
    router: routerOf(policyFile),
    autoscaler: planner && { kind: "planner", config: { mode: "agg", ...QUIET, ...planner } },
    sla: SLA,
    capture: { perRequest, telemetryIntervalMs },
  };
}

async function planOf(trace: string, { planner, policyFile }: Asked) {
  const router = policyFile === undefined
    ? "{policy: round_robin}"
    : `{policy: kv_router, policy_file: ${JSON.stringify(policyFile)}}`;
  const { plan } = await loadPrediction(
    `
traffic:
  source: {type: trace, paths: [${JSON.stringify(trace)}], format: mooncake}
  load: {type: trace_timestamps}
engine:
  model: Qwen/Qwen3-32B
  hardware: h200_sxm
  context_length: 32768
  workers:
    aggregated:
      parallelism: {replicas: 2}
      kv_cache: {block_size: 64, capacity: {type: fixed, blocks: 4096}}
      timing: {type: polynomial}
router: ${router}
evaluation: {sla: {ttft_ms: ${SLA.ttftMs}, itl_ms: ${SLA.itlMs}}}
`,
    { stack: "dynamo" },
  );
  return planner ? { ...plan, planner: { mode: "agg", ...QUIET, ...planner } } : plan;
}

/** The ways to ask for one and the same run. */
const WAYS: Readonly<Record<string, (trace: string, asked: Asked) => Promise<Report>>> = {
  "a written spec": (trace, asked) => {
    const started = run(JSON.parse(JSON.stringify(written(trace, asked))));
    asked.onStart?.(started);
    return started.report;
  },
  "predict": async (trace, asked) => {
    const { perRequest: capturePerRequest, telemetryIntervalMs, onStart } = asked;
    const options: PredictOptions = { capturePerRequest, telemetryIntervalMs, onStart };
    return await predict(await planOf(trace, asked), options);
  },
  "runTraceReplay": (trace, { perRequest, telemetryIntervalMs, planner, policyFile, onStart }) =>
    runTraceReplay([trace], {
      extraEngineArgs: { engine: ENGINE },
      numWorkers: 2,
      routerMode: policyFile === undefined ? "round_robin" : "kv_router",
      routerConfig: policyFile === undefined ? undefined : { router_policy_config: policyFile },
      plannerConfig: planner && { mode: "agg", ...QUIET, ...planner },
      slaTtftMs: SLA.ttftMs,
      slaItlMs: SLA.itlMs,
      capturePerRequest: perRequest,
      captureTelemetry: telemetryIntervalMs !== undefined,
      telemetrySampleIntervalMs: telemetryIntervalMs,
      onWarning: () => {},
      onStart,
    }),
  "replay": async (trace, { perRequest = false, telemetryIntervalMs, planner, policyFile, onStart }) => {
    const started = replay(await loadTrace([trace]), {
      cluster: { replicas: 2, engine: vllm({ blocks: 4096, blockTokens: 64, maxModelTokens: 32_768 }) },
      router: routerOf(policyFile),
      planner: planner && { ...QUIET, ...planner },
      sla: SLA,
      capturePerRequest: perRequest,
      telemetryIntervalMs,
      onWarning: () => {},
    });
    onStart?.(started);
    return await started.report;
  },
};

/** The text of `prediction.json` without what the host's clock decides and what names the stack a prediction is for. */
function textOf(report: Report): string {
  const clockless = Object.entries(report.summary).filter(([name]) =>
    !/^wall_time_ms$|^processed_.*_per_s$|^prediction_provenance$/.test(name)
  );
  return [...predictionText({ ...report, summary: Object.fromEntries(clockless) as Report["summary"] })].join("");
}

async function sameReports(trace: string, asked: Asked): Promise<string> {
  const texts = new Map<string, string>();
  for (const [name, way] of Object.entries(WAYS)) texts.set(name, textOf(await way(trace, asked)));
  const [first, ...others] = texts;
  for (const [name, text] of others) assert.equal(text, first[1], `${name} and ${first[0]}`);
  return first[1];
}

test("a spec survives JSON and a structured clone, whoever makes it", () =>
  inFolder(async (folder) => {
    const trace = writeTrace(folder), asked = { planner: { ...PLANNER, ...THRESHOLDS }, policyFile: "p.yaml" };
    const specs = [
      written(trace, asked),
      planSpec(await planOf(trace, asked), { perRequest: true }),
      await traceReplaySpec([trace], { routerMode: "kv_router", maxSimTimeMs: 5, plannerConfig: { mode: "agg" } }),
    ];
    for (const spec of specs) {
      const plain = JSON.parse(JSON.stringify(spec));
      assert.deepEqual(structuredClone(spec), spec);
      assert.equal(JSON.stringify(plain), JSON.stringify(spec));
      assert.deepEqual(JSON.parse(JSON.stringify(structuredClone(spec))), plain);
      assert.ok(!JSON.stringify(spec, (_, value) => value === Infinity ? "infinite" : value).includes("infinite"));
    }
  }));

test("a written spec, predict, replay and runTraceReplay report the same run alike, to the byte", () =>
  inFolder(async (folder) => {
    const trace = writeTrace(folder);
    assert.match(await sameReports(trace, {}), /"num_requests": 240/);
    const captured = await sameReports(trace, { perRequest: true, planner: { ...PLANNER, ...THRESHOLDS } });
    assert.match(captured, /"total_ticks": [1-9]/);
  }));

test("a window of a retune is the same run as its description", () =>
  inFolder(async (folder) => {
    const trace = writeTrace(folder), traffic = await loadTrace([trace]);
    const spec = written(trace, {}), source = replayedTrace(traffic);
    const window = windowRequests(source, Array.from({ length: traffic.workload.count }, (_, i) => i));
    const task = {
      window,
      replicas: { prefill: 0, decode: 2 },
      routerKnobs: null,
      routerSeed: 1,
      planner: null,
      sla: SLA,
    };
    const shared = new SharedData(), described = textOf(await run(spec, { shared }).report);
    const report = await windowRun(structuredClone(windowSpec(spec, null)), { kind: "replay", ...task }, { shared })
      .report;
    assert.equal(textOf(report), described);
    assert.equal(textOf(await run(spec, { shared }).report), described);
  }));

test("telemetry is in the report of every way to run", () =>
  inFolder(async (folder) => {
    const text = await sameReports(writeTrace(folder), { telemetryIntervalMs: 2000 });
    assert.match(text, /"telemetry": \{/);
  }));

for (const [name, way] of Object.entries(WAYS)) {
  test(`${name} streams requests and ticks`, () =>
    inFolder(async (folder) => {
      const reading: Promise<number>[] = [];
      const count = async (items: AsyncIterable<unknown>) => {
        let read = 0;
        for await (const _ of items) read++;
        return read;
      };
      const onStart = ({ requests, ticks }: ReplayRun) => reading.push(count(requests), count(ticks));
      const report = await way(writeTrace(folder), { planner: { ...PLANNER, ...THRESHOLDS }, onStart });
      assert.deepEqual(await Promise.all(reading), [240, report.planner!.total_ticks]);
      assert.ok(report.planner!.total_ticks > 0);
    }));

  test(`${name} writes the Planner's diagnostics page where the configuration asks for it`, () =>
    inFolder(async (folder) => {
      const page = {
        report_interval_hours: 24,
        report_output_dir: join(folder, "pages"),
        report_filename: "page.html",
      };
      const { planner } = await way(writeTrace(folder), { planner: { ...PLANNER, ...THRESHOLDS, ...page } });
      assert.ok(existsSync(planner!.html_report_path!), String(planner!.html_report_path));
    }));

  test(`${name} reads a router policy file, and refuses one that is not there`, () =>
    inFolder(async (folder) => {
      const trace = writeTrace(folder), policyFile = join(folder, "policy.yaml");
      await assert.rejects(way(trace, { policyFile }), /failed to read router policy config .*policy\.yaml: /);
      writeFileSync(policyFile, "router: {router_track_active_blocks: false, router_track_prefill_tokens: false}\n");
      const blind = await way(trace, { policyFile, perRequest: true });
      const seeing = await run({ ...written(trace, { perRequest: true }), router: { policy: "kv_router" } }).report;
      assert.notEqual(textOf(blind), textOf(seeing));
      assert.equal(textOf(blind), textOf(await WAYS["a written spec"](trace, { policyFile, perRequest: true })));
    }));
}

test("a run that failed tells everybody who asks", () =>
  inFolder(async (folder) => {
    const failed = run(written(join(folder, "nowhere.jsonl"), {}));
    await assert.rejects(
      (async () => {
        for await (const _ of failed.requests);
      })(),
      /nowhere\.jsonl/,
    );
    await assert.rejects(failed.report, /nowhere\.jsonl/);
  }));

test("run refuses roles that do not make a cluster, no load, and an autoscaler that is not known", async () => {
  const role = { role: "aggregated", replicas: 1, launch: {} } as const;
  const traffic = { type: "synthetic", count: 1, inputTokens: 1, outputTokens: 1, concurrency: 1 } as const;
  await assert.rejects(run({ roles: [role] }).report, /the replay has no load/);
  await assert.rejects(
    run({ traffic, roles: [role, role] }).report,
    /a prefill and a decode role, got aggregated, agg/,
  );
  await assert.rejects(
    run({ traffic, roles: [{ ...role, replicas: 0 }] }).report,
    /must start with at least one worker/,
  );
  const autoscaler = { kind: "plannr", config: {} };
  await assert.rejects(run({ traffic, roles: [role], autoscaler }).report, /did you mean 'planner'\?/);
});
