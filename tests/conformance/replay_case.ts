/**
 * Runs one golden case (a trace, engine arguments and options as the reference takes them) through the twin of the
 * reference's entry point.
 */
import "../without_user_cache.ts";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import type { LifecycleOperation } from "../../lib/cluster/lifecycle.ts";
import type { RecordedPlanner } from "../../lib/report/planner_recorder.ts";
import type { ScalingPolicy, Snapshot } from "../../lib/planner/policy.ts";
import { type Autoscaler, scriptedAutoscaler } from "../../lib/replay/autoscaler.ts";
import type { TraceReplayOptions } from "../../lib/replay/replay_options.ts";
import { type ReadyParts, run } from "../../lib/replay/run.ts";
import { runTraceReplay, traceReplaySpec } from "../../lib/replay/run_trace_replay.ts";
import type { Report } from "../../lib/report/report.ts";
import type { RouterFactory } from "../../lib/router/router.ts";
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
  trace?: (Fields | string)[] | string;
  /** Instead of `trace`: the files of a trace, with their lines. */
  files?: { name: string; lines: (object | string)[] }[];
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
  /** Router of each pool. Default: as the options say. */
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

/** Reads the lines of a pack from `fixtures/goldens`. */
export function readPack(name: string, folder = "fuzz"): Case[] {
  const bytes = readFileSync(new URL(`../../fixtures/goldens/${folder}/${name}.jsonl.gz`, import.meta.url));
  return gunzipSync(bytes).toString("utf8").trim().split("\n").map((line) => JSON.parse(line));
}

/** Runs a case to its report, or to the message it fails with. */
export async function runCase(given: Case, options: RunCaseOptions = {}): Promise<CaseResult> {
  const snapshots: Snapshot[] = [];
  let lifecycle: LifecycleOperation[] = [];
  const files = options.traffic ? ["unused"] : traceFiles(given);
  const call = callOptions(given, options.capturePerRequest ?? true);
  const ready: ReadyParts = {
    traffic: options.traffic,
    router: options.router,
    autoscaler: options.planner
      ? plannerOf(options.planner)
      : given.policy
      ? recording(scripted(given.policy, snapshots), (operations) => lifecycle = operations)
      : undefined,
  };
  try {
    const report = Object.values(ready).every((part) => part === undefined)
      ? await runTraceReplay(files, call)
      : await run(await traceReplaySpec(files, call), { ready, hostMs: () => 0 }).report;
    return { report, lifecycle, snapshots };
  } catch (error) {
    if (!(error instanceof Error) || error instanceof TypeError || error instanceof RangeError) throw error;
    const message = files.reduce((text, file) => text.replaceAll(file, basename(file)), error.message);
    return { error: message, lifecycle, snapshots };
  }
}

/** Differences between what came and what the case expects. */
export function differences(given: Case, result: CaseResult, options: CompareOptions = {}): Difference[] {
  const { error, hang } = given.expected;
  if (hang) return result.error ? [] : [{ path: "error", expected: "some error", actual: "a report" }];
  if (error !== undefined) {
    // The reference refuses some cases with the name of its own file in front.
    // Of a dead end we also say what could not be served.
    const said = result.error?.replace(/^(replay invariant violated: .* in-flight requests remaining) \(.*\)$/s, "$1");
    const same = said !== undefined && (said === error || error.endsWith(said));
    return same ? [] : [{ path: "error", expected: error, actual: result.error ?? "a report" }];
  }
  if (result.report === undefined) return [{ path: "error", expected: "a report", actual: result.error }];
  return compareReport({ ...result.report, snapshots: result.snapshots }, given.expected, options);
}

/** What of a case's options is an option of the Python function; its launch mappings stand elsewhere in some packs. */
function callOptions(given: Case, capturePerRequest: boolean): TraceReplayOptions {
  const { engine_args, options } = given;
  const prefill = given.prefill_engine_args ?? options.prefill_engine_args ?? engine_args?.prefill;
  const decode = given.decode_engine_args ?? options.decode_engine_args ?? engine_args?.decode;
  const extra = given.extra_engine_args ?? options.extra_engine_args ?? engine_args;
  const snake = {
    ...options,
    ...(prefill && decode
      ? { extra_engine_args: undefined, prefill_engine_args: prefill, decode_engine_args: decode }
      : { extra_engine_args: extra }),
  };
  const camel = (name: string) => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
  const call = Object.fromEntries(
    Object.entries(snake).filter(([name, value]) => KNOWN.has(name) && value !== undefined && value !== null)
      .map(([name, value]) => [camel(name), value]),
  );
  // The reference takes a speedup that has no effect; we refuse it.
  if (options.replay_concurrency != null) delete call.arrivalSpeedupRatio;
  return { ...call, capturePerRequest, onWarning: () => {} };
}

/** Options of the reference that a case may have and a replay knows; others describe how the golden was made. */
const KNOWN = new Set([
  "extra_engine_args",
  "prefill_engine_args",
  "decode_engine_args",
  "router_mode",
  "router_config",
  "kv_event_lag_ms",
  "num_workers",
  "num_prefill_workers",
  "num_decode_workers",
  "sla_ttft_ms",
  "sla_itl_ms",
  "sla_e2e_ms",
  "max_sim_time_ms",
  "capture_telemetry",
  "telemetry_sample_interval_ms",
  "trace_format",
  "trace_block_size",
  "arrival_speedup_ratio",
  "replay_concurrency",
  "execution_model",
  "agentic_lanes",
]);

let folder: string | undefined;

/** The trace of a case as files. */
function traceFiles({ files, trace, lines }: Case): string[] {
  if (files !== undefined) return files.map(({ name, lines }) => writeRows(name, lines));
  if (typeof trace === "string") {
    const path = fileURLToPath(new URL(`../../../shared/traces/${trace.split("/").pop()}`, import.meta.url));
    if (!lines) return [path];
    return [writeRows("trace.jsonl", readFileSync(path, "utf8").split("\n").slice(...lines))];
  }
  return [writeRows("trace.jsonl", trace ?? [])];
}

function writeRows(name: string, rows: readonly (object | string)[]): string {
  if (folder === undefined) {
    folder = mkdtempSync(join(tmpdir(), "dynosim-case-"));
    process.on("exit", () => rmSync(folder!, { recursive: true, force: true }));
  }
  const path = join(folder, name);
  writeFileSync(path, rows.map((row) => typeof row === "string" ? row : JSON.stringify(row)).join("\n") + "\n");
  return path;
}

function plannerOf(planner: RecordedPlanner): Autoscaler {
  const section: Autoscaler["section"] = ({ lifecycle }) => planner.recorder.section(lifecycle);
  return { ...scriptedAutoscaler(planner), section };
}

/** An autoscaler whose lifecycle operations are in the report, and nothing else of it. */
function recording(policy: ScalingPolicy, told: (lifecycle: LifecycleOperation[]) => void): Autoscaler {
  return {
    ...scriptedAutoscaler(policy),
    section({ lifecycle, ticks }) {
      told(lifecycle);
      return {
        metadata: {},
        ticks: [],
        scaling_events: [],
        recommended_scaling_events: [],
        retune_events: null,
        lifecycle_operations: lifecycle,
        total_ticks: ticks,
        html_report_path: null,
      };
    },
  };
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
