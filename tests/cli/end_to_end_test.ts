import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { inFolder, start } from "./support.ts";

const WALL = ["wall_time_ms", "processed_tokens_per_s", "processed_output_tokens_per_s"];
const AGGREGATED = "engine.workers.aggregated";

/** Runs predict from the project's folder. */
const predict = (config: string, output: string, args: string[] = []) =>
  start("cli/main.ts", ["predict", "-c", config, "--output-dir", output, ...args]);

const sets = (...values: string[]) => values.flatMap((value) => ["--set", value]);

/** `prediction.json` without the figures of the host's clock. */
function steady(folder: string): string {
  const report = JSON.parse(readFileSync(join(folder, "prediction.json"), "utf8"));
  for (const key of WALL) delete report[key];
  return JSON.stringify(report);
}

test("predict replays the quickstart, and a second run gives the same bytes", () =>
  inFolder(async (folder) => {
    const [first, second] = [join(folder, "a"), join(folder, "b")];
    const run = await predict("fixtures/configs/quickstart.yaml", first, ["--capture-per-request"]);
    assert.deepEqual([run.code, run.stderr], [0, ""]);
    assert.match(run.stdout, /\nWorkers \(2\) +least +mean +most\nRequests +1,000 +1,000 +1,000\n/);
    assert.match(run.stdout, /\nKV blocks \(aggregated\): 11,742, memory model; sequences of up to 40,960 tokens\n/);
    await predict("fixtures/configs/quickstart.yaml", second, ["--capture-per-request"]);
    assert.equal(steady(first), steady(second));
    const rows = readFileSync(join(first, "requests.jsonl"), "utf8");
    assert.equal(rows, readFileSync(join(second, "requests.jsonl"), "utf8"));
    assert.equal(rows.split("\n").length, 2001);
    const { coverage, planner, completed_requests } = JSON.parse(readFileSync(join(first, "prediction.json"), "utf8"));
    assert.deepEqual(coverage, {
      capture_per_request: true,
      capture_planner_details: false,
      per_request_records: 2000,
    });
    assert.equal(planner, undefined);
    assert.equal(completed_requests, 2000);
  }));

const near = (actual: number, expected: number) =>
  assert.ok(Math.abs(actual - expected) <= 1e-9 * Math.abs(expected), `${actual} is not ${expected}`);

test("predict goes from a file to the reference's figures: defaults, capacity, context length", () =>
  inFolder(async (folder) => {
    const timing = sets(`${AGGREGATED}.timing={type: polynomial}`);
    const { code, stdout, stderr } = await predict("fixtures/configs/prediction.yaml", join(folder, "out"), [
      "--stack=dynamo",
      "--format=json",
      ...timing,
    ]);
    assert.deepEqual([code, stderr], [0, ""]);
    const summary = JSON.parse(stdout);
    const expected = {
      duration_ms: 13163.508850999957,
      mean_ttft_ms: 41.182627199985475,
      p99_ttft_ms: 44.194833999992625,
      mean_itl_ms: 6.707668858267682,
      goodput_completed_requests: 100,
      decode_worker_seconds: 26.32701770200005,
      gpu_hours: 0.0073130604727777914,
    };
    for (const [key, value] of Object.entries(expected)) near(summary[key], value);
  }));

test("predict gives prefill and decode workers their own defaults and the derived transfer size", () =>
  inFolder(async (folder) => {
    writeFileSync(
      join(folder, "p.yaml"),
      `traffic:
  source: {type: synthetic}
  load: {type: constant_rate, requests_per_second: 8}
  stop: {requests: 100}
engine:
  mode: disaggregated
  model: meta-llama/Meta-Llama-3.1-8B-Instruct
  hardware: h200_sxm
  kv_transfer: {bandwidth_gb_per_second: 400}
  workers:
    prefill: {timing: {type: polynomial}}
    decode: {timing: {type: polynomial}}
`,
    );
    const { stdout } = await predict(join(folder, "p.yaml"), join(folder, "out"), ["--format=json"]);
    const summary = JSON.parse(stdout);
    near(summary.duration_ms, 13182.284771319997);
    near(summary.mean_ttft_ms, 47.75539779000281);
    near(summary.mean_itl_ms, 6.150614167165352);
    near(summary.gpu_hours, 0.00732349153962224);
  }));

