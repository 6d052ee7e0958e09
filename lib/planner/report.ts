/**
 * The `planner` object of a report: what the Planner saw at each tick, what it decided, and what became of it. Keys are
 * those of `prediction.json`.
 *
 * May import the configuration and the router's knobs.
 *
 * @module
 */
import type { RuntimeFields } from "./config.ts";
import type { RouterKnobs } from "./policy.ts";

/** What an event or operation concerns: the pool of an aggregated cluster, or one role. */
export type Component = "agg" | "prefill" | "decode";

/** A change of the wanted number of workers. Advisory runs list changes they would have made. */
export interface ScalingEvent {
  at_s: number;
  component: Component;
  from_count: number;
  to_count: number;
  reason: "scale_up" | "scale_down";
}

/** One worker that changes its state. */
export interface WorkerTransition {
  worker_id: number;
  transition: "worker_starting" | "worker_ready" | "worker_draining" | "worker_removed";
  /** `starting`, `active` or `draining`; null for a new worker. */
  prior_state: string | null;
  /** `starting`, `active`, `draining` or `removed`. */
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

/** Workers of one role at a tick, before its decision. */
export interface RoleTopology {
  active: number[];
  active_count: number;
  starting: number[];
  starting_count: number;
  draining: number[];
  draining_count: number;
}

/** Which loops run at a tick and what they consume. */
export interface ReportedSchedule {
  at_s: number;
  run_load_scaling: boolean;
  run_throughput_scaling: boolean;
  need_traffic_metrics: boolean;
  use_full_traffic_metrics: boolean;
  traffic_metrics_duration_s: number;
  need_worker_states: boolean;
  need_worker_fpm: boolean;
  at_monotonic_s: number;
}

/** Traffic a tick consumed. */
export interface ReportedTraffic {
  duration_s: number;
  num_req: number;
  isl: number;
  osl: number;
  kv_hit_rate: number;
  accept_length: number | null;
}

/** Worker counts as the Planner sees them; the prefill side of an aggregated cluster is null. */
export interface ReportedCounts {
  ready_num_prefill: number | null;
  ready_num_decode: number;
  expected_num_prefill: number | null;
  expected_num_decode: number;
  prefill_scaling_in_progress: boolean;
  decode_scaling_in_progress: boolean;
  pending_num_prefill: number;
  pending_num_decode: number;
}

/** Work of a pass, or work that waits. */
export type ReportedWork = {
  num_decode_requests: number;
  num_prefill_requests: number;
  sum_decode_kv_tokens: number;
  /** Only of scheduled work. */
  sum_prefill_kv_tokens?: number;
  sum_prefill_tokens: number;
  var_decode_kv_tokens: number;
  var_prefill_length: number;
};

/** The last forward pass of one rank. */
export interface ReportedPass {
  version: 1;
  worker_id: string;
  dp_rank: number;
  counter_id: 0;
  wall_time: number;
  scheduled_requests: ReportedWork;
  queued_requests: ReportedWork;
}

/** Forward-pass metrics of one rank. */
export interface FpmObservation {
  worker_id: string;
  dp_rank: number;
  metrics: ReportedPass;
}

/** Why a tick decided what it decided, and the numbers behind it. */
export type TickDiagnostics = {
  estimated_ttft_ms: number | null;
  estimated_itl_ms: number | null;
  predicted_num_req: number | null;
  predicted_isl: number | null;
  predicted_osl: number | null;
  predicted_kv_hit_rate: number | null;
  engine_rps_prefill: number | null;
  engine_rps_decode: number | null;
  throughput_lower_bound_prefill: number;
  throughput_lower_bound_decode: number;
  load_decision_reason: string | null;
  throughput_decision_reason: string | null;
  load_decision_reason_prefill: string | null;
  load_decision_reason_decode: string | null;
  throughput_decision_reason_prefill: string | null;
  throughput_decision_reason_decode: string | null;
  plugin_overrides: never[];
  reconcile_reasons: Record<string, never>;
  held_over_plugins: never[];
  execute_action: "apply";
  short_circuit_reason: "";
  audit_events: never[];
};

/** Knobs of a kv router. */
export type RouterParameters = Record<string, number>;

/** A role's router at a tick. */
export interface RouterPolicy {
  state: string;
  revision: number;
  parameters: RouterParameters;
}

/** One tick: what was seen, what the Planner answered, what the cluster was told. */
export interface PlannerTick {
  ordinal: number;
  at_ms: number;
  scheduled_tick: ReportedSchedule;
  input: {
    now_s: number;
    traffic: ReportedTraffic | null;
    worker_counts: ReportedCounts;
    fpm_observations: { prefill: FpmObservation[] | null; decode: FpmObservation[] | null } | null;
  };
  topology: { prefill: RoleTopology; decode: RoleTopology };
  effects: {
    scale_to: { num_prefill: number | null; num_decode: number | null } | null;
    next_tick: ReportedSchedule;
    diagnostics: TickDiagnostics;
  };
  runtime_decision: {
    target_prefill: number | null;
    target_decode: number | null;
    next_tick_ms: number | null;
    /** Knobs in force from this tick on; null without a retuned router and in advisory runs. */
    router_parameters: { prefill?: RouterParameters; decode?: RouterParameters } | null;
  };
  /** Routers before this tick's update; only with retune. */
  router_policies?: { prefill?: RouterPolicy; decode?: RouterPolicy } | null;
}

/** How the performance model was started. */
export interface BootstrapMetadata {
  status: "not_required" | "not_configured_load_only" | "session_failed_load_only" | "installed" | "empty";
  benchmark_granularity?: number;
  prefill_fpm_count?: number;
  decode_fpm_count?: number;
  fpm_sha256?: string;
}

/** Identity of the Planner that ran. */
export interface PlannerMetadata {
  /** SHA-256 of the configuration as compact JSON with sorted keys. */
  planner_config_digest: string;
  /** The resolved configuration the digest is of. */
  planner_config: Record<string, unknown>;
  /** Fields that are left out of the digest because they change no decision. */
  planner_config_identity_exclusions: string[];
  builtin_plugin_ids: string[];
  configured_plugin_identities: never[];
  plugin_pipeline: { plugin_id: string; source: "builtin" }[];
  pipeline_schema_version: string;
  mode: "agg" | "disagg";
  benchmark_granularity: number;
  bootstrap: BootstrapMetadata;
  details_captured: boolean;
  advisory: boolean;
  /** The resolved block, null without retune. */
  retune: Record<string, unknown> | null;
}

/** Fields of the configuration that a retune may change while the Planner runs. */
export type RetunedFields = Partial<RuntimeFields>;

/** The part of a summary that retune candidates are judged by. */
export interface RetuneMetrics {
  goodput_output_throughput_tok_s: number;
  output_throughput_tok_s: number;
  gpu_hours: number;
  /** Null without a sample, like every mean. */
  mean_ttft_ms: number | null;
  mean_itl_ms: number | null;
  duration_ms: number;
}

/** A swapped-in predictor: its history, and what the Planner observed after it. */
export interface PredictorWarmup {
  observations: number;
  start_s: number | null;
  end_s: number | null;
}

/** How a decision ended. */
export type RetuneOutcome = "applied" | "kept" | "advisory" | "timeout" | "no_requests" | "failed";

/** A point as reported, with its score (null when it has no finite one). */
export interface ScoredPoint {
  router: RouterKnobs | null;
  planner: RetunedFields | null;
  score: number | null;
}

/** One decision, an entry of `planner.retune_events`. Times are Planner-clock seconds. */
export interface RetuneEvent {
  window: { index: number; start_s: number; end_s: number; num_requests: number };
  launched_at_s: number;
  decided_at_s: number;
  sweep_wall_s: number;
  decision_latency_s: number;
  outcome: RetuneOutcome;
  reason: string | null;
  objective: string;
  current: { router: RouterKnobs | null; planner: RetunedFields; score: number | null };
  chosen: ScoredPoint | null;
  improvement_percentage: number | null;
  planner_changes: RetunedFields;
  predictor_warmup: PredictorWarmup | null;
  predictor: { winner: string | null; losses: Record<string, number | null> } | null;
  candidates: {
    router: RouterKnobs | null;
    planner: RetunedFields | null;
    score: number | null;
    metrics: RetuneMetrics;
  }[];
}

/** The `planner` object. */
export interface PlannerSection {
  /** Empty when another policy than the Planner did the scaling. */
  metadata: Partial<PlannerMetadata>;
  ticks: PlannerTick[];
  scaling_events: ScalingEvent[];
  recommended_scaling_events: ScalingEvent[];
  lifecycle_operations: LifecycleOperation[];
  retune_events: RetuneEvent[] | null;
  total_ticks: number;
  html_report_path: string | null;
}
