/**
 * A replay as a script meets it: requests go in as a stream, records and ticks come out as streams, and in the end there
 * is a report. Whoever reads a stream slowly slows the replay down; whoever reads none pays for none.
 *
 * @module
 */
import type { PoolSpec } from "../cluster/spec.ts";
import { type EngineLaunch, launchMapping, vllm } from "../engine/launch/choices.ts";
import { parseLaunch } from "../engine/launch/launch.ts";
import type { RequestRecords } from "../engine/records.ts";
import type { Role } from "../engine/settings.ts";
import { ConfigError } from "../errors.ts";
import { makePlanner } from "./make_planner.ts";
import type { RecordedPlanner } from "../report/planner_recorder.ts";
import type { Pending, ScalingPolicy } from "../planner/policy.ts";
import type { PlannerTick } from "../report/planner_section.ts";
import { PerRequestRecords, type RequestRecord } from "../report/per_request.ts";
import type { Report } from "../report/report.ts";
import { checkSla, type Sla } from "../report/sla.ts";
import { roundRobin } from "../router/round_robin.ts";
import type { RouterFactory } from "../router/router.ts";
import { type Pools, simulate, type Simulation } from "./simulate.ts";
import { polynomial } from "../timing/polynomial.ts";
import type { Timing } from "../timing/timing.ts";
import type { TraceRequest } from "../trace/request.ts";
import { Flow } from "../trace/stage.ts";
import { loadRequests } from "../traffic/load_trace.ts";
import type { Traffic, Workload } from "../traffic/workload.ts";
import { isPending, type Progress } from "../cluster/spec.ts";

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
export interface ReplayOptions {
  /** One pool for everything, or one for prompts and one for tokens. Default one vLLM worker. */
  cluster?: PoolChoices | { prefill: PoolChoices; decode: PoolChoices };
  /** Who places requests. Default `roundRobin()`. */
  router?: RouterFactory;
  /** Configuration of a Planner in PlannerConfig names (see `planner()`), or a scaling policy of your own. Default none. */
  planner?: Record<string, unknown> | ScalingPolicy | null;
  sla?: Sla | null;
  /** Virtual time after which nothing happens. Default none. */
  maxVirtualMs?: number;
  /**
   * Keeps a record of every request in the report, for tables and plots. Default true; false takes less memory on long
   * traces. On in any case when `requests` is read.
   */
  capturePerRequest?: boolean;
  /** Tokens a block id of the trace stands for. Default 512. */
  blockTokens?: number;
  /** Requests (or sessions) open at the same time, instead of recorded arrival times. */
  concurrency?: number;
  /** Divides recorded times. Default 1. */
  speedup?: number;
  /** Told before the replay starts what is in vain: an option without effect, a spent budget, an SLA out of reach. */
  onWarning?: (message: string) => void;
}

/** A tick as it is streamed: the report's entry, with what most people ask of it under short names. */
export interface ReplayTick extends PlannerTick {
  /** Virtual time in milliseconds, `at_ms`. */
  readonly atMs: number;
  /** Replicas wanted from this tick on; null for no change. Aggregated workers are `decode`. */
  readonly targets: { readonly prefill: number | null; readonly decode: number | null };
}

const NO_RETUNE = "a retune needs a trace file: use runTraceReplay or predict";
/** Items a stream may be ahead of its reader before the replay waits for it. */
const AHEAD = 4096;

/** A stream's items that are not read yet. */
interface Backlog<T> {
  items: T[];
  open: boolean;
}

/**
 * A replay that starts when one of its results is asked for.
 *
 * @example
 * ```ts
 * import { readTrace, replay, type ReplayRun } from "dynosim";
 *
 * const run: ReplayRun = replay(readTrace("fixtures/traces/chat.jsonl"));
 * let slow = 0;
 * for await (const { ttft_ms } of run.requests) if (ttft_ms !== null && ttft_ms > 500) slow++;
 * console.log(slow, (await run.report).summary.num_requests);
 * ```
 */
export class ReplayRun {
  readonly #options: ReplayOptions;
  readonly #source: AsyncIterable<TraceRequest> | Traffic;
  readonly #requests: Backlog<RequestRecord> = { items: [], open: false };
  readonly #ticks: Backlog<ReplayTick> = { items: [], open: false };
  #report: Promise<Report> | null = null;
  #done = false;
  #run: Generator<Progress | Pending, Report> | null = null;
  #result: Report | null = null;
  #stepping: Promise<void> | null = null;
  #records: RequestRecords | null = null;
  #workload: Workload | null = null;
  #sentRequests = 0;
  #planner: RecordedPlanner | null = null;
  #sentTicks = 0;
  #drained: (() => void) | null = null;

  constructor(source: AsyncIterable<TraceRequest> | Traffic, options: ReplayOptions) {
    this.#source = source;
    this.#options = options;
  }

