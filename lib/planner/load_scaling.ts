/**
 * The load loop: from the last passes of every rank to at most one replica more or fewer per role. The sides' wishes
 * come from thresholds or from the SLA; here are the gates in front of them and what is made of them together.
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
import type { DeploymentCapabilities, EngineCapabilities } from "./capabilities.ts";
import type { PlannerConfig } from "./config.ts";
import type { PerformanceModel } from "./model/performance_model.ts";
import type { RoleCounts } from "./observations.ts";
import type { PassRow } from "./policy.ts";
import type { SideDecision, SideReason } from "./side_decision.ts";
import { aggregatedTtftSide, decodeSide, idleWish, prefillSide, type SlaContext } from "./sla_scaling.ts";
import { thresholdSide } from "./threshold_scaling.ts";

/** Why the load loop decided what it decided. */
export type LoadReason =
  | SideReason
  | BudgetReason
  | "scale_up"
  | "scale_down"
  | "scale_down_capped_by_throughput"
  | "no_fpm_data"
  | "scaling_in_progress"
  | "worker_count_mismatch"
  | "disabled";

/** Models by role; null where there is none. Aggregated deployments use `decode`. */
export interface Models {
  prefill: PerformanceModel | null;
  decode: PerformanceModel | null;
}

/** What the load loop decides from. */
export interface LoadInput {
  config: PlannerConfig;
  engines: DeploymentCapabilities;
  budget: PairBudget;
  counts: { prefill: RoleCounts; decode: RoleCounts };
  /** Last rows by worker id as text and rank; null when a role has none. */
  rows: { prefill: readonly PassRow[] | null; decode: readonly PassRow[] | null };
  models: Models;
  /** Least replicas the throughput loop allows. */
  floors: Pair;
  kvHitRate: number | null;
  acceptLength: number;
}

/** What the load loop proposes. */
export interface LoadProposal {
  /** Wanted replicas; null where nothing is proposed. */
  counts: { prefill: number | null; decode: number | null } | null;
  reason: LoadReason;
  /** Reasons by role, disaggregated deployments only. */
  roleReasons: { prefill: LoadReason | null; decode: LoadReason | null } | null;
  estimatedTtftMs: number | null;
  estimatedItlMs: number | null;
  /** Whether the limits of a role's engines are known; absent for roles nobody asked. */
  limitsKnown: { prefill?: boolean; decode?: boolean };
}

type Gate = "no_fpm_data" | "scaling_in_progress" | "worker_count_mismatch";

const unsettled = ({ ready, expected, inProgress }: RoleCounts) => inProgress || ready !== expected;

/** Whether every ready worker reports, each with the same number of ranks. */
function covered(rows: readonly PassRow[], ready: number): boolean {
  const ranks = new Map<number, number>();
  for (const { workerId } of rows) ranks.set(workerId, (ranks.get(workerId) ?? 0) + 1);
  const counts = new Set(ranks.values());
  return ranks.size === ready && counts.size <= 1;
}

/** Runs the load loop once. */
export function proposeLoad(input: LoadInput): LoadProposal {
  return input.config.mode === "agg" ? proposeAggregated(input) : proposeDisaggregated(input);
}

function slaContext(input: LoadInput, model: PerformanceModel, role: "prefill" | "decode"): SlaContext {
  const { config } = input;
  return {
    model,
    ready: input.counts[role].ready,
    minimum: input.budget.minimum[role],
    ttftMs: config.ttft_ms,
    itlMs: config.itl_ms,
    sensitivity: config.load_scaling_down_sensitivity / 100,
    maxKvTokens: input.engines[role]?.maxKvTokens ?? null,
    kvHitRate: input.kvHitRate,
    acceptLength: input.acceptLength,
  };
}

