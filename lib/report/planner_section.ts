/**
 * The `planner` object of a report: what the Planner saw at each tick, what it decided, and what became of it. Keys are
 * those of `prediction.json`.
 *
 * @module
 */
import type { LifecycleOperation, PoolName, WorkerTransition } from "../cluster/lifecycle.ts";
import type { RoleVerdict } from "../autoscaler/role_scaler.ts";
import type { BootstrapMetadata } from "../planner/bootstrap.ts";
import type { RetuneEvent } from "../retune/types.ts";

export type { BootstrapMetadata, LifecycleOperation, RetuneEvent, WorkerTransition };
export type { ScalerReason, SeenMetric } from "../autoscaler/role_scaler.ts";
export type { RoleVerdict };
export type { PredictorWarmup, RetunedFields, RetuneMetrics, RetuneOutcome, ScoredPoint } from "../retune/types.ts";

/** What an event concerns: the pool of an aggregated cluster, or one role. */
export type Component = PoolName;

/** A change of the wanted number of workers. Advisory runs list changes they would have made. */
export interface ScalingEvent {
  /** Seconds since the start of the replay. */
  at_s: number;
  /** The pool. */
  component: Component;
  /** Workers before. */
  from_count: number;
  /** Workers wanted. */
  to_count: number;
  /** The direction. */
  reason: "scale_up" | "scale_down";
}

/** Workers of one role at a tick, before its decision. */
export interface RoleTopology {
  /** Ids of workers that serve. */
  active: number[];
  /** Their number. */
  active_count: number;
  /** Ids of workers that are not ready yet. */
  starting: number[];
  /** Their number. */
  starting_count: number;
  /** Ids of workers that finish what they have. */
  draining: number[];
  /** Their number. */
  draining_count: number;
}

/** Which loops run at a tick and what they consume. */
export interface ReportedSchedule {
  /** When, in seconds since the start. */
  at_s: number;
  /** Whether the load loop runs. */
  run_load_scaling: boolean;
  /** Whether the throughput loop runs. */
  run_throughput_scaling: boolean;
  /** Whether it looks at traffic. */
  need_traffic_metrics: boolean;
  /** Whether that is the traffic of the whole throughput interval. */
  use_full_traffic_metrics: boolean;
  /** How far it looks back at traffic. */
  traffic_metrics_duration_s: number;
  /** Whether it looks at worker counts. */
  need_worker_states: boolean;
  /** Whether it looks at forward-pass metrics. */
  need_worker_fpm: boolean;
  /** The same as `at_s` in a replay. */
  at_monotonic_s: number;
}

/** Traffic a tick consumed. */
export interface ReportedTraffic {
  /** Seconds looked back at. */
  duration_s: number;
  /** Requests that arrived. */
  num_req: number;
  /** Mean prompt tokens of completed requests. */
  isl: number;
  /** Mean output tokens of completed requests. */
  osl: number;
  /** Mean over routed requests of resident blocks / prompt blocks; 0 with round robin. */
  kv_hit_rate: number;
  /** Tokens per decode forward (multi-token prediction). */
  accept_length: number | null;
}

/** Worker counts as the Planner sees them; the prefill side of an aggregated cluster is null. */
export interface ReportedCounts {
  /** Prefill workers that serve; null when aggregated. */
  ready_num_prefill: number | null;
  /** Workers that serve. */
  ready_num_decode: number;
  /** Prefill workers that serve or start; null when aggregated. */
  expected_num_prefill: number | null;
  /** Workers that serve or start. */
  expected_num_decode: number;
  /** Always false in a replay: changes apply at once. */
  prefill_scaling_in_progress: boolean;
  /** Always false in a replay. */
  decode_scaling_in_progress: boolean;
  /** Always 0 in a replay. */
  pending_num_prefill: number;
  /** Always 0 in a replay. */
  pending_num_decode: number;
}

/** Work of a pass, or work that waits. */
export type ReportedWork = {
  /** Requests that decode. */
  num_decode_requests: number;
  /** Requests whose prompt is computed. */
  num_prefill_requests: number;
  /** Tokens those that decode look back at. */
  sum_decode_kv_tokens: number;
  /** Only of scheduled work. */
  sum_prefill_kv_tokens?: number;
  /** Prompt tokens to compute. */
  sum_prefill_tokens: number;
  /** Population variance of the decode contexts. */
  var_decode_kv_tokens: number;
  /** Population variance of the prompt lengths. */
  var_prefill_length: number;
};

/** The last forward pass of one rank. */
export interface ReportedPass {
  /** Of this form. */
  version: 1;
  /** The worker, as text. */
  worker_id: string;
  /** Rank inside the worker. */
  dp_rank: number;
  /** Always 0 in a replay. */
  counter_id: 0;
  /** Duration in seconds; 0 for an idle rank. */
  wall_time: number;
  /** What the pass worked on. */
  scheduled_requests: ReportedWork;
  /** What waited meanwhile. */
  queued_requests: ReportedWork;
}

/** Forward-pass metrics of one rank. */
export interface FpmObservation {
  /** The worker, as text. */
  worker_id: string;
  /** Rank inside the worker. */
  dp_rank: number;
  /** Its last pass. */
  metrics: ReportedPass;
}