  /** The record of every request, in the order in which they end. */
  get requests(): Flow<RequestRecord> {
    this.#requests.open = true;
    return new Flow(this.#drain(this.#requests));
  }

  /** Every tick of the Planner; none without one. */
  get ticks(): Flow<ReplayTick> {
    this.#ticks.open = true;
    return new Flow(this.#drain(this.#ticks));
  }

  /** The report, once everything has happened. Streams that were asked for must be read to their end for it. */
  get report(): Promise<Report> {
    return this.#report ??= this.#finish();
  }

  async #finish(): Promise<Report> {
    while (!this.#done) await this.#step();
    return this.#result!;
  }

  async *#drain<T>(backlog: Backlog<T>): AsyncGenerator<T[], void, void> {
    try {
      for (;;) {
        if (backlog.items.length > 0) {
          const items = backlog.items;
          backlog.items = [];
          this.#drained?.();
          yield items;
        } else if (this.#done) {
          return;
        } else {
          await this.#step();
        }
      }
    } finally {
      backlog.open = false;
      backlog.items = [];
      this.#drained?.();
    }
  }

  /** Goes on by one piece of the replay, once for everybody who asks. */
  #step(): Promise<void> {
    return this.#stepping ??= this.#advance().finally(() => this.#stepping = null);
  }

  async #advance(): Promise<void> {
    if (this.#run === null) this.#run = simulate(await this.#prepare());
    while (this.#requests.items.length > AHEAD || this.#ticks.items.length > AHEAD) {
      await new Promise<void>((resolve) => this.#drained = resolve);
    }
    const step = this.#run.next();
    if (step.done) {
      this.#result = step.value;
      this.#done = true;
    } else if (isPending(step.value)) {
      throw new ConfigError(NO_RETUNE);
    }
    this.#send();
  }

  #send(): void {
    const records = this.#records;
    // Histories are sorted by request each time, so a batch is a good part of what was told before.
    const due = records === null ? 0 : records.ended - this.#sentRequests;
    if (this.#requests.open && records !== null && due > 0 && (this.#done || due * 4 >= this.#sentRequests)) {
      const made = new PerRequestRecords(records, this.#workload!);
      while (this.#sentRequests < records.ended) {
        this.#requests.items.push(made.of(records.completionOrder[this.#sentRequests++]));
      }
    }
    if (this.#ticks.open && this.#planner !== null) {
      const { ticks } = this.#planner.recorder.section();
      while (this.#sentTicks < ticks.length) this.#ticks.items.push(streamed(ticks[this.#sentTicks++]));
    }
  }

  async #prepare(): Promise<Simulation> {
    const options = this.#options;
    if (options.sla) checkSla(options.sla);
    const given = options.planner;
    if (given && !("onTick" in given) && given.retune != null) throw new ConfigError(NO_RETUNE);
    const traffic = "workload" in this.#source ? this.#source : await loadRequests(this.#source, {
      blockTokens: options.blockTokens,
      concurrency: options.concurrency,
      speedup: options.speedup,
    });
    const simulation: Simulation = {
      traffic,
      pools: poolsOf(options),
      sla: options.sla ?? null,
      maxVirtualMs: options.maxVirtualMs,
      capturePerRequest: (options.capturePerRequest ?? true) || this.#requests.open,
      hostMs: () => performance.now(),
      observe: (records) => {
        this.#records = records;
        this.#workload = traffic.workload;
      },
    };
    const { planner, onWarning = warn } = options;
    for (const warning of traffic.warnings ?? []) onWarning(warning);
    if (planner && typeof (planner as ScalingPolicy).onTick === "function") {
      simulation.policy = planner as ScalingPolicy;
    } else if (planner) {
      this.#planner = await makePlanner(simulation, { mode: modeOf(simulation.pools), ...planner }, {
        written: planner as Record<string, unknown>,
        onWarning,
      });
    }
    return simulation;
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
  return new ReplayRun(source, options);
}

function poolsOf({ cluster = {}, router = roundRobin() }: ReplayOptions): Pools {
  if ("prefill" in cluster) {
    return { prefill: poolOf(cluster.prefill, "prefill", router), decode: poolOf(cluster.decode, "decode", router) };
  }
  return { aggregated: poolOf(cluster, "aggregated", router) };
}

function poolOf(choices: PoolChoices, role: Role, router: RouterFactory): PoolSpec {
  const { replicas = 1, engine = vllm(), timing = polynomial(), startupSeconds } = choices;
  if (!(Number.isSafeInteger(replicas) && replicas >= 1)) {
    throw new ConfigError(`${role} pool must start with at least one worker, got ${replicas}`);
  }
  return { settings: parseLaunch(launchMapping(engine, { role, startupSeconds })), replicas, timing, router };
}

/** Warnings for a script that does not say where it wants them. */
const warn = (message: string) => console.warn(`dynosim: ${message}`);

function streamed(tick: PlannerTick): ReplayTick {
  const { target_prefill: prefill, target_decode: decode } = tick.runtime_decision;
  return { ...tick, atMs: tick.at_ms, targets: { prefill, decode } };
}

const modeOf = (pools: Pools): string => "aggregated" in pools ? "agg" : "disagg";
