import { test } from "node:test";
import assert from "node:assert/strict";
import { candidatePoints, changedFields, gridPoints, predictorFields } from "../../lib/retune/candidates.ts";
import { KNOBS, SETTINGS } from "./support.ts";

test("gridPoints is the product of the domains, the last varying fastest", () => {
  const grid = gridPoints({
    ...SETTINGS,
    router: { overlap_score_credit: [1], prefill_load_scale: [2, 1], temperature: [0] },
    planner: { load_scaling_down_sensitivity: [70, 90], load_predictor: null },
  });
  const shown = grid.map((point) => [point.router!.prefill_load_scale, point.planner.load_scaling_down_sensitivity]);
  assert.deepEqual(shown, [[2, 70], [2, 90], [1, 70], [1, 90]]);
});

test("gridPoints has six points in both scenarios of the guide", () => {
  assert.equal(gridPoints(SETTINGS).length, 6);
  const joint = gridPoints({
    ...SETTINGS,
    router: { overlap_score_credit: [1], prefill_load_scale: [1], temperature: [0, 1] },
    planner: { load_scaling_down_sensitivity: [70, 80, 90], load_predictor: ["arima_raw"] },
  });
  assert.equal(joint.length, 6);
});

test("gridPoints searches the Planner alone", () => {
  const planner = { load_scaling_down_sensitivity: [70, 80], load_predictor: null };
  assert.deepEqual(gridPoints({ ...SETTINGS, router: null, planner }), [
    { router: null, planner: { load_scaling_down_sensitivity: 70 } },
    { router: null, planner: { load_scaling_down_sensitivity: 80 } },
  ]);
});

test("candidatePoints puts the current point first and nothing twice", () => {
  const grid = gridPoints(SETTINGS);
  assert.equal(candidatePoints({ router: KNOBS, planner: {} }, grid, null).length, 6);
  const outside = { router: { ...KNOBS, temperature: 0.7 }, planner: {} };
  const points = candidatePoints(outside, grid, null);
  assert.equal(points.length, 7);
  assert.deepEqual(points[0], outside);
});

test("candidatePoints is the current point alone when every domain is pinned to it", () => {
  const pinned = { overlap_score_credit: [1], prefill_load_scale: [1], temperature: [1] };
  const grid = gridPoints({ ...SETTINGS, router: pinned });
  assert.equal(candidatePoints({ router: KNOBS, planner: {} }, grid, null).length, 1);
});

test("candidatePoints gives a winning predictor to the grid, not to the current point", () => {
  const current = {
    router: KNOBS,
    planner: { load_scaling_down_sensitivity: 80, load_predictor: "arima" as const, load_predictor_log1p: false },
  };
  const grid = gridPoints({
    ...SETTINGS,
    router: { overlap_score_credit: [1], prefill_load_scale: [1], temperature: [1] },
    planner: { load_scaling_down_sensitivity: [80], load_predictor: ["constant_last"] },
  });
  const points = candidatePoints(current, grid, "constant_last");
  assert.deepEqual(points.map(({ planner }) => planner.load_predictor), ["arima", "constant"]);
});

test("changedFields and predictorFields name what differs and what matters", () => {
  const all = { load_predictor: "prophet", load_predictor_log1p: true, prophet_window_size: 20, kalman_r: 10 } as const;
  assert.deepEqual(predictorFields(all), {
    load_predictor: "prophet",
    load_predictor_log1p: true,
    prophet_window_size: 20,
  });
  assert.deepEqual(changedFields(all, { load_predictor: "constant", load_predictor_log1p: true }), {
    load_predictor: "constant",
  });
});
