/**
 * The Planner's diagnostics as one self-contained HTML page: seven rows of two charts over the ticks.
 *
 * @module
 */
import type { DiagnosticsSnapshot, EngineLoad } from "../report/planner_diagnostics.ts";
import { type Cost, moneyText } from "../report/price.ts";
import { time } from "../report/story/format.ts";
import { chart, decisions, type Series } from "./diagnostics_charts.ts";
import { figureHtml } from "./figure_html.ts";
import { safe } from "./html.ts";
import { page } from "./page.ts";
import { LIGHT, runColor } from "./palette.ts";
import { duration } from "./units.ts";

/** What the page says besides the snapshots. */
export interface DiagnosticsPageOptions {
  ttftMs: number;
  itlMs: number;
  /** KV tokens a decode worker holds, a dashed line in its load chart; none when unknown. */
  kvCapacityTokens?: number | null;
  /** What the GPU hours cost; none without a price. */
  cost?: Pick<Cost, "price_per_gpu_hour" | "currency"> | null;
}

/** Writes the page. */
export function diagnosticsPage(snapshots: readonly DiagnosticsSnapshot[], options: DiagnosticsPageOptions): string {
  const { ttftMs, itlMs } = options;
  const bounds = (label: string, limit: number): Series => ({
    label,
    color: "currentColor",
    of: () => limit,
    kind: "dashed",
  });
  const split = snapshots.some(({ num_prefill_replicas }) => num_prefill_replicas > 0);
  const floors = (role: "prefill" | "decode"): Series[] =>
    snapshots.some((snapshot) => snapshot[`throughput_lower_bound_${role}`] > 1)
      ? [{
        label: `lower bound, ${role}`,
        color: role === "prefill" ? LIGHT.vermilion : LIGHT.blue,
        of: (snapshot) => snapshot[`throughput_lower_bound_${role}`],
        kind: "dashed",
      }]
      : [];
  const replicas = (role: "prefill" | "decode", color: string): Series[] => [
    { label: role, color, of: (snapshot) => snapshot[`num_${role}_replicas`], kind: "step" },
    {
      label: `Recommended ${role === "prefill" ? "Prefill" : "Decode"} Replicas`,
      color,
      of: (snapshot) => snapshot[`scale_to_${role}`],
      kind: "diamond",
    },
    ...floors(role),
  ];
  const line = (label: string, color: string, of: Series["of"]): Series => ({ label, color, of });
  const charts = [
    chart(snapshots, "Replica Counts", "workers", [
      ...(split ? replicas("prefill", LIGHT.vermilion) : []),
      ...replicas("decode", LIGHT.blue),
    ]),
    chart(snapshots, "Request Rate (Observed vs Predicted)", "requests/s", [
      line("observed", LIGHT.blue, (snapshot) => snapshot.observed_requests_per_second),
      line("predicted", LIGHT.vermilion, (snapshot) => snapshot.predicted_requests_per_second),
    ]),
    chart(snapshots, "Observed TTFT vs SLA", "TTFT", [
      line("observed", LIGHT.blue, (snapshot) => snapshot.observed_ttft_ms),
      bounds(`SLA ${duration(ttftMs)}`, ttftMs),
    ], duration),
    chart(snapshots, "Observed ITL vs SLA", "ITL", [
      line("observed", LIGHT.blue, (snapshot) => snapshot.observed_itl_ms),
      bounds(`SLA ${duration(itlMs)}`, itlMs),
    ], duration),
    chart(snapshots, "Estimated TTFT vs SLA", "TTFT", [
      line("estimated", LIGHT.purple, (snapshot) => snapshot.estimated_ttft_ms),
      bounds(`SLA ${duration(ttftMs)}`, ttftMs),
    ], duration),
    chart(snapshots, "Estimated ITL vs SLA", "ITL", [
      line("estimated", LIGHT.purple, (snapshot) => snapshot.estimated_itl_ms),
      bounds(`SLA ${duration(itlMs)}`, itlMs),
    ], duration),
    chart(
      snapshots,
      "Prefill Engine Load",
      "queued prefill tokens",
      engines(snapshots, split ? "prefill_engines" : "decode_engines", (load) => load.queued_prefill_tokens),
    ),
    chart(snapshots, "Decode Engine Load", "queued and in-flight KV tokens", [
      ...engines(
        snapshots,
        "decode_engines",
        (load) => load.queued_decode_kv_tokens + load.inflight_decode_kv_tokens,
      ),
      ...(options.kvCapacityTokens ? [bounds("KV Capacity", options.kvCapacityTokens)] : []),
    ]),
    chart(snapshots, "Engine Capacity (req/s)", "requests/s", [
      line("prefill", LIGHT.vermilion, (snapshot) => snapshot.engine_rps_prefill),
      line("decode", LIGHT.blue, (snapshot) => snapshot.engine_rps_decode),
    ]),
    chart(snapshots, "Sequence Lengths (Observed vs Predicted)", "tokens", [
      line("ISL observed", LIGHT.blue, (snapshot) => snapshot.observed_input_sequence_tokens),
      line("ISL predicted", LIGHT.vermilion, (snapshot) => snapshot.predicted_input_sequence_tokens),
      line("OSL observed", LIGHT.green, (snapshot) => snapshot.observed_output_sequence_tokens),
      line("OSL predicted", LIGHT.purple, (snapshot) => snapshot.predicted_output_sequence_tokens),
    ]),
    decisions(snapshots, "Load Scaling Decisions", "load"),
    decisions(snapshots, "Throughput Scaling Decisions", "throughput"),
    chart(snapshots, "Cumulative GPU Hours", "GPU hours", [
      line("GPU hours", LIGHT.green, (snapshot) => snapshot.gpu_hours),
    ]),
  ];
  return page({
    title: "Planner Diagnostics Report",
    facts: facts(snapshots, options, split),
    main: safe`<section><div class="grid">${charts.map(figureHtml)}</div></section>`,
  });
}

