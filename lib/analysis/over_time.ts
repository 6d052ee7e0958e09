/**
 * What people ask of a requests table: how latency, goodput, traffic and queues went over time. Every result is a table
 * with a row a time bucket; buckets start at 0. Percentiles follow the report's rule (a value that occurred, no
 * interpolation).
 *
 * @module
 */
import { checkOptions, type OptionNames } from "../errors.ts";
import { type ColumnTable, table } from "./arquero.ts";
import { percentile } from "../report/distribution.ts";
import { meetsSla, type Sla } from "../report/sla.ts";

/** Options of functions over time. */
export interface BucketOptions {
  /** Length of a bucket in milliseconds. Default: a round length that gives 60 to 150 buckets. */
  bucketMs?: number;
  /** Column that says when a request counts. Default `arrival_time_ms`. */
  by?: string;
}

const BUCKET_OPTIONS: OptionNames<BucketOptions> = { bucketMs: true, by: true };

/** The options of buckets among those of a figure. */
export const bucketsOf = ({ bucketMs, by }: BucketOptions): BucketOptions => ({ bucketMs, by });

const ROUND_SECONDS = [
  0.1,
  0.2,
  0.5,
  1,
  2,
  5,
  10,
  15,
  30,
  60,
  120,
  300,
  600,
  900,
  1800,
  3600,
  7200,
  14400,
  43200,
  86400,
];
const BUCKETS = 150;

/** A round bucket length for a span: the shortest of 0.1 s … 1 d that gives at most 150 buckets, or as many as said. */
export function roundBucketMs(spanMs: number, most = BUCKETS): number {
  const seconds = ROUND_SECONDS.find((length) => length * 1000 * most >= spanMs);
  return 1000 * (seconds ?? Math.ceil(spanMs / 86_400_000 / most) * 86_400);
}

/**
 * Percentiles of a column over time: `from_ms`, `to_ms`, `count` and a column `p…` for each percentile, null where no
 * request has a value.
 *
 * @param requests table of {@linkcode requestsTable}
 * @param metric column, such as `ttft_ms`
 *
 * @example
 * ```ts
 * import { percentilesOverTime, readTrace, replay, requestsTable } from "dynosim";
 *
 * const report = await replay(readTrace("fixtures/traces/chat.jsonl"), { capturePerRequest: true }).report;
 * percentilesOverTime(requestsTable(report), "ttft_ms", { bucketMs: 60_000 }).print(3); // from_ms, to_ms, count, p50, p95, p99
 * ```
 */
export function percentilesOverTime(
  requests: ColumnTable,
  metric: string,
  options: BucketOptions & { percentiles?: readonly number[] } = {},
): ColumnTable {
  checkOptions("percentilesOverTime()", options, { ...BUCKET_OPTIONS, percentiles: true });
  const percentiles = options.percentiles ?? [50, 95, 99];
  const buckets = split(requests, options);
  const values = column(requests, metric);
  const samples = buckets.rows.map((rows) =>
    Float64Array.from(rows.map((row) => values.at(row)).filter((value) => value !== null) as number[]).sort()
  );
  return table({
    ...buckets.edges,
    count: samples.map((ascending) => ascending.length),
    ...Object.fromEntries(percentiles.map((p) => [`p${p}`, samples.map((ascending) => valueOrNull(ascending, p))])),
  });
}

/**
 * Goodput over time: how many requests of a bucket completed, how many of them were good, their share, and good
 * requests and good output tokens per second.
 *
 * @example
 * ```ts
 * import { goodputOverTime, readTrace, replay, requestsTable } from "dynosim";
 *
 * const report = await replay(readTrace("fixtures/traces/chat.jsonl"), { capturePerRequest: true }).report;
 * const minutes = goodputOverTime(requestsTable(report), { ttftMs: 100, itlMs: 20 }, { bucketMs: 60_000 });
 * console.log(minutes.column("good_share")!.at(0)); // 1
 * ```
 */
