/**
 * What a run may be given beside its description.
 *
 * @module
 */
import type { OptionNames } from "../errors.ts";
import type { TrafficObservation } from "../forecast/history.ts";
import type { Executor } from "../jobs/job.ts";
import type { RouterFactory } from "../router/router.ts";
import type { OperationTotals } from "../timing/aic/operation_ledger.ts";
import type { Timing } from "../timing/timing.ts";
import type { Traffic } from "../traffic/workload.ts";
import type { Autoscaler } from "./autoscaler.ts";
import type { RunProgress } from "./drive.ts";
import type { ResolvedRole } from "./roles.ts";
import type { SharedData } from "./shared_data.ts";
import type { ReplaySpec } from "./spec.ts";

/** What a script hands over ready-made, instead of the part of the description it replaces. */
export interface ReadyParts {
  /** The load, or how it is made. Replaces `traffic`. */
  traffic?: Traffic | (() => Promise<Traffic>);
  /** Places requests. Replaces `router`. */
  router?: RouterFactory;
  /** Times the passes of each role; undefined leaves that to the role's launch mapping. */
  timings?: readonly (Timing | undefined)[];
  /** Scales the roles, see {@linkcode scriptedAutoscaler}. Replaces `autoscaler`. */
  autoscaler?: Autoscaler;
  /** Past traffic for the autoscaler's predictors. Default: that of the configured warm-up trace. */
  history?: readonly TrafficObservation[];
}

/** Names of the fields of a {@linkcode ReplaySpec}. */
export const SPEC: OptionNames<ReplaySpec> = {
  traffic: true,
  roles: true,
  router: true,
  autoscaler: true,
  retune: true,
  stack: true,
  sla: true,
  price: true,
  maxVirtualMs: true,
  cutoff: true,
  capture: true,
};

/** Options of {@linkcode run}: what it takes and tells on the way to its report. */
export interface ReplayRunOptions {
  /** Called now and then while the replay runs; what it throws ends it. */
  onProgress?: (progress: RunProgress) => void;
  /**
   * Told before the replay starts what its description, load and engines show to be in vain, and after its end how far
   * it went beyond what was measured. Default: nobody is told.
   */
  onWarning?: (message: string) => void;
  /** Told what was derived for each role (KV blocks, longest context) before the replay starts. */
  onResolved?: (roles: readonly ResolvedRole[]) => void;
  /**
   * Told at the end, for each role, the smallest `max_sequences` under which nobody would have waited for it: the replay
   * is the same under every limit from there on, unless a Planner works with it. Larger than the role's own limit when
   * that was met.
   */
  onSequences?: (needed: readonly number[]) => void;
  /**
   * Told what each operator took of all passes, when the replay is over; null where no times are measured. Such a run is
   * slower.
   */
  onOperations?: (totals: OperationTotals | null) => void;
  /** Ends the replay with its reason. */
  signal?: AbortSignal;
  /** Workers a retune may run at once, whatever its settings say. Default: the host's processors. */
  mostParallel?: number;
  /** Who replays the candidates of a retune. Default: threads, as many as may run at once. */
  executor?: Executor;
  /** Milliseconds on the host's clock, for the report's wall-clock figures. Default: `performance.now`. */
  hostMs?: () => number;
  /** What runs of one process share. Default: nothing. */
  shared?: SharedData;
  /** Parts that exist already. */
  ready?: ReadyParts;
}

/** Names of the options of {@linkcode run}. */
export const RUN_OPTIONS: OptionNames<ReplayRunOptions> = {
  onProgress: true,
  onWarning: true,
  onResolved: true,
  onSequences: true,
  onOperations: true,
  signal: true,
  mostParallel: true,
  executor: true,
  hostMs: true,
  shared: true,
  ready: true,
};
