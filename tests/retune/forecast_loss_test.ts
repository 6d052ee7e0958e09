import { test } from "node:test";
import assert from "node:assert/strict";
import { PREDICTOR_PRESETS } from "../../lib/retune/config.ts";
import { bucketLoss, forecastLoss, forecastTasks, forecastWinner } from "../../lib/retune/forecast_loss.ts";

const PRESETS = Object.keys(PREDICTOR_PRESETS);
const shape = (requests: number, inputTokens: number, outputTokens: number) => ({
  requests,
  inputTokens,
  outputTokens,
});

// Recorded from the reference.
const LOSSES: [number[], number[], number][] = [
  [[12, 100, 20], [10, 100, 20], 0.14545882727853687],
  [[0, 0, 0], [10, 100, 20], 5.650788170406187],
  [[-5, -5, 10], [3, 3, 10], 2.433258355103666],
  [[10.5, 2048.25, 181], [9, 1999.5, 190.25], 0.12035760119856338],
];

for (const [forecast, actual, loss] of LOSSES) {
  test(`bucketLoss of ${forecast} against ${actual} is the recorded one`, () => {
    const [f, a] = [forecast, actual].map(([n, i, o]) => shape(n, i, o));
    assert.ok(Math.abs(bucketLoss(f, a) - loss) <= 1e-15 * loss * 4, String(bucketLoss(f, a)));
  });
}

// deno-fmt-ignore
const SERIES_A = [
  [40, 1000, 150], [52, 1025, 154], [63, 1050, 158], [71, 1075, 151], [77, 1100, 155], [80, 1125, 159], [79, 1150, 152],
  [76, 1175, 156], [70, 1200, 160], [0, 0, 0], [54, 1250, 157], [47, 1275, 150], [41, 1300, 154], [38, 1325, 158],
  [38, 1350, 151], [41, 1375, 155], [48, 1400, 159], [57, 1425, 152], [68, 1450, 156], [80, 1475, 160], [91, 1500, 153],
  [102, 1525, 157], [110, 1550, 150], [115, 1575, 154],
].map(([n, i, o], at) => ({ startS: 180 * at, ...shape(n, i, o) }));

// Recorded from the reference, whole series and its first 8 buckets. The last column is the relative tolerance: those of
// arima and prophet depend on the versions of the reference's forecasting libraries.
const RECORDED: Record<string, [number, number, number]> = {
  constant_last: [1.0645585759568368, 0.03490303902278384, 1e-12],
  arima_raw: [2.8639591110158045, 0.027900248532183775, 0.05],
  arima_log1p: [1.4178592987616032, 0.07380599416822081, 0.05],
  prophet_w20_raw: [0.7733899000864339, 0.12579991339048652, 0.2],
  prophet_w20_log1p: [1.4621409515465928, 0.060609281607223384, 0.2],
  prophet_w50_raw: [0.7723217505569497, 0.12579991339048652, 0.2],
  prophet_w50_log1p: [1.4786586938477804, 0.060609281607223384, 0.2],
  kalman_default_raw: [0.7332080854033176, 0.09715143922153786, 1e-12],
  kalman_default_log1p: [1.219531186398438, 0.12740251247093093, 1e-12],
  kalman_reactive_raw: [1.0515727628493834, 0.07976281724350578, 1e-12],
  kalman_reactive_log1p: [1.175569888559553, 0.10092232231064065, 1e-12],
};

const lossesOf = (buckets: typeof SERIES_A) =>
  forecastTasks({ presets: PRESETS, buckets, intervalSeconds: 180 }).map(forecastLoss);

test("forecastTasks skip as many buckets as the neediest preset learns from", () => {
  const tasks = (presets: string[]) => forecastTasks({ presets, buckets: [], intervalSeconds: 180 });
  assert.deepEqual([...new Set(tasks(PRESETS).map((task) => task.warmupBuckets))], [5]);
  assert.equal(tasks(["constant_last"])[0].warmupBuckets, 1);
  assert.equal(tasks(["constant_last", "kalman_reactive_raw"])[0].warmupBuckets, 3);
});

for (const [length, column] of [[24, 0], [8, 1]]) {
  const losses = lossesOf(SERIES_A.slice(0, length));
  PRESETS.forEach((preset, i) => {
    const expected = RECORDED[preset][column], tolerance = RECORDED[preset][2];
    test(`forecastLoss of ${preset} over ${length} buckets is the recorded one`, () => {
      assert.ok(Math.abs(losses[i] - expected) <= tolerance * expected, `${losses[i]}, recorded ${expected}`);
    });
  });
}

test("forecastWinner is the recorded one", () => {
  assert.equal(forecastWinner(PRESETS, lossesOf(SERIES_A)).winner, "kalman_default_raw");
  assert.equal(forecastWinner(PRESETS, lossesOf(SERIES_A.slice(0, 8))).winner, "arima_raw");
});

test("forecastLoss is infinite without a bucket to score", () => {
  assert.ok(lossesOf(SERIES_A.slice(0, 5)).every((loss) => loss === Infinity));
  assert.ok(lossesOf([]).every((loss) => loss === Infinity));
});

test("forecastWinner takes the first of equals, and none when nothing is finite", () => {
  assert.equal(forecastWinner(["a", "b", "c"], [2, 1, 1]).winner, "b");
  assert.deepEqual(forecastWinner(["a", "b"], [Infinity, Infinity]), {
    winner: null,
    losses: [{ preset: "a", loss: Infinity }, { preset: "b", loss: Infinity }],
  });
});
