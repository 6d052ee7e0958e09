/**
 * Puts retune around the Planner of a simulation: what it knows of the trace and of earlier traffic, and the workers
 * that run its sweeps.
 *
 * @module
 */
import { ConfigError, TraceError } from "../errors.ts";
import { threads } from "../jobs/threads.ts";
import { readWarmupTrace } from "./make_planner.ts";
import { isRetuneOnly } from "../planner/config.ts";
import type { RecordedPlanner } from "../report/planner_recorder.ts";
import type { Pending, RouterKnobs } from "../planner/policy.ts";
import type { RetuneConfig } from "../retune/config.ts";
import { type ArrivalLog, recordedHistory } from "../forecast/history.ts";
import { RetunePolicy } from "../retune/retune_policy.ts";
import type { PendingSweep, SweepAnswer, SweepTask } from "../retune/types.ts";
import { replayedTrace } from "../retune/window.ts";
import type { Simulation } from "./simulate.ts";
import { onRunner, runSweepOn } from "./sweeps.ts";
import type { ClusterRecipe } from "./window.ts";

/** The jobs of a sweep. */
const SWEEP_JOBS = { name: "sweep", module: new URL("./sweep_jobs.ts", import.meta.url) };

/** What retune needs beside the simulation and its Planner. */
export interface MakeRetuneOptions {
  settings: RetuneConfig;
  /** The simulation's cluster in plain data. */
  recipe: ClusterRecipe;
  /** Factor by which arrivals are compressed. Default 1. */
  speedup?: number;
  /** Workers there may be at once, whatever the settings say. Default: the host's processors. */
  mostParallel?: number;
}

/** The part of a retune that runs outside the simulation. */
export interface RetuneDriver {
  /** Runs a sweep that the policy left to its driver. */
  work(pending: Pending, signal: AbortSignal): Promise<void>;
  /** Ends the workers. */
  close(): void;
}

/**
 * Adds retune to a simulation that has its pools and its Planner.
 *
 * @throws {TraceError} when the recorded history does not fit the replayed trace
 * @throws {ConfigError} when the load is no recording
 */
export async function makeRetune(
  simulation: Simulation,
  planner: RecordedPlanner,
  { settings, recipe, speedup = 1, mostParallel = navigator.hardwareConcurrency }: MakeRetuneOptions,
): Promise<RetuneDriver> {
  const { traffic, pools } = simulation;
  if (!traffic.recording) throw new ConfigError("planner.retune requires an open-loop Dynamo request trace");
  const { config, recorder } = planner;
  const disaggregated = !("aggregated" in pools);
  recorder.retuning({ ...settings });
  simulation.policy = new RetunePolicy({
    settings,
    planner,
    innerPlanner: !isRetuneOnly(config),
    tickSeconds: config.load_adjustment_interval_seconds,
    throughputIntervalSeconds: config.throughput_adjustment_interval_seconds,
    throughputScaling: config.enable_throughput_scaling,
    trace: replayedTrace(traffic),
    history: config.enable_throughput_scaling && config.load_predictor_warmup_trace
      ? await historyOf(config.load_predictor_warmup_trace, traffic.recording.originMs, speedup)
      : null,
    startReplicas: disaggregated
      ? { prefill: pools.prefill.replicas, decode: pools.decode.replicas }
      : { prefill: 0, decode: pools.aggregated.replicas },
    startKnobs: startKnobs(recipe),
    startFields: config,
    advisory: config.advisory,
    disaggregated,
    onDecision: (event) => recorder.retuned(event),
  });
  const parallel = Math.max(1, Math.min(settings.max_parallel, mostParallel));
  const runner = threads(parallel).open<ClusterRecipe, SweepTask, SweepAnswer>(
    SWEEP_JOBS,
    isRetuneOnly(config) ? { ...recipe, planner: null } : recipe,
  );
  const sweeps = onRunner(runner);
  return {
    async work(pending, signal) {
      const sweep = pending as PendingSweep;
      sweep.resume(await runSweepOn(sweeps, sweep.work, { timeoutSeconds: settings.timeout_seconds, signal }));
    },
    close: () => runner.close(),
  };
}

function startKnobs({ router: { name, settings } }: ClusterRecipe): RouterKnobs | null {
  if (name !== "kv_router") return null;
  const { overlapScoreCredit = 1, prefillLoadScale = 1, temperature = 0 } = settings;
  return { overlap_score_credit: overlapScoreCredit, prefill_load_scale: prefillLoadScale, temperature };
}

/** Requests of an earlier trace, on the clock of the replay. */
async function historyOf(pattern: string, originMs: number, speedup: number): Promise<ArrivalLog> {
  const trace = await readWarmupTrace(pattern);
  const rows = trace.requests();
  if (rows.length > 0 && trace.format !== "dynamo") {
    throw new TraceError("retune history must be a Dynamo request trace", { file: pattern });
  }
  return recordedHistory(rows, originMs, speedup);
}
