/**
 * What an autoscaler of one role is asked and answers.
 *
 * @module
 */
import type { MetricName, Sample } from "./metrics.ts";

/** A role at a tick. */
export interface RoleState {
  /** Seconds of virtual time. */
  nowS: number;
  /** Workers that serve. */
  active: number;
  /** Workers that are not ready yet. */
  starting: number;
  /** Workers that finish what they have before they go. */
  draining: number;
  /** A metric as it stands. */
  sample(metric: MetricName): Sample;
}

/** Why a role gets the replicas it gets. */
export type ScalerReason =
  | "scale_up"
  | "scale_down"
  | "within_target"
  | "stabilizing"
  | "rate_limited"
  | "at_bound"
  | "outside_bounds"
  | "no_metrics"
  | "paused"
  | "activated"
  | "idle"
  | "scale_to_zero";

/** A metric at a tick, and what it wants. */
export interface SeenMetric {
  /** Its name. */
  name: MetricName;
  /** What was measured; null when nobody could tell. */
  value: number | null;
  /** What it is compared with. */
  target: number;
  /** Whether both are of one worker, rather than of all. */
  each: boolean;
  /** Replicas it wants; null when it is unknown or was not asked. */
  replicas: number | null;
}

/** An answer. */
export interface RoleVerdict {
  /** Replicas from now on, starting ones included. */
  replicas: number;
  /** What the metrics want before any limit; null when they want nothing. */
  wanted: number | null;
  /** The metrics. */
  metrics: SeenMetric[];
  /** Why. */
  reason: ScalerReason;
}

/** Scales one role. */
export interface RoleScaler {
  /** Decides at a tick of its own period. */
  decide(state: RoleState): RoleVerdict;
}
