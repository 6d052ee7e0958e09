import assert from "node:assert/strict";
import { test } from "node:test";
import { ConfigError } from "../../lib/errors.ts";
import { isRetuneOnly, parsePlannerConfig } from "../../lib/planner/config.ts";
import { keysWithoutEffect } from "../../lib/planner/config_fields.ts";
import { readGolden } from "./helpers.ts";

/** The issues a configuration is refused with. */
function issues(input: unknown): [path: string, message: string][] {
  try {
    parsePlannerConfig(input);
  } catch (error) {
    assert.ok(error instanceof ConfigError, String(error));
    return error.issues.map(({ path, message }) => [path, message]);
  }
  return assert.fail(`accepted ${JSON.stringify(input)}`);
}

test("parsePlannerConfig fills in the defaults of a live Planner", () => {
  const config = parsePlannerConfig({ mode: "agg" });
  assert.equal(config.optimization_target, "throughput");
  assert.deepEqual([config.enable_load_scaling, config.enable_throughput_scaling], [true, false]);
  assert.deepEqual([config.max_gpu_budget, config.min_gpu_budget, config.min_endpoint], [8, -1, 1]);
  assert.deepEqual([config.ttft_ms, config.itl_ms, config.load_predictor], [500, 50, "arima"]);
  assert.equal(config.scheduling.scale_interval_seconds, 5);
});

test("parsePlannerConfig keeps the adapter's resolved configurations as they are", () => {
  let accepted = 0;
  for (const { result } of readGolden("unit_section_adapter.json").cases) {
    if (!result.hook) continue;
    const config = parsePlannerConfig(result.hook) as unknown as Record<string, unknown>;
    for (const [key, value] of Object.entries(result.hook)) assert.deepEqual(config[key], value, key);
    accepted++;
  }
  assert.ok(accepted >= 7);
});

const load = {
  optimization_target: "load",
  prefill_scale_up_queue_tokens: 2,
  prefill_scale_down_queue_tokens: 1,
  decode_scale_up_kv_rate: 90,
  decode_scale_down_kv_rate: 70,
};
const divide = "scheduling.scale_interval_seconds must evenly divide load_adjustment_interval_seconds and, when " +
  "throughput scaling is enabled, throughput_adjustment_interval_seconds";
const rules: [input: Record<string, unknown>, path: string, message: string][] = [
  [{ ttft_ms: 0 }, "ttft_ms", "Input should be greater than 0"],
  [{ itl_ms: Infinity }, "itl_ms", "Input should be a finite number"],
  [{ max_gpu_budget: -2 }, "max_gpu_budget", "Input should be greater than or equal to -1"],
  [{ kalman_r: -1 }, "kalman_r", "Input should be greater than or equal to 0"],
  [{ kalman_min_points: 0 }, "kalman_min_points", "Input should be greater than 0"],
  [{ mode: "prefill", decode_min_endpoint: 1 }, "", "decode_min_endpoint is not supported when mode='prefill'"],
  [{ mode: "decode", prefill_min_endpoint: 1 }, "", "prefill_min_endpoint is not supported when mode='decode'"],
  [
    { mode: "agg", prefill_min_endpoint: 1 },
    "",
    "prefill_min_endpoint and decode_min_endpoint are not supported when mode='agg'; use min_endpoint",
  ],
  [{ report_interval_hours: 0 }, "", "report_interval_hours must be a positive finite number or None"],
  [{ fpm_sample_bucket_size: 15 }, "", "fpm_sample_bucket_size must be a perfect square, got 15"],
  [
    { ...load, prefill_scale_up_queue_tokens: null },
    "",
    "optimization_target='load' requires prefill_scale_up_queue_tokens and prefill_scale_down_queue_tokens for prefill scaling",
  ],
  [
    { ...load, prefill_scale_up_queue_tokens: 1 },
    "",
    "prefill_scale_up_queue_tokens must be greater than prefill_scale_down_queue_tokens",
  ],
  [
    { mode: "agg", optimization_target: "load" },
    "",
    "optimization_target='load' requires decode_scale_up_kv_rate and decode_scale_down_kv_rate for decode scaling",
  ],
  [
    { ...load, decode_scale_down_kv_rate: 95 },
    "",
    "decode_scale_up_kv_rate must be greater than decode_scale_down_kv_rate",
  ],
  [
    { optimization_target: "sla", enable_throughput_scaling: false },
    "",
    "At least one scaling mode must be enabled (enable_throughput_scaling or enable_load_scaling)",
  ],
  [
    { optimization_target: "sla", throughput_adjustment_interval_seconds: 0 },
    "",
    "throughput_adjustment_interval_seconds must be > 0 when throughput scaling is enabled",
  ],
  [{ scheduling: { scale_interval_seconds: 3 } }, "", divide],
  [
    { optimization_target: "sla", enable_load_scaling: true, load_adjustment_interval_seconds: 180 },
    "",
    "load_adjustment_interval_seconds (180s) must be shorter than throughput_adjustment_interval_seconds (180s). " +
    "Load-based scaling is the fast reactive loop; throughput-based is the slow predictive loop.",
  ],
  [
    { batch_scheduling: { enabled: true } },
    "",
    "batch_scheduling is not simulated; set batch_scheduling.enabled: false (or advisory: true)",
  ],
  [{ load_predictor: "tea" }, "load_predictor", "Input should be 'constant', 'arima', 'prophet' or 'kalman'"],
  [
    { optimization_target: "goodput" },
    "optimization_target",
    "Input should be 'throughput', 'latency', 'load' or 'sla'",
  ],
  [{ mode: "both" }, "mode", "Input should be 'disagg', 'prefill', 'decode' or 'agg'"],
  [{ max_num_fpm_samples: 0 }, "max_num_fpm_samples", "Input should be greater than 0"],
  [{ min_endpoint: -1 }, "min_endpoint", "Input should be greater than or equal to 0"],
  [
    { load_scaling_down_sensitivity: 101 },
    "load_scaling_down_sensitivity",
    "Input should be less than or equal to 100",
  ],
  [
    { load_adjustment_interval_seconds: 2.5 },
    "load_adjustment_interval_seconds",
    "Input should be a valid integer, got a number with a fractional part",
  ],
  [
    { max_gpu_budget: "many" },
    "max_gpu_budget",
    "Input should be a valid integer, unable to parse string as an integer",
  ],
  [{ advisory: "perhaps" }, "advisory", "Input should be a valid boolean, unable to interpret input"],
];

