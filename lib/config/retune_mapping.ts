/**
 * A `retune` block inside a Planner configuration that a script hands over, checked against that configuration.
 *
 * @module
 */
import * as v from "valibot";
import { ConfigError, type ConfigIssue } from "../errors.ts";
import type { PlannerConfig } from "../planner/config.ts";
import type { RetuneConfig } from "../retune/config.ts";
import { resolveRetune, retuneSection } from "./retune_section.ts";

const PATH = "planner_config.retune";

/**
 * Resolves the block: every default filled, every domain written out. Without bounds of its own it scores by the
 * Planner's targets.
 *
 * @param config with `retune` set
 * @throws {ConfigError} with every field that is wrong, or the first rule broken between fields
 *
 * @example
 * ```ts
 * import { parsePlannerConfig, readRetune } from "dynosim";
 *
 * const settings = readRetune(parsePlannerConfig({
 *   mode: "agg",
 *   enable_load_scaling: false,
 *   enable_throughput_scaling: false,
 *   retune: { router: { temperature: [0, 1], prefill_load_scale: { range: { min: 0.5, max: 2, step: 0.5 } } } },
 * }));
 * console.log(settings.router?.prefill_load_scale, settings.timeout_seconds); // [ 0.5, 1, 1.5, 2 ] 600
 * ```
 */
export function readRetune(config: PlannerConfig): RetuneConfig {
  const result = v.safeParse(retuneSection, config.retune);
  if (!result.success) {
    fail(result.issues.map((issue) => ({
      path: [PATH, v.getDotPath(issue)].filter(Boolean).join("."),
      message: issue.message.replace("Value error, ", ""),
    })));
  }
  const resolved = resolveRetune(result.output, {
    throughputScaling: config.enable_throughput_scaling,
    loadScaling: config.enable_load_scaling,
    loadIntervalSeconds: config.load_adjustment_interval_seconds,
    throughputIntervalSeconds: config.throughput_adjustment_interval_seconds,
    prophetWindow: config.prophet_window_size,
    slaTtftMs: config.ttft_ms,
    slaItlMs: config.itl_ms,
  });
  if ("problem" in resolved) fail([{ path: PATH, message: resolved.problem }]);
  return resolved;
}

function fail(issues: ConfigIssue[]): never {
  throw new ConfigError(issues.map(({ path, message }) => `${path}: ${message}`).join("\n"), issues);
}
