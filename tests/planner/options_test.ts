import assert from "node:assert/strict";
import { test } from "node:test";
import { ConfigError } from "../../lib/errors.ts";
import { parsePlannerConfig } from "../../lib/planner/config.ts";
import { planner, type PlannerChoices } from "../../lib/planner/options.ts";

test("planner names its settings the way the configuration does", () => {
  const config = parsePlannerConfig({
    mode: "agg",
    ...planner({ target: "sla", ttftMs: 1500, itlMs: 40, maxGpus: 4, loadScaling: true, predictor: "kalman" }),
  });
  assert.deepEqual(
    [config.optimization_target, config.ttft_ms, config.itl_ms, config.max_gpu_budget, config.load_predictor],
    ["sla", 1500, 40, 4, "kalman"],
  );
  assert.deepEqual([config.enable_load_scaling, config.report_interval_hours], [true, null]);
});

test("planner refuses a name it does not know and suggests the nearest", () => {
  assert.throws(() => planner({ maxGpu: 4 } as PlannerChoices), (error: unknown) => {
    assert.ok(error instanceof ConfigError);
    assert.equal(error.message, "unknown option 'maxGpu' of planner(), did you mean 'maxGpus'?");
    return true;
  });
});
