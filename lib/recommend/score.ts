/**
 * What a candidate is worth: the objective of the search, the gates in front of the ranking, the ranking and the Pareto
 * front.
 *
 * @module
 */
import { attainment } from "../report/evaluation.ts";
import { compactJson } from "../report/json.ts";
import type { Category } from "./candidate.ts";
import type { Target } from "./goal_sections.ts";
import type { Bounds } from "./planner_space.ts";

/** Figures of a replay by name: numbers, and null for power nobody measured. */
export type Metrics = Readonly<Record<string, number | null>>;

/** What is looked for. */
export interface Goal {
  /** The objective. */
  target: Target;
  /** Bounds of a good request; null when there are none. */
  sla: Bounds | null;
  /** Whether a candidate that misses a bound is infeasible. */
  strictSla: boolean;
  /** Fewest good requests a second; null: any. */
  minGoodputRps: number | null;
  /** Least share of good requests among all; null: any. */
  minAttainment: number | null;
  /** Most GPUs. */
  gpuBudget: number;
}

/** What a candidate came to. */
export type Assessment =
  | { status: "feasible"; score: number; objectives: Record<string, number> | null }
  | {
    status: "infeasible" | "failed";
    category: Category;
    reason: string;
    score: null;
    objectives: Record<string, number> | null;
  };

const PARETO = ["throughput_per_gpu", "throughput_per_user"] as const;

/** Objectives of which less is better. */
const LESS_IS_BETTER: readonly string[] = ["ttft", "e2e_latency", "min_gpus"];

const number = (metrics: Metrics, name: string): number => metrics[name] ?? 0;

/** GPUs that ran on average. */
function averageGpus(metrics: Metrics): number {
  const hours = number(metrics, "gpu_hours"), duration = number(metrics, "duration_ms");
  return hours > 0 && duration > 0 ? hours / (duration / 3_600_000) : 0;
}

/** The objective in its own unit; `Infinity` for a latency that nothing was measured of. */
export function objective(target: Exclude<Target, "pareto">, metrics: Metrics, usedGpus: number): number {
  const perGpu = (value: number) => {
    const gpus = averageGpus(metrics);
    return gpus > 0 ? value / gpus : 0;
  };
  const latency = (name: string) => {
    const mean = metrics[`mean_${name}_ms`];
    return number(metrics, `num_${name}_samples`) > 0 && mean != null && Number.isFinite(mean) ? mean : Infinity;
  };
  switch (target) {
    case "throughput":
      return number(metrics, "output_throughput_tok_s");
    case "throughput_per_gpu":
      return perGpu(number(metrics, "output_throughput_tok_s"));
    case "throughput_per_user":
      return number(metrics, "mean_output_token_throughput_per_user");
    case "goodput":
      return number(metrics, "goodput_output_throughput_tok_s");
    case "goodput_per_gpu":
      return perGpu(number(metrics, "goodput_output_throughput_tok_s"));
    case "ttft":
      return latency("ttft");
    case "e2e_latency":
      return latency("e2e_latency");
    case "min_gpus":
      return usedGpus;
  }
}

/** Six significant digits, as the reference's texts have them. */
const short = (value: number): string => String(Number(value.toPrecision(6)));

/** Means against the bounds; null when all hold. */
function slaViolation(metrics: Metrics, sla: Bounds): string | null {
  const checks = [
    ["ttft", "mean_ttft_ms", "num_ttft_samples", sla.ttft_ms],
    ["tpot", "mean_tpot_ms", "num_tpot_samples", sla.itl_ms],
    ["e2e", "mean_e2e_latency_ms", "num_e2e_latency_samples", sla.e2e_ms],
  ] as const;
  if (number(metrics, "completed_requests") <= 0) return "no request completed";
  const broken = checks.flatMap(([label, mean, samples, bound]) => {
    if (bound === null) return [];
    const value = metrics[mean];
    if (value == null || number(metrics, samples) <= 0) return [`${label} has no samples`];
    return value <= bound ? [] : [`${label} ${short(value)}ms > ${short(bound)}ms`];
  });
  return broken.length > 0 ? broken.join("; ") : null;
}

