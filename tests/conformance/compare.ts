/**
 * Compares what a replay reported with what a golden file expects, as strictly as the reference is reproducible:
 * counts, identities, states and times exactly; sums in an order the reference does not fix to 1e-12; percentiles out
 * of the sketch to one unit in the last place of an exponential.
 *
 *     assertReport(report, golden.expected, { name: "replay/01" });
 */
import assert from "node:assert/strict";
import type { PassRow, RoleSnapshot, Snapshot } from "../../lib/planner/policy.ts";

/** One difference: where, what was expected, what came. */
export interface Difference {
  path: string;
  expected: unknown;
  actual: unknown;
}

export interface CompareOptions {
  /** Put in front of the message. */
  name?: string;
  /** Relative tolerance of every number; for runs whose expectation comes from another summation order. Default 0. */
  relative?: number;
  /** The expected requests are some of all: others may exist. Default false. */
  someRequests?: boolean;
  /** Top-level keys of `expected` that are not compared. */
  ignore?: readonly string[];
}

type Fields = Readonly<Record<string, unknown>>;

/** Parts of a golden's `expected` this helper understands. Every one is optional. */
export interface Expected {
  summary?: Fields;
  requests?: readonly Fields[];
  requests_first_and_last_40?: readonly Fields[];
  coverage?: Fields;
  lifecycle?: readonly Fields[];
  snapshots?: readonly Fields[];
  telemetry?: Fields;
}

/** Parts of a run to compare. `lifecycle` and `snapshots` may come from elsewhere than the report. */
export interface Actual {
  summary: Fields | object;
  per_request?: Iterable<object> | null;
  coverage?: object;
  planner?: { lifecycle_operations: readonly object[] } | null;
  telemetry?: object;
  snapshots?: readonly Snapshot[];
}

const WALL_CLOCK = new Set(["wall_time_ms", "processed_tokens_per_s", "processed_output_tokens_per_s"]);
const SKETCHED = /^(median|p75|p90|p95|p99)_(itl_ms|output_token_throughput_per_user)$/;
const SUMMED = /^(mean|std)_|_worker_seconds$|^gpu_hours$/;
/**
 * Names that only tell requests apart, random or assigned differently in the reference; and its digests of agentic runs,
 * of whose input nothing is known.
 */
const NOT_COMPARED = new Set([
  "uuid",
  "trace_index",
  "topology_released_request_uuids",
  "graph_digest",
  "agentic_lifecycle_digest",
  "agentic_lifecycle_event_count",
]);

/** Fails with every difference (the first 25 in words) when a run is not what a golden file expects. */
export function assertReport(actual: Actual, expected: Expected, options: CompareOptions = {}): void {
  const differences = compareReport(actual, expected, options);
  if (differences.length > 0) assert.fail(explain(differences, options.name));
}

/** Every difference between a run and an expectation; parts the expectation lacks are not compared. */
export function compareReport(actual: Actual, expected: Expected, options: CompareOptions = {}): Difference[] {
  const ignore = new Set(options.ignore ?? []);
  const wants = (part: keyof Expected) => expected[part] !== undefined && !ignore.has(part);
  const found: Difference[] = [];
  if (wants("summary")) found.push(...compareSummary(actual.summary as Fields, expected.summary!, options));
  if (wants("coverage")) found.push(...compareFields(actual.coverage, expected.coverage, "coverage", options));
  if (wants("requests")) {
    found.push(...compareRequests([...actual.per_request ?? []] as Fields[], expected.requests!, options));
  }
  if (wants("requests_first_and_last_40")) {
    const some = { ...options, someRequests: true };
    found.push(
      ...compareRequests([...actual.per_request ?? []] as Fields[], expected.requests_first_and_last_40!, some),
    );
  }
  if (wants("lifecycle")) {
    const operations = actual.planner?.lifecycle_operations ?? [];
    found.push(...compareFields(operations, expected.lifecycle, "lifecycle", options));
  }
  if (wants("snapshots")) found.push(...compareSnapshots(actual.snapshots ?? [], expected.snapshots!, options));
  if (wants("telemetry")) found.push(...compareFields(actual.telemetry, expected.telemetry, "telemetry", options));
  return found;
}

