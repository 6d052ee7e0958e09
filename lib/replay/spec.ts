/**
 * A run in plain data: everything that decides what its report says, so that it can be kept, sent to a thread or put
 * into a queue. It survives a structured clone, and JSON by `replaySpecText` and `readReplaySpec`. {@linkcode run} is the
 * one way from here to a report; `predict`, `replay`, `runTraceReplay` and the windows of a retune make such a
 * description from what they are given.
 *
 * @module
 */
import type { EstimatorConfig, RolePlan } from "../config/plan.ts";
import type { Role } from "../engine/settings.ts";
import type { Price } from "../report/price.ts";
import type { Sla } from "../report/sla.ts";
import type { RetuneConfig } from "../retune/config.ts";
import type { RouterSpec } from "../router/spec.ts";
import type { MixedPasses } from "../timing/calibration/calibrated_timing.ts";
import type { CalibrationProfile } from "../timing/calibration/profile.ts";
import type { TrafficSpec } from "../traffic/spec.ts";

/** How times of the operator database become those of passes. */
export interface PassTimingSpec {
  /** A correction by measured passes: a profile, or the path of one. Default none. */
  calibration?: string | CalibrationProfile | null;
  /** Takes a calibration of another deployment. Default false: it is refused. */
  forced?: boolean;
  /** What a pass takes that computes prompts and decodes. Default `fused` with a calibration, else `sum`. */
  mixed?: MixedPasses | null;
}

/** The workers of one role in plain data. */
export interface RoleSpec {
  /** What the workers are for. */
  role: Role;
  /** Workers at the start, at least 1. */
  replicas: number;
  /** Launch mapping of one worker (see `parseLaunch`); `engine.worker_type` names the role. */
  launch: Readonly<Record<string, unknown>>;
  /**
   * Identity of the workers in the operator database. Needed where passes are timed by it, and what a Planner with
   * target `sla` starts from. Default none.
   */
  estimator?: EstimatorConfig | null;
  /** What is made of the times of the operator database, where passes are timed by it. Default nothing. */
  passTiming?: PassTimingSpec | null;
  /** What the launch mapping leaves to be derived from the model. Default nothing. */
  open?: Pick<RolePlan, "capacity" | "contextTokens" | "transferBytesPerToken"> | null;
}

/** Who scales a cluster while it runs, in plain data. */
export interface AutoscalerSpec {
  /** Name of a kind of autoscaler: `planner` is Dynamo's, `hpa` Kubernetes', `keda` KEDA's. */
  kind: string;
  /** Its configuration: of a Planner the fields of `PlannerConfig`, of others the `autoscaler` section of a file. */
  config: Readonly<Record<string, unknown>>;
  /**
   * What a person wrote of the configuration: the run says which of it is in vain. Null: nothing is said, because it was
   * said before. Default: all of `config`.
   */
  written?: Readonly<Record<string, unknown>> | null;
}

/** What a report keeps beyond its summary. */
export interface CaptureSpec {
  /** A record of every request. Default false. */
  perRequest?: boolean;
  /** Virtual milliseconds between samples of traffic and schedulers; null for none. Such a run is slower. Default null. */
  telemetryIntervalMs?: number | null;
  /** Ticks and lifecycle operations of the autoscaler. Default true. */
  plannerDetails?: boolean;
  /** Diagnostics files (a page, a log), where the autoscaler's configuration asks for them. Default true. */
  diagnostics?: boolean;
}

/** One run in plain data. */
export interface ReplaySpec {
  /** The load. Absent when it is handed to `run` ready-made. */
  traffic?: TrafficSpec | null;
  /** Aggregated: one role; disaggregated: prefill, then decode. */
  roles: readonly RoleSpec[];
  /** Who places requests. Default round robin. */
  router?: RouterSpec | null;
  /** Who scales the roles. Default nobody. */
  autoscaler?: AutoscalerSpec | null;
  /** Retune around a Planner, resolved. Default: the `retune` block of the Planner's configuration, where it has one. */
  retune?: RetuneConfig | null;
  /**
   * The stack whose prediction this is: which question its engine asks of the operator database for a decode step, and
   * what its summary says of it. Default: no prediction, asked as `dynamo` does.
   */
  stack?: "engine" | "dynamo";
  /** Bounds for goodput. Default none. */
  sla?: Sla | null;
  /** What a GPU costs. Default: no cost is told. */
  price?: Price | null;
  /** Cutoff in virtual milliseconds, see `cutoff`. Default no limit. */
  maxVirtualMs?: number | null;
  /** At that time admissions end and who was admitted may finish (`soft`), or everything ends. Default `hard`. */
  cutoff?: "soft" | "hard";
  /** What the report keeps. */
  capture?: CaptureSpec;
}