export function goodputOverTime(requests: ColumnTable, sla: Sla, options: BucketOptions = {}): ColumnTable {
  checkOptions("goodputOverTime()", options, BUCKET_OPTIONS);
  const buckets = split(requests, options);
  const seconds = buckets.bucketMs / 1000;
  const isGood = goodRow(requests, sla);
  const tokens = column(requests, "output_length");
  const completed = completedRow(requests);
  const counts = buckets.rows.map((rows) => {
    const ended = rows.filter(completed);
    const good = ended.filter(isGood);
    const goodTokens = good.reduce((sum, row) => sum + (tokens.at(row) ?? 0), 0);
    return { ended: ended.length, good: good.length, goodTokens };
  });
  return table({
    ...buckets.edges,
    completed: counts.map(({ ended }) => ended),
    good: counts.map(({ good }) => good),
    good_share: counts.map(({ ended, good }) => ended === 0 ? null : good / ended),
    good_requests_per_s: counts.map(({ good }) => good / seconds),
    good_output_tokens_per_s: counts.map(({ goodTokens }) => goodTokens / seconds),
  });
}

/**
 * What came in over time: requests, prompt tokens and requested output tokens per second.
 *
 * @example
 * ```ts
 * import { readTrace, replay, requestsTable, trafficOverTime } from "dynosim";
 *
 * const report = await replay(readTrace("fixtures/traces/chat.jsonl"), { capturePerRequest: true }).report;
 * trafficOverTime(requestsTable(report)).print(3); // requests, prompt tokens and output tokens per second
 * ```
 */
export function trafficOverTime(requests: ColumnTable, options: BucketOptions = {}): ColumnTable {
  checkOptions("trafficOverTime()", options, BUCKET_OPTIONS);
  const buckets = split(requests, options);
  const seconds = buckets.bucketMs / 1000;
  const rate = (name: string) => {
    const values = column(requests, name);
    return buckets.rows.map((rows) => rows.reduce((sum, row) => sum + (values.at(row) ?? 0), 0) / seconds);
  };
  return table({
    ...buckets.edges,
    requests_per_s: buckets.rows.map((rows) => rows.length / seconds),
    input_tokens_per_s: rate("input_length"),
    output_tokens_per_s: rate("requested_output_length"),
  });
}

/**
 * Requests inside the cluster at the end of each bucket (the last one ends with the run): waiting (arrived, not yet admitted by a scheduler) and running
 * (admitted, not yet ended).
 *
 * @example
 * ```ts
 * import { queueOverTime, readTrace, replay, requestsTable } from "dynosim";
 *
 * const report = await replay(readTrace("fixtures/traces/chat.jsonl"), { capturePerRequest: true }).report;
 * const queue = queueOverTime(requestsTable(report), { bucketMs: 1000 });
 * console.log(Math.max(...queue.array("running") as number[]) > 10); // true
 * ```
 */
export function queueOverTime(requests: ColumnTable, options: Pick<BucketOptions, "bucketMs"> = {}): ColumnTable {
  checkOptions("queueOverTime()", options, { bucketMs: true });
  const ends = split(requests, { ...options, by: "terminal_time_ms" });
  const arrived = ascending(requests, "arrival_time_ms");
  const admitted = ascending(requests, "first_admit_ms");
  // A request that ended without ever being admitted leaves the queue when it ends.
  const admit = column(requests, "first_admit_ms");
  const neverAdmitted = ascending(requests, "terminal_time_ms", (row) => admit.at(row) === null);
  const ended = ascending(requests, "terminal_time_ms", (row) => admit.at(row) !== null);
  const last = Math.max(ended.at(-1) ?? 0, neverAdmitted.at(-1) ?? 0);
  const times = ends.edges.to_ms.map((at) => Math.min(at, last));
  return table({
    at_ms: times,
    waiting: times.map((at) => upTo(arrived, at) - upTo(admitted, at) - upTo(neverAdmitted, at)),
    running: times.map((at) => upTo(admitted, at) - upTo(ended, at)),
  });
}

/**
 * TTFT against prompt length: a row a length class (powers of two unless given), with the number of requests and the
 * median, 95th percentile and mean of the share of the prompt that was reused.
 *
 * @param edges ascending lower bounds of the classes, in tokens
 *
 * @example
 * ```ts
 * import { readTrace, replay, requestsTable, ttftByInputLength } from "dynosim";
 *
 * const report = await replay(readTrace("fixtures/traces/chat.jsonl"), { capturePerRequest: true }).report;
 * ttftByInputLength(requestsTable(report)).print(); // a row for prompts of 1024 to 2047 tokens, of 2048 to 4095 …
 * ```
 */
