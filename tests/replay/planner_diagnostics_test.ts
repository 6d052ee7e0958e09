import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import { parseHTML } from "linkedom";
import { diagnosticsFileName, diagnosticsSnapshots } from "../../lib/report/planner_diagnostics.ts";
import { runTraceReplay } from "../../lib/replay/run_trace_replay.ts";
import { inFolder } from "../cli/support.ts";
import { plannerReport } from "../report/golden_reports.ts";

const CHARTS = [
  "Replica Counts",
  "Request Rate (Observed vs Predicted)",
  "Observed TTFT vs SLA",
  "Observed ITL vs SLA",
  "Estimated TTFT vs SLA",
  "Estimated ITL vs SLA",
  "Prefill Engine Load",
  "Decode Engine Load",
  "Engine Capacity (req/s)",
  "Sequence Lengths (Observed vs Predicted)",
  "Load Scaling Decisions",
  "Throughput Scaling Decisions",
  "Cumulative GPU Hours",
];

const replay = (plannerConfig: Record<string, unknown>, options = {}) =>
  runTraceReplay(["fixtures/traces/chat.jsonl"], {
    extraEngineArgs: { engine: { backend: "vllm", num_gpu_blocks: 3000 }, startup_time: 15 },
    arrivalSpeedupRatio: 4,
    plannerConfig: {
      mode: "agg",
      optimization_target: "sla",
      enable_throughput_scaling: true,
      enable_load_scaling: true,
      throughput_adjustment_interval_seconds: 60,
      load_adjustment_interval_seconds: 10,
      max_gpu_budget: 4,
      ...plannerConfig,
    },
    ...options,
  });

test("diagnosticsFileName is made of the last tick's time since 1970", () => {
  assert.equal(diagnosticsFileName(685), "planner_report_19700101_001125_001.html");
});

test("runTraceReplay puts money beside the GPU hours of the Planner's diagnostics where GPUs have a price", () =>
  inFolder(async (folder) => {
    const { planner } = await replay({ report_output_dir: folder }, { price: { perGpuHour: 2.5, currency: "EUR" } });
    const { document } = parseHTML(readFileSync(planner!.html_report_path!, "utf8")) as any;
    const [, hours, money] = document.body.textContent.match(/([\d.]+) GPU hours \(([\d.]+) EUR\)/)!;
    assert.ok(Math.abs(Number(money) / (2.5 * Number(hours)) - 1) < 0.01, `${money} for ${hours}`);
  }));

test("runTraceReplay writes the Planner's diagnostics and says where", () =>
  inFolder(async (folder) => {
    const output = join(folder, "a", "reports");
    const { planner, summary } = await replay({ report_output_dir: output });
    const ticks = planner!.ticks;
    const name = diagnosticsFileName(ticks.at(-1)!.at_ms / 1000);
    assert.equal(planner!.html_report_path, join(output, name));
    const log = name.replace(".html", ".log.jsonl.gz");
    assert.deepEqual(readdirSync(output).sort(), [name, log].sort());

    const html = readFileSync(join(output, name), "utf8");
    const { document } = parseHTML(html) as any;
    assert.deepEqual([...document.querySelectorAll("figure h3")].map((text: any) => text.textContent), CHARTS);
    assert.match(
      document.body.textContent,
      /Planner Diagnostics Report[^]*ticks; \d+ replica transitions; [\d.]+ GPU hours/,
    );
    assert.ok(!/NaN|Infinity/.test(html.replace(/<script>[^]*<\/script>/, "")));

    const [head, ...lines] = gunzipSync(readFileSync(join(output, log))).toString().trim().split("\n")
      .map((line) => JSON.parse(line));
    assert.deepEqual(Object.keys(head), Object.keys(head).sort());
    assert.equal(head.schema, "planner_diagnostics_snapshot_log_v1");
    assert.equal(head.num_snapshots, lines.length);
    assert.equal(head.html_report_path, planner!.html_report_path);
    assert.equal(lines.length, ticks.length);
    assert.ok(lines.every((line) => line.kind === "snapshot"));
    assert.deepEqual(lines.map((line) => line.timestamp_s), ticks.map(({ at_ms }) => at_ms / 1000));
    assert.equal(lines[0].timestamp_utc, "1970-01-01T00:00:10Z");

    const consuming = ticks.findIndex(({ input }) => input.traffic !== null);
    assert.equal(lines[consuming - 1].observed_ttft_ms, null);
    const { traffic } = ticks[consuming].input;
    assert.equal(lines[consuming].observed_requests_per_second, traffic!.num_req / 60);
    assert.ok(lines[consuming].observed_ttft_ms > 0 && lines[consuming].observed_itl_ms > 0);
    assert.equal(lines[consuming + 1].observed_ttft_ms, lines[consuming].observed_ttft_ms, "carried forward");
    const hours = lines.at(-1).gpu_hours;
    assert.ok(hours > 0.5 * summary.gpu_hours && hours <= summary.gpu_hours, `${hours} of ${summary.gpu_hours}`);
  }));

test("runTraceReplay writes no diagnostics when they are switched off or details are dropped", () =>
  inFolder(async (folder) => {
    const off = await replay({ report_output_dir: folder, report_interval_hours: null, live_dashboard_port: 0 });
    assert.equal(off.planner!.html_report_path, null);
    const bare = await replay({ report_output_dir: folder }, { capturePlannerDetails: false });
    assert.equal(bare.planner!.html_report_path, null);
    assert.deepEqual(readdirSync(folder), []);
  }));

test("runTraceReplay takes the name of the page and leaves out the log when told so", () =>
  inFolder(async (folder) => {
    const { planner } = await replay({
      report_output_dir: folder,
      report_filename: "mine.html",
      report_write_gzip_log: false,
      report_interval_hours: null,
    });
    assert.equal(planner!.html_report_path, join(folder, "mine.html"));
    assert.ok(existsSync(join(folder, "mine.html")));
    assert.deepEqual(readdirSync(folder), ["mine.html"]);
  }));

test("diagnosticsSnapshots keeps recommendations, floors and engine loads of a recorded run", () => {
  const { planner } = plannerReport("disagg_load_x8");
  const snapshots = diagnosticsSnapshots(planner!.ticks, [], {
    throughputIntervalSeconds: 180,
    prefillGpusPerWorker: 1,
    decodeGpusPerWorker: 1,
  });
  assert.equal(snapshots.length, planner!.ticks.length);
  assert.deepEqual([snapshots[0].scale_to_prefill, snapshots[0].scale_to_decode], [3, 1]);
  assert.equal(snapshots[0].gpu_hours, 0);
  assert.equal(
    snapshots[1].gpu_hours,
    (planner!.ticks[1].topology.prefill.active_count +
      planner!.ticks[1].topology.decode.active_count) * 5 / 3600,
  );
  assert.equal(snapshots[0].prefill_engines[0].queued_prefill_tokens, 573421);
  assert.equal(snapshots[0].decode_engines.length, 2);
});
