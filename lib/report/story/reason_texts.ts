/**
 * The Planner's reasons in words.
 *
 * @module
 */
import type { LoadReason } from "../../planner/load_scaling.ts";
import type { ThroughputReason } from "../../planner/throughput_scaling.ts";

type Words = { sla: string; easy: string } | string;

const LOAD: Record<LoadReason, Words> = {
  scale_up: { sla: "every rank is estimated to miss the SLA", easy: "a rank is over its upper threshold" },
  scale_down: {
    sla: "one replica fewer is estimated to keep the SLA",
    easy: "every rank is under its lower threshold",
  },
  scale_down_capped_by_throughput: "fewer would do for the load, but not for the forecast",
  scale_down_refused_consolidation: "one replica fewer is estimated to miss the SLA",
  no_change: { sla: "the estimates ask for no change", easy: "the load is between the thresholds" },
  insufficient_data: { sla: "the performance model has seen too few passes", easy: "no worker is ready" },
  missing_engine_metadata: "a limit of the engines that the load is measured against is unknown",
  no_fpm_data: "no worker has reported a pass",
  scaling_in_progress: "a worker is starting",
  worker_count_mismatch: "not every worker has reported yet",
  gpu_budget_guard_hold: "the GPU budget forbids the change it wants",
  gpu_budget_reconcile: "the deployment is outside its GPU budget or below its minimum",
  disabled: "load scaling is off",
};

const THROUGHPUT: Record<ThroughputReason, string> = {
  scale: "the forecast needs another number of replicas",
  set_lower_bound: "the forecast sets the floor of the load loop",
  no_change: "the forecast needs what there is",
  model_not_ready: "the performance model cannot tell the capacity of an engine yet",
  missing_engine_metadata: "a limit of the engines that their capacity depends on is unknown",
  partner_not_ready: "the other role's performance model is not ready",
  no_traffic_data: "no traffic was observed",
  predict_failed: "the predictor failed",
  gpu_budget_guard_hold: "the GPU budget forbids the change it wants",
  gpu_budget_reconcile: "the deployment is outside its GPU budget or below its minimum",
};

/** Reasons with which the throughput loop says that it does not know what an engine serves. */
const BLIND: readonly string[] = ["model_not_ready", "missing_engine_metadata", "partner_not_ready"];

/** Whether the throughput loop ran without knowing the capacity of an engine. */
export const capacityUnknown = (reason: string | null | undefined): boolean => reason != null && BLIND.includes(reason);

/** What keeps the load loop from fewer replicas while nobody knows what an engine serves. */
export const CAPPED_BLINDLY =
  "fewer would do for the load, but the throughput loop does not know what an engine serves and keeps what there is";

/** Words for a reason of the load loop; the reason itself when it is not one of ours. */
export function loadReasonText(reason: string, target: "sla" | "easy"): string {
  const words = Object.hasOwn(LOAD, reason) ? LOAD[reason as LoadReason] : undefined;
  return words === undefined ? reason : typeof words === "string" ? words : words[target];
}

/** Words for a reason of the throughput loop; the reason itself when it is not one of ours. */
export function throughputReasonText(reason: string): string {
  return Object.hasOwn(THROUGHPUT, reason) ? THROUGHPUT[reason as ThroughputReason] : reason;
}
