/**
 * The Planner's part of a report as tables: ticks, scaling events, worker transitions, retune decisions.
 *
 * @module
 */
import { type ColumnTable, table } from "./arquero.ts";
import type { PlannerSection, PlannerTick, RetuneEvent } from "../report/planner_section.ts";
import { makeColumns, pushRow } from "./columns.ts";

/** Anything with a `planner` section: a report, or a run. */
export interface PlannerSource {
  /** The section; null when no Planner ran. */
  readonly planner: PlannerSection | null;
}

type Kinds = Readonly<Record<string, "number" | "text">>;

const TICKS: Kinds = {
  ordinal: "number",
  at_ms: "number",
  run_load_scaling: "text",
  run_throughput_scaling: "text",
  num_req: "number",
  requests_per_s: "number",
  input_tokens: "number",
  output_tokens: "number",
  estimated_ttft_ms: "number",
  estimated_itl_ms: "number",
  predicted_num_req: "number",
  prefill_active: "number",
  prefill_starting: "number",
  prefill_draining: "number",
  prefill_target: "number",
  decode_active: "number",
  decode_starting: "number",
  decode_draining: "number",
  decode_target: "number",
  reason: "text",
};

/**
 * A row a Planner tick: which loops ran, the traffic they saw (null when they asked for none), replicas by role before
 * the decision, the target (null: no change) and the reason. Aggregated workers are the decode columns. Empty without
 * captured details.
 *
 * @example
 * ```ts
 * import { planner, readTrace, replay, ticksTable, vllm } from "dynosim";
 *
 * const { report } = replay(readTrace("fixtures/traces/chat.jsonl"), {
 *   cluster: { replicas: 1, engine: vllm({ blocks: 3000 }), startupSeconds: 30 },
 *   planner: planner({ target: "latency", maxGpus: 4 }),
 *   speedup: 4,
 * });
 * ticksTable(await report).select("at_ms", "decode_active", "decode_target", "reason").print(5);
 * ```
 */
export function ticksTable(source: PlannerSource): ColumnTable {
  return rowsTable(TICKS, (source.planner?.ticks ?? []).map(tickRow));
}

function tickRow(tick: PlannerTick): object {
  const { scheduled_tick: scheduled, topology, runtime_decision: decision, effects } = tick;
  const traffic = tick.input.traffic;
  const { diagnostics } = effects;
  return {
    ordinal: tick.ordinal,
    at_ms: tick.at_ms,
    run_load_scaling: scheduled.run_load_scaling,
    run_throughput_scaling: scheduled.run_throughput_scaling,
    num_req: traffic?.num_req,
    requests_per_s: traffic && traffic.duration_s > 0 ? traffic.num_req / traffic.duration_s : null,
    input_tokens: traffic?.isl,
    output_tokens: traffic?.osl,
    estimated_ttft_ms: diagnostics.estimated_ttft_ms,
    estimated_itl_ms: diagnostics.estimated_itl_ms,
    predicted_num_req: diagnostics.predicted_num_req,
    prefill_active: topology.prefill.active_count,
    prefill_starting: topology.prefill.starting_count,
    prefill_draining: topology.prefill.draining_count,
    prefill_target: decision.target_prefill,
    decode_active: topology.decode.active_count,
    decode_starting: topology.decode.starting_count,
    decode_draining: topology.decode.draining_count,
    decode_target: decision.target_decode,
    reason: tickReason(tick),
  };
}

/**
 * Why a tick decided as it did, as `loop: reason` joined by semicolons; per role where the Planner told it per role. Other
 * autoscalers have one loop, which is not named.
 */
export function tickReason(tick: PlannerTick): string | null {
  const { diagnostics } = tick.effects, own = tick.autoscaler !== undefined;
  const parts: string[] = [];
  for (const loop of ["load", "throughput"] as const) {
    const byRole = (["prefill", "decode"] as const).flatMap((role) => {
      const reason = diagnostics[`${loop}_decision_reason_${role}`];
      return typeof reason === "string" && reason !== "" ? [`${own ? "" : `${loop} `}${role}: ${reason}`] : [];
    });
    const whole = diagnostics[`${loop}_decision_reason`];
    if (byRole.length > 0) parts.push(...byRole);
    else if (typeof whole === "string" && whole !== "") parts.push(own ? whole : `${loop}: ${whole}`);
  }
  return parts.length === 0 ? null : parts.join("; ");
}

