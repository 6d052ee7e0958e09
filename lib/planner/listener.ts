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
  /** The same of ITL. */
  estimatedItlMs: number | null;
  /** Traffic of the next interval as it was forecast. */
  forecast: Forecast | null;
  /** Requests a second that one engine serves within the SLA. */
  requestsPerSecond: PerRole<number | null>;
  /** Floors of the load loop after the tick. */
  floors: PerRole<number>;
  /** Why the load loop answered what it did. */
  loadReason: string | null;
  /** The same by role. */
  loadReasons: PerRole<string | null>;
  /** Why the throughput loop answered what it did. */
  throughputReason: string | null;
  /** The same by role. */
  throughputReasons: PerRole<string | null>;
  /** Whether each loop knew the limits of a role's engines; absent for roles it did not ask for them. */
  loadLimitsKnown: Partial<PerRole<boolean>>;
  /** The same of the throughput loop. */
  throughputLimitsKnown: Partial<PerRole<boolean>>;
}

/** One tick as the Planner lived through it. */
export interface TickView {
  /** The tick, with the loops that were due. */
  tick: ScheduledTick;
  /** The one after it. */
  next: ScheduledTick;
  /** What the Planner saw. */
  snapshot: Snapshot;
  /** Traffic the tick consumed. */
  traffic: ConsumedTraffic | null;
  /** Replicas by role, at the start of the tick. */
  counts: PerRole<RoleCounts>;
  /** The last passes of the ranks, ordered by worker. */
  rows: PerRole<PassRow[] | null>;
  /** What it found on its way. */
  findings: TickFindings;
  /** Wanted replicas, fitted into the budget. */
  scaleTo: ScaleTo | null;
  /** What it answered. */
  decision: Decision;
}

/** A change of a role's wanted workers. */
export interface ScalingChange {
  /** Seconds of virtual time. */
  atS: number;
  /** `agg` for the one pool of an aggregated deployment. */
  component: "agg" | RoleName;
  /** Wanted workers before. */
  from: number;
  /** Wanted workers after. */
  to: number;
}

/** Hears from a Planner, in the order in which things happen. */
export interface PlannerListener {
  /** A tick was decided. */
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
