import { test } from "node:test";
import assert from "node:assert/strict";
import fc from "fast-check";
import { beats } from "../../lib/retune/score.ts";
import { sweepSteps } from "../../lib/retune/sweep.ts";
import type { SweepAnswer, SweepTask } from "../../lib/retune/types.ts";
import { metrics, runTicks } from "./support.ts";

test("sweepSteps asks for forecasts first and replays with what won", () => {
  const [plan] = runTicks({
    endS: 700,
    innerPlanner: true,
    throughputScaling: true,
    startFields: { load_predictor: "arima", load_predictor_log1p: false },
    settings: {
      router: null,
      planner: { load_scaling_down_sensitivity: null, load_predictor: ["constant_last", "arima_raw"] },
    },
    forecast: () => 1,
  }).plans;
  const steps = sweepSteps(plan);
  const forecasts = steps.next().value as SweepTask[];
  assert.deepEqual(forecasts.map((task) => task.kind === "forecast" && task.preset), ["constant_last", "arima_raw"]);
  const replays = steps.next([1, 2].map((loss): SweepAnswer => ({ kind: "forecast", loss }))).value as SweepTask[];
  assert.deepEqual(
    replays.map((task) => task.kind === "replay" && task.planner!.fields.load_predictor),
    ["arima", "constant"],
  );
});

test("sweep tasks survive cloning with shared requests", () => {
  const { tasks } = runTicks({ endS: 700 });
  const clone = structuredClone(tasks[0]);
  assert.deepEqual(clone, tasks[0]);
  assert.equal(clone.window.arrivalMs.buffer instanceof SharedArrayBuffer, true);
});

test("a decision never applies a point that does not beat the threshold (property)", () => {
  const score = fc.integer({ min: 0, max: 10 });
  fc.assert(
    fc.property(fc.array(score, { minLength: 6, maxLength: 6 }), fc.integer({ min: 0, max: 100 }), (scores, p) => {
      let at = 0;
      const { events: [event], knobs } = runTicks({
        endS: 700,
        settings: { min_improvement_percentage: p },
        replay: () => metrics(scores[at++]),
      });
      const best = Math.max(...scores);
      assert.equal(event.outcome, beats(best, scores[0], p) ? "applied" : "kept");
      assert.equal(event.chosen!.score, event.outcome === "applied" ? best : scores[0]);
      assert.equal(knobs.length, event.outcome === "applied" ? 1 : 0);
    }),
  );
});
