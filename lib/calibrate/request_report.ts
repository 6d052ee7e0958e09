/**
 * How far simulated requests are from measured ones: by metric, prompt length, load and time.
 *
 * @module
 */
import type { CalibrationError } from "../timing/calibration/profile.ts";
import type { Measured } from "./measured.ts";
import { type ErrorRow, errorRow, octave } from "./pass_report.ts";
import { REQUEST_METRICS, type RequestFigures, type RequestMetric } from "./simulate_requests.ts";
import { errorOf } from "./statistics.ts";

/** Parts of the time that are compared by their error. */
const WINDOWS = 10;

/** Requests of which both figures exist. */
function both(metric: RequestMetric, simulated: RequestFigures, measured: RequestFigures, rows: readonly number[]) {
  return rows.filter((row) => measured[metric][row] > 0 && !Number.isNaN(simulated[metric][row]));
}

/** Errors by metric. @param rows which requests count */
export function requestMetrics(
  simulated: RequestFigures,
  measured: RequestFigures,
  rows: readonly number[],
): Record<string, CalibrationError> {
  const metrics: Record<string, CalibrationError> = {};
  for (const metric of REQUEST_METRICS) {
    const own = both(metric, simulated, measured, rows);
    if (own.length === 0) continue;
    metrics[metric] = errorOf(own.map((row) => simulated[metric][row]), own.map((row) => measured[metric][row]));
  }
  return metrics;
}

/** Errors by group. */
export function requestErrorRows(given: Measured, simulated: RequestFigures, measured: RequestFigures): ErrorRow[] {
  const { requests } = given, rows = requests.map((_, row) => row), open = openAtArrival(given);
  const arrivals = requests.map(({ arrivalMs }, row) => arrivalMs ?? row);
  const order = rows.toSorted((a, b) => arrivals[a] - arrivals[b]), place = new Int32Array(rows.length);
  order.forEach((row, i) => place[row] = i);
  const window = Math.max(1, Math.ceil(rows.length / WINDOWS));
  const result: ErrorRow[] = [];
  for (const metric of REQUEST_METRICS) {
    const own = both(metric, simulated, measured, rows);
    const grouped = (by: string, size: (row: number) => number, name: (row: number) => string) => {
      for (const [group, members] of Map.groupBy(own.toSorted((a, b) => size(a) - size(b)), name)) {
        const values = (figures: RequestFigures) => members.map((row) => figures[metric][row]);
        result.push(errorRow(`${metric}, ${by}`, group, values(simulated), values(measured)));
      }
    };
    grouped("prompt length", (row) => requests[row].inputTokens, (row) => octave(requests[row].inputTokens));
    if (open !== null) grouped("requests open", (row) => open[row], (row) => octave(open[row]));
    grouped("time", (row) => place[row], (row) => {
      const first = Math.floor(place[row] / window) * window;
      return `requests ${first + 1}–${Math.min(first + window, rows.length)}`;
    });
  }
  return result;
}

/** Requests open when each one arrived, itself included; null without arrivals. */
function openAtArrival({ requests }: Measured): Int32Array | null {
  if (requests.some(({ arrivalMs, e2eMs }) => arrivalMs === null || e2eMs === null)) return null;
  const ends = requests.map(({ arrivalMs, e2eMs }) => arrivalMs! + e2eMs!).toSorted((a, b) => a - b);
  const order = requests.map((_, row) => row).toSorted((a, b) => requests[a].arrivalMs! - requests[b].arrivalMs!);
  const open = new Int32Array(requests.length);
  let ended = 0;
  order.forEach((row, before) => {
    while (ended < ends.length && ends[ended] <= requests[row].arrivalMs!) ended++;
    open[row] = before + 1 - ended;
  });
  return open;
}
