import "../without_user_cache.ts";
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { loadPrediction } from "../../lib/config/load.ts";
import { predict } from "../../lib/replay/predict.ts";
import { checkReport } from "../../lib/report/check_report.ts";
import { predictionText, type Report } from "../../lib/report/report.ts";
import { explainRun, storyText } from "../../lib/report/story/run_story.ts";
import { ticksTable } from "../../mod.ts";
import { issuesOf, warningsOf } from "../config/support.ts";
import { BASE, DISAGGREGATED } from "../config/support.ts";
import { inFolder } from "../cli/support.ts";

const HPA = `
autoscaler:
  type: hpa
  workers:
    aggregated:
      max_replicas: 4
      metrics: [{name: running_requests, target: {average_value: 4}}]
      behavior: {scale_down: {stabilization_window_seconds: 120}}
evaluation: {sla: {ttft_ms: 500, itl_ms: 50}}
`;
const KEDA = `
autoscaler:
  type: keda
  workers:
    aggregated:
      polling_interval: 5
      cooldown_period: 20
      max_replica_count: 3
      triggers: [{metric: queue_depth, threshold: 2}, {metric: request_rate, threshold: 4}]
`;

/** A burst, a pause of ten minutes, and another burst. */
function writeBursts(folder: string): string {
  const path = join(folder, "bursts.jsonl");
  const row = (timestamp: number) =>
    JSON.stringify({
      timestamp,
      input_length: 2000,
      output_length: 100,
      hash_ids: [0, 1, 2, 3].map((i) => 4 * timestamp + i),
    });
  const burst = (atMs: number) => Array.from({ length: 400 }, (_, i) => row(atMs + 100 * i));
  writeFileSync(path, [...burst(0), ...burst(600_000)].join("\n"));
  return path;
}

async function reportOf(text: string, set: string[] = []): Promise<Report> {
  const { plan } = await loadPrediction(text, { stack: "dynamo", set });
  return await predict(plan);
}

test("hpa follows the load up and, after its window, down, and tells why", () =>
  inFolder(async (folder) => {
    const paths = JSON.stringify([writeBursts(folder)]);
    const report = await reportOf(BASE + HPA, [
      `traffic.source.paths=${paths}`,
      "engine.workers.aggregated.startup_seconds=20",
    ]);
    const { planner, summary } = report;
    assert.equal(summary.completed_requests, 800);
    const counts = planner!.scaling_events.map(({ to_count }) => to_count);
    assert.equal(Math.max(...counts), 4);
    assert.equal(Math.min(...counts), 1);
    assert.equal(planner!.metadata.autoscaler, "hpa");
    assert.deepEqual(planner!.ticks.map(({ at_ms }) => at_ms % 15_000), planner!.ticks.map(() => 0));
    assert.equal(ticksTable(report).numRows(), planner!.total_ticks);
    const told = JSON.parse([...predictionText(report)].join(""));
    assert.deepEqual(checkReport(told, "prediction.json").planner, told.planner);
    const story = storyText(explainRun(report));
    assert.match(story, /^HorizontalPodAutoscaler in the loop\./);
    assert.match(story, /running_requests .* a worker \(target 4, wants \d\)/);
    assert.match(story, /the stabilisation window keeps an earlier recommendation/);
    assert.doesNotMatch(story, /Planner|repair/);
  }));

test("keda scales to zero in a pause; requests wait in front until the first worker has started", () =>
  inFolder(async (folder) => {
    const paths = JSON.stringify([writeBursts(folder)]);
    const report = await reportOf(BASE + KEDA, [
      `traffic.source.paths=${paths}`,
      "engine.workers.aggregated.startup_seconds=20",
    ]);
    const { planner, summary } = report;
    assert.equal(summary.completed_requests, 800);
    const zero = planner!.scaling_events.find(({ to_count }) => to_count === 0)!;
    assert.ok(zero.at_s > 40 && zero.at_s < 600, String(zero.at_s));
    const back = planner!.scaling_events.find(({ from_count }) => from_count === 0)!;
    assert.deepEqual([back.at_s >= 600, back.at_s <= 610], [true, true]);
    assert.ok(summary.max_ttft_ms > 20_000); // those of the second burst wait for a start-up
    assert.match(storyText(explainRun(report)), /KEDA in the loop[^]*no trigger was active for the cooldown period/);
  }));

test("keda that keeps a worker and hpa with equal targets decide alike", () =>
  inFolder(async (folder) => {
    const set = [`traffic.source.paths=${JSON.stringify([writeBursts(folder)])}`];
    const keda = await reportOf(BASE + KEDA, [
      ...set,
      "autoscaler.workers.aggregated.min_replica_count=1",
      "autoscaler.workers.aggregated.polling_interval=15",
    ]);
    const metrics =
      "[{name: queue_depth, type: External, target: {average_value: 2}}, {name: request_rate, target: {average_value: 4}}]";
    const hpa = await reportOf(BASE + HPA, [
      ...set,
      `autoscaler.workers.aggregated={max_replicas: 3, metrics: ${metrics}}`,
    ]);
    assert.ok(hpa.planner!.scaling_events.length > 0);
    assert.deepEqual(keda.planner!.scaling_events, hpa.planner!.scaling_events);
  }));

test("hpa scales the roles of a disaggregated cluster each by its own metrics", () =>
  inFolder(async (folder) => {
    const text = DISAGGREGATED + HPA.replace("aggregated", "decode").replace(
      "  workers:",
      "  workers:\n    prefill: {max_replicas: 2, metrics: [{name: queue_depth, target: {average_value: 0.5}}]}",
    );
    const { planner, summary } = await reportOf(text, [
      `traffic.source.paths=${JSON.stringify([writeBursts(folder)])}`,
    ]);
    assert.equal(summary.completed_requests, 800);
    assert.ok(planner!.scaling_events.some(({ component }) => component === "decode"));
    assert.deepEqual(Object.keys(planner!.ticks[0].autoscaler!), ["prefill", "decode"]);
  }));

test("loadPrediction refuses autoscalers that do not fit, with their place", async () => {
  const role = "autoscaler.workers.aggregated";
  assert.deepEqual(await issuesOf(BASE + HPA, ["planner.policy=enabled"]), [
    "autoscaler: the Planner scales already: give planner or autoscaler, not both",
  ]);
  const one = async (text: string, set: string[]) => (await issuesOf(text, set))[0];
  assert.match(await one(BASE + HPA, [`${role}.min_replicas=5`]), /min_replicas must not exceed max_replicas/);
  assert.match(await one(BASE + HPA, [`${role}.max_replicas=0`]), /max_replicas: Input should be greater/);
  assert.match(await one(BASE + HPA, [`${role}.metrics=[]`]), /metrics: List should have at least 1 item/);
  assert.match(
    await one(BASE + HPA, [`${role}.metrics=[{name: cpu, target: {value: 1}}]`]),
    /Input should be 'queue_depth'/,
  );
  assert.match(await one(BASE + HPA, ["autoscaler.type=hpb"]), /Input tag 'hpb'/);
  assert.match(await one(DISAGGREGATED + HPA, []), /engine.mode disaggregated has no aggregated workers/);
  assert.match(
    await one(DISAGGREGATED + KEDA.replace("aggregated", "decode"), []),
    /autoscaler.workers.decode: only aggregated workers can be scaled to zero/,
  );
  assert.match(
    (await issuesOf(BASE + HPA, [], { stack: "engine" }))[0],
    /unknown top-level section 'autoscaler'/,
  );
  assert.deepEqual(await warningsOf(BASE + HPA, ["engine.workers.aggregated.startup_seconds=30"]), []);
});
