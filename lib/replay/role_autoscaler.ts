/**
 * Autoscalers that scale each role by loops of its own, as the autoscaler of a run.
 *
 * @module
 */
import type { MeasuredRole } from "../autoscaler/metrics.ts";
import { AutoscalerPolicy, type ScalingLoop } from "../autoscaler/policy.ts";
import type { AutoscaledRole, AutoscalerSettings } from "../config/autoscaler_section.ts";
import { ConfigError, TraceError } from "../errors.ts";
import type { RoleName } from "../planner/observations.ts";
import { AutoscalerRecorder } from "../report/autoscaler_recorder.ts";
import { gateway } from "../router/gateway.ts";
import type { Autoscaler, AutoscalerContext } from "./autoscaler.ts";
import type { AutoscalerSpec } from "./spec.ts";

/** What differs between kinds. */
export interface RoleAutoscaler<Settings> {
  /** Loops of a role, in the order in which they are asked. */
  loops(settings: Settings, role: RoleName, syncSeconds: number): ScalingLoop[];
  /** Whether a role may be left without workers. */
  toZero(settings: Settings): boolean;
}

/**
 * Makes the autoscaler of a run.
 *
 * @throws {ConfigError} when it names a role that there is not, or leaves a role of two without workers
 * @throws {TraceError} when the load is one that cannot be followed
 */
export function roleAutoscaler<Settings>(
  { kind }: AutoscalerSpec,
  { syncSeconds, roles }: AutoscalerSettings<Settings>,
  { loops, toZero }: RoleAutoscaler<Settings>,
  { traffic, pools, capture }: AutoscalerContext,
): Autoscaler {
  if (traffic.agents) throw new TraceError("an autoscaler does not support agentic traces");
  const aggregated = pools.length === 1;
  const names: readonly AutoscaledRole[] = aggregated ? ["aggregated"] : ["prefill", "decode"];
  const gates = names.map((name) => roles[name] !== undefined && toZero(roles[name]!) ? gateway() : null);
  for (const name of Object.keys(roles) as AutoscaledRole[]) {
    const path = `autoscaler.workers.${name}`;
    if (!names.includes(name)) {
      throw refusal(path, `there are no ${name} workers; the roles are ${names.join(" and ")}`);
    }
    if (!aggregated && toZero(roles[name]!)) throw refusal(path, "only aggregated workers can be scaled to zero");
  }
  const recorder = new AutoscalerRecorder({
    kind,
    config: { type: kind, sync_period_seconds: syncSeconds, workers: roles },
    mode: aggregated ? "agg" : "disagg",
    captureDetails: capture.plannerDetails ?? true,
  });
  const roleOf = (name: AutoscaledRole): RoleName => name === "prefill" ? "prefill" : "decode";
  const measured = Object.fromEntries(names.map((name, i): [RoleName, MeasuredRole] => {
    const { rank: { blocks, blockTokens } } = pools[i].settings;
    return [roleOf(name), { kvTokens: blocks * blockTokens, waiting: gates[i]?.waiting ?? (() => 0) }];
  }));
  const policy = new AutoscalerPolicy({
    loops: names.flatMap((name) => roles[name] ? loops(roles[name]!, roleOf(name), syncSeconds) : []),
    measured,
    listener: recorder,
  });
  return {
    policy,
    planner: null,
    ticks: () => recorder.ticks,
    section: ({ lifecycle }) => recorder.section(lifecycle),
    finish: () => Promise.resolve(),
    before: (router, pool) => gates[pool]?.before(router) ?? router,
  };
}

const refusal = (path: string, message: string) => new ConfigError(`${path}: ${message}`, [{ path, message }]);
