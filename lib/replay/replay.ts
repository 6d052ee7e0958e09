/**
 * A replay as a script meets it: requests go in as a stream, records and ticks come out as streams, and in the end there
 * is a report.
 *
 * @module
 */
import { type EngineLaunch, launchMapping, vllm } from "../engine/launch/choices.ts";
import type { Role } from "../engine/settings.ts";
import { checkOptions, ConfigError, type OptionNames } from "../errors.ts";
import type { ScalingPolicy } from "../planner/policy.ts";
import { type Price, PRICE_OPTIONS } from "../report/price.ts";
import { type Sla, SLA_OPTIONS } from "../report/sla.ts";
import type { RouterFactory } from "../router/router.ts";
import type { RouterSpec } from "../router/spec.ts";
import type { Timing } from "../timing/timing.ts";
import type { TraceRequest } from "../trace/request.ts";
import { loadRequests } from "../traffic/load_trace.ts";
import type { Traffic } from "../traffic/workload.ts";
import { scriptedAutoscaler } from "./autoscaler.ts";
import { type ReplayRun, type ReplayRunOptions, run, RUN_OPTIONS } from "./run.ts";
import type { RoleSpec } from "./spec.ts";

/** The workers of one pool. */
export interface PoolChoices {
  /** Workers at the start. Default 1. */
  replicas?: number;
  /** Default `vllm()`. */
  engine?: EngineLaunch;
  /** Default `polynomial()`. */
  timing?: Timing;
  /** Delay of workers that are added while the replay runs. Default 0. */
  startupSeconds?: number;
}

/** What a replay runs on and how it is judged. */
export interface ReplayOptions extends Omit<ReplayRunOptions, "ready"> {
  /** One pool for everything, or one for prompts and one for tokens. Default one vLLM worker. */
  cluster?: PoolChoices | { prefill: PoolChoices; decode: PoolChoices };
  /** Who places requests: made by `roundRobin()` and the like, or described in plain data. Default round robin. */
  router?: RouterFactory | RouterSpec;
  /** Configuration of a Planner in PlannerConfig names (see `planner()`), or a scaling policy of your own. Default none. */
  planner?: Record<string, unknown> | ScalingPolicy | null;
  /** Bounds for goodput. Default none. */
  sla?: Sla | null;
  /** What a GPU costs. Default: no cost is told. */
  price?: Price | null;
  /** Virtual time after which nothing happens. Default none. */
  maxVirtualMs?: number;
  /**
   * Keeps a record of every request in the report, for tables and plots. Default true; false takes less memory on long
   * traces. On in any case when `requests` is read.
   */
  capturePerRequest?: boolean;
  /** Virtual milliseconds between samples of traffic and schedulers; null for none. Default null. */
  telemetryIntervalMs?: number | null;
  /** Tokens a block id of the trace stands for. Default 512. */
  blockTokens?: number;
  /** Requests (or sessions) open at the same time, instead of recorded arrival times. */
  concurrency?: number;
  /** Divides recorded times. Default 1. */
  speedup?: number;
  /**
   * Told before the replay starts what is in vain: an option without effect, a spent budget, an SLA out of reach.
   * Default: `console.warn`.
   */
  onWarning?: (message: string) => void;
}

const POOL_OPTIONS: OptionNames<PoolChoices> = { replicas: true, engine: true, timing: true, startupSeconds: true };
const SPLIT_OPTIONS = { prefill: true, decode: true } as const;
const { ready: _ready, ...PASSED_ON } = RUN_OPTIONS;
const OPTIONS: OptionNames<ReplayOptions> = {
  ...PASSED_ON,
  cluster: true,
  router: true,
  planner: true,
  sla: true,
  price: true,
  maxVirtualMs: true,
  capturePerRequest: true,
  telemetryIntervalMs: true,
  blockTokens: true,
  concurrency: true,
  speedup: true,
};

/** @throws {ConfigError} for options that a replay does not have, in pools and bounds too */
function checkReplayOptions(options: ReplayOptions): void {
  checkOptions("replay()", options, OPTIONS);
  const { cluster, sla, price } = options;
  if (sla) checkOptions("replay(): sla", sla, SLA_OPTIONS);
  if (price) checkOptions("replay(): price", price, PRICE_OPTIONS);
  if (cluster === undefined) return;
  if ("prefill" in cluster || "decode" in cluster) {
    const { prefill, decode } = cluster as { prefill: PoolChoices; decode: PoolChoices };
    checkOptions("replay(): cluster", { ...cluster, prefill, decode }, SPLIT_OPTIONS);
    checkPool("replay(): cluster.prefill", prefill);
    checkPool("replay(): cluster.decode", decode);
  } else checkPool("replay(): cluster", cluster);
}

