/**
 * What an autoscaler other than the Planner saw and decided, in words.
 *
 * @module
 */
import type { PlannerTick, RoleVerdict, ScalerReason, SeenMetric } from "../planner_section.ts";
import { counted, number } from "./format.ts";

const REASONS: Readonly<Record<ScalerReason, string>> = {
  scale_up: "the metrics want more replicas",
  scale_down: "the metrics want fewer replicas",
  within_target: "the metrics are within the tolerance of their targets",
  stabilizing: "the stabilisation window keeps an earlier recommendation",
  rate_limited: "a scaling policy allows no further change yet",
  at_bound: "the replicas are at their bound",
  outside_bounds: "the replicas were outside their bounds",
  no_metrics: "a metric is unknown",
  paused: "there are no replicas, so the HorizontalPodAutoscaler pauses",
  activated: "a trigger became active",
  idle: "no trigger is active",
  scale_to_zero: "no trigger was active for the cooldown period",
};

const NAMES: Readonly<Record<string, string>> = { hpa: "HorizontalPodAutoscaler", keda: "KEDA" };

/** What people call a kind of autoscaler. */
export const autoscalerName = (kind: string): string => Object.hasOwn(NAMES, kind) ? NAMES[kind] : kind;

/** Words for a reason; the reason itself when it is not one of ours. */
const scalerReasonText = (reason: string): string =>
  Object.hasOwn(REASONS, reason) ? REASONS[reason as ScalerReason] : reason;

/** `queue_depth 12 a worker (target 4)`. */
function metricText({ name, value, target, each, replicas }: SeenMetric): string {
  const measured = `${name} ${value === null ? "unknown" : number(value)}${each ? " a worker" : ""}`;
  return `${measured} (target ${number(target)}${replicas === null ? "" : `, wants ${replicas}`})`;
}

/** Why a tick changed the replicas of its roles, one line each role. */
export function autoscalerReasons({ autoscaler = {} }: PlannerTick): string[] {
  const aggregated = autoscaler.prefill === undefined;
  return (["prefill", "decode"] as const).flatMap((role) => {
    const verdict: RoleVerdict | undefined = autoscaler[role];
    if (!verdict) return [];
    const who = aggregated ? "" : `${role}: `;
    const held = verdict.wanted !== null && verdict.wanted !== verdict.replicas
      ? `; wanted ${verdict.wanted}, given ${verdict.replicas}`
      : "";
    return [
      `${who}${scalerReasonText(verdict.reason)}${held}`,
      ...verdict.metrics.map((metric) => `${who}${metricText(metric)}`),
    ];
  });
}

/** Reasons of a tick without a change. */
export const autoscalerHolds = ({ autoscaler = {} }: PlannerTick): string[] =>
  Object.values(autoscaler).map(({ reason }) => scalerReasonText(reason));

/** How an autoscaler is set up, one line a role. */
export function autoscalerFacts(config: Readonly<Record<string, unknown>>): string[] {
  const workers = Object.entries(Object(config.workers) as Record<string, Record<string, unknown>>);
  return workers.map(([role, one]) => {
    const least = one.min_replicas ?? one.min_replica_count, most = one.max_replicas ?? one.max_replica_count;
    const watched = Array.isArray(one.metrics) ? one.metrics : Array.isArray(one.triggers) ? one.triggers : [];
    const metrics = watched.map((metric) => {
      const { name, metric: trigger, threshold, target = {} } = Object(metric);
      return `${name ?? trigger} ${target?.average_value ?? target?.value ?? threshold}`;
    });
    return `${role}: ${least} to ${counted(Number(most), "replica")}, targets ${metrics.join(", ")}`;
  });
}
