import "../without_user_cache.ts";
import assert from "node:assert/strict";
import { test } from "node:test";
import { calibrate, type CalibrateProgress } from "../../lib/calibrate/calibrate.ts";
import { Measured } from "../../lib/calibrate/measured.ts";
import { loadPrediction } from "../../lib/config/load.ts";
import { ConfigError } from "../../lib/errors.ts";
import { planSpec } from "../../lib/replay/predict.ts";
import { run } from "../../lib/replay/run.ts";
import { SharedData } from "../../lib/replay/shared_data.ts";
import { deploy } from "../../lib/timing/aic/operator_timing.ts";
import { calibrationKey } from "../../lib/timing/calibration/key.ts";
import type { CalibrationProfile, PhaseCorrection } from "../../lib/timing/calibration/profile.ts";
import { hiddenPasses, loads } from "./hidden.ts";

const MODEL = "Qwen/Qwen3-32B", shared = new SharedData();
const { plan } = await loadPrediction(`
traffic:
  source: {type: synthetic, input_tokens: 700, output_tokens: 40}
  load: {type: poisson, requests_per_second: 3, seed: 5}
  stop: {requests: 80}
engine: {model: ${MODEL}, hardware: h200_sxm, workers: {aggregated: {parallelism: {tensor: 2}}}}
`);

/** A run of our own with a hidden correction, as if it had been measured. */
async function measuredRun(ratio: number, request_overhead_ms: number, between_passes = 0): Promise<Measured> {
  const all: PhaseCorrection = {
    ratio,
    constant_ms: 0,
    curve: [],
    n: 1,
    seen: { decode_requests: null, prefill_tokens: null },
  };
  const hidden: CalibrationProfile = {
    format: "dynosim.calibration.v1",
    key: calibrationKey(MODEL, deploy({ model: MODEL, hardware: "h200_sxm", tensor: 2 })),
    level: "scale",
    phases: { prefill: all, decode: all, mixed: all },
    request_overhead_ms,
    between_passes,
    n: { passes: 1, requests: 0 },
    error: { before: {}, after: {} },
  };
  const spec = planSpec(plan, { perRequest: true });
  const roles = spec.roles.map((role) => ({ ...role, passTiming: { calibration: hidden } }));
  const { per_request } = await run({ ...spec, roles }, { shared }).report;
  const measured = new Measured();
  for (const record of per_request!) {
    measured.requests.push({
      arrivalMs: record.arrival_time_ms,
      inputTokens: record.input_length,
      outputTokens: record.output_length,
      hashIds: null,
      ttftMs: record.ttft_ms,
      tpotMs: record.itl_ms,
      e2eMs: record.e2e_latency_ms,
    });
  }
  return measured;
}

test("calibrate finds one scale and the constant of a request from requests alone", async () => {
  const told: CalibrateProgress[] = [];
  const { before, after, level, profile, request_overhead_ms } = await calibrate(
    await measuredRun(1.4, 60),
    plan,
    { shared, onProgress: (progress) => told.push(progress) },
  );
  assert.ok(told.length > 2 && told.every(({ step }) => step === "replaying requests"));
  assert.ok(told.every(({ share }, i) => share >= (told[i - 1]?.share ?? 0) && share <= 1), JSON.stringify(told));
  assert.equal(level, "scale");
  assert.ok(Math.abs(profile!.phases.decode!.ratio / 1.4 - 1) < 0.02, String(profile!.phases.decode!.ratio));
  assert.ok(Math.abs(request_overhead_ms / 60 - 1) < 0.1, String(request_overhead_ms));
  assert.ok(before.tpot_ms.mdape! > 20 && after!.tpot_ms.mdape! < 2);
  assert.ok(after!.e2e_latency_ms.mdape! < 5);
  assert.equal(after!.ttft_ms.n, 40);
});

for (const metrics of ["time per output token", "whole latencies alone"]) {
  test(`calibrate finds the time between passes that recorded ones do not hold, from ${metrics}`, async () => {
    const measured = await measuredRun(1.2, 0, 0.08);
    if (metrics !== "time per output token") {
      measured.requests.forEach((request, i) => measured.requests[i] = { ...request, ttftMs: null, tpotMs: null });
    }
    const model = deploy({ model: MODEL, hardware: "h200_sxm", tensor: 2 }).forwardPassModel();
    const estimates = hiddenPasses(model, loads(600), {}).map(({ ms: _, ...load }) => {
      const { prompts, promptTokens, priorTokens, decodes, decodeTokens } = load;
      return { ...load, ms: 1.2 * model.sumsMs(prompts, promptTokens, priorTokens, decodes, decodeTokens) };
    });
    measured.passes.push(...estimates);
    const { after, between_passes, request_overhead_ms, profile } = await calibrate(measured, plan, { shared });
    assert.ok(Math.abs(between_passes / 0.08 - 1) < 0.05, String(between_passes));
    assert.equal(profile!.between_passes, between_passes);
    assert.ok(request_overhead_ms < 2, String(request_overhead_ms));
    assert.ok(after!.e2e_latency_ms.mdape! < 1, JSON.stringify(after));
    // nothing is between passes that fill a run
    const filled = await measuredRun(1.2, 0);
    filled.passes.push(...estimates);
    assert.equal((await calibrate(filled, plan, { shared })).between_passes, 0);
  });
}

test("calibrate reports few requests and fits nothing to them", async () => {
  const measured = await measuredRun(1.4, 0);
  measured.requests.length = 10;
  const { level, refused, profile, groups } = await calibrate(measured, plan, { shared });
  assert.deepEqual([level, profile], ["none", null]);
  assert.match(refused!, /too few requests for a correction: 10, at least 20 are needed/);
  assert.ok(groups.some(({ by }) => by === "ttft_ms, requests open"));
});

test("calibrate asks for a load where requests do not say when they came", async () => {
  const measured = await measuredRun(1, 0);
  const [first] = measured.requests;
  measured.requests[0] = { ...first, arrivalMs: null };
  await assert.rejects(calibrate(measured, plan, { shared }), (error) => {
    assert.ok(error instanceof ConfigError);
    assert.match(error.message, /set traffic.load to \{type: concurrency, concurrency: N\}/);
    return true;
  });
  measured.concurrency = 4;
  assert.equal((await calibrate(measured, plan, { shared })).before.ttft_ms.n, 80);
});

test("calibrate finds the constant of a request from whole latencies where no time to first token was measured", async () => {
  const { requests } = await measuredRun(1, 200), measured = new Measured();
  measured.requests.push(...requests.map((request) => ({ ...request, ttftMs: null })));
  const { after, request_overhead_ms } = await calibrate(measured, plan, { shared });
  assert.ok(Math.abs(request_overhead_ms / 200 - 1) < 0.15, String(request_overhead_ms));
  assert.ok(after!.e2e_latency_ms.mdape! < 2, JSON.stringify(after));
});
