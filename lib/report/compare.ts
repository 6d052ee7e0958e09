/**
 * Runs side by side: the figures people decide by, and the first tick at which two runs of the Planner part. Works on
 * reports in memory and on the objects of `prediction.json` alike.
 *
 * @module
 */
import { type Attained, attainment, type Evaluation } from "./evaluation.ts";
import type { PlannerSection, PlannerTick } from "./planner_section.ts";

/** What a comparison reads of a report. */
export interface ComparableReport {
  /** Its summary. */
  readonly summary: object;
  /** Its Planner section; null when none ran. */
  readonly planner: PlannerSection | null;
  /** Its judgement, where it has one. */
  readonly evaluation?: Evaluation | null;
}

/** A figure of every run. */
export interface Figure {
  /** Key of the summary, or a name of its own for what is counted here. */
  key: string;
  /** Head of its row. */
  label: string;
  /** Which way is better; null for figures that are neither. */
  better: "lower" | "higher" | null;
}

const latency = (key: string, name: string): Figure[] =>
  (["mean", "median", "p90", "p95", "p99"] as const).map((statistic) => ({
    key: `${statistic}_${key}`,
    label: `${name} ${statistic} (ms)`,
    better: "lower",
  }));

/** The figures, in the order in which they are shown. */
export const FIGURES: readonly Figure[] = [
  { key: "attainment_percent", label: "Requests within the SLA (%)", better: "higher" },
  { key: "goodput_completed_requests", label: "Requests within the SLA", better: "higher" },
  ...(["ttft", "tpot", "e2e"] as const).map((bound): Figure => ({
    key: `missed_${bound}`,
    label: `… that missed the bound on ${bound.toUpperCase()}`,
    better: "lower",
  })),
  { key: "missed_unserved", label: "… that were not served", better: "lower" },
  { key: "gpu_hours", label: "GPU hours", better: "lower" },
  { key: "cost", label: "Cost", better: "lower" },
  { key: "cost_per_million_output_tokens", label: "Cost of a million output tokens", better: "lower" },
  { key: "cost_per_thousand_good_requests", label: "Cost of 1,000 requests within the SLA", better: "lower" },
  { key: "goodput_output_throughput_tok_s", label: "Goodput (output tokens/s)", better: "higher" },
  { key: "goodput_request_throughput_rps", label: "Goodput (requests/s)", better: "higher" },
  { key: "completed_requests", label: "Requests completed", better: "higher" },
  { key: "rejected_requests", label: "Requests rejected", better: "lower" },
  { key: "output_throughput_tok_s", label: "Output (tokens/s)", better: "higher" },
  ...latency("ttft_ms", "TTFT"),
  ...latency("tpot_ms", "TPOT"),
  ...latency("itl_ms", "ITL"),
  ...latency("e2e_latency_ms", "E2E"),
  { key: "prefix_cache_reused_ratio", label: "Prefix cache reuse", better: "higher" },
  { key: "duration_ms", label: "Duration (ms)", better: null },
  { key: "scaling_events", label: "Scaling events", better: null },
  { key: "added_workers", label: "Workers added", better: null },
  { key: "worker_starts", label: "Workers with a start-up delay", better: null },
  { key: "recommended_scaling_events", label: "Recommended scaling events", better: null },
  { key: "retunes_applied", label: "Retunes applied", better: null },
];

/**
 * A run's values by figure; null where it has none.
 *
 * @example
 * ```ts
 * import { figuresOf, replay, syntheticTraffic } from "dynosim";
 *
 * const load = { count: 20, inputTokens: 500, outputTokens: 50, concurrency: 4 };
 * const report = await replay(syntheticTraffic(load)).report;
 * const { completed_requests, scaling_events } = figuresOf(report);
 * console.log(completed_requests, scaling_events); // 20 null
 * ```
 */
export function figuresOf({ summary, planner, evaluation }: ComparableReport): Record<string, number | null> {
  const values: Record<string, unknown> = {
    ...summary,
    ...judgedFigures(summary, evaluation ?? {}),
    scaling_events: planner?.scaling_events.length,
    added_workers: planner?.scaling_events.reduce(
      (sum, event) => sum + Math.max(event.to_count - event.from_count, 0),
      0,
    ),
    worker_starts: planner?.lifecycle_operations.flatMap((operation) => operation.transitions)
      .filter(({ transition }) => transition === "worker_starting").length,
    recommended_scaling_events: planner?.recommended_scaling_events?.length || undefined,
    retunes_applied: planner?.retune_events?.filter(({ outcome }) => outcome === "applied").length,
  };
  return Object.fromEntries(FIGURES.map(({ key }) => [key, typeof values[key] === "number" ? values[key] : null]));
}

