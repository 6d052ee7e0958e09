import "../without_user_cache.ts";
import assert from "node:assert/strict";
import { test } from "node:test";
import { chooseLevel } from "../../lib/calibrate/choose_level.ts";
import { passSamples } from "../../lib/calibrate/pass_samples.ts";
import { deploy } from "../../lib/timing/aic/operator_timing.ts";
import { hiddenPasses, loads } from "./hidden.ts";

const model = deploy({ model: "Qwen/Qwen3-32B", hardware: "h200_sxm", tensor: 2 }).forwardPassModel();
const near = (found: number, wanted: number, what: string) =>
  assert.ok(Math.abs(found / wanted - 1) < 0.02, `${what}: ${found} is not ${wanted} within 2 %`);

for (const noise of [0, 0.002]) {
  test(`chooseLevel finds prefill × 1.3, decode × 0.9 and 2 ms a pass, each within 2 %, with ${noise * 100} % of noise`, () => {
    const passes = hiddenPasses(model, loads(6000), { prefill: 1.3, decode: 0.9, constantMs: 2, noise });
    const { corrections: { phases: { prefill, decode } } } = chooseLevel(passSamples(passes, model));
    near(prefill!.ratio, 1.3, "prefill");
    near(decode!.ratio, 0.9, "decode");
    near(prefill!.constant_ms, 2, "constant of prefill passes");
    near(decode!.constant_ms, 2, "constant of decode passes");
  });
}

test("chooseLevel takes one scale where nothing more is in the passes", () => {
  const passes = hiddenPasses(model, loads(300), { prefill: 1.2, decode: 1.2, noise: 0.02 })
    .filter(({ prompts, decodes }) => prompts === 0 || decodes === 0);
  const { level, corrections: { phases: { prefill, decode } } } = chooseLevel(passSamples(passes, model));
  assert.equal(level, "scale");
  assert.equal(prefill!.ratio, decode!.ratio);
  near(decode!.ratio, 1.2, "scale");
});

test("chooseLevel leaves estimates alone that are right", () => {
  const passes = hiddenPasses(model, loads(300), { noise: 0.02 })
    .filter(({ prompts, decodes }) => prompts === 0 || decodes === 0);
  const { level, corrections } = chooseLevel(passSamples(passes, model));
  assert.equal(level, "none");
  assert.equal(corrections.phases.decode!.ratio, 1);
});

test("chooseLevel fits a curve where the ratio depends on the decode batch, and judges it by passes it did not see", () => {
  const given = loads(3000).filter(({ prompts }) => prompts === 0);
  const passes = hiddenPasses(model, given, {}).map((pass) => ({ ...pass, ms: pass.ms * (1 + pass.decodes / 100) }));
  const { level, tried, corrections } = chooseLevel(passSamples(passes, model));
  assert.equal(level, "curves");
  assert.ok(tried.findLast(({ accepted }) => accepted)!.error < 2);
  assert.ok(corrections.phases.decode!.curve.length > 5);
  assert.equal(corrections.phases.prefill, null);
});
