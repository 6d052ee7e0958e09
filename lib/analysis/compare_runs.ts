/**
 * Runs side by side. May import lib/report; arquero.
 *
 * @module
 */
import { type ColumnTable, table } from "arquero";
import type { PlannerTick } from "../report/planner_section.ts";
import type { ReplicaSource } from "./replicas.ts";

/** A run to compare; a report gets its place in the list as a name. */
export type Comparable = ReplicaSource & { readonly name?: string };

const SUMMARY_KEYS = [
  "gpu_hours",
  "goodput_request_throughput_rps",
  "goodput_output_throughput_tok_s",
  "goodput_completed_requests",
  "completed_requests",
  "duration_ms",
  "output_throughput_tok_s",
  "mean_ttft_ms",
  "median_ttft_ms",
  "p95_ttft_ms",
  "p99_ttft_ms",
  "mean_itl_ms",
  "median_itl_ms",
  "p95_itl_ms",
  "p99_itl_ms",
  "mean_e2e_latency_ms",
  "p95_e2e_latency_ms",
  "prefix_cache_reused_ratio",
] as const;

/**
 * A row a run: `name`, GPU hours, goodput, latencies, `scaling_events`, `added_workers` (sum of all scale-ups) and
 * `worker_starts` (workers that went through a start-up delay), and for each number a column `…_diff` with the
 * difference to the first run. What a run does not have is null.
 */
export function compareRuns(runs: readonly Comparable[]): ColumnTable {
  const rows = runs.map(facts);
  const names = Object.keys(rows[0] ?? {}).filter((name) => rows.some((row) => row[name] !== null));
  const difference = (row: Facts, name: string) =>
    row[name] === null || rows[0][name] === null ? null : row[name] - rows[0][name];
  return table({
    name: runs.map((run, i) => run.name ?? `run ${i + 1}`),
    ...Object.fromEntries(names.map((name) => [name, rows.map((row) => row[name])])),
    ...Object.fromEntries(names.map((name) => [`${name}_diff`, rows.map((row) => difference(row, name))])),
  });
}

type Facts = Record<string, number | null>;

function facts({ summary, planner }: Comparable): Facts {
  const events = planner?.scaling_events ?? null;
  const values = summary as unknown as Record<string, number | undefined>;
  return {
    ...Object.fromEntries(SUMMARY_KEYS.map((key) => [key, values[key] ?? null])),
    scaling_events: events?.length ?? null,
    added_workers: events?.reduce((sum, event) => sum + Math.max(event.to_count - event.from_count, 0), 0) ?? null,
    worker_starts: planner?.lifecycle_operations.flatMap((operation) => operation.transitions)
      .filter(({ transition }) => transition === "worker_starting").length ?? null,
  };
}

/** Where two runs part. */
export interface Parting {
  ordinal: number;
  at_ms: number;
  /** What differs first: the time of the tick, the replicas before it, or the decision. */
  what: "time" | "replicas" | "decision" | "end";
  first: string;
  second: string;
}

/** The first Planner tick at which two runs differ, or null when all ticks agree. Needs captured details. */
export function firstParting(a: Comparable, b: Comparable): Parting | null {
  const left = a.planner?.ticks ?? [], right = b.planner?.ticks ?? [];
  for (let i = 0; i < Math.max(left.length, right.length); i++) {
    const [one, other] = [left[i], right[i]];
    if (one === undefined || other === undefined) {
      const present = one ?? other;
      const [first, second] = one ? ["a tick", "no tick"] : ["no tick", "a tick"];
      return { ordinal: i, at_ms: present.at_ms, what: "end", first, second };
    }
    const views: [Parting["what"], (tick: PlannerTick) => string][] = [
      ["time", (tick) => `${tick.at_ms} ms`],
      ["replicas", replicas],
      ["decision", decision],
    ];
    for (const [what, view] of views) {
      if (view(one) !== view(other)) {
        return { ordinal: i, at_ms: one.at_ms, what, first: view(one), second: view(other) };
      }
    }
  }
  return null;
}

function replicas({ topology }: PlannerTick): string {
  return (["prefill", "decode"] as const).map((role) => {
    const { active_count, starting_count, draining_count } = topology[role];
    return `${role} ${active_count} active, ${starting_count} starting, ${draining_count} draining`;
  }).join("; ");
}

function decision({ runtime_decision: { target_prefill, target_decode } }: PlannerTick): string {
  return `prefill ${target_prefill ?? "unchanged"}, decode ${target_decode ?? "unchanged"}`;
}