/** Figures of a judgement, null where nothing was asked about it. Bounds that nobody set have no misses. */
export function judgedFigures(summary: Attained, { sla, cost }: Evaluation): Record<string, number | null | undefined> {
  const share = attainment(summary);
  return {
    attainment_percent: share === null ? null : share * 100,
    missed_ttft: sla?.bounds.ttft_ms == null ? null : sla.missed.ttft,
    missed_tpot: sla?.bounds.itl_ms == null ? null : sla.missed.tpot,
    missed_e2e: sla?.bounds.e2e_ms == null ? null : sla.missed.e2e,
    missed_unserved: sla?.missed.unserved || null,
    cost: cost?.total,
    cost_per_million_output_tokens: cost?.per_million_output_tokens,
    cost_per_thousand_good_requests: cost?.per_thousand_good_requests,
  };
}

/** Where two runs part. */
export interface Divergence {
  /** Number of the tick, from 0. */
  ordinal: number;
  /** Virtual time of the tick. */
  at_ms: number;
  /** What differs first: the time of the tick, the replicas before it, or the decision. */
  what: "time" | "replicas" | "decision" | "end";
  /** What the first run has there. */
  first: string;
  /** What the second run has there. */
  second: string;
}

/**
 * The first Planner tick at which two runs differ, or null when all ticks agree. Needs captured details.
 *
 * @example
 * ```ts
 * import { firstDivergence, planner, readTrace, replay, vllm } from "dynosim";
 *
 * const run = (maxGpus: number) =>
 *   replay(readTrace("fixtures/traces/chat.jsonl"), {
 *     cluster: { replicas: 1, engine: vllm({ blocks: 3000 }) },
 *     planner: planner({ target: "latency", maxGpus }),
 *     speedup: 4,
 *   }).report;
 * const divergence = firstDivergence(await run(2), await run(4));
 * console.log(divergence?.what, divergence?.first, divergence?.second);
 * ```
 */
export function firstDivergence(a: ComparableReport, b: ComparableReport): Divergence | null {
  const left = a.planner?.ticks ?? [], right = b.planner?.ticks ?? [];
  for (let i = 0; i < Math.max(left.length, right.length); i++) {
    const [one, other] = [left[i], right[i]];
    if (one === undefined || other === undefined) {
      const present = one ?? other;
      const [first, second] = one ? ["a tick", "no tick"] : ["no tick", "a tick"];
      return { ordinal: i, at_ms: present.at_ms, what: "end", first, second };
    }
    for (const [what, view] of VIEWS) {
      if (view(one) !== view(other)) {
        return { ordinal: i, at_ms: one.at_ms, what, first: view(one), second: view(other) };
      }
    }
  }
  return null;
}

const VIEWS: readonly [Divergence["what"], (tick: PlannerTick) => string][] = [
  ["time", (tick) => `${tick.at_ms} ms`],
  ["replicas", replicas],
  ["decision", decision],
];

/** Roles that there are, and what they are called: aggregated workers stand where decode workers do. */
const rolesOf = ({ input }: PlannerTick): readonly (readonly ["prefill" | "decode", string])[] =>
  input.worker_counts.ready_num_prefill === null ? [["decode", "agg"]] : [["prefill", "prefill"], ["decode", "decode"]];

function replicas(tick: PlannerTick): string {
  return rolesOf(tick).map(([role, name]) => {
    const { active_count, starting_count, draining_count } = tick.topology[role];
    return `${name} ${active_count} active, ${starting_count} starting, ${draining_count} draining`;
  }).join("; ");
}

/** What the cluster was told; in an advisory run, what it would have been told. Routers count when they change. */
function decision(tick: PlannerTick): string {
  const { runtime_decision, effects, router_policies } = tick, roles = rolesOf(tick);
  const targets = roles.map(([role, name]) =>
    `${name} ${runtime_decision[`target_${role}`] ?? effects.scale_to?.[`num_${role}`] ?? "unchanged"}`
  );
  const routers = roles.map(([role, name]) => {
    const before: Record<string, number> = router_policies?.[role]?.parameters ?? {};
    const changes = Object.entries(runtime_decision.router_parameters?.[role] ?? {})
      .filter(([name, value]) => before[name] !== value).map(([name, value]) => `${name} ${value}`);
    return changes.length === 0 ? "" : `; ${name} router ${changes.join(", ")}`;
  });
  return `${targets.join(", ")}${routers.join("")}`;
}
