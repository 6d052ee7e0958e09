import {
  resolveRetune,
  retuneSection
} from "./config.js";
import {
  ConfigError,
  getDotPath,
  safeParse
} from "./base.js";

// lib/config/retune_mapping.ts
var PATH = "planner_config.retune";
function readRetune(config) {
  const result = safeParse(retuneSection, config.retune);
  if (!result.success) {
    fail(result.issues.map((issue) => ({
      path: [
        PATH,
        getDotPath(issue)
      ].filter(Boolean).join("."),
      message: issue.message.replace("Value error, ", "")
    })));
  }
  const resolved = resolveRetune(result.output, {
    throughputScaling: config.enable_throughput_scaling,
    loadScaling: config.enable_load_scaling,
    loadIntervalSeconds: config.load_adjustment_interval_seconds,
    throughputIntervalSeconds: config.throughput_adjustment_interval_seconds,
    prophetWindow: config.prophet_window_size,
    slaTtftMs: config.ttft_ms,
    slaItlMs: config.itl_ms
  });
  if ("problem" in resolved) fail([
    {
      path: PATH,
      message: resolved.problem
    }
  ]);
  return resolved;
}
function fail(issues) {
  throw new ConfigError(issues.map(({ path, message }) => `${path}: ${message}`).join("\n"), issues);
}
export {
  readRetune
};
