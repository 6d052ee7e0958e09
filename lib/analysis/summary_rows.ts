/**
 * The figures of summaries as people compare them: headlines with the difference to the first run, and the whole
 * summary as rows.
 *
 * @module
 */
import { attainment } from "../report/evaluation.ts";
import { moneyText } from "../report/price.ts";
import type { Summary } from "../report/summary.ts";
import { amount, duration } from "./units.ts";
import type { Run } from "./run.ts";

/** One headline figure of all runs. `verdict` says whether a difference to the first run is better, worse or neither. */
export interface Headline {
  label: string;
  values: {
    text: string;
    value: number | null;
    difference: string | null;
    verdict: "better" | "worse" | "same";
  }[];
}

interface Figure {
  label: string;
  /** Value of a run, null when it has none. */
  of: (run: Run) => number | null;
  format: (value: number, run: Run) => string;
  /** A share, from 0 to 1: differences are told in points. */
  share?: boolean;
  better: "lower" | "higher";
}

const HEADLINES: readonly Figure[] = [
  {
    label: "Within the SLA",
    of: ({ summary }) => attainment(summary),
    format: (share) => `${(share * 100).toFixed(1)} %`,
    share: true,
    better: "higher",
  },
  { label: "GPU hours", of: ({ summary }) => summary.gpu_hours, format: amount, better: "lower" },
  {
    label: "Cost",
    of: ({ evaluation }) => evaluation?.cost?.total ?? null,
    format: (value, { evaluation }) => moneyText(value, evaluation?.cost?.currency),
    better: "lower",
  },
  {
    label: "Goodput",
    of: ({ summary }) => summary.goodput_output_throughput_tok_s ?? null,
    format: (rate) => `${amount(rate)} tok/s`,
    better: "higher",
  },
  latency("TTFT, median", "median_ttft_ms"),
  latency("TTFT, p95", "p95_ttft_ms"),
  latency("TPOT, p95", "p95_tpot_ms"),
  latency("ITL, mean", "mean_itl_ms"),
  latency("ITL, p95", "p95_itl_ms"),
  {
    label: "Output",
    of: ({ summary }) => summary.output_throughput_tok_s,
    format: (rate) => `${amount(rate)} tok/s`,
    better: "higher",
  },
  {
    label: "Prefix reuse",
    of: ({ summary }) => summary.prefix_cache_reused_ratio,
    format: (share) => `${(share * 100).toFixed(1)} %`,
    share: true,
    better: "higher",
  },
  {
    label: "Scaling events",
    of: ({ planner }) => planner?.scaling_events.length ?? null,
    format: String,
    better: "lower",
  },
  {
    label: "Not completed",
    of: ({ summary }) =>
      summary.num_requests + (summary.cutoff_unadmitted_requests ?? 0) - summary.completed_requests || null,
    format: (count) => count.toLocaleString("en"),
    better: "lower",
  },
];

function latency(label: string, key: keyof Summary): Figure {
  return { label, of: ({ summary }) => summary[key] as number, format: duration, better: "lower" };
}

/** Headlines of runs; those that no run has are left out. */
export function headlines(runs: readonly Run[]): Headline[] {
  return HEADLINES.flatMap(({ label, of, format, better, share }) => {
    const values = runs.map(of);
    if (values.every((value) => value === null)) return [];
    return [{
      label,
      values: values.map((value, i) => ({
        text: value === null ? "–" : format(value, runs[i]),
        value,
        ...(i === 0 ? { difference: null, verdict: "same" as const } : compare(values[0], value, better, share)),
      })),
    }];
  });
}

/** A change of less than half a percent is no difference, and one of a share that its digits do not show. */
const SAME = 0.005, SAME_SHARE = 0.0005;

function compare(first: number | null, value: number | null, better: "lower" | "higher", share = false) {
  if (share && first !== null && value !== null) {
    const change = value - first;
    if (Math.abs(change) < SAME_SHARE) return { difference: "same", verdict: "same" as const };
    const text = `${change < 0 ? "−" : "+"}${(Math.abs(change) * 100).toFixed(1)} points`;
    return { difference: text, verdict: verdictOf(change, better) };
  }
  if (first === null || value === null || first === 0) return { difference: null, verdict: "same" as const };
  const change = (value - first) / Math.abs(first);
  if (Math.abs(change) < SAME) return { difference: "same", verdict: "same" as const };
  // Percentages of a thousand are hard to read.
  const text = change >= 2
    ? `${Number((value / first).toPrecision(3))}×`
    : `${change < 0 ? "−" : "+"}${(Math.abs(change) * 100).toFixed(Math.abs(change) < 0.1 ? 1 : 0)} %`;
  return { difference: text, verdict: verdictOf(change, better) };
}

const verdictOf = (change: number, better: "lower" | "higher") =>
  (change < 0) === (better === "lower") ? "better" as const : "worse" as const;

/** Every number of the summaries as text, a row a key. */
export function summaryRows(runs: readonly Run[]): { label: string; values: string[] }[] {
  const keys = [...new Set(runs.flatMap(({ summary }) => Object.keys(summary)))];
  return keys.flatMap((key) => {
    const values = runs.map(({ summary }) => (summary as unknown as Record<string, unknown>)[key]);
    if (!values.some((value) => typeof value === "number")) return [];
    const text = (value: unknown) =>
      typeof value === "number" ? value.toLocaleString("en", { maximumFractionDigits: 4 }) : "–";
    return [{ label: key, values: values.map(text) }];
  });
}
