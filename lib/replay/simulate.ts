/**
 * One replay, from a load and a cluster's description to a report: synchronous, deterministic, without files or clocks
 * (the wall clock is handed in). Everything that replays goes through here: commands, scripts, retune sweeps.
 *
 * @module
 */
import { checkOptions, type OptionNames } from "../errors.ts";
import { AggregatedCluster } from "../cluster/aggregated.ts";
import { DisaggregatedCluster } from "../cluster/disaggregated.ts";
import type { ClusterOutcome, PoolSpec, Progress } from "../cluster/spec.ts";
import { Outcome, RequestRecords } from "../engine/records.ts";
import type { WorkerSettings } from "../engine/settings.ts";
import type { Pending, ScalingPolicy } from "../planner/policy.ts";
import { GapStatistics } from "../report/gap_statistics.ts";
import type { PlannerSection } from "../report/planner_section.ts";
import { buildReport, type Report } from "../report/report.ts";
import type { Price } from "../report/price.ts";
import { ServedRequests } from "../report/served_requests.ts";
import type { Sla } from "../report/sla.ts";
import { workerRows } from "../report/worker_rows.ts";
import { TelemetryCollector } from "../report/telemetry.ts";
import type { Traffic } from "../traffic/workload.ts";

/** What is replayed on what. */
export interface Simulation {
  /** The load. */
  traffic: Traffic;
  /** One pool that does everything, or one for prompts and one for tokens. */
  pools: readonly PoolSpec[];
  /** Scales the pools while they run. Default none. */
  policy?: ScalingPolicy | null;
  /** Makes the report's `planner` section once the run is over. Default null. */
  plannerSection?: ((outcome: ClusterOutcome) => PlannerSection | null) | null;
  /** Bounds for goodput. Default none. */
  sla?: Sla | null;
  /** What a GPU costs. Default: no cost is told. */
  price?: Price | null;
  /** Virtual time after which nothing happens any more. Default none. */
  maxVirtualMs?: number;
  /** The load has an end of its own, or the one above: the summary says how many requests it cost. Default false. */
  reportsCutoff?: boolean;
  /** Keeps placements and admissions of every request. Default false. */
  capturePerRequest?: boolean;
  /** Virtual milliseconds between telemetry samples; null for none. A run with telemetry is slower. Default null. */
  telemetryIntervalMs?: number | null;
  /**
   * Told the records when the run starts, to look at them while it goes on. Of requests that ended they keep everything only
   * with `capturePerRequest`.
   */
  observe?: (records: RequestRecords) => void;
  /** Milliseconds on the host's clock. Default: a clock that stands still. */
  hostMs?: () => number;
  /** Host time the run counts from, for loads that were read before. Default: when `simulate` is called. */
  startedHostMs?: number;
}

const OPTIONS: OptionNames<Simulation> = {
  traffic: true,
  pools: true,
  policy: true,
  plannerSection: true,
  sla: true,
  price: true,
  maxVirtualMs: true,
  reportsCutoff: true,
  capturePerRequest: true,
  telemetryIntervalMs: true,
  observe: true,
  hostMs: true,
  startedHostMs: true,
};
const POOL_OPTIONS: OptionNames<PoolSpec> = {
  settings: true,
  replicas: true,
  timing: true,
  router: true,
  sequences: true,
};

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
 * const pool = { settings, timing: polynomial(), replicas: 2, router: roundRobin() };
 * const run = simulate({ traffic, pools: [pool] });
 * let step = run.next();
 * while (!step.done) step = run.next();
 * console.log(step.value.summary.completed_requests); // 50
 * ```
 */
export function* simulate(simulation: Simulation): Generator<Progress | Pending, Report> {
  checkOptions("simulate()", simulation, OPTIONS);
  const { traffic, pools } = simulation;
  const hostMs = simulation.hostMs ?? (() => 0), started = simulation.startedHostMs ?? hostMs();
  if (pools.length < 1 || pools.length > 2) throw new RangeError(`a cluster has one or two pools, got ${pools.length}`);
  for (const pool of pools) checkOptions("simulate(): pools", pool, POOL_OPTIONS);
  const decode = pools[pools.length - 1], prefill = pools.length > 1 ? pools[0] : null;
  const { count, inputTokens, playIds } = traffic.workload, { sla = null, capturePerRequest = false } = simulation;
  const { maxVirtualMs = Infinity } = simulation;
  const source = traffic.start(), { spanMs } = source;
  const served = new ServedRequests(sla, count, spanMs && spanMs[1] <= maxVirtualMs ? spanMs : null);
  const records = new RequestRecords({
    capacity: count,
    history: capturePerRequest,
    keepsEnded: capturePerRequest || playIds !== null,
    disaggregated: prefill !== null,
    inputTokens,
    listener: served,
  });
  simulation.observe?.(records);
  const gaps = new GapStatistics();
  const { telemetryIntervalMs = null } = simulation;
  const telemetry = telemetryIntervalMs === null ? null : new TelemetryCollector(telemetryIntervalMs);
  const spec = {
    source,
    records,
    sink: gaps,
    policy: simulation.policy ?? null,
    maxVirtualMs,
    telemetry,
  };
  const cluster = prefill === null
    ? new AggregatedCluster(spec, decode)
    : new DisaggregatedCluster(spec, prefill, decode);
  const outcome = yield* cluster.run();
  const handOffs = records.disaggregated;
  /** Whether the prefill side of a request that was served still held its KV blocks at the end. */
  const handsOff = (request: number) =>
    handOffs !== null && records.status[request] === Outcome.completed &&
    !Number.isNaN(handOffs.sourceHeldMs[request]) &&
    Number.isNaN(handOffs.sourceReleasedMs[request]);
  const building = buildReport({
    records,
    served,
    workload: source.workload,
    gaps,
    sla,
    price: simulation.price ?? null,
    agents: source.agentOutcome?.(handsOff),
    planner: simulation.plannerSection?.(outcome) ?? null,
    telemetry: telemetry?.telemetry(),
    workers: workerRows(outcome.workers, served),
    totals: {
      cutoffRequests: simulation.reportsCutoff
        ? { keptOut: count - records.admitted, unfinished: records.admitted - records.ended }
        : undefined,
      prefillWorkerSeconds: outcome.prefillWorkerSeconds,
      decodeWorkerSeconds: outcome.decodeWorkerSeconds,
      prefillGpusPerWorker: prefill === null ? 0 : gpusPerWorker(prefill.settings),
      decodeGpusPerWorker: gpusPerWorker(decode.settings),
      committedPrefillTokens: outcome.committedPrefillTokens,
      wallMs: hostMs() - started,
      largestPromptTokens: Math.min(...pools.map(({ settings }) => largestPrompt(settings))),
    },
  });
  // A long run's samples take a while to sort: its driver may stop between them.
  for (let step = building.next();; step = building.next()) {
    if (step.done) return step.value;
    yield { virtualMs: outcome.endMs, ended: records.ended };
  }
}

function largestPrompt({ rank }: WorkerSettings): number {
  return Math.min(rank.blocks * rank.blockTokens, rank.maxModelTokens - 1);
}