/** Judges the figures of a candidate. */
export function assess(goal: Goal, metrics: Metrics, usedGpus: number): Assessment {
  const { target, sla, strictSla, minGoodputRps, minAttainment, gpuBudget } = goal;
  const out = (category: Category, reason: string): Assessment => ({
    status: category === "invalid_metrics" ? "failed" : "infeasible",
    category,
    reason,
    score: null,
    objectives: null,
  });
  const odd = Object.entries(metrics).find(([name, value]) =>
    value === null ? !name.startsWith("power") : !Number.isFinite(value)
  );
  if (odd !== undefined) return out("invalid_metrics", `replay metric ${odd[0]} is not a finite number`);
  if (usedGpus > gpuBudget) return out("gpu_budget", `candidate uses ${usedGpus} GPUs, over gpu_budget=${gpuBudget}`);
  if (sla !== null && (strictSla || target === "min_gpus")) {
    const violation = slaViolation(metrics, sla);
    if (violation !== null) return out("sla_constraint", `strict aggregate SLA violation: ${violation}`);
  }
  if (minAttainment !== null) {
    const share = attainment(metrics) ?? 0;
    if (!(share >= minAttainment)) {
      const reason = `attainment constraint: ${short(share)} of the requests within the SLA < min_attainment=`;
      return out("sla_constraint", reason + short(minAttainment));
    }
  }
  const goodput = metrics.goodput_request_throughput_rps;
  if (minGoodputRps !== null && !(goodput != null && goodput >= minGoodputRps)) {
    return out(
      "load_constraint",
      `minimum goodput constraint: goodput_request_throughput_rps=${short(goodput ?? 0)} < min_goodput_rps=${
        short(minGoodputRps)
      }`,
    );
  }
  if (target === "pareto") {
    const objectives = Object.fromEntries(PARETO.map((name) => [name, objective(name, metrics, usedGpus)]));
    return { status: "feasible", score: objectives[PARETO[0]], objectives };
  }
  const value = objective(target, metrics, usedGpus);
  if (value === Infinity) {
    const samples = `num_${target}_samples`;
    return out("no_samples", `${target} objective has no qualifying samples (${samples}=${number(metrics, samples)})`);
  }
  return { status: "feasible", score: LESS_IS_BETTER.includes(target) ? -value : value, objectives: null };
}

/** What the ranking looks at. */
export interface Ranked {
  score: number;
  objectives: Readonly<Record<string, number>> | null;
  usedGpus: number;
  metrics: Metrics;
  config: Readonly<Record<string, unknown>>;
}

/** The feasible candidates best first; equal ones by fewer GPUs, then by the text of their configuration. */
export function ranking<R extends Ranked>(target: Target, candidates: readonly R[]): R[] {
  const text = new Map(candidates.map((one) => [one, compactJson(one.config)]));
  const byText = (a: R, b: R) => text.get(a)! < text.get(b)! ? -1 : text.get(a)! > text.get(b)! ? 1 : 0;
  const goodput = (one: R) => number(one.metrics, "goodput_output_throughput_tok_s");
  const latency = (one: R) => one.metrics.mean_e2e_latency_ms ?? Infinity;
  return candidates.toSorted(
    target === "min_gpus"
      ? (a, b) => a.usedGpus - b.usedGpus || goodput(b) - goodput(a) || latency(a) - latency(b) || byText(a, b)
      : (a, b) => b.score - a.score || a.usedGpus - b.usedGpus || byText(a, b),
  );
}

/** The candidates that no other one dominates, by throughput per user ascending; equal ones all stay. */
export function paretoFront<R extends Ranked>(candidates: readonly R[]): R[] {
  const [gpu, user] = PARETO;
  const at = (one: R, name: string) => one.objectives![name];
  // best first by one objective: a candidate is on the front when it beats everything before it in the other one
  const sorted = candidates.toSorted((a, b) => at(b, gpu) - at(a, gpu) || at(b, user) - at(a, user));
  const front: R[] = [];
  let best = -Infinity, bestGpu = Infinity;
  for (const one of sorted) {
    const equal = at(one, user) === best && at(one, gpu) === bestGpu;
    if (at(one, user) <= best && !equal) continue;
    front.push(one);
    [best, bestGpu] = [at(one, user), at(one, gpu)];
  }
  const text = new Map(front.map((one) => [one, compactJson(one.config)]));
  return front.toSorted((a, b) =>
    at(a, user) - at(b, user) || at(b, gpu) - at(a, gpu) || a.usedGpus - b.usedGpus ||
    (text.get(a)! < text.get(b)! ? -1 : 1)
  );
}
