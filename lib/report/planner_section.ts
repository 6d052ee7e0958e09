/**
 * The `planner` section of a report: what the Planner saw, decided and caused. Types only; the Planner's adapter and
 * the cluster's lifecycle log fill it. Imports nothing.
 *
 * @module
 */

/** Pool a scaling event or lifecycle operation concerns. */
export type Component = "agg" | "prefill" | "decode";

/** A change of a pool's wanted number of workers. Advisory runs list them as recommendations. */
export interface ScalingEvent {
  at_s: number;
  component: Component;
  from_count: number;
  to_count: number;
  reason: "scale_up" | "scale_down";
}

/** One worker changing its state. */
export interface WorkerTransition {
  worker_id: number;
  transition: "worker_starting" | "worker_ready" | "worker_draining" | "worker_removed";
  prior_state: string | null;
  state: string;
  reason?: string;
  origin_operation_ordinal: number;
}

/** The transitions of one pool that belong together. */
export interface LifecycleOperation {
  operation_ordinal: number;
  at_ms: number;
  pool: Component;
  cause: "planner_scale" | "worker_ready_event" | "drain_settlement";
  planner_tick_ordinal: number | null;
  origin_operation_ordinal: number | null;
  transitions: WorkerTransition[];
  state_after_batch: { active: number[]; starting: number[]; draining: number[] };
  topology_released_request_uuids: string[];
}

/** Workers of one role at a tick, before the decision. */
export interface RoleTopology {
  active: number[];
  active_count: number;
  starting: number[];
  starting_count: number;
  draining: number[];
  draining_count: number;
}

/** Which loops run at a tick and what they need. */
export interface ScheduledTick {
  at_s: number;
  run_load_scaling: boolean;
  run_throughput_scaling: boolean;
  [need: string]: unknown;
}

/** Traffic a tick consumed. */
export interface TickTraffic {
  duration_s: number;
  num_req: number;
  isl: number;
  osl: number;
  kv_hit_rate?: number | null;
  accept_length?: number | null;
}

/** Knobs of a kv router. */
export type RouterParameters = Record<string, number>;

/** One Planner tick: input, output and what the cluster was told. */
export interface PlannerTick {
  ordinal: number;
  at_ms: number;
  scheduled_tick: ScheduledTick;
  input: {
    now_s: number;
    traffic: TickTraffic | null;
    worker_counts: Record<string, number | boolean | null>;
    fpm_observations: { prefill: FpmObservation[] | null; decode: FpmObservation[] | null } | null;
  };
  topology: { prefill: RoleTopology; decode: RoleTopology };
  effects: {
    scale_to: { num_prefill: number | null; num_decode: number | null } | null;
    next_tick: ScheduledTick | null;
    diagnostics: Record<string, unknown>;
  };
  runtime_decision: {
    target_prefill: number | null;
    target_decode: number | null;
    next_tick_ms: number | null;
    router_parameters?: { prefill?: RouterParameters; decode?: RouterParameters } | null;
  };
  router_policies?:
    | Record<string, { state: string; revision: number; parameters: RouterParameters }>
    | null;
}

/** Forward-pass metrics of one rank. */
export interface FpmObservation {
  worker_id: number | string;
  dp_rank: number;
  metrics: Record<string, unknown>;
}

/** A point of a retune sweep. */
export interface RetunePoint {
  router: RouterParameters | null;
  planner: Record<string, unknown> | null;
  score?: number | null;
  [fact: string]: unknown;
}

/** One retune decision. */
export interface RetuneEvent {
  window: { index: number; start_s: number; end_s: number; num_requests: number };
  launched_at_s: number;
  decided_at_s: number;
  sweep_wall_s: number;
  decision_latency_s: number;
  outcome: "applied" | "kept" | "advisory" | "timeout" | "no_requests" | "failed";
  reason: string | null;
  objective: string;
  current: RetunePoint | null;
  chosen: RetunePoint | null;
  improvement_percentage: number | null;
  planner_changes: Record<string, unknown>;
  predictor_warmup: { observations: number; start_s: number; end_s: number } | null;
  predictor: { winner: string; losses: Record<string, number | null> } | null;
  candidates: RetunePoint[];
}

/** The `planner` section. */
export interface PlannerSection {
  metadata: Record<string, unknown>;
  ticks: PlannerTick[];
  scaling_events: ScalingEvent[];
  recommended_scaling_events?: ScalingEvent[];
  lifecycle_operations: LifecycleOperation[];
  retune_events?: RetuneEvent[] | null;
  total_ticks: number;
  html_report_path: string | null;
}
