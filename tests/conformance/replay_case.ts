/**
 * Runs one golden case (a trace, engine arguments and options as the reference takes them) through the simulation.
 */
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import type { PoolSpec } from "../../lib/cluster/spec.ts";
import type { LifecycleOperation } from "../../lib/cluster/lifecycle.ts";
import { parseLaunch } from "../../lib/engine/launch/launch.ts";
import type { WorkerSettings } from "../../lib/engine/settings.ts";
import type { RecordedPlanner } from "../../lib/report/planner_recorder.ts";
import type { ScalingPolicy, Snapshot } from "../../lib/planner/policy.ts";
import type { Report } from "../../lib/report/report.ts";
import { RoundRobinRouter } from "../../lib/router/round_robin.ts";
import type { RouterFactory } from "../../lib/router/router.ts";
import { type Pools, simulate } from "../../lib/replay/simulate.ts";
import { fixed } from "../../lib/timing/fixed.ts";
import { polynomial } from "../../lib/timing/polynomial.ts";
import type { Timing } from "../../lib/timing/timing.ts";
import { loadTrace } from "../../lib/traffic/load_trace.ts";
import type { Traffic } from "../../lib/traffic/workload.ts";
import { type CompareOptions, compareReport, type Difference, type Expected } from "./compare.ts";

type Fields = Record<string, unknown>;

/** A case of a golden file or a line of a fuzz pack. */
export interface Case {
  description?: string;
  seed?: number;
  engine_args?: Fields & { prefill?: Fields; decode?: Fields };
  extra_engine_args?: Fields;
  prefill_engine_args?: Fields;
  decode_engine_args?: Fields;
  options: Fields;
  trace: (Fields | string)[] | string;
  /** Half-open range of trace rows. */
  lines?: [number, number];
  policy?: { at_ms: number; target?: number; target_prefill?: number | null; target_decode?: number | null }[];
  expected: Expected & { error?: string; hang?: boolean };
}

/** What came of a case. */
export interface CaseResult {
  report?: Report;
  lifecycle?: LifecycleOperation[];
  snapshots?: Snapshot[];
  error?: string;
}

export interface RunCaseOptions {
  /** Router of each pool. Default round robin. */
  router?: RouterFactory;
  capturePerRequest?: boolean;
  /** Already loaded traffic, for big traces. */
  traffic?: Traffic;
  /** Scales the cluster instead of the case's own list of targets. */
  planner?: RecordedPlanner;
}

/** Reads a golden case from `fixtures/goldens`. */
export function readCase(path: string): Case {
  return JSON.parse(readFileSync(new URL(`../../fixtures/goldens/${path}`, import.meta.url), "utf8"));
}

/** Reads the lines of a fuzz pack from `fixtures/goldens/fuzz`. */
export function readPack(name: string): Case[] {
  const bytes = readFileSync(new URL(`../../fixtures/goldens/fuzz/${name}.jsonl.gz`, import.meta.url));
  return gunzipSync(bytes).toString("utf8").trim().split("\n").map((line) => JSON.parse(line));
}

/** Runs a case to its report, or to the message it fails with. */
export async function runCase(given: Case, options: RunCaseOptions = {}): Promise<CaseResult> {
  const snapshots: Snapshot[] = [];
  let lifecycle: LifecycleOperation[] = [];
  try {
    const traffic = options.traffic ?? await trafficOf(given);
    const { sla_ttft_ms, sla_itl_ms, sla_e2e_ms, max_sim_time_ms } = given.options as Record<
      string,
      number | undefined
    >;
    const run = simulate({
      traffic,
      pools: poolsOf(given, options.router ?? ((context) => new RoundRobinRouter(context))),
      policy: options.planner ?? (given.policy ? scripted(given.policy, snapshots) : null),
      plannerSection: options.planner
        ? (outcome) => options.planner!.recorder.section(outcome.lifecycle)
        : given.policy
        ? (outcome) => {
          lifecycle = outcome.lifecycle;
          return {
            metadata: {},
            ticks: [],
            scaling_events: [],
            recommended_scaling_events: [],
            retune_events: null,
            lifecycle_operations: lifecycle,
            total_ticks: outcome.ticks,
            html_report_path: null,
          };
        }
        : null,
      sla: sla_ttft_ms === undefined && sla_itl_ms === undefined && sla_e2e_ms === undefined
        ? null
        : { ttftMs: sla_ttft_ms, itlMs: sla_itl_ms, e2eMs: sla_e2e_ms },
      maxVirtualMs: max_sim_time_ms,
      telemetryIntervalMs: given.options.capture_telemetry
        ? given.options.telemetry_sample_interval_ms as number ?? 1000
        : null,
      capturePerRequest: options.capturePerRequest ?? true,
    });
    let step = run.next();
    while (!step.done) step = run.next();
    return { report: step.value, lifecycle, snapshots };
  } catch (error) {
    if (!(error instanceof Error) || error instanceof TypeError || error instanceof RangeError) throw error;
    return { error: error.message, lifecycle, snapshots };
  }
}

