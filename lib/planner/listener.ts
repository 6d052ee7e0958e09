/**
 * What a Planner says about its work, in its own terms: whoever records or watches a run listens.
 *
 * @module
 */
import type { Forecast } from "../forecast/traffic_forecaster.ts";
import type { ConsumedTraffic, RoleCounts, RoleName } from "./observations.ts";
import type { Decision, PassRow, Snapshot } from "./policy.ts";
import type { ScaleTo } from "./projection.ts";
import type { ScheduledTick } from "./schedule.ts";

/** One value for each role; an aggregated deployment is the decode role. */
export type PerRole<T> = Record<RoleName, T>;

/** What a tick found on its way to a decision; null where nothing was computed. */
export interface TickFindings {
  /** Largest TTFT and ITL estimated of any rank, in milliseconds. */
  estimatedTtftMs: number | null;
  estimatedItlMs: number | null;
  forecast: Forecast | null;
  /** Requests a second that one engine serves within the SLA. */
  requestsPerSecond: PerRole<number | null>;
  /** Floors of the load loop after the tick. */
  floors: PerRole<number>;
  loadReason: string | null;
  loadReasons: PerRole<string | null>;
  throughputReason: string | null;
  throughputReasons: PerRole<string | null>;
  /** Whether each loop knew the limits of a role's engines; absent for roles it did not ask for them. */
  loadLimitsKnown: Partial<PerRole<boolean>>;
  throughputLimitsKnown: Partial<PerRole<boolean>>;
}

/** One tick as the Planner lived through it. */
export interface TickView {
  tick: ScheduledTick;
  next: ScheduledTick;
  snapshot: Snapshot;
  /** Traffic the tick consumed. */
  traffic: ConsumedTraffic | null;
  counts: PerRole<RoleCounts>;
  /** The last passes of the ranks, ordered by worker. */
  rows: PerRole<PassRow[] | null>;
  findings: TickFindings;
  /** Wanted replicas, fitted into the budget. */
  scaleTo: ScaleTo | null;
  decision: Decision;
}

/** A change of a role's wanted workers. */
export interface ScalingChange {
  atS: number;
  /** `agg` for the one pool of an aggregated deployment. */
  component: "agg" | RoleName;
  from: number;
  to: number;
}

/** Hears from a Planner, in the order in which things happen. */
export interface PlannerListener {
  ticked(view: TickView): void;
  /** The Planner wants another number of workers. */
  scaled(change: ScalingChange): void;
  /** An advisory Planner would want another number of workers. */
  recommended(change: ScalingChange): void;
}

/** Findings of a tick on which nothing ran. */
export function noFindings(floors: PerRole<number>): TickFindings {
  return {
    estimatedTtftMs: null,
    estimatedItlMs: null,
    forecast: null,
    requestsPerSecond: { prefill: null, decode: null },
    floors: { ...floors },
    loadReason: null,
    loadReasons: { prefill: null, decode: null },
    throughputReason: null,
    throughputReasons: { prefill: null, decode: null },
    loadLimitsKnown: {},
    throughputLimitsKnown: {},
  };
}