export function ttftByInputLength(requests: ColumnTable, options: { edges?: readonly number[] } = {}): ColumnTable {
  checkOptions("ttftByInputLength()", options, { edges: true });
  const lengths = column(requests, "input_length");
  const ttft = column(requests, "ttft_ms");
  const reused = column(requests, "reused_input_tokens");
  const rows = rowsOf(requests).filter((row) => ttft.at(row) !== null);
  const longest = rows.reduce((most, row) => Math.max(most, lengths.at(row)!), 1);
  const edges = options.edges ?? Array.from({ length: Math.floor(Math.log2(longest)) + 1 }, (_, power) => 2 ** power);
  const classes = edges.map((from, i) => {
    const to = edges[i + 1] ?? Infinity;
    const members = rows.filter((row) => lengths.at(row)! >= from && lengths.at(row)! < to);
    const samples = Float64Array.from(members, (row) => ttft.at(row)!).sort();
    const share = members.reduce((sum, row) => sum + (reused.at(row) ?? 0) / Math.max(lengths.at(row)!, 1), 0);
    return { from, to, count: members.length, samples, share: members.length === 0 ? null : share / members.length };
  }).filter(({ count }) => count > 0);
  return table({
    from_tokens: classes.map(({ from }) => from),
    to_tokens: classes.map(({ to }) => to),
    count: classes.map(({ count }) => count),
    p50_ttft_ms: classes.map(({ samples }) => valueOrNull(samples, 50)),
    p95_ttft_ms: classes.map(({ samples }) => valueOrNull(samples, 95)),
    mean_reused_share: classes.map(({ share }) => share),
  });
}

/** Tells of a row of a requests table whether the request completed and keeps the bounds. */
function goodRow(requests: ColumnTable, sla: Sla): (row: number) => boolean {
  const completed = completedRow(requests);
  const [tokens, ttft, e2e, arrival, end] = [
    "output_length",
    "ttft_ms",
    "e2e_latency_ms",
    "arrival_time_ms",
    "terminal_time_ms",
  ].map((name) => column(requests, name));
  return (row) =>
    completed(row) &&
    meetsSla(tokens.at(row)!, ttft.at(row) ?? NaN, e2e.at(row) ?? NaN, end.at(row)! - arrival.at(row)!, sla);
}

interface Numbers {
  at(row: number): number | null;
}

interface Buckets {
  bucketMs: number;
  edges: { from_ms: number[]; to_ms: number[] };
  /** Row numbers by bucket. */
  rows: number[][];
}

function split(requests: ColumnTable, options: BucketOptions): Buckets {
  const times = column(requests, options.by ?? "arrival_time_ms");
  const rows = rowsOf(requests).filter((row) => times.at(row) !== null);
  const last = rows.reduce((latest, row) => Math.max(latest, times.at(row)!), 0);
  const bucketMs = options.bucketMs ?? roundBucketMs(last);
  if (!(bucketMs > 0)) throw new RangeError(`bucketMs must be above 0, got ${bucketMs}`);
  const buckets: number[][] = Array.from({ length: Math.floor(last / bucketMs) + 1 }, () => []);
  for (const row of rows) buckets[Math.floor(times.at(row)! / bucketMs)].push(row);
  return {
    bucketMs,
    edges: { from_ms: buckets.map((_, i) => i * bucketMs), to_ms: buckets.map((_, i) => (i + 1) * bucketMs) },
    rows: buckets,
  };
}

function column(requests: ColumnTable, name: string): Numbers {
  const found = requests.column(name);
  if (found === undefined) {
    throw new RangeError(`No column ${name} in the table; it has ${requests.columnNames().join(", ")}`);
  }
  return found as unknown as Numbers;
}

function completedRow(requests: ColumnTable): (row: number) => boolean {
  const status = requests.column("terminal_status")!;
  const admissions = column(requests, "admission_count");
  return (row) => status.at(row) === "completed" && (admissions.at(row) ?? 0) > 0;
}

/** Numbers of the rows that are not filtered out. */
function rowsOf(requests: ColumnTable): number[] {
  const rows: number[] = [];
  requests.scan((row) => void rows.push(row!));
  return rows;
}

function ascending(requests: ColumnTable, name: string, wanted: (row: number) => boolean = () => true): Float64Array {
  const values = column(requests, name);
  const rows = rowsOf(requests).filter((row) => values.at(row) !== null && wanted(row));
  return Float64Array.from(rows, (row) => values.at(row)!).sort();
}

/** How many of ascending values are at most `limit`. */
function upTo(values: Float64Array, limit: number): number {
  let low = 0, high = values.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle] <= limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

function valueOrNull(ascendingValues: Float64Array, p: number): number | null {
  return ascendingValues.length === 0 ? null : percentile(ascendingValues, p);
}
