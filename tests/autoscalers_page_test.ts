/**
 * docs/autoscalers.md as its reader meets it: its configurations give the figures of its table, of its text and its
 * picture, which `UPDATE_FIGURES=1` draws anew.
 */
import "./without_user_cache.ts";
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { goodputPlot } from "../lib/analysis/plots.ts";
import { type Run, toRun } from "../lib/analysis/run.ts";
import { loadPrediction } from "../lib/config/load.ts";
import { predict } from "../lib/replay/predict.ts";

const page = readFileSync(fileURLToPath(new URL("../docs/autoscalers.md", import.meta.url)), "utf8");
const picture = fileURLToPath(new URL("../docs/autoscalers.svg", import.meta.url));
const trace = fileURLToPath(new URL("../fixtures/traces/chat.jsonl", import.meta.url));

/** The configurations of the page: those that are compared, and one of KEDA. */
const configurations = [...page.matchAll(/^```yaml\n([^]*?)^```$/gm)].map(([, text]) => text);
const NAMES = ["fixed", "hpa", "planner"];

test("the configurations of docs/autoscalers.md give the figures of its table, its text and its picture", async () => {
  const row = (label: string) => {
    const [, cells] = page.match(new RegExp(`^\\| ${label}[^|]*\\|(.*)\\|$`, "m"))!;
    return cells.split("|").map((cell) => Number(cell.replaceAll(/[ ,]/g, "")));
  };
  const found: Record<string, number[]> = {};
  const put = (label: string, value: number, digits = 0) => (found[label] ??= []).push(Number(value.toFixed(digits)));
  const runs: Run[] = [];
  for (const [i, text] of configurations.slice(0, NAMES.length).entries()) {
    const { plan, warnings } = await loadPrediction(text, {
      stack: "dynamo",
      set: [`traffic.source.paths=${JSON.stringify([trace])}`],
    });
    assert.deepEqual(warnings, []);
    const report = await predict(plan, { capturePerRequest: true }), { summary, planner, evaluation } = report;
    runs.push(toRun(report, { name: NAMES[i] }));
    const { sla, cost } = evaluation!;
    put("requests within the SLA \\(%\\)", sla!.attainment * 100, 2);
    put("requests within the SLA, of 2,000", sla!.within);
    put("missed the bound on TTFT", sla!.missed.ttft);
    put("missed the bound on TPOT", sla!.missed.tpot);
    put("GPU hours", summary.gpu_hours, 2);
    put("cost \\(", cost!.total, 2);
    put("cost of 1,000 requests", cost!.per_thousand_good_requests!, 2);
    put("changes of the number", planner?.scaling_events.length ?? 0);
  }
  const told = Object.fromEntries(Object.keys(found).map((label) => [label, row(label)]));
  assert.deepEqual(found, told);
  const missedBefore = (run: Run, seconds: number) =>
    run.requests!.objects().filter((row) => {
      const { arrival_time_ms, ttft_ms, itl_ms } = row as Record<string, number>;
      return arrival_time_ms < seconds * 1000 && (ttft_ms > 500 || itl_ms > 20);
    }).length;
  const text = page.replaceAll(/\s+/g, " ");
  assert.ok(text.includes(`${missedBefore(runs[1], 90)} of its 27 misses are of that time`));
  assert.ok(text.includes(`${missedBefore(runs[2], 320)} of its 504 misses`));
  const drawn = await goodputPlot(runs, runs[0].sla!, { bucketMs: 30_000 });
  if (process.env.UPDATE_FIGURES === "1") writeFileSync(picture, drawn);
  assert.equal(drawn, readFileSync(picture, "utf8"));
});

test("the configuration of KEDA on docs/autoscalers.md scales workers", async () => {
  const { plan, warnings } = await loadPrediction(configurations[NAMES.length], {
    stack: "dynamo",
    set: [`traffic.source.paths=${JSON.stringify([trace])}`],
  });
  assert.deepEqual(warnings, []);
  const { planner } = await predict(plan);
  assert.equal(planner!.metadata.autoscaler, "keda");
  assert.ok(planner!.scaling_events.length > 0);
});