function facts(snapshots: readonly DiagnosticsSnapshot[], options: DiagnosticsPageOptions, split: boolean): string {
  const first = snapshots[0]?.timestamp_s ?? 0, last = snapshots.at(-1)?.timestamp_s ?? 0;
  const changes = (role: "prefill" | "decode") =>
    snapshots.filter((snapshot, i) =>
      i > 0 && snapshot[`num_${role}_replicas`] !== snapshots[i - 1][`num_${role}_replicas`]
    )
      .length;
  const transitions = split
    ? `${changes("prefill")} prefill and ${changes("decode")} decode replica transitions`
    : `${changes("decode")} replica transitions`;
  const hours = snapshots.at(-1)?.gpu_hours ?? 0, { cost } = options;
  const money = cost ? ` (${moneyText(hours * cost.price_per_gpu_hour, cost.currency)})` : "";
  return `${time(first)} to ${time(last)}, ${snapshots.length} ticks; ${transitions}; ` +
    `${hours.toFixed(3)} GPU hours${money}; ` +
    `SLA targets TTFT ${duration(options.ttftMs)}, ITL ${duration(options.itlMs)}`;
}

/** A line a rank that ever reported. */
function engines(
  snapshots: readonly DiagnosticsSnapshot[],
  role: "prefill_engines" | "decode_engines",
  of: (load: EngineLoad) => number,
): Series[] {
  const names = new Set(snapshots.flatMap((snapshot) => snapshot[role].map(nameOf)));
  return [...names].map((name, i) => ({
    label: name,
    color: runColor(i),
    of: (snapshot) => {
      const load = snapshot[role].find((engine) => nameOf(engine) === name);
      return load === undefined ? null : of(load);
    },
  }));
}

const nameOf = ({ worker_id, dp_rank }: EngineLoad) => `worker ${worker_id}${dp_rank > 0 ? ` rank ${dp_rank}` : ""}`;
