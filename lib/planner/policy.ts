/**
 * The seam between the simulated cluster and whoever scales it. The cluster calls a policy at ticks in virtual time,
 * hands it a snapshot of what happened since the previous tick, and carries out the decision before it arms the next
 * tick. The Planner is one such policy; a few lines in a script are another.
 *
 * Everything here is plain data in milliseconds, seconds, tokens and counts as the names say. Aggregated workers are
 * the `decode` side throughout; the `prefill` side of an aggregated cluster is empty.
 *
 * @module
 */

/** One forward pass of one rank: what it worked on, and what waited when it started (after scheduling). */
export interface PassRow {
  /** The worker. */
  workerId: number;
  /** Attention data-parallel rank, from 0. */
  dpRank: number;
  /** Duration of the pass in seconds, to the end of its group; 0 in an idle row. */
  wallTimeS: number;
  /** Prompts computed in the pass, whole or in part. */
  prefillRequests: number;
  /** Prompt tokens computed in the pass. */
  prefillTokens: number;
  /** Population variance of the prompt lengths of those requests. */
  prefillLengthVariance: number;
  /** Tokens of those requests that were cached or computed before. */
  prefillKvTokens: number;
  /** Sequences that emit in the pass. */
  decodeRequests: number;
  /** Sum of the context lengths of the sequences that emit. */
  decodeKvTokens: number;
  /** Population variance of those lengths. */
  decodeKvVariance: number;
  /** Requests that wait for their prompt to be computed. */
  queuedPrefillRequests: number;
  /** Prompt tokens of those. */
  queuedPrefillTokens: number;
  /** Population variance of their prompt lengths. */
  queuedPrefillLengthVariance: number;
  /** Requests that wait to decode (preempted, or their KV cache on its way). */
  queuedDecodeRequests: number;
  /** Sum of the context lengths of those. */
  queuedDecodeKvTokens: number;
  /** Population variance of those lengths. */
  queuedDecodeKvVariance: number;
}

/** The workers of one role and the passes they ended since the previous tick. */
export interface RoleSnapshot {
  /** Worker ids, ascending. Active workers receive requests. */
  active: readonly number[];
  /** Workers inside their start-up delay. */
  starting: readonly number[];
  /** Workers that finish what they hold and then leave. */
  draining: readonly number[];
  /** The latest pass of each (worker, rank) that ended since the previous tick, by worker id, then rank. */
  passes: readonly PassRow[];
}

/** Traffic since the previous tick (the first window starts at 0). A mean without samples is 0. */
export interface TrafficWindow {
  /** Length of the window in seconds. */
  durationS: number;
  /** Requests admitted: offered load, counted at arrival. */
  requests: number;
  /** Completed requests, the samples of the two mean lengths. */
  shapeCount: number;
  /** Mean prompt length in tokens. */
  meanInputTokens: number;
  /** Mean output length in tokens. */
  meanOutputTokens: number;
  /** Mean time to first token. */
  meanTtftMs: number;
  /** Samples of that mean. */
  ttftCount: number;
  /** Mean time between output tokens. */
  meanItlMs: number;
  /** Samples of that mean. */
  itlCount: number;
  /** Accepted tokens per decode forward; null without decode passes. */
  meanAcceptLength: number | null;
  /** Samples of that mean. */
  acceptLengthForwards: number;
  /** Overlap blocks / prompt blocks of routed requests; only a KV router supplies samples. */
  meanKvHitRate: number;
  /** Samples of that mean. */
  kvHitRateCount: number;
}

/** The router knobs that can be changed while a replay runs. */
export type RouterKnobs = {
  overlap_score_credit: number;
  prefill_load_scale: number;
  temperature: number;
};

/** A role's router as it stands: parameters in force and how often they were changed. */
export interface RouterState {
  /** Always in force. */
  state: "active";
  /** Changes so far. */
  revision: number;
  /** The knobs. */
  parameters: RouterKnobs;
}

/** What a policy sees at a tick: the cluster before this tick's decision. */
export interface Snapshot {
  /** Ticks handled before this one. */
  tickOrdinal: number;
  /** Virtual milliseconds. */
  nowMs: number;
  /** The prefill role; empty when aggregated. */
  prefill: RoleSnapshot;
  /** The decode role, or the aggregated one. */
  decode: RoleSnapshot;
  /** Traffic since the tick before. */
  traffic: TrafficWindow;
  /** Routers per role, before this tick's update; absent when the router has no changeable knobs. */
  routers?: { prefill?: RouterState; decode?: RouterState };
}

/** What a policy wants. Targets count workers that are not draining (active + starting). */
export interface Decision {
  /** Wanted prefill workers, or null for no change. Aggregated clusters ignore it. */
  targetPrefill: number | null;
  /** Wanted decode (or aggregated) workers, or null for no change. */
  targetDecode: number | null;
  /**
   * Absolute time of the next tick in milliseconds. Anything that is not finite and later than now, null included, ends
   * the ticks and the collecting of passes.
   */
  nextTickMs: number | null;
  /** Knobs the routers use from this tick on; absent or null for no change. Equal ones change nothing. */
  routerKnobs?: { prefill?: RouterKnobs; decode?: RouterKnobs } | null;
  /** Work that must be done before virtual time goes on; absent or null for none. */
  pending?: Pending | null;
}

/**
 * Work that a policy leaves to somebody outside the core, because it may run elsewhere and take its time (a retune
 * sweep). The run carries out the decision, arms the next tick and then hands the pending work out; virtual time stands
 * still until {@linkcode Pending.resume} was called.
 */
export interface Pending<Work = unknown, Result = unknown> {
  /** What is to be done; policy and driver agree on its type. */
  readonly work: Work;
  /** Takes the result; called exactly once, before the run goes on. */
  resume(result: Result): void;
}

/**
 * Decides how many workers a cluster has.
 *
 * @example A policy that adds one worker after ten seconds
 * ```ts
 * import type { ScalingPolicy } from "dynosim";
 *
 * const policy: ScalingPolicy = {
 *   initialTickMs: () => 10_000,
 *   onTick: ({ decode }) => ({ targetPrefill: null, targetDecode: decode.active.length + 1, nextTickMs: null }),
 * };
 * console.log(policy.initialTickMs()); // 10000
 * ```
 */
export interface ScalingPolicy {
  /** Time of the first tick in milliseconds; asked once, after the arrivals at 0 have been handed over. */
  initialTickMs(): number;
  /** Called at each tick, after everything else that happens at that time; never once all work is done. */
  onTick(snapshot: Snapshot): Decision;
}
