/**
 * What a cluster is made of. Everything is ready-made: nothing here reads files, environment or clocks.
 *
 * @module
 */
import type { GapSink } from "../engine/gap_sink.ts";
import type { RequestRecords } from "../engine/records.ts";
import type { SequenceLimit } from "../engine/sequence_limit.ts";
import type { WorkerSettings } from "../engine/settings.ts";
import type { Pending, ScalingPolicy } from "../planner/policy.ts";
import type { RouterFactory } from "../router/router.ts";
import type { Timing } from "../timing/timing.ts";
import type { AdmissionSource } from "../traffic/workload.ts";
import type { LifecycleOperation, PoolName } from "./lifecycle.ts";
import type { TelemetryProbe } from "./telemetry_probe.ts";

/** One pool: its workers and who places requests on them. */
export interface PoolSpec {
  /** What each worker is made of. */
  settings: WorkerSettings;
  /** Workers at time 0, at least 1. */
  replicas: number;
  /** How passes are timed. */
  timing: Timing;
  /** Makes the router of the pool. */
  router: RouterFactory;
  /**
   * Asked before one more sequence runs; tells afterwards how many would have had to be allowed. Default: that of the settings.
   *
   * @internal
   */
  sequences?: SequenceLimit;
}

/** What all clusters need. */
export interface ClusterSpec {
  source: AdmissionSource;
  records: RequestRecords;
  /** Takes the gaps between output tokens. */
  sink: GapSink;
  /** Decides how many workers there are; null for none. */
  policy?: ScalingPolicy | null;
  /** Takes samples of the cluster; a run with it is slower. Default none. */
  telemetry?: TelemetryProbe | null;
  /** No event later than this is processed. Default none. */
  maxVirtualMs?: number;
}

/** What only the cluster knows when a run is over. */
export interface ClusterOutcome {
  /** Seconds of all prefill workers' lives; 0 in aggregated clusters. */
  prefillWorkerSeconds: number;
  /** Seconds of all decode (or aggregated) workers' lives. */
  decodeWorkerSeconds: number;
  /** Prompt tokens that were computed. */
  committedPrefillTokens: number;
  /** Time of the last event. */
  endMs: number;
  /** Ticks handled. */
  ticks: number;
  /** What scaling did to workers. */
  lifecycle: LifecycleOperation[];
  /** Every worker there ever was, pool by pool. */
  workers: WorkerUsage[];
}

/** A worker's life, and how much of its KV cache requests held. */
export interface WorkerUsage {
  /** Its pool. */
  pool: PoolName;
  /** Its number in the pool. */
  id: number;
  /** Scheduler id of its first rank. */
  firstRank: number;
  /** How many ranks it has. */
  ranks: number;
  /** Virtual time between its start and its removal, or the end of the run. */
  aliveMs: number;
  /** KV blocks of all ranks. */
  blocks: number;
  /** Most of them that requests held at the start of a pass. */
  peakHeldBlocks: number;
  /** Held blocks times the milliseconds of the passes they were held in. */
  heldBlockMs: number;
}

/** How far a run is; yielded now and then so that a driver can show progress or stop. */
export interface Progress {
  /** Virtual time in milliseconds. */
  virtualMs: number;
  /** Requests that ended. */
  ended: number;
}

/** A run yields progress, and work a policy leaves to the driver; it returns the outcome. */
export type ClusterRun = Generator<Progress | Pending, ClusterOutcome>;

/**
 * Whether what a run yielded is work that must be resumed.
 *
 * @example
 * ```ts
 * import { isPending } from "dynosim";
 *
 * console.log(isPending({ virtualMs: 1000, ended: 12 })); // false: progress
 * ```
 */
export function isPending(step: Progress | Pending): step is Pending {
  return "resume" in step;
}