/** Compares the keys an expected summary has; wall-clock keys are left out. */
export function compareSummary(actual: Fields, expected: Fields, options: CompareOptions = {}): Difference[] {
  const found: Difference[] = [];
  for (const [key, want] of Object.entries(expected)) {
    if (WALL_CLOCK.has(key) || NOT_COMPARED.has(key)) continue;
    const got = actual[key];
    if (got === want) continue;
    if (typeof want === "object" && want !== null) {
      found.push(...compareFields(got, want, `summary.${key}`, options));
      continue;
    }
    const tolerance = Math.max(
      options.relative ?? 0,
      SKETCHED.test(key) ? 3e-16 : SUMMED.test(key) ? 1e-12 : 0,
    );
    if (typeof want === "number" && typeof got === "number") {
      if (Math.abs(got - want) <= tolerance * Math.abs(want)) continue;
      if (key.startsWith("std_") && isRoundOff(expected, key, got, want)) continue;
    }
    found.push({ path: `summary.${key}`, expected: want, actual: got });
  }
  return found;
}

// Where the samples are nearly the same their deviation is rounding noise: small against the samples, not against itself.
function isRoundOff(summary: Fields, key: string, got: number, want: number): boolean {
  const max = Math.abs(summary[`max_${key.slice("std_".length)}`] as number);
  return Math.abs(got - want) <= Math.max(1e-15 * max, want <= 1e-6 * max ? 1e-12 * Math.max(1, max) : 0);
}

/**
 * Compares per-request records by content: records are paired by arrival, lengths and names, equal ones first, since
 * the reference orders ties at random. Only keys the expectation has are compared.
 */
export function compareRequests(
  actual: readonly Fields[],
  expected: readonly Fields[],
  options: CompareOptions = {},
): Difference[] {
  const found: Difference[] = [];
  if (!options.someRequests && actual.length !== expected.length) {
    found.push({ path: "requests.length", expected: expected.length, actual: actual.length });
  }
  const pairing = ["arrival_time_ms", "input_length", "requested_output_length", "request_id"];
  const keyOf = (record: Fields) => pairing.map((name) => String(record[name] ?? "")).join("|");
  const candidates = Map.groupBy(actual, keyOf);
  const unpaired = new Map<string, [number, Fields][]>();
  expected.forEach((want, index) => {
    const group = candidates.get(keyOf(want)) ?? [];
    const equal = group.findIndex((got) => compareFields(got, want, "", options).length === 0);
    if (equal >= 0) group.splice(equal, 1);
    else unpaired.set(keyOf(want), [...unpaired.get(keyOf(want)) ?? [], [index, want]]);
  });
  for (const [key, wants] of unpaired) {
    const group = candidates.get(key) ?? [];
    for (const [index, want] of wants) {
      const path = `requests[${index}](arrival ${want.arrival_time_ms}, input ${want.input_length})`;
      const got = group.shift();
      if (got === undefined) found.push({ path, expected: want, actual: undefined });
      else found.push(...compareFields(got, want, path, options));
    }
  }
  return found;
}

/** Compares snapshots given to a scaling policy with the reference's. */
export function compareSnapshots(
  actual: readonly Snapshot[],
  expected: readonly Fields[],
  options: CompareOptions = {},
): Difference[] {
  return compareFields(actual.map(snapshotFields), expected, "snapshots", options);
}

