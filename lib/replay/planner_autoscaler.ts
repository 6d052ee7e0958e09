/**
 * The Planner as the autoscaler of a run.
 *
 * @module
 */
import type { Autoscaler, AutoscalerContext } from "./autoscaler.ts";
import { makePlanner } from "./make_planner.ts";
import { writePlannerDiagnostics } from "./planner_diagnostics.ts";
import type { AutoscalerSpec } from "./spec.ts";

/**
 * Makes the Planner of a run.
 *
 * @param spec `config` in PlannerConfig names
 * @throws {ConfigError} when the configuration does not fit.
 * @throws {TraceError} when the load is one that a Planner cannot follow.
 */
export async function makeAutoscaler(
  { config, written = config }: AutoscalerSpec,
  context: AutoscalerContext,
): Promise<Autoscaler> {
  const planner = await makePlanner(config, written, context);
  const { recorder } = planner;
  return {
    policy: planner,
    planner,
    ticks: () => recorder.section().ticks,
    section: ({ lifecycle }) => recorder.section(lifecycle),
    async finish(report) {
      if (context.capture.diagnostics === false) return;
      const { rank } = context.pools[context.pools.length - 1].settings;
      const kvCapacityTokens = rank.blocks * rank.blockTokens;
      await writePlannerDiagnostics(planner, report, { kvCapacityTokens, nowMs: Date.now() });
    },
  };
}
