/** Planners as golden files describe them. */
import { parseLaunch } from "../../lib/engine/launch/launch.ts";
import { bootstrap, type BootstrapRole, noBootstrap } from "../../lib/planner/bootstrap.ts";
import { capabilitiesOf } from "../../lib/planner/capabilities.ts";
import { parsePlannerConfig } from "../../lib/planner/config.ts";
import type { PlannerOptions } from "../../lib/planner/planner.ts";
import { RecordedPlanner } from "../../lib/report/planner_recorder.ts";
import { analytic, sha256 } from "./helpers.ts";

/** A Planner as a golden describes it. */
// deno-lint-ignore no-explicit-any
export function goldenPlanner(
  { planner_config, options }: any,
  { history }: Pick<PlannerOptions, "history"> = {},
): RecordedPlanner {
  const config = parsePlannerConfig(planner_config);
  const launch = (mapping: unknown) => parseLaunch(mapping);
  const aggregated = config.mode === "agg";
  const workers = {
    prefill: aggregated ? null : launch(options.prefill_engine_args),
    decode: launch(aggregated ? options.extra_engine_args : options.decode_engine_args),
  };
  const engines = {
    prefill: workers.prefill && capabilitiesOf(workers.prefill),
    decode: capabilitiesOf(workers.decode),
  };
  const estimator = options.performance_model_metadata ? analytic : null;
  const role = (worker: ReturnType<typeof parseLaunch>): BootstrapRole => ({
    engine: { ...capabilitiesOf(worker), kvTokens: worker.rank.blocks * worker.rank.blockTokens },
    estimator,
  });
  return new RecordedPlanner({
    config,
    engines,
    sha256,
    history,
    bootstrap: config.optimization_target === "sla"
      ? bootstrap({ prefill: workers.prefill && role(workers.prefill), decode: role(workers.decode) }, sha256)
      : noBootstrap,
  });
}