for (const [input, path, message] of rules) {
  test(`parsePlannerConfig refuses ${JSON.stringify(input)}`, () => assert.deepEqual(issues(input), [[path, message]]));
}

test("parsePlannerConfig reports every bad field at once", () => {
  assert.deepEqual(issues({ mode: 3, min_endpoint: "x", itl_ms: [] }).map(([path]) => path), [
    "mode",
    "min_endpoint",
    "itl_ms",
  ]);
});

test("parsePlannerConfig reads numeric text, whole floats, words for booleans and old names", () => {
  const config = parsePlannerConfig({
    max_gpu_budget: "6",
    min_endpoint: 2.0,
    advisory: "yes",
    ttft: "750.5",
    load_adjustment_interval: 10,
  });
  assert.deepEqual([config.max_gpu_budget, config.min_endpoint, config.advisory], [6, 2, true]);
  assert.deepEqual([config.ttft_ms, config.load_adjustment_interval_seconds], [750.5, 10]);
});

test("the scale interval is the greatest common divisor of the intervals in use", () => {
  const interval = (input: Record<string, unknown>) =>
    parsePlannerConfig({ mode: "agg", ...input }).scheduling.scale_interval_seconds;
  assert.equal(interval({ optimization_target: "sla", throughput_adjustment_interval_seconds: 33 }), 1);
  assert.equal(interval({ load_adjustment_interval_seconds: 7 }), 7);
  assert.equal(interval({ optimization_target: "sla", throughput_adjustment_interval_seconds: 60 }), 5);
  assert.equal(interval({ scheduling: { scale_interval_seconds: 0.5 } }), 0.5);
});

test("a retune block with both modes off keeps every target from scaling", () => {
  const off = { enable_load_scaling: false, enable_throughput_scaling: false };
  for (const optimization_target of ["throughput", "latency", "sla"]) {
    const config = parsePlannerConfig({ mode: "agg", optimization_target, ...off, retune: { router: "default" } });
    assert.ok(isRetuneOnly(config), optimization_target);
    const both = [config.enable_load_scaling, config.enable_throughput_scaling];
    assert.deepEqual(both, [false, false]);
  }
  assert.equal(parsePlannerConfig({ mode: "agg", ...off, retune: null }).enable_load_scaling, true);
});

test("a retune block without both modes written off leaves scaling as it is", () => {
  const retune = { router: "default" };
  const easy = parsePlannerConfig({ mode: "agg", enable_throughput_scaling: false, retune });
  assert.equal(easy.enable_load_scaling, true);
  assert.throws(
    () => parsePlannerConfig({ mode: "agg", optimization_target: "sla", enable_throughput_scaling: false, retune }),
    /At least one scaling mode must be enabled/,
  );
});

test("keysWithoutEffect tells unknown keys from those of a live deployment", () => {
  assert.deepEqual(keysWithoutEffect({ mode: "agg", max_gpu_bugdet: 3, environment: "kubernetes", metric_port: 1 }), {
    unknown: ["max_gpu_bugdet"],
    live: ["environment", "metric_port"],
  });
});
