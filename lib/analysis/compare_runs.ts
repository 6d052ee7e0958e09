/**
 * Runs side by side.
 *
 * @module
 */
import { type ColumnTable, table } from "./arquero.ts";
import { figuresOf } from "../report/compare.ts";
import type { ReplicaSource } from "./replicas.ts";

/** A run to compare; a report gets its place in the list as a name. */
export type Comparable = ReplicaSource & { readonly name?: string };

/**
 * A row a run: `name`, GPU hours, goodput, latencies, `scaling_events`, `added_workers` (sum of all scale-ups) and
 * `worker_starts` (workers that went through a start-up delay), and for each number a column `…_diff` with the
 * difference to the first run. What a run does not have is null.
 *
 * @example
 * ```ts
 * import { compareRuns, readTrace, replay, toRun } from "dynosim";
 *
 * const runs = [];
 * for (const replicas of [1, 2, 3]) {
 *   const { report } = replay(readTrace("fixtures/traces/chat.jsonl"), { cluster: { replicas }, speedup: 4 });
 *   runs.push(toRun(await report, { name: `${replicas} workers` }));
 * }
 * compareRuns(runs).select("name", "gpu_hours", "p95_ttft_ms", "p95_ttft_ms_diff").print();
 * ```
 */
export function compareRuns(runs: readonly Comparable[]): ColumnTable {
  const rows = runs.map(figuresOf);
  const names = Object.keys(rows[0] ?? {}).filter((name) => rows.some((row) => row[name] !== null));
  const difference = (row: Record<string, number | null>, name: string) =>
    row[name] === null || rows[0][name] === null ? null : row[name]! - rows[0][name]!;
  return table({
    name: runs.map((run, i) => run.name ?? `run ${i + 1}`),
    ...Object.fromEntries(names.map((name) => [name, rows.map((row) => row[name])])),
    ...Object.fromEntries(names.map((name) => [`${name}_diff`, rows.map((row) => difference(row, name))])),
  });
}
