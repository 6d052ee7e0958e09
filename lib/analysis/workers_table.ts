/**
 * How even the workers of runs were, as a table.
 *
 * @module
 */
import type { WorkerRow } from "../report/worker_rows.ts";
import { type Html, safe } from "./html.ts";
import type { Run } from "./run.ts";
import { amount, percentage } from "./units.ts";

const COLUMNS: readonly (readonly [
  label: string,
  of: (row: WorkerRow) => number | null,
  text: (value: number) => string,
])[] = [
  ["requests a worker", ({ completed_requests }) => completed_requests, amount],
  ["KV in use, mean", ({ kv_use_mean }) => kv_use_mean, percentage],
  ["KV in use, peak", ({ kv_use_peak }) => kv_use_peak, percentage],
];

/** A row for every pool of every run with several workers, from the least to the most of them; null without such. */
export function workersTable(runs: readonly Run[]): Html | null {
  const pools = runs.flatMap(({ name, workers }) =>
    [...Map.groupBy(workers, ({ pool }) => pool)].filter(([, { length }]) => length > 1)
      .map(([pool, rows]) => ({ name, pool, rows }))
  );
  if (pools.length === 0) return null;
  const head = (label: string) => safe`<th scope="col"><button type="button">${label}</button></th>`;
  const body = pools.map(({ name, pool, rows }) =>
    safe`<tr><th scope="row">${runs.length > 1 ? `${name}: ` : null}${pool}</th><td class="number">${rows.length}</td>${
      COLUMNS.map(([, of, text]) => {
        const values = rows.map(of).filter((value) => value !== null);
        if (values.length === 0) return safe`<td class="number">–</td>`;
        const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
        const [least, most] = [Math.min(...values), Math.max(...values)].map(text);
        const spread = least === most ? null : safe`<small class="quiet">${least} to ${most}</small>`;
        return safe`<td class="number" data-value="${mean}">${text(mean)}${spread}</td>`;
      })
    }</tr>`
  );
  return safe`<div class="scroll" tabindex="0" role="group" aria-label="how even the workers were"><table class="sortable facts"><thead><tr>${
    head("pool")
  }${head("workers")}${COLUMNS.map(([label]) => head(label))}</tr></thead><tbody>${body}</tbody></table></div>`;
}