/**
 * A row a change of replicas: at_s, component, from_count, to_count, reason; recommended ones are marked.
 *
 * @example
 * ```ts
 * import { planner, readTrace, replay, scalingEventsTable, vllm } from "dynosim";
 *
 * const { report } = replay(readTrace("fixtures/traces/chat.jsonl"), {
 *   cluster: { replicas: 1, engine: vllm({ blocks: 3000 }), startupSeconds: 30 },
 *   planner: planner({ target: "latency", maxGpus: 4 }),
 *   speedup: 4,
 * });
 * console.log(scalingEventsTable(await report).columnNames().join()); // at_s,component,from_count,to_count,reason,recommended
 * ```
 */
export function scalingEventsTable(source: PlannerSource): ColumnTable {
  const events = (source.planner?.scaling_events ?? []).map((event) => ({ ...event, recommended: false }));
  const advice = (source.planner?.recommended_scaling_events ?? []).map((event) => ({ ...event, recommended: true }));
  const kinds: Kinds = {
    at_s: "number",
    component: "text",
    from_count: "number",
    to_count: "number",
    reason: "text",
    recommended: "text",
  };
  return rowsTable(kinds, [...events, ...advice].sort((a, b) => a.at_s - b.at_s));
}

/**
 * A row a worker's change of state: at_ms, pool, worker, transition, states, cause. Empty without captured details.
 *
 * @example
 * ```ts
 * import { lifecycleTable, planner, readTrace, replay, vllm } from "dynosim";
 *
 * const { report } = replay(readTrace("fixtures/traces/chat.jsonl"), {
 *   cluster: { replicas: 1, engine: vllm({ blocks: 3000 }), startupSeconds: 30 },
 *   planner: planner({ target: "latency", maxGpus: 4 }),
 *   speedup: 4,
 * });
 * lifecycleTable(await report).select("at_ms", "worker_id", "transition").print(5);
 * ```
 */
export function lifecycleTable(source: PlannerSource): ColumnTable {
  const kinds: Kinds = {
    at_ms: "number",
    pool: "text",
    worker_id: "number",
    transition: "text",
    prior_state: "text",
    state: "text",
    cause: "text",
    reason: "text",
  };
  const rows = (source.planner?.lifecycle_operations ?? []).flatMap((operation) =>
    operation.transitions.map((transition) => ({
      ...transition,
      at_ms: operation.at_ms,
      pool: operation.pool,
      cause: operation.cause,
    }))
  );
  return rowsTable(kinds, rows);
}

/**
 * A row a retune decision: window, times, outcome, the scores before and of the chosen point, what it chose.
 *
 * @example
 * ```ts
 * import { retuneTable } from "dynosim";
 *
 * console.log(retuneTable({ planner: null }).numRows()); // 0
 * ```
 */
export function retuneTable(source: PlannerSource): ColumnTable {
  const kinds: Kinds = {
    window: "number",
    window_start_s: "number",
    window_end_s: "number",
    num_requests: "number",
    launched_at_s: "number",
    decided_at_s: "number",
    outcome: "text",
    reason: "text",
    objective: "text",
    current_score: "number",
    chosen_score: "number",
    improvement_percentage: "number",
    chosen_router: "text",
    planner_changes: "text",
    candidates: "number",
  };
  return rowsTable(kinds, (source.planner?.retune_events ?? []).map(retuneRow));
}

function retuneRow(event: RetuneEvent): object {
  return {
    ...event,
    window: event.window.index,
    window_start_s: event.window.start_s,
    window_end_s: event.window.end_s,
    num_requests: event.window.num_requests,
    current_score: event.current?.score,
    chosen_score: event.chosen?.score,
    chosen_router: settings(event.chosen?.router),
    planner_changes: settings(event.planner_changes),
    candidates: event.candidates.length,
  };
}

/** `name=value` pairs, null when there are none. */
function settings(values: Readonly<Record<string, unknown>> | null | undefined): string | null {
  const pairs = Object.entries(values ?? {}).map(([name, value]) => `${name}=${value}`);
  return pairs.length === 0 ? null : pairs.join(" ");
}

function rowsTable(kinds: Kinds, rows: readonly object[]): ColumnTable {
  const columns = makeColumns(kinds);
  for (const row of rows) pushRow(columns, row);
  return table(columns as any);
}
