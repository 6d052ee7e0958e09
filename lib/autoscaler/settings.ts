/**
 * Settings of the autoscalers, in the names of their projects written as this project's files write names.
 *
 * @module
 */
import type { Behavior } from "./behavior.ts";
import type { MetricName } from "./metrics.ts";

/** A metric and its target. */
export interface MetricSettings {
  /** `Pods`: each worker reports it; `External`: one value of the whole. */
  type: "Pods" | "External";
  /** Which. */
  name: MetricName;
  /** What it is compared with: exactly one is set. */
  target: { average_value: number | null; value: number | null };
}

/** A HorizontalPodAutoscaler of one role. */
export interface HpaRoleSettings {
  /** Fewest replicas. */
  min_replicas: number;
  /** Most replicas. */
  max_replicas: number;
  /** The largest count that any of them wants is taken. */
  metrics: readonly MetricSettings[];
  /** Speed limits. */
  behavior: Behavior;
  /** How far a ratio may be from 1 without a change, by direction. */
  tolerance: { up: number; down: number };
}

/** A trigger of KEDA. */
export interface TriggerSettings {
  /** What it watches. */
  metric: MetricName;
  /** Target of scaling between the least and the most replicas. */
  threshold: number;
  /** The trigger is active above it. */
  activation_threshold: number;
  /** Whether the threshold is for each replica, or for the whole. */
  metric_type: "AverageValue" | "Value";
}

/** A ScaledObject of one role. */
export interface KedaRoleSettings {
  /** Seconds between looks at the triggers. */
  polling_interval: number;
  /** Seconds without an active trigger before the last replicas go. */
  cooldown_period: number;
  /** Seconds from the start in which they stay anyway. */
  initial_cooldown_period: number;
  /** Replicas without an active trigger; null for `min_replica_count`. */
  idle_replica_count: 0 | null;
  /** Fewest replicas. */
  min_replica_count: number;
  /** Most replicas. */
  max_replica_count: number;
  /** What is watched. */
  triggers: readonly TriggerSettings[];
  /** Speed limits of the HorizontalPodAutoscaler that KEDA makes. */
  behavior: Behavior;
  /** See {@linkcode HpaRoleSettings}. */
  tolerance: { up: number; down: number };
}