/** Why a tick decided what it decided, and the numbers behind it. */
export type TickDiagnostics = {
  /** Largest TTFT estimated of any rank (target `sla`). */
  estimated_ttft_ms: number | null;
  /** Largest ITL estimated of any rank (target `sla`). */
  estimated_itl_ms: number | null;
  /** Forecast requests of the next throughput interval. */
  predicted_num_req: number | null;
  /** Forecast prompt tokens of a request. */
  predicted_isl: number | null;
  /** Forecast output tokens of a request. */
  predicted_osl: number | null;
  /** Forecast hit rate. */
  predicted_kv_hit_rate: number | null;
  /** Requests per second one prefill engine serves within the SLA. */
  engine_rps_prefill: number | null;
  /** Requests per second one engine serves within the SLA. */
  engine_rps_decode: number | null;
  /** Floor that the throughput loop sets for the load loop. */
  throughput_lower_bound_prefill: number;
  /** Floor that the throughput loop sets for the load loop. */
  throughput_lower_bound_decode: number;
  /** Why the load loop decided so. */
  load_decision_reason: string | null;
  /** Why the throughput loop decided so. */
  throughput_decision_reason: string | null;
  /** The same of the prefill role alone. */
  load_decision_reason_prefill: string | null;
  /** The same of the decode role alone. */
  load_decision_reason_decode: string | null;
  /** The same of the prefill role alone. */
  throughput_decision_reason_prefill: string | null;
  /** The same of the decode role alone. */
  throughput_decision_reason_decode: string | null;
  /** By role, whether the load loop knew the limits of its engines; absent for roles it did not ask for them. */
  load_metadata_available: { prefill?: boolean; decode?: boolean };
  /** The same of the throughput loop. */
  throughput_metadata_available: { prefill?: boolean; decode?: boolean };
  /** Empty: a replay runs no plugins of others, as for the next four. */
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
  /** Always `active` in a replay. */
  state: string;
  /** Updates so far. */
  revision: number;
  /** The knobs. */
  parameters: RouterParameters;
}

/** One tick: what was seen, what the Planner answered, what the cluster was told. */
export interface PlannerTick {
  /** 0, 1, … over the run. */
  ordinal: number;
  /** Virtual time. */
  at_ms: number;
  /** Which loops ran. */
  scheduled_tick: ReportedSchedule;
  /** What the Planner saw. */
  input: {
    now_s: number;
    traffic: ReportedTraffic | null;
    worker_counts: ReportedCounts;
    fpm_observations: { prefill: FpmObservation[] | null; decode: FpmObservation[] | null } | null;
  };
  /** The workers before its decision; aggregated ones are `decode`. */
  topology: { prefill: RoleTopology; decode: RoleTopology };
  /** What the Planner answered. */
  effects: {
    scale_to: { num_prefill: number | null; num_decode: number | null } | null;
    next_tick: ReportedSchedule;
    diagnostics: TickDiagnostics;
    /** Empty: a replay runs no batch scheduling. */
    batch_drain_limits: never[];
  };
  /** What the cluster was told. */
  runtime_decision: {
    target_prefill: number | null;
    target_decode: number | null;
    next_tick_ms: number | null;
    /** Knobs in force from this tick on; null without a retuned router and in advisory runs. */
    router_parameters: { prefill?: RouterParameters; decode?: RouterParameters } | null;
  };
  /** Routers before this tick's update; only with retune. */
  router_policies?: { prefill?: RouterPolicy; decode?: RouterPolicy } | null;
  /** What another autoscaler than the Planner decided, by role that it looked at; aggregated workers are `decode`. */
  autoscaler?: { prefill?: RoleVerdict; decode?: RoleVerdict };
}

/** Identity of the Planner that ran. */
export interface PlannerMetadata {
  /** SHA-256 of the configuration as compact JSON with sorted keys. */
  planner_config_digest: string;
  /** The resolved configuration the digest is of. */
  planner_config: Record<string, unknown>;
  /** Fields that are left out of the digest because they change no decision. */
  planner_config_identity_exclusions: string[];
  /** Plugins that are part of the Planner. */
  builtin_plugin_ids: string[];
  /** Plugins from outside; always empty. */
  configured_plugin_identities: never[];
  /** The plugins in the order in which they are asked. */
  plugin_pipeline: { plugin_id: string; source: "builtin" }[];
  /** Version of that order's form. */
  pipeline_schema_version: string;
  /** Whether one pool serves or two. */
  mode: "agg" | "disagg";
  /** Points of a bootstrap's grid along each axis. */
  benchmark_granularity: number;
  /** How the performance model started. */
  bootstrap: BootstrapMetadata;
  /** Whether ticks and lifecycle operations are in the report. */
  details_captured: boolean;
  /** Whether decisions were recorded only, not carried out. */
  advisory: boolean;
  /** The resolved block, null without retune. */
  retune: Record<string, unknown> | null;
  /** Kind of the autoscaler, where it is not the Planner; most of the rest is then absent. */
  autoscaler?: string;
  /** Its resolved configuration. */
  autoscaler_config?: Readonly<Record<string, unknown>>;
}

/** The `planner` object. */
export interface PlannerSection {
  /** Of another autoscaler only its own part. */
  metadata: Partial<PlannerMetadata>;
  /** Every tick; empty without captured details. */
  ticks: PlannerTick[];
  /** Changes of the wanted counts. */
  scaling_events: ScalingEvent[];
  /** What an advisory run would have changed. */
  recommended_scaling_events: ScalingEvent[];
  /** What became of the workers; empty without captured details. */
  lifecycle_operations: LifecycleOperation[];
  /** Decisions of a retune; null without one. */
  retune_events: RetuneEvent[] | null;
  /** Ticks of the run. */
  total_ticks: number;
  /** Where the diagnostics page was written. */
  html_report_path: string | null;
}
