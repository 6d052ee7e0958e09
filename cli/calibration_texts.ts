/**
 * What `calibrate` found, as tables for a terminal.
 *
 * @module
 */
import type { Calibrated } from "../lib/calibrate/calibrate.ts";
import { alignedRows } from "../lib/report/text_table.ts";

/** Errors before and after, and where they are. */
export function calibrationText(
  { before, after, level, tried, groups, skipped, assumed, shared_times, request_overhead_ms, between_passes }:
    Calibrated,
): string {
  const lines: string[] = [];
  const metrics = [["metric", "n", "error", "bias", ...after === null ? [] : ["error after", "bias after"]]];
  for (const [name, { mdape, bias, n }] of Object.entries(before)) {
    const later = after?.[name];
    metrics.push([
      name,
      String(n),
      percent(mdape),
      signed(bias),
      ...after === null ? [] : [percent(later?.mdape ?? null), signed(later?.bias ?? null)],
    ]);
  }
  lines.push("Simulated against measured (median error, in %; after: held out)", "", ...alignedRows(metrics), "");
  for (const [by, rows] of Map.groupBy(groups, ({ by }) => by)) {
    const corrected = rows.some(({ after_mdape }) => after_mdape !== null);
    const later = ({ after_mdape, after_bias }: typeof rows[number]) =>
      corrected ? [percent(after_mdape), signed(after_bias)] : [];
    const table = [[by, "n", "measured ms", "simulated ms", "error", "bias", ...corrected ? ["after", "bias"] : []]];
    for (const row of rows) {
      const { group, n, measured_ms, simulated_ms, mdape, bias } = row;
      const sizes = [String(n), measured_ms.toFixed(2), simulated_ms.toFixed(2)];
      table.push([group, ...sizes, percent(mdape), signed(bias), ...later(row)]);
    }
    lines.push(...alignedRows(table));
    if (by.endsWith("time") && rows.length > 1) {
      const worst = rows.reduce((a, b) => b.mdape! > a.mdape! ? b : a);
      lines.push(`worst in time: ${worst.group}, ${percent(worst.mdape)} %`);
    }
    lines.push("");
  }
  for (const [phase, steps] of Map.groupBy(tried, ({ phase }) => phase)) {
    const told = steps.map(({ level, error, accepted }) => `${level} ${error.toFixed(2)} %${accepted ? " ✓" : ""}`);
    lines.push(`${phase}: ${told.join(", ")}`);
  }
  if (after !== null) lines.push(`correction: ${level}`);
  if (request_overhead_ms > 0) {
    lines.push(`every request waits ${request_overhead_ms.toFixed(1)} ms outside of the passes`);
  }
  if (between_passes > 0) {
    lines.push(`between passes ${(100 * between_passes).toFixed(1)} % of their time passes, which no pass holds`);
  }
  if (shared_times > 0) {
    lines.push(`shared out: the time of ${shared_times} × two passes that was recorded with the first of them`);
  }
  for (const [reason, count] of Object.entries(skipped)) lines.push(`left out: ${count} × ${reason}`);
  for (const sentence of assumed) lines.push(`assumed: ${sentence}`);
  return `${lines.join("\n")}\n`;
}

const percent = (value: number | null) => value === null ? "–" : value.toFixed(1);
const signed = (value: number | null) => value === null ? "–" : `${value > 0 ? "+" : ""}${value.toFixed(1)}`;