/** Every difference between two values at any depth; objects are compared in the keys of `expected`. */
export function compareFields(
  actual: unknown,
  expected: unknown,
  path: string,
  options: CompareOptions = {},
): Difference[] {
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual)) return [{ path, expected, actual }];
    const found = expected.flatMap((want, i) => compareFields(actual[i], want, `${path}[${i}]`, options));
    if (actual.length === expected.length) return found;
    return [{ path: `${path}.length`, expected: expected.length, actual: actual.length }, ...found];
  }
  if (expected !== null && typeof expected === "object") {
    if (actual === null || typeof actual !== "object") return [{ path, expected, actual }];
    return Object.entries(expected).flatMap(([key, want]) =>
      NOT_COMPARED.has(key) ? [] : compareFields((actual as Fields)[key], want, path ? `${path}.${key}` : key, options)
    );
  }
  if (actual === expected) return [];
  if (typeof expected === "number" && typeof actual === "number") {
    // Variances are accumulated in an order the reference does not fix.
    const tolerance = Math.max(options.relative ?? 0, /\bvar_\w+$/.test(path) ? 1e-9 : 0);
    if (Math.abs(actual - expected) <= tolerance * Math.max(Math.abs(expected), 1)) return [];
  }
  return [{ path, expected, actual }];
}

/** Differences in words, one a line. */
export function explain(differences: readonly Difference[], name = "run"): string {
  const shown = differences.slice(0, 25).map(({ path, expected, actual }) => {
    const relative = typeof expected === "number" && typeof actual === "number" && expected !== 0
      ? ` (relative ${((actual - expected) / expected).toExponential(2)})`
      : "";
    return `  ${path}: expected ${JSON.stringify(expected)}, got ${JSON.stringify(actual)}${relative}`;
  });
  const rest = differences.length > shown.length ? `\n  … and ${differences.length - shown.length} more` : "";
  return `${name}: ${differences.length} differences\n${shown.join("\n")}${rest}`;
}

/** A snapshot under the names the reference gives its fields. */
export function snapshotFields(snapshot: Snapshot): Fields {
  const { traffic, prefill, decode } = snapshot;
  const roles = { prefill, decode };
  const counts: Record<string, unknown> = {};
  for (const [role, { active, starting, draining, passes }] of Object.entries(roles) as [string, RoleSnapshot][]) {
    counts[`${role}_fpm_snapshots`] = passes.map(passFields);
    for (const [state, ids] of Object.entries({ active, starting, draining })) {
      counts[`${state}_${role}_ids`] = [...ids];
      counts[`${state}_${role}_count`] = ids.length;
    }
    counts[`non_draining_${role}_count`] = active.length + starting.length;
    counts[`total_${role}_count`] = active.length + starting.length + draining.length;
  }
  return {
    tick_ordinal: snapshot.tickOrdinal,
    now_ms: snapshot.nowMs,
    ...counts,
    traffic: {
      duration_s: traffic.durationS,
      num_req: traffic.requests,
      shape_count: traffic.shapeCount,
      avg_isl: traffic.meanInputTokens,
      avg_osl: traffic.meanOutputTokens,
      avg_ttft_ms: traffic.meanTtftMs,
      ttft_count: traffic.ttftCount,
      avg_itl_ms: traffic.meanItlMs,
      itl_count: traffic.itlCount,
      avg_accept_length: traffic.meanAcceptLength,
      accept_length_forward_count: traffic.acceptLengthForwards,
      avg_kv_hit_rate: traffic.meanKvHitRate,
      hit_rate_count: traffic.kvHitRateCount,
    },
  };
}

function passFields(row: PassRow): Fields {
  return {
    worker_id: row.workerId,
    dp_rank: row.dpRank,
    wall_time: row.wallTimeS,
    num_prefill_requests: row.prefillRequests,
    sum_prefill_tokens: row.prefillTokens,
    var_prefill_length: row.prefillLengthVariance,
    sum_prefill_kv_tokens: row.prefillKvTokens,
    num_decode_requests: row.decodeRequests,
    sum_decode_kv_tokens: row.decodeKvTokens,
    var_decode_kv_tokens: row.decodeKvVariance,
    num_queued_prefill: row.queuedPrefillRequests,
    sum_queued_prefill_tokens: row.queuedPrefillTokens,
    var_queued_prefill_length: row.queuedPrefillLengthVariance,
    num_queued_decode: row.queuedDecodeRequests,
    sum_queued_decode_kv_tokens: row.queuedDecodeKvTokens,
    var_queued_decode_kv_tokens: row.queuedDecodeKvVariance,
  };
}
