import "../without_user_cache.ts";
import assert from "node:assert/strict";
import { test } from "node:test";
import { ConfigError } from "../../lib/errors.ts";
import { calibrationLine } from "../../lib/report/story/verdict.ts";
import { loadPrediction } from "../../lib/config/load.ts";
import { planSpec } from "../../lib/replay/predict.ts";
import { run } from "../../lib/replay/run.ts";
import type { PassTimingSpec, ReplaySpec } from "../../lib/replay/spec.ts";
import { SharedData } from "../../lib/replay/shared_data.ts";
import { deploy } from "../../lib/timing/aic/operator_timing.ts";
import { calibrationKey } from "../../lib/timing/calibration/key.ts";
import type { CalibrationProfile, PhaseCorrection } from "../../lib/timing/calibration/profile.ts";

const MODEL = "Qwen/Qwen3-32B";
const TEXT = `
traffic: {source: {type: synthetic, input_tokens: 900, output_tokens: 60}, load: {concurrency: 8}, stop: {requests: 40}}
engine: {model: ${MODEL}, hardware: h200_sxm, workers: {aggregated: {parallelism: {tensor: 2}}}}
`;
const phase = (ratio: number, most = 8192): PhaseCorrection => ({
  ratio,
  constant_ms: 0,
  curve: [],
  n: 100,
  seen: { decode_requests: [1, most], prefill_tokens: [1, 65536] },
});

function profile(ratio: number, part: Partial<CalibrationProfile> = {}): CalibrationProfile {
  const own = phase(ratio);
  return {
    format: "dynosim.calibration.v1",
    key: calibrationKey(MODEL, deploy({ model: MODEL, hardware: "h200_sxm", tensor: 2 })),
    level: "scale",
    phases: { prefill: own, decode: own, mixed: own },
    request_overhead_ms: 0,
    n: { passes: 100, requests: 0 },
    error: { before: {}, after: {} },
    ...part,
  };
}

const shared = new SharedData();

async function predicted(passTiming?: PassTimingSpec, set: string[] = []) {
  const { plan } = await loadPrediction(TEXT, { set });
  const spec = planSpec(plan), warnings: string[] = [];
  const timed: ReplaySpec = { ...spec, roles: spec.roles.map((role) => ({ ...role, passTiming })) };
  const sent = JSON.parse(JSON.stringify(timed));
  const report = await run(sent, { shared, onWarning: (warning) => warnings.push(warning) }).report;
  return { ...report, warnings };
}

test("run with a calibration of ratio 1 and summed mixed passes is the run without one", async () => {
  const [plain, calibrated] = [await predicted(), await predicted({ calibration: profile(1), mixed: "sum" })];
  const { wall_time_ms: _, ...wanted } = plain.summary as unknown as Record<string, unknown>;
  const { wall_time_ms: __, ...found } = calibrated.summary as unknown as Record<string, unknown>;
  for (const name of ["mean_ttft_ms", "mean_tpot_ms", "mean_e2e_latency_ms", "duration_ms"]) {
    assert.deepEqual(found[name], wanted[name], name);
  }
  assert.equal(plain.metadata!.roles[0].calibration, undefined);
});

test("run with a calibration of ratio 1.5 takes 1.5 times as long, and counts passes", async () => {
  const fused = await predicted({ mixed: "fused" }), slow = await predicted({ calibration: profile(1.5) });
  const ratio = slow.summary.mean_e2e_latency_ms! / fused.summary.mean_e2e_latency_ms!;
  assert.ok(Math.abs(ratio - 1.5) < 1e-6, String(ratio));
  const { level, passes, passes_outside } = slow.metadata!.roles[0].calibration!;
  assert.deepEqual([level, passes_outside], ["scale", 0]);
  assert.ok(passes > 60);
});

test("run with fused passes is faster where prompts arrive while others decode", async () => {
  const load = ["traffic.load={type: poisson, requests_per_second: 4}"];
  const [sum, fused] = [await predicted({ mixed: "sum" }, load), await predicted({ mixed: "fused" }, load)];
  assert.ok(fused.summary.mean_e2e_latency_ms! < sum.summary.mean_e2e_latency_ms!);
  assert.equal((await predicted(undefined, load)).summary.mean_e2e_latency_ms, sum.summary.mean_e2e_latency_ms);
});

test("run warns of passes outside of what a calibration was measured on", async () => {
  const narrow = { prefill: phase(1), decode: phase(1, 4), mixed: phase(1) };
  const { warnings, metadata } = await predicted({ calibration: profile(1, { phases: narrow }) });
  assert.ok(metadata!.roles[0].calibration!.passes_outside > 0);
  assert.match(warnings.at(-1)!, /aggregated passes \(.* %\) are outside of what was measured/);
});

test("run holds requests back by a calibration's overhead, which TTFT and latency have and TPOT has not", async () => {
  const options = { mixed: "fused" } as const;
  const plain = await predicted(options);
  const later = await predicted({ calibration: profile(1, { request_overhead_ms: 40 }) });
  const more = (name: "mean_ttft_ms" | "mean_tpot_ms") => later.summary[name]! - plain.summary[name]!;
  assert.ok(more("mean_ttft_ms") > 30, String(more("mean_ttft_ms")));
  assert.ok(Math.abs(more("mean_tpot_ms")) < 1);
});

test("run refuses a calibration of another deployment unless it is forced", async () => {
  const other = profile(2, { key: { ...profile(2).key, tensor: 4, hardware: "b200_sxm" } });
  await assert.rejects(predicted({ calibration: other }), (error) => {
    assert.ok(error instanceof ConfigError);
    assert.match(error.message, /hardware b200_sxm, not h200_sxm; tensor 4, not 2/);
    assert.equal(error.issues[0].path, "engine.workers.aggregated.timing.calibration");
    return true;
  });
  const { metadata, warnings } = await predicted({ calibration: other, forced: true });
  const { calibration } = metadata!.roles[0];
  assert.deepEqual(calibration!.forced_from, ["hardware b200_sxm, not h200_sxm", "tensor 4, not 2"]);
  assert.match(
    calibrationLine("aggregated", calibration!),
    /; forced: it was fitted to another deployment \(hardware b200_sxm, not h200_sxm; tensor 4, not 2\)$/,
  );
  assert.match(warnings.join("\n"), /^the calibration of aggregated workers is forced: .*tensor 4, not 2/m);
  const own = await predicted({ calibration: profile(2), forced: true });
  assert.doesNotMatch(own.warnings.join("\n"), /forced/);
  assert.equal(own.metadata!.roles[0].calibration!.forced_from, undefined);
});

test("loadPrediction takes timing.calibration and timing.mixed of default timing only", async () => {
  const timing = (text: string) => loadPrediction(TEXT, { set: [`engine.workers.aggregated.timing=${text}`] });
  const { plan } = await timing("{calibration: c.json, mixed: sum}");
  assert.deepEqual(plan.roles[0].passTiming, { calibration: "c.json", forced: false, mixed: "sum" });
  await assert.rejects(timing("{type: polynomial, mixed: fused}"), /calibration and mixed require default timing/);
  await assert.rejects(timing("{calibration_forced: true}"), /calibration_forced requires a calibration/);
});