function proposeAggregated(input: LoadInput): LoadProposal {
  const { config, engines, counts, models, floors } = input;
  const { ready } = counts.decode;
  const without = (reason: LoadReason, limitsKnown: LoadProposal["limitsKnown"] = {}): LoadProposal => ({
    counts: null,
    reason,
    roleReasons: null,
    estimatedTtftMs: null,
    estimatedItlMs: null,
    limitsKnown,
  });
  const rows = input.rows.decode;
  const gate: Gate | null = !rows
    ? "no_fpm_data"
    : unsettled(counts.decode)
    ? "scaling_in_progress"
    : covered(rows, ready)
    ? null
    : "worker_count_mismatch";
  if (!rows || gate) return without(gate ?? "no_fpm_data");

  const minimum = input.budget.minimum.decode;
  const budget = { ...input.budget, gpus: input.budget.gpus.decode, minimum };
  const sla = config.optimization_target === "sla";
  const idle = sla ? idleWish(rows, { ready, minimum }) : null;
  let wish: number, refused = false;
  let estimates: Pick<LoadProposal, "estimatedTtftMs" | "estimatedItlMs" | "limitsKnown" | "roleReasons"> = without(
    "no_change",
  );
  if (idle !== null) {
    wish = idle;
  } else if (sla) {
    const model = models.decode;
    const limited = engines.decode.maxBatchedTokens !== null;
    const limitsKnown = { decode: limited && model !== null };
    if (!model?.ready) {
      return without(limitsKnown.decode ? "insufficient_data" : "missing_engine_metadata", limitsKnown);
    }
    const context = slaContext(input, model, "decode");
    const prompts = limited ? aggregatedTtftSide(rows, context) : unlimited;
    const tokens = decodeSide(rows, context, { aggregated: true });
    const roleReasons = limited ? null : { prefill: null, decode: prompts.reason };
    estimates = { estimatedTtftMs: prompts.estimateMs, estimatedItlMs: tokens.estimateMs, limitsKnown, roleReasons };
    wish = combine(prompts.desired, tokens.desired, ready);
    refused = prompts.refused || tokens.refused;
  } else {
    const side = thresholdSide("aggregated", rows, { config, engine: engines.decode, ready, minimum });
    const limitsKnown = { decode: side.limitsKnown ?? false };
    if (side.desired === null) return without(side.reason, limitsKnown);
    estimates = { ...estimates, limitsKnown };
    wish = side.desired;
  }
  const floor = sla && config.enable_throughput_scaling ? floors.decode : 0;
  const raised = Math.max(wish, minimum, floor);
  const { count, reason: guard } = guardSingle(ready, raised, budget);
  const capped = count > wish && wish < ready;
  let reason: LoadReason;
  if (count < ready) reason = capped ? "scale_down_capped_by_throughput" : "scale_down";
  else if (count > ready) reason = "scale_up";
  else if (!sla || idle !== null) reason = "no_change";
  else if (capped) reason = "scale_down_capped_by_throughput";
  else reason = refused ? "scale_down_refused_consolidation" : "no_change";
  return {
    ...estimates,
    counts: count === ready ? null : { prefill: null, decode: count },
    reason: guard ?? reason,
  };
}

/** One count from the TTFT side's and the ITL side's wish: either may ask for more, both must agree to fewer. */
function combine(prompts: number | null, tokens: number | null, ready: number): number {
  if (prompts !== null && prompts > ready) return prompts;
  if (tokens !== null && tokens > ready) return tokens;
  if (prompts === null && tokens !== null && tokens < ready) return tokens;
  if (prompts !== null && tokens !== null && prompts < ready && tokens < ready) return Math.max(prompts, tokens);
  return ready;
}

const IMPORTANCE: LoadReason[] = ["scale_up", "scale_down_capped_by_throughput", "scale_down", "no_change"];
const noWish: SideDecision = {
  desired: null,
  reason: "no_change",
  refused: false,
  estimateMs: null,
  limitsKnown: null,
};
const unknown: SideDecision = { ...noWish, reason: "insufficient_data", limitsKnown: true };
const unlimited: SideDecision = { ...noWish, reason: "missing_engine_metadata", limitsKnown: false };