function checkPool(of: string, pool: PoolChoices): void {
  checkOptions(of, pool, POOL_OPTIONS);
  const { engine, timing } = pool;
  if (engine !== undefined && typeof engine?.mapping !== "object") {
    throw new ConfigError(`${of}.engine must be what vllm(), sglang() or trtllm() return`);
  }
  if (timing !== undefined && typeof timing?.prefillMs !== "function") {
    throw new ConfigError(
      `${of}.timing must be a timing model, such as polynomial(), fixed() or operatorTiming() return`,
    );
  }
}

/**
 * Replays requests on a simulated cluster.
 *
 * @param source requests from anywhere (see `readTrace`), or a load that is ready (see `loadTrace`)
 *
 * @example
 * ```ts
 * import { replay, vllm } from "dynosim";
 *
 * async function* requests() {
 *   yield { timestampMs: 0, inputTokens: 1000, outputTokens: 4, hashIds: [1, 2], line: 1 };
 *   yield { timestampMs: 500, inputTokens: 600, outputTokens: 3, hashIds: [1, 7], line: 2 };
 * }
 * const { summary } = await replay(requests(), { cluster: { replicas: 1, engine: vllm() } }).report;
 * console.log(summary.completed_requests, summary.prefix_cache_reused_ratio); // 2 0.32
 * ```
 */
export function replay(source: AsyncIterable<TraceRequest> | Traffic, options: ReplayOptions = {}): ReplayRun {
  checkReplayOptions(options);
  if (typeof source !== "object" || source === null || !("workload" in source || Symbol.asyncIterator in source)) {
    throw new ConfigError(
      "replay(): the source must be a stream of requests (see readTrace) or a load (see loadTrace), " +
        `got ${typeof source === "string" ? `'${source}'` : typeof source}`,
    );
  }
  const { cluster = {}, router, planner, sla, price, maxVirtualMs, capturePerRequest, telemetryIntervalMs } = options;
  const { blockTokens, concurrency, speedup, onWarning = warn } = options;
  const { onProgress, onResolved, signal, mostParallel, hostMs, shared } = options;
  const pools: [Role, PoolChoices][] = "prefill" in cluster
    ? [["prefill", cluster.prefill], ["decode", cluster.decode]]
    : [["aggregated", cluster]];
  const scripted = isPolicy(planner), mode = pools.length === 1 ? "agg" : "disagg";
  const retunes = planner && !scripted && planner.retune != null;
  return run({
    roles: pools.map(([role, choices]) => roleSpec(role, choices)),
    router: typeof router === "function" ? null : router,
    autoscaler: planner && !scripted
      ? { kind: "planner", config: { mode, ...planner }, written: planner as Record<string, unknown> }
      : null,
    sla,
    price,
    maxVirtualMs,
    capture: { perRequest: capturePerRequest ?? true, telemetryIntervalMs },
  }, {
    onProgress,
    onResolved,
    signal,
    mostParallel,
    hostMs,
    shared,
    onWarning,
    ready: {
      traffic: "workload" in source ? source : () => {
        if (retunes) throw new ConfigError("a retune needs a trace file: use loadTrace, runTraceReplay or predict");
        return loadRequests(source, { blockTokens, concurrency, speedup });
      },
      router: typeof router === "function" ? router : undefined,
      autoscaler: scripted ? scriptedAutoscaler(planner) : undefined,
      timings: pools.map(([, { timing }]) => timing),
    },
  });
}

const isPolicy = (planner: ReplayOptions["planner"]): planner is ScalingPolicy =>
  typeof (planner as ScalingPolicy | null | undefined)?.onTick === "function";

function roleSpec(role: Role, { replicas = 1, engine = vllm(), timing, startupSeconds }: PoolChoices): RoleSpec {
  return { role, replicas, launch: withRanksOf(timing, launchMapping(engine, { role, startupSeconds })) };
}

/**
 * The launch mapping with the GPUs that the timing is made for: an engine that says none takes them from there.
 *
 * @throws {ConfigError} when the engine says others
 */
function withRanksOf(timing: Timing | undefined, mapping: Record<string, unknown>): Record<string, unknown> {
  if (timing?.ranks === undefined) return mapping;
  const { tensor, attentionData } = timing.ranks;
  const own = { ...mapping };
  for (
    const [key, option, size] of [
      ["tensor_parallel_size", "tensor", tensor],
      ["dp_size", "attentionData", attentionData],
    ] as const
  ) {
    if (own[key] !== undefined && own[key] !== size) {
      const message = `the engine has ${option} ${own[key]}, but its timing is of a deployment with ${option} ${size}`;
      throw new ConfigError(message, [{ path: option, message }]);
    }
    if (size !== 1) own[key] = size;
  }
  return own;
}

/** Warnings for a script that does not say where it wants them. */
const warn = (message: string) => console.warn(`dynosim: ${message}`);
