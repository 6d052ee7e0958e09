import assert from "node:assert/strict";
import { test } from "node:test";
import { parsePlannerConfig } from "../../lib/planner/config.ts";
import { TrafficForecaster } from "../../lib/forecast/traffic_forecaster.ts";
import type { Traffic } from "../../lib/planner/observations.ts";

const config = parsePlannerConfig({ mode: "agg", optimization_target: "sla", load_predictor: "constant" });
const traffic = (given: Partial<Traffic>): Traffic => ({
  durationS: 180,
  requests: 0,
  inputTokens: 0,
  outputTokens: 0,
  kvHitRate: 0,
  acceptLength: null,
  ...given,
});

test("TrafficForecaster keeps the lengths of the last interval that had requests", () => {
  const forecaster = new TrafficForecaster(config);
  forecaster.observe(traffic({ requests: 9, inputTokens: 300, outputTokens: 40, kvHitRate: 0.25 }));
  forecaster.observe(traffic({ kvHitRate: NaN }));
  assert.deepEqual(forecaster.forecast(), { requests: 0, inputTokens: 300, outputTokens: 40, kvHitRate: 0.25 });
});

test("TrafficForecaster starts from past traffic and ignores zeros until its own load arrives", () => {
  const forecaster = new TrafficForecaster(config, [{ requests: 5, inputTokens: 100, outputTokens: 10 }]);
  forecaster.observe(traffic({}));
  assert.deepEqual(forecaster.forecast(), { requests: 5, inputTokens: 100, outputTokens: 10, kvHitRate: 0 });
  forecaster.observe(traffic({ requests: 7, inputTokens: 200, outputTokens: 20 }));
  assert.equal(forecaster.forecast()!.requests, 7);
});

test("TrafficForecaster forecasts nothing before anything was seen", () => {
  const forecast = new TrafficForecaster(config).forecast();
  assert.deepEqual(forecast, { requests: 0, inputTokens: 0, outputTokens: 0, kvHitRate: null });
});
