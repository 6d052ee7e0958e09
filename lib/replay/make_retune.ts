/**
 * Puts retune around the Planner of a run: what it knows of the trace and of earlier traffic, and the workers
 * that run its sweeps.
 *
 * @module
 */
import { ConfigError, TraceError } from "../errors.ts";
import type { Executor } from "../jobs/job.ts";
import { threads } from "../jobs/threads.ts";
import { readWarmupTrace } from "../trace/read_warmup_trace.ts";
import { parseLaunch } from "../engine/launch/launch.ts";
import { isRetuneOnly } from "../planner/config.ts";
import type { RecordedPlanner } from "../report/planner_recorder.ts";
import type { Pending, RouterKnobs, ScalingPolicy } from "../planner/policy.ts";
import type { RetuneConfig } from "../retune/config.ts";
import { type ArrivalLog, recordedHistory } from "../forecast/history.ts";
import { searchesNothing, withoutVainSearches } from "../retune/in_vain.ts";
import { RetunePolicy } from "../retune/retune_policy.ts";
import type { PendingSweep, SweepAnswer, SweepTask } from "../retune/types.ts";
import { replayedTrace } from "../retune/window.ts";
import type { Traffic } from "../traffic/workload.ts";
import type { ReplaySpec } from "./spec.ts";
import { onRunner, runSweepOn } from "./sweeps.ts";
import { windowSpec } from "./window_spec.ts";

/** The jobs of a sweep. */
export const SWEEP_JOBS = { name: "sweep", module: new URL("./sweep_jobs.ts", import.meta.url) };

/** What retune needs beside its Planner. */
export interface MakeRetuneOptions {
  settings: RetuneConfig;
  /** The run, its roles with nothing open. */
  spec: ReplaySpec;
  /** Its load. */
  traffic: Traffic;
  /** Workers there may be at once, whatever the settings say. Default: the host's processors. */
  mostParallel?: number;
  /** Who replays the candidates. Default: threads, as many as may be at once. */
  executor?: Executor;
  /** Told what is left out of the search because it changes nothing. */
  onWarning?: (message: string) => void;
}

/** Retune around a Planner: its policy, and the part that runs outside the simulation. */
export interface Retune {
  /** Asked by the cluster instead of the Planner. */
  readonly policy: ScalingPolicy;
  /** Runs a sweep that the policy left to its driver, and tells how many candidates are done and known of. */
  work(pending: Pending, signal: AbortSignal, onCandidates: (done: number, known: number) => void): Promise<void>;
  /** Ends the workers. */
  close(): void;
}

/**
 * Puts retune around the Planner of a run.
 *
 * @throws {TraceError} when the recorded history does not fit the replayed trace
 * @throws {ConfigError} when the load is no recording, or nothing that is searched changes anything
 */
export async function makeRetune(
  planner: RecordedPlanner,
  { settings: asked, spec, traffic, mostParallel = navigator.hardwareConcurrency, executor, onWarning }:
    MakeRetuneOptions,
): Promise<Retune> {
  if (!traffic.recording) throw new ConfigError("planner.retune requires an open-loop Dynamo request trace");
  const { config, recorder } = planner, { roles } = spec;
  const disaggregated = roles.length > 1;
  const speedup = spec.traffic?.speedup ?? 1;
  const settings = worthSearching(asked, config.optimization_target, spec, onWarning);
  recorder.retuning({ ...settings });
  const policy = new RetunePolicy({
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
    startReplicas: {
      prefill: disaggregated ? roles[0].replicas : 0,
      decode: roles[roles.length - 1].replicas,
    },
    startKnobs: startKnobs(spec),
    startFields: config,
    advisory: config.advisory,
    disaggregated,
    onDecision: (event) => recorder.retuned(event),
  });
  const parallel = Math.max(1, Math.min(settings.max_parallel, mostParallel));
  const runner = (executor ?? threads(parallel)).open<ReplaySpec, SweepTask, SweepAnswer>(
    SWEEP_JOBS,
    windowSpec(spec, isRetuneOnly(config) ? null : { ...config }),
  );
  const sweeps = onRunner(runner);
  return {
    policy,
    async work(pending, signal, onCandidates) {
      const sweep = pending as PendingSweep;
      const options = { timeoutSeconds: settings.timeout_seconds, signal, onCandidates };
      sweep.resume(await runSweepOn(sweeps, sweep.work, options));
    },
    close: () => runner.close(),
  };
}

/** The block without what changes nothing, which is told. */
function worthSearching(
  asked: RetuneConfig,
  target: string,
  { roles }: ReplaySpec,
  onWarning?: (message: string) => void,
): RetuneConfig {
  const { prefixCaching } = parseLaunch(roles[0].launch).rank;
  const [settings, left] = withoutVainSearches(asked, { target, prefixCaching });
  if (left.length > 0 && searchesNothing(settings)) {
    const message = `planner.retune has nothing to search: ${left.join("; ")}`;
    throw new ConfigError(message, [{ path: "planner.retune", message }]);
  }
  for (const text of left) onWarning?.(`planner.retune.${text}`);
  return settings;
}

function startKnobs({ router }: ReplaySpec): RouterKnobs | null {
  if (router?.policy !== "kv_router") return null;
  const { settings = {} } = router;
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