function proposeDisaggregated(input: LoadInput): LoadProposal {
  const { config, counts, rows, floors, budget } = input;
  const ready: Pair = { prefill: counts.prefill.ready, decode: counts.decode.ready };
  const gate: Gate | null = !rows.prefill && !rows.decode
    ? "no_fpm_data"
    : unsettled(counts.prefill) || unsettled(counts.decode)
    ? "scaling_in_progress"
    : (rows.prefill && !covered(rows.prefill, ready.prefill)) || (rows.decode && !covered(rows.decode, ready.decode))
    ? "worker_count_mismatch"
    : null;
  if (gate) {
    const roleReasons = { prefill: gate, decode: gate };
    return { counts: null, reason: gate, roleReasons, estimatedTtftMs: null, estimatedItlMs: null, limitsKnown: {} };
  }
  const sides = { prefill: sideOf("prefill", input), decode: sideOf("decode", input) };
  const estimates = { estimatedTtftMs: sides.prefill.estimateMs, estimatedItlMs: sides.decode.estimateMs };

  const wish: Pair = {
    prefill: sides.prefill.desired ?? ready.prefill,
    decode: sides.decode.desired ?? ready.decode,
  };
  const withFloors = config.optimization_target === "sla" && config.enable_throughput_scaling;
  const floored = withFloors ? atLeast(wish, floors) : wish;
  const raisedBy = { prefill: floored.prefill > wish.prefill, decode: floored.decode > wish.decode };
  let wanted = atLeast(floored, budget.minimum);
  if (raisedBy.prefill || raisedBy.decode) wanted = fitUnderCeiling(ready, wanted, budget);
  const { count, reason: guard } = guardPairWithRecovery(ready, wanted, budget);

  const roleReason = (role: "prefill" | "decode"): LoadReason => {
    if (sides[role].reason === "missing_engine_metadata") return "missing_engine_metadata";
    if (count[role] > ready[role]) return "scale_up";
    if (raisedBy[role] && wish[role] < ready[role]) return "scale_down_capped_by_throughput";
    return count[role] < ready[role] ? "scale_down" : "no_change";
  };
  const roleReasons = { prefill: roleReason("prefill"), decode: roleReason("decode") };
  let reason = IMPORTANCE.find((each) => each === roleReasons.prefill || each === roleReasons.decode) ??
    "missing_engine_metadata";
  const changed = count.prefill !== ready.prefill || count.decode !== ready.decode;
  if (!changed) {
    let first: LoadReason | null = null;
    for (const role of ["prefill", "decode"] as const) {
      if (sides[role].reason === "no_change") continue;
      roleReasons[role] = sides[role].reason;
      first ??= sides[role].reason;
    }
    reason = first ?? reason;
  }
  const limitsKnown: LoadProposal["limitsKnown"] = {};
  for (const role of ["prefill", "decode"] as const) {
    const known = sides[role].limitsKnown;
    if (known !== null) limitsKnown[role] = known;
  }
  return { counts: changed ? count : null, reason: guard ?? reason, roleReasons, ...estimates, limitsKnown };
}

const atLeast = (pair: Pair, least: Pair): Pair => ({
  prefill: Math.max(pair.prefill, least.prefill),
  decode: Math.max(pair.decode, least.decode),
});

function sideOf(role: "prefill" | "decode", input: LoadInput): SideDecision {
  const rows = input.rows[role];
  if (!rows) return noWish;
  const engine = input.engines[role] as EngineCapabilities;
  const { ready } = input.counts[role];
  if (input.config.optimization_target !== "sla") {
    return thresholdSide(role, rows, { config: input.config, engine, ready, minimum: input.budget.minimum[role] });
  }
  const idle = idleWish(rows, { ready, minimum: input.budget.minimum[role] });
  if (idle !== null) return { ...noWish, desired: idle };
  const model = input.models[role];
  const limitsKnown = model !== null && !(role === "prefill" && engine.maxBatchedTokens === null);
  if (!model?.ready) return limitsKnown ? unknown : unlimited;
  if (ready === 0) return { ...unknown, limitsKnown };
  if (!limitsKnown) return unlimited;
  const context = slaContext(input, model, role);
  return role === "prefill" ? prefillSide(rows, context) : decodeSide(rows, context, { aggregated: false });
}
