/**
 * The guide's two retune scenarios on the conversation trace: its first 20 minutes are history, the other 39 are
 * replayed. The trace is not part of the project.
 */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { loadPrediction } from "../../lib/config/load.ts";
import { predict } from "../../lib/replay/predict.ts";
import type { Report } from "../../lib/report/report.ts";
import { inFolder } from "../cli/support.ts";
import { writeDynamoTraces } from "../dynamo_rows.ts";

const trace = new URL("../../../shared/traces/conversation_trace.jsonl", import.meta.url);
const skip = existsSync(trace) ? false : "the conversation trace is not here";
const SPLIT_MS = 1_200_000;

async function run(scenario: string, folder: string, set: readonly string[] = []): Promise<Report> {
  const { history, replayed } = writeDynamoTraces(trace, folder, SPLIT_MS);
  const text = readFileSync(new URL(`../../fixtures/configs/${scenario}.yaml`, import.meta.url), "utf8");
  const warmup = text.includes("load_predictor_warmup_trace")
    ? [`planner.load_predictor_warmup_trace=${JSON.stringify(history)}`]
    : [];
  const { plan } = await loadPrediction(text, {
    name: `${scenario}.yaml`,
    stack: "dynamo",
    set: [`traffic.source.paths=${JSON.stringify([replayed])}`, ...warmup, ...set],
  });
  return await predict(plan);
}

test(
  "retune-router makes the guide's three decisions over six grid points",
  { skip },
  () =>
    inFolder(async (folder) => {
      const { summary, planner } = await run("retune-router", folder);
      assert.equal(summary.completed_requests, 8373);
      const events = planner!.retune_events!;
      assert.deepEqual(events.map((event) => event.decided_at_s), [665, 1265, 1865]);
      assert.deepEqual(events.map((event) => event.candidates.length), [6, 6, 6]);
      assert.deepEqual(events.map((event) => event.window.num_requests), [2066, 2140, 2179]);
      assert.equal(events[0].outcome, "applied");
      assert.equal(events[0].chosen!.router!.temperature, 0);
      assert.deepEqual(planner!.scaling_events, []);
    }),
);

test(
  "retune-joint with a latency of 11 s decides at the third tick and compares eleven predictors",
  { skip },
  () =>
    inFolder(async (folder) => {
      const { planner } = await run("retune-joint", folder, ["planner.retune.decision_latency_seconds=11"]);
      const events = planner!.retune_events!;
      assert.deepEqual(events.map((event) => event.decided_at_s), [675, 1275, 1875]);
      assert.equal((planner!.metadata.retune as { history_seconds: number }).history_seconds, 9000);
      for (const { candidates, current, predictor } of events) {
        assert.equal(Object.keys(predictor!.losses).length, 11);
        assert.ok(candidates.length === 6 || candidates.length === 7);
        assert.equal(candidates[0].score, current.score);
      }
      assert.deepEqual(events[0].predictor_warmup, { observations: 10, start_s: -1260, end_s: 540 });
    }),
);
