/**
 * How much of the KV cache a run used over time, from what there is: telemetry samples, requests, or what the Planner
 * saw at its ticks.
 *
 * @module
 */
import type { ColumnTable } from "./arquero.ts";
import type { PlannerSection } from "../report/planner_section.ts";
import type { RunMetadata } from "../report/report.ts";
import type { Summary } from "../report/summary.ts";
import type { SchedulerMetrics, Telemetry } from "../report/telemetry.ts";
import { roundBucketMs } from "./over_time.ts";
import { endOfRun, poolsOf, replicaSteps } from "./replicas.ts";

/** A run whose KV cache use may be known. */
export interface KvRun {
  /** Short name for legends. */
  readonly name: string;
  /** Samples of the cluster; null unless captured. */
  readonly telemetry: Telemetry | null;
  /** What the Planner saw; null when none ran. */
  readonly planner: PlannerSection | null;
  /** Table of requests; null or absent when they were not captured. */
  readonly requests?: ColumnTable | null;
  /** What its workers were; null or absent when unknown. */
  readonly metadata?: RunMetadata | null;
  /** Figures of the run; without them its capacity is not known. */
  readonly summary?: Summary;
}

/** Use at a moment. */
export interface KvUse {
  minute: number;
  /** Context tokens, or a share of all blocks where it was sampled. */
  value: number;
  /** Tokens that the workers hold at that moment; null when unknown. */
  capacity: number | null;
}

/** Mean share of blocks in use over all ranks; empty without telemetry. */
export function sampledShares({ telemetry }: KvRun): KvUse[] {
  const mean = (rows: readonly SchedulerMetrics[]) =>
    rows.reduce((sum, row) => sum + row.active_cache_usage, 0) / Math.max(rows.length, 1);
  return (telemetry?.samples ?? []).map((sample) => ({
    minute: sample.sampled_at_ms / 60_000,
    value: mean([...sample.prefill_scheduler_metrics, ...sample.decode_scheduler_metrics]),
    capacity: null,
  }));
}

/** Context tokens of running requests: of the requests' records, else of the Planner's ticks; empty without both. */
export function contextTokens(run: KvRun, buckets?: number): KvUse[] {
  const points = run.requests ? tokensOfRequests(run.requests, buckets) : tokensOfTicks(run.planner);
  const capacityAt = capacityOf(run);
  return points.map(({ minute, value }) => ({ minute, value, capacity: capacityAt(minute * 60_000) }));
}

type Point = Pick<KvUse, "minute" | "value">;

/** Prompts and the tokens so far of requests that a decode (or only) worker has admitted. */
function tokensOfRequests(requests: ColumnTable, buckets?: number): Point[] {
  const column = (name: string) => requests.column(name) as unknown as { at(row: number): number | null };
  const [admitted, decoding, first, last, end, input, output] = [
    "first_admit_ms",
    "decode_admit_ms",
    "first_token_ms",
    "last_token_ms",
    "terminal_time_ms",
    "input_length",
    "output_length",
  ].map(column);
  let runEnd = 0;
  requests.scan((row) => void (runEnd = Math.max(runEnd, end.at(row!) ?? 0)));
  const bucketMs = roundBucketMs(runEnd, buckets);
  const sums = new Float64Array(Math.floor(runEnd / bucketMs) + 2);
  requests.scan((row) => {
    const from = decoding.at(row!) ?? admitted.at(row!), until = end.at(row!);
    if (from === null || until === null) return;
    const start = first.at(row!) ?? until, span = (last.at(row!) ?? start) - start, tokens = output.at(row!) ?? 0;
    for (let i = Math.ceil(from / bucketMs); i * bucketMs < until; i++) {
      const done = span > 0 ? Math.min(Math.max((i * bucketMs - start) / span, 0), 1) : 0;
      sums[i] += (input.at(row!) ?? 0) + tokens * done;
    }
  });
  return Array.from(sums, (value, i) => ({ minute: i * bucketMs / 60_000, value }));
}

function tokensOfTicks(planner: PlannerSection | null): Point[] {
  return (planner?.ticks ?? []).flatMap((tick) => {
    const seen = tick.input.fpm_observations?.decode;
    if (!seen) return [];
    const value = seen.reduce((sum, { metrics }) => sum + (metrics.scheduled_requests?.sum_decode_kv_tokens ?? 0), 0);
    return [{ minute: tick.at_ms / 60_000, value }];
  });
}

/** Tokens that the decode (or only) workers hold, by time; draining ones still hold theirs. */
function capacityOf({ summary, planner, metadata }: KvRun): (atMs: number) => number | null {
  const role = metadata?.roles.find(({ role }) => role !== "prefill");
  if (role === undefined || summary === undefined) return () => null;
  const source = { summary, planner };
  const steps = replicaSteps(source, poolsOf(summary).at(-1)!);
  const worker = role.kv_blocks * role.kv_block_tokens * (role.kv_ranks ?? 1);
  const end = endOfRun(source);
  return (atMs) => {
    const step = steps.findLast(({ at_ms }) => at_ms <= Math.min(atMs, end)) ?? steps[0];
    const workers = step.active + step.draining;
    return workers > 0 ? worker * workers : null;
  };
}