/** Differences between what came and what the case expects. */
export function differences(given: Case, result: CaseResult, options: CompareOptions = {}): Difference[] {
  const { error, hang } = given.expected;
  if (hang) return result.error ? [] : [{ path: "error", expected: "some error", actual: "a report" }];
  if (error !== undefined) {
    // The reference refuses some cases with the name of its own file in front.
    const same = result.error !== undefined && (result.error === error || error.endsWith(result.error));
    return same ? [] : [{ path: "error", expected: error, actual: result.error ?? "a report" }];
  }
  if (result.report === undefined) return [{ path: "error", expected: "a report", actual: result.error }];
  return compareReport({ ...result.report, snapshots: result.snapshots }, given.expected, options);
}

async function trafficOf(given: Case): Promise<Traffic> {
  const { trace_block_size, arrival_speedup_ratio, replay_concurrency, trace_format } = given.options as Fields & {
    trace_block_size?: number;
    arrival_speedup_ratio?: number;
    replay_concurrency?: number;
    trace_format?: string;
  };
  const options = {
    format: trace_format ?? "mooncake",
    blockTokens: trace_block_size,
    speedup: arrival_speedup_ratio,
    concurrency: replay_concurrency,
  };
  if (typeof given.trace === "string") {
    const path = new URL(`../../../shared/traces/${given.trace.split("/").pop()}`, import.meta.url).pathname;
    if (!given.lines) return await loadTrace(path, options);
    const rows = readFileSync(path, "utf8").split("\n").slice(...given.lines);
    return await loadTrace(bytes(rows.join("\n") + "\n"), options);
  }
  const rows = given.trace.map((row) => typeof row === "string" ? row : JSON.stringify(row));
  return await loadTrace(bytes(rows.join("\n") + "\n"), options);
}

async function* bytes(text: string): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(text);
}

function poolsOf(given: Case, router: RouterFactory): Pools {
  const { num_workers, num_prefill_workers, num_decode_workers } = given.options as Record<string, number | undefined>;
  const prefill = given.prefill_engine_args ?? given.options.prefill_engine_args ?? given.engine_args?.prefill;
  const decode = given.decode_engine_args ?? given.options.decode_engine_args ?? given.engine_args?.decode;
  if (prefill && decode) {
    return {
      prefill: pool(parseLaunch(prefill), num_prefill_workers ?? 1, router),
      decode: pool(parseLaunch(decode), num_decode_workers ?? 1, router),
    };
  }
  const settings = parseLaunch(given.extra_engine_args ?? given.options.extra_engine_args ?? given.engine_args ?? {});
  return { aggregated: pool(settings, num_workers ?? 1, router) };
}

function pool(settings: WorkerSettings, replicas: number, router: RouterFactory): PoolSpec {
  return { settings, replicas, timing: timingOf(settings), router };
}

function timingOf({ rank }: WorkerSettings): Timing {
  return rank.timing.type === "fixed" ? fixed(rank.timing) : polynomial();
}

/** The toy policy of the goldens: each tick answers its entry's targets and asks for the next entry's time. */
function scripted(entries: NonNullable<Case["policy"]>, snapshots: Snapshot[]): ScalingPolicy {
  let next = 0;
  return {
    initialTickMs: () => entries[0]?.at_ms ?? Infinity,
    onTick(snapshot) {
      snapshots.push(snapshot);
      const entry = entries[next++];
      return {
        targetPrefill: entry.target_prefill ?? null,
        targetDecode: entry.target_decode ?? entry.target ?? null,
        nextTickMs: entries[next]?.at_ms ?? null,
      };
    },
  };
}