test("predict says loudly that nothing completed, and what would have fitted", () =>
  inFolder(async (folder) => {
    const { code, stdout, stderr } = await predict(
      "fixtures/configs/quickstart.yaml",
      join(folder, "out"),
      sets(`${AGGREGATED}.kv_cache.capacity={type: fixed, blocks: 1}`),
    );
    assert.equal(code, 1);
    assert.match(stderr, /\ndynosim predict failed: SimulationError: No requests completed; serving latency/);
    const { mean_ttft_ms, prediction_status } = JSON.parse(readFileSync(join(folder, "out/prediction.json"), "utf8"));
    assert.deepEqual([mean_ttft_ms, prediction_status], [null, "invalid"]);
    assert.match(stderr, /^dynosim predict: warning: none of the 2000 requests completed: 2000 rejected; the largest/);
    assert.match(stdout, /0 of 2,000 completed, 2,000 rejected \(the largest prompt\n +that fits: 64 tokens\)\n/);
  }));

test("predict ends with 1 when the trace is not there, and writes no report", () =>
  inFolder(async (folder) => {
    const output = join(folder, "out");
    const { code, stderr } = await predict(
      "fixtures/configs/quickstart.yaml",
      output,
      sets("traffic.source.paths=[nowhere.jsonl]"),
    );
    assert.equal(code, 1);
    assert.match(stderr, /^dynosim predict failed: TraceError: failed to open trace file nowhere\.jsonl/);
    assert.deepEqual(readdirSync(output).sort(), ["execution-events.jsonl", "resource-runtime.json"]);
  }));

test("predict names unknown hardware with its place and the known names", () =>
  inFolder(async (folder) => {
    const { code, stderr } = await predict(
      "fixtures/configs/quickstart.yaml",
      join(folder, "out"),
      sets("engine.hardware=h9000", `${AGGREGATED}.timing={type: default}`),
    );
    assert.equal(code, 2);
    assert.match(
      stderr,
      /^dynosim predict: error: fixtures\/configs\/quickstart\.yaml: unknown hardware 'h9000' .*h200_sxm/,
    );
    assert.match(stderr, /\n {2}at --set 'engine\.hardware=h9000'\n$/);
  }));

test("predict names the command that installs measurements, with the place of the hardware", () =>
  inFolder(async (folder) => {
    const { code, stderr } = await predict(
      "fixtures/configs/quickstart.yaml",
      join(folder, "out"),
      sets("engine.hardware=gb200"),
    );
    assert.equal(code, 2);
    assert.match(stderr, /are not installed; run: deno task perf-data install gb200 --backend vllm\n/);
    assert.match(stderr, /\n {2}at --set 'engine\.hardware=gb200'\n$/);
  }));

test("predict runs the Planner, and warns before the run when its budget is spent", () =>
  inFolder(async (folder) => {
    const output = join(folder, "out");
    const { code, stderr, stdout } = await predict("fixtures/configs/quickstart.yaml", output, [
      "--stack=dynamo",
      ...sets("planner={policy: enabled, target: load, max_num_gpus: 4}"),
    ]);
    assert.equal(code, 0);
    assert.match(stderr, /planner\.max_num_gpus \(4\) is used up by the starting replicas \(4 GPUs\)/);
    assert.match(stdout, /\nScaling events +1: 0 workers added, 1 removed\n/);
    const { planner, coverage } = JSON.parse(readFileSync(join(output, "prediction.json"), "utf8"));
    assert.equal(coverage.capture_planner_details, true);
    assert.equal(planner.ticks.length, planner.total_ticks);
    assert.ok(planner.scaling_events.every(({ reason }: { reason: string }) => reason === "scale_down"));
  }));
