/**
 * One replay, from a load and a cluster's description to a report: synchronous, deterministic, without files or clocks
 * (the wall clock is handed in). Everything that replays goes through here: commands, scripts, retune sweeps.
 *
 * @module
 */
import { AggregatedCluster } from "../cluster/aggregated.ts";
import { DisaggregatedCluster } from "../cluster/disaggregated.ts";
import type { ClusterOutcome, PoolSpec, Progress } from "../cluster/spec.ts";
import { RequestRecords } from "../engine/records.ts";
import type { WorkerSettings } from "../engine/settings.ts";
import type { Pending, ScalingPolicy } from "../planner/policy.ts";
import { GapStatistics } from "../report/gap_statistics.ts";
import type { PlannerSection } from "../report/planner_section.ts";
import { buildReport, type Report } from "../report/report.ts";
import type { Sla } from "../report/sla.ts";
import { TelemetryCollector } from "../report/telemetry.ts";
import type { Traffic } from "../traffic/workload.ts";

/** The pools of a cluster: one that does everything, or one for prompts and one for tokens. */
export type Pools = { aggregated: PoolSpec } | { prefill: PoolSpec; decode: PoolSpec };

/** What is replayed on what. */
export interface Simulation {
  traffic: Traffic;
  pools: Pools;
  /** Scales the pools while they run. Default none. */
  policy?: ScalingPolicy | null;
  /** Makes the report's `planner` section once the run is over. Default null. */
  plannerSection?: ((outcome: ClusterOutcome) => PlannerSection) | null;
  sla?: Sla | null;
  /** Virtual time after which nothing happens any more. Default none. */
  maxVirtualMs?: number;
  /** Keeps placements and admissions of every request. Default false. */
  capturePerRequest?: boolean;
  /** Virtual milliseconds between telemetry samples; null for none. A run with telemetry is slower. Default null. */
  telemetryIntervalMs?: number | null;
  /** Told the records when the run starts, to look at them while it goes on. */
  observe?: (records: RequestRecords) => void;
  /** Milliseconds on the host's clock. Default: a clock that stands still. */
  hostMs?: () => number;
  /** Host time the run counts from, for loads that were read before. Default: when `simulate` is called. */
  startedHostMs?: number;
}

/** GPUs one worker of a pool occupies. */
export function gpusPerWorker(settings: WorkerSettings): number {
  return settings.tensorParallel * settings.dpSize;
}

/**
 * Replays a load. Yields progress now and then, and work that a policy leaves to the driver (see `Pending`).
 *
 * @throws {SimulationError} when the replay cannot go on.
 *
 * @example
 * ```ts
 * import { parseLaunch, polynomial, roundRobin, simulate, syntheticTraffic } from "dynosim";
 *
 * const traffic = syntheticTraffic({ count: 50, inputTokens: 500, outputTokens: 50, concurrency: 8 });
 * const settings = parseLaunch({ engine: { num_gpu_blocks: 4096 } });
 * const aggregated = { settings, timing: polynomial(), replicas: 2, router: roundRobin() };
 * const run = simulate({ traffic, pools: { aggregated } });
 * let step = run.next();
 * while (!step.done) step = run.next();
 * console.log(step.value.summary.completed_requests); // 50
 * ```
 */
export function* simulate(simulation: Simulation): Generator<Progress | Pending, Report> {
  const { traffic, pools } = simulation;
  const hostMs = simulation.hostMs ?? (() => 0), started = simulation.startedHostMs ?? hostMs();
  const aggregated = "aggregated" in pools;
  const records = new RequestRecords({
    capacity: traffic.workload.count,
    history: simulation.capturePerRequest ?? false,
    disaggregated: !aggregated,
  });
  simulation.observe?.(records);
  const gaps = new GapStatistics();
  const source = traffic.start();
  const { telemetryIntervalMs = null } = simulation;
  const telemetry = telemetryIntervalMs === null ? null : new TelemetryCollector(telemetryIntervalMs);
  const spec = {
    source,
    records,
    sink: gaps,
    policy: simulation.policy ?? null,
    maxVirtualMs: simulation.maxVirtualMs,
    telemetry,
  };
  const cluster = aggregated
    ? new AggregatedCluster(spec, pools.aggregated)
    : new DisaggregatedCluster(spec, pools.prefill, pools.decode);
  const outcome = yield* cluster.run();
  const settings = aggregated ? pools.aggregated.settings : pools.decode.settings;
  return buildReport({
    records,
    workload: source.workload,
    gaps,
    sla: simulation.sla ?? null,
    agents: source.agentOutcome?.(),
    planner: simulation.plannerSection?.(outcome) ?? null,
    telemetry: telemetry?.telemetry(),
    totals: {
      prefillWorkerSeconds: outcome.prefillWorkerSeconds,
      decodeWorkerSeconds: outcome.decodeWorkerSeconds,
      prefillGpusPerWorker: aggregated ? 0 : gpusPerWorker(pools.prefill.settings),
      decodeGpusPerWorker: gpusPerWorker(settings),
      committedPrefillTokens: outcome.committedPrefillTokens,
      wallMs: hostMs() - started,
      largestPromptTokens: aggregated
        ? largestPrompt(settings)
        : Math.min(largestPrompt(pools.prefill.settings), largestPrompt(settings)),
    },
  });
}

function largestPrompt({ rank }: WorkerSettings): number {
  return Math.min(rank.blocks * rank.blockTokens, rank.maxModelTokens - 1);
}
