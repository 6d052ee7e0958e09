/**
 * The throughput loop: forecast demand divided by the capacity of one engine. With load scaling on its result is only a
 * floor for the load loop; alone it sets the counts.
 *
 * @module
 */
import {
  type BudgetReason,
  fitUnderCeiling,
  guardPairWithRecovery,
  guardSingle,
  type Pair,
  type PairBudget,
} from "./budget.ts";
import type { PlannerConfig } from "./config.ts";
import type { Forecast } from "../forecast/traffic_forecaster.ts";
import type { Models } from "./load_scaling.ts";
import type { DeploymentCapabilities } from "./capabilities.ts";
import type { Capacity } from "./model/capacity.ts";

/** Why the throughput loop decided what it decided. */
export type ThroughputReason =
  | BudgetReason
  | "scale"
  | "set_lower_bound"
  | "no_change"
  | "model_not_ready"
  | "missing_engine_metadata"
  | "partner_not_ready"
  | "no_traffic_data"
  | "predict_failed";

/** What the throughput loop decides from. */
export interface ThroughputInput {
  config: PlannerConfig;
  engines: DeploymentCapabilities;
  budget: PairBudget;
  ready: Pair;
  models: Models;
  forecast: Forecast;
  /** Seconds the forecast requests arrive in. */
  durationS: number;
  acceptLength: number;
}

/** What the throughput loop proposes. */
export interface ThroughputProposal {
  counts: { prefill: number | null; decode: number | null } | null;
  /** New floors of the load loop, null when they stay. */
  floors: { prefill: number | null; decode: number } | null;
  reason: ThroughputReason;
  /** Reasons by role, disaggregated deployments only. */
  roleReasons: { prefill: ThroughputReason; decode: ThroughputReason } | null;
  /** Modelled requests a second of one engine; null where the model cannot tell. */
  capacity: { prefill: Capacity | null; decode: Capacity | null };
  /** Whether the limits of a role's engines are known; empty when there is no demand, because nobody asked. */
  limitsKnown: { prefill?: boolean; decode?: boolean };
}

/** Runs the throughput loop once. */
export function proposeThroughput(input: ThroughputInput): ThroughputProposal {
  return input.config.mode === "agg" ? proposeAggregated(input) : proposeDisaggregated(input);
}

/** Capacity of an engine under the forecast; null when unusable. */
function capacityOf(role: "prefill" | "decode", input: ThroughputInput): Capacity | null {
  const { config, forecast } = input;
  if (!limitsKnown(role, input)) return null;
  const capacity = input.models[role]?.capacity({
    inputTokens: forecast.inputTokens,
    outputTokens: forecast.outputTokens,
    ttftMs: config.ttft_ms,
    itlMs: config.itl_ms,
    kvHitRate: forecast.kvHitRate,
    acceptLength: input.acceptLength,
  }) ?? null;
  return capacity && capacity.requestsPerSecond > 0 ? capacity : null;
}

/** Whether the performance model of a role has the limits it needs. */
function limitsKnown(role: "prefill" | "decode", { config, engines, models }: ThroughputInput): boolean {
  if (config.mode === "agg" && engines.decode.maxBatchedTokens === null) return false;
  return models[role] !== null;
}

const unusable = (role: "prefill" | "decode", input: ThroughputInput): ThroughputReason =>
  limitsKnown(role, input) ? "model_not_ready" : "missing_engine_metadata";

/** A forecast of no request at all: every role keeps its least replicas, and the model is not asked. */
const noDemand = ({ forecast }: ThroughputInput) => forecast.requests === 0;

/** Replicas the demand needs, moved no farther from the present count than allowed and never below the minimum. */
function needed(role: "prefill" | "decode", capacity: Capacity | null, input: ThroughputInput): number {
  const ready = input.ready[role], minimum = input.budget.minimum[role];
  const most = input.config.max_throughput_scaling_replicas;
  const demand = input.forecast.requests / input.durationS;
  const wish = noDemand(input)
    ? Math.max(1, minimum)
    : capacity
    ? Math.max(Math.ceil(demand / capacity.requestsPerSecond), minimum)
    : ready;
  return Math.max(Math.min(Math.max(wish, ready - most, 0), ready + most), minimum);
}

function proposeAggregated(input: ThroughputInput): ThroughputProposal {
  const { config, ready } = input;
  const idle = noDemand(input);
  const found = idle ? null : capacityOf("decode", input);
  const missing = idle || found !== null ? null : unusable("decode", input);
  const base = {
    roleReasons: null,
    capacity: { prefill: found, decode: found },
    limitsKnown: idle ? {} : { decode: limitsKnown("decode", input) },
  };
  const budget = { ...input.budget, gpus: input.budget.gpus.decode, minimum: input.budget.minimum.decode };
  const fitted = guardSingle(ready.decode, needed("decode", found, input), { ...budget, minGpus: -1 });
  if (config.enable_load_scaling) {
    const reason = missing ?? fitted.reason ?? "set_lower_bound";
    return { ...base, counts: null, floors: { prefill: null, decode: fitted.count }, reason };
  }
  const { count, reason: guard } = guardSingle(ready.decode, fitted.count, budget);
  const changed = count !== ready.decode;
  const reason = missing ?? (changed ? "scale" : guard ?? fitted.reason ?? "no_change");
  return { ...base, counts: changed ? { prefill: null, decode: count } : null, floors: null, reason };
}

function proposeDisaggregated(input: ThroughputInput): ThroughputProposal {
  const { config, ready, budget } = input;
  const idle = noDemand(input);
  const capacity = {
    prefill: idle ? null : capacityOf("prefill", input),
    decode: idle ? null : capacityOf("decode", input),
  };
  const known = idle || (capacity.prefill !== null && capacity.decode !== null);
  const asked = idle ? {} : { prefill: limitsKnown("prefill", input), decode: limitsKnown("decode", input) };
  const wanted: Pair = known
    ? { prefill: needed("prefill", capacity.prefill, input), decode: needed("decode", capacity.decode, input) }
    : ready;
  const fitted = fitUnderCeiling(ready, wanted, budget);
  const equal = (a: Pair, b: Pair) => a.prefill === b.prefill && a.decode === b.decode;
  const held = equal(fitted, ready) && !equal(wanted, ready);
  const notReady = (role: "prefill" | "decode"): ThroughputReason =>
    capacity[role] ? "partner_not_ready" : unusable(role, input);
  const everywhere = (reason: ThroughputReason) => {
    if (known) return { reason, roleReasons: { prefill: reason, decode: reason } };
    const roleReasons = { prefill: notReady("prefill"), decode: notReady("decode") };
    const missing = Object.values(roleReasons).includes("missing_engine_metadata");
    return { reason: missing ? "missing_engine_metadata" as const : "model_not_ready" as const, roleReasons };
  };
  if (config.enable_load_scaling) {
    const reasons = everywhere(held ? "gpu_budget_guard_hold" : "set_lower_bound");
    return { counts: null, floors: fitted, capacity, limitsKnown: asked, ...reasons };
  }
  const { count, reason: guard } = guardPairWithRecovery(ready, fitted, budget);
  const changed = !equal(count, ready);
  const hold = guard ?? (held ? "gpu_budget_guard_hold" : "no_change");
  return {
    counts: changed ? count : null,
    floors: null,
    capacity,
    limitsKnown: asked,
    ...everywhere(changed ? "scale" : hold),
  };
}
