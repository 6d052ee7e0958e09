import "../without_user_cache.ts";
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { calibrate } from "../../lib/calibrate/calibrate.ts";
import { Measured, type MeasuredPass } from "../../lib/calibrate/measured.ts";
import { loadPrediction } from "../../lib/config/load.ts";
import { SharedData } from "../../lib/replay/shared_data.ts";
import { PassCorrection } from "../../lib/timing/calibration/correction.ts";
import { parseCalibration } from "../../lib/timing/calibration/profile.ts";

const { plan } = await loadPrediction(
  "engine: {model: Qwen/Qwen3-32B, hardware: h200_sxm, workers: {aggregated: {parallelism: {tensor: 2}}}}",
);
const shared = new SharedData();

const pass = fc.record({
  prompts: fc.integer({ min: 0, max: 3 }),
  length: fc.integer({ min: 1, max: 4000 }),
  priorTokens: fc.integer({ min: 0, max: 5000 }),
  decodes: fc.integer({ min: 0, max: 80 }),
  context: fc.integer({ min: 1, max: 9000 }),
  ms: fc.oneof(fc.double({ min: 0.01, max: 500, noNaN: true }), fc.constant(1e-6), fc.constant(1e6)),
}).map(({ prompts, length, priorTokens, decodes, context, ms }): MeasuredPass => ({
  prompts,
  promptTokens: prompts * length,
  priorTokens: prompts > 0 ? priorTokens : 0,
  decodes: prompts + decodes === 0 ? 1 : decodes,
  decodeTokens: (prompts + decodes === 0 ? 1 : decodes) * context,
  ms,
}));

test("whatever was measured, a profile can be read back and its corrections are finite and bounded", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(pass, fc.integer({ min: 1, max: 15 })), { minLength: 1, maxLength: 30 }),
      async (groups) => {
        const measured = new Measured();
        for (const [one, times] of groups) for (let i = 0; i < times; i++) measured.passes.push({ ...one });
        const { profile, refused, after } = await calibrate(measured, plan, { shared });
        if (profile === null) {
          assert.notEqual(refused, null);
          assert.ok(measured.passes.length < 20);
          return;
        }
        const read = parseCalibration(JSON.parse(JSON.stringify(profile)), "profile");
        const correction = new PassCorrection(read);
        for (const tokens of [0, 1, 100, 5000]) {
          for (const decodes of [0, 1, 7, 64, 500]) {
            if (tokens + decodes === 0) continue;
            const ms = correction.passMs(10, tokens, decodes, 0, 0);
            assert.ok(ms >= 2.5 - 1e-9 && ms <= 80 + 1e-9, `${ms} at ${tokens}, ${decodes}`);
          }
        }
        assert.ok(Object.values(after!).every(({ mdape }) => mdape === null || Number.isFinite(mdape)));
      },
    ),
    { numRuns: 60 },
  );
});
