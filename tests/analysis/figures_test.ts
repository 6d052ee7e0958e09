/**
 * Figures are compared with stored ones. After a wanted change, write them anew with `UPDATE_FIGURES=1` and look at them.
 */
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import process from "node:process";
import { test } from "node:test";
import { parseHTML } from "linkedom";
import {
  goodputPlot,
  gpuHoursPlot,
  kvPlot,
  latencyCdfPlot,
  latencyPlot,
  queuePlot,
  replicasPlot,
  tradeOffPlot,
  trafficPlot,
  ttftByLengthPlot,
} from "../../lib/analysis/plots.ts";
import { toRun } from "../../lib/analysis/run.ts";
import { plannerReport } from "../report/golden_reports.ts";
import { sampleRuns } from "./sample_runs.ts";

// The plot library draws half a pixel aside where a test runner has a global `it`, as Bun's, but nowhere on screens with
// two pixels a dot. It decides so when it is loaded.
Object.assign(globalThis, { window: { devicePixelRatio: 2 } });
await import("@observablehq/plot");
Reflect.deleteProperty(globalThis, "window");

const folder = new URL("../../fixtures/figures/", import.meta.url);

async function figures(): Promise<Record<string, string>> {
  const runs = await sampleRuns();
  const sla = runs[0].sla!;
  const load = plannerReport("agg_load_x4");
  const disagg = plannerReport("disagg_load_x8");
  const advised = {
    ...load,
    planner: { ...load.planner!, scaling_events: [], recommended_scaling_events: load.planner!.scaling_events },
  };
  return {
    replicas: await replicasPlot(load),
    replicas_disaggregated: await replicasPlot(disagg, { title: "Two pools", maxWorkers: 8 }),
    replicas_advised: await replicasPlot(advised),
    ttft: await latencyPlot(runs, "ttft_ms", { sla, bucketMs: 60_000 }),
    itl_of_one: await latencyPlot([runs[1]], "itl_ms", { bucketMs: 60_000 }),
    goodput: await goodputPlot(runs, sla, { bucketMs: 60_000 }),
    e2e_cdf: await latencyCdfPlot(runs, "e2e_latency_ms"),
    itl_cdf: await latencyCdfPlot(runs, "itl_ms", { sla }),
    ttft_by_length: await ttftByLengthPlot(runs, { sla }),
    traffic: await trafficPlot(runs, { bucketMs: 60_000 }),
    queue: await queuePlot(runs, { bucketMs: 60_000 }),
    kv_tokens: (await kvPlot([toRun(disagg, { name: "two pools" })]))!,
    trade_off: await tradeOffPlot(runs),
    gpu_hours: await gpuHoursPlot(runs),
  };
}

test("figures look as stored, with title, unit and colours for dark ground", async () => {
  const update = process.env.UPDATE_FIGURES === "1";
  if (update) mkdirSync(folder, { recursive: true });
  for (const [name, svg] of Object.entries(await figures())) {
    const file = new URL(`${name}.svg`, folder);
    if (update) writeFileSync(file, svg + "\n");
    assert.equal(
      svg + "\n",
      readFileSync(file, "utf8"),
      `${name}.svg differs; see the comment at the top of this file`,
    );
    const { document } = parseHTML(svg) as any;
    assert.ok(document.querySelector("text.title").textContent.length > 3, `${name} has a title`);
    assert.ok(document.querySelectorAll("svg svg path, svg svg rect, svg svg circle").length > 0, `${name} draws`);
    assert.match(svg, /prefers-color-scheme:dark/);
    assert.ok(!/NaN|undefined|Infinity/.test(svg), `${name} has only finite coordinates`);
  }
});

test("kvPlot is null without telemetry, requests and Planner ticks", async () => {
  assert.equal(await kvPlot([{ ...(await sampleRuns())[0], requests: null }]), null);
});

test("kvPlot shows every run as a share of what its workers hold, with a line for the capacity", async () => {
  const role = { role: "aggregated", kv_blocks: 2048, kv_block_tokens: 64, kv_blocks_from: "configured" };
  const metadata = { roles: [{ ...role, max_model_tokens: null }] };
  const runs = (await sampleRuns()).map((run) => ({ ...run, metadata }));
  const { data, legend } = (await import("../../lib/analysis/kv_plot.ts")).kvPlot(runs)!;
  assert.deepEqual(data.series.map(({ of, unit }) => `${of}: ${unit}`), ["fixed: share", "scaled <1–4>: share"]);
  assert.equal(legend!.at(-1)!.label, "capacity");
  const [fixed, scaled] = data.series.map(({ y }) => y[Math.floor(y.length / 2)]!);
  assert.ok(fixed > 0.02 && fixed < 1 && scaled > 0.02 && scaled < 1, `${fixed}, ${scaled}`);
});

test("figures of runs without requests are empty, not broken", async () => {
  const bare = [toRun(plannerReport("agg_load_x4"), { name: "bare" })];
  const drawn = [
    await latencyPlot(bare, "ttft_ms", { sla: { ttftMs: 100 } }),
    await latencyPlot(bare, "ttft_ms"),
    await latencyCdfPlot(bare, "ttft_ms"),
    await ttftByLengthPlot(bare),
    await trafficPlot(bare),
    await queuePlot(bare),
  ];
  for (const svg of drawn) assert.ok(svg.startsWith("<svg") && !/NaN|Infinity/.test(svg), svg.slice(0, 3000));
});

test("figures are the same every time", async () => {
  const [first, second] = [await figures(), await figures()];
  assert.deepEqual(first, second);
});

test("goodputPlot draws no line through a time without requests", async () => {
  const [run] = await sampleRuns();
  const lines = async (kept: string) => {
    const requests = run.requests!.filter(kept);
    const svg = await goodputPlot([{ name: "one", requests }], run.sla!, { bucketMs: 30_000 });
    return [...svg.matchAll(/<path[^>]* d="M[^"]*L[^"]*"/g)].length;
  };
  const whole = await lines("d => d.arrival_time_ms >= 0");
  assert.equal(await lines("d => d.arrival_time_ms < 90000 || d.arrival_time_ms >= 210000"), whole + 1);
});
