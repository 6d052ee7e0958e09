/**
 * How many workers a run had when, and what their GPUs cost by phase.
 *
 * @module
 */
import { type ColumnTable, table } from "./arquero.ts";
import type { Evaluation } from "../report/evaluation.ts";
import type { Component, PlannerSection } from "../report/planner_section.ts";
import type { Summary } from "../report/summary.ts";

/** Anything with a summary and a `planner` section: a report, or a run. */
export interface ReplicaSource {
  /** The summary. */
  readonly summary: Summary;
  /** The section; null when no Planner ran. */
  readonly planner: PlannerSection | null;
  /** Its judgement, which holds the cost. */
  readonly evaluation?: Evaluation | null;
}

/** Workers of a pool from `at_ms` on. `target` is what the Planner wants: workers that are not draining. */
export interface ReplicaStep {
  at_ms: number;
  pool: Component;
  active: number;
  starting: number;
  draining: number;
  target: number;
}

/**
 * Steps of replicas over time, pool by pool: a row holds from its `at_ms` to the next row of the pool, the last one to
 * the end of the run. Without captured Planner details the steps are the scaling events (every worker counts as active
 * at once), without a Planner the constant number of workers.
 *
 * @example
 * ```ts
 * import { planner, readTrace, replay, replicasOverTime, vllm } from "dynosim";
 *
 * const { report } = replay(readTrace("fixtures/traces/chat.jsonl"), {
 *   cluster: { replicas: 1, engine: vllm({ blocks: 3000 }), startupSeconds: 30 },
 *   planner: planner({ target: "latency", maxGpus: 4 }),
 *   speedup: 4,
 * });
 * replicasOverTime(await report).print(5); // at_ms, pool, active, starting, draining, target
 * ```
 */
export function replicasOverTime(source: ReplicaSource): ColumnTable {
  const steps = poolsOf(source.summary).flatMap((pool) => replicaSteps(source, pool));
  const values = <K extends keyof ReplicaStep>(key: K) => steps.map((step) => step[key]);
  return table({
    at_ms: values("at_ms"),
    pool: values("pool"),
    active: values("active"),
    starting: values("starting"),
    draining: values("draining"),
    target: values("target"),
  });
}

/** Pools of a run: `agg` alone, or `prefill` and `decode`. */
export function poolsOf(summary: Summary): Component[] {
  return summary.prefill_gpus_per_worker > 0 ? ["prefill", "decode"] : ["agg"];
}

/** The steps of one pool, see {@linkcode replicasOverTime}. */
export function replicaSteps({ summary, planner }: ReplicaSource, pool: Component): ReplicaStep[] {
  const fixed = (count: number, atMs = 0): ReplicaStep => ({
    at_ms: atMs,
    pool,
    active: count,
    starting: 0,
    draining: 0,
    target: count,
  });
  const firstTick = planner?.ticks[0]?.topology[pool === "prefill" ? "prefill" : "decode"];
  if (planner && firstTick) {
    const operations = planner.lifecycle_operations.filter((operation) => operation.pool === pool);
    return [
      fixed(firstTick.active_count + firstTick.starting_count),
      ...operations.map(({ at_ms, state_after_batch: { active, starting, draining } }) => ({
        at_ms,
        pool,
        active: active.length,
        starting: starting.length,
        draining: draining.length,
        target: active.length + starting.length,
      })),
    ];
  }
  const events = planner?.scaling_events.filter((event) => event.component === pool) ?? [];
  if (events.length > 0) {
    return [fixed(events[0].from_count), ...events.map((event) => fixed(event.to_count, event.at_s * 1000))];
  }
  const seconds = pool === "prefill" ? summary.prefill_worker_seconds : summary.decode_worker_seconds;
  return [fixed(summary.duration_ms > 0 ? Math.round((seconds * 1000) / summary.duration_ms) : 0)];
}

/** End of a run in milliseconds: the last completion or the last change of a worker. */
export function endOfRun({ summary, planner }: ReplicaSource): number {
  return Math.max(summary.duration_ms, planner?.lifecycle_operations.at(-1)?.at_ms ?? 0);
}

/**
 * GPU hours by pool and phase of a worker's life: a row a pool and phase (`active`, `starting`, `draining`) with
 * `gpu_hours`, and `cost` where the report has a price. The sum is the summary's `gpu_hours` up to what was still running when the last request ended.
 *
 * @example
 * ```ts
 * import { gpuHoursByPhase, planner, readTrace, replay, vllm } from "dynosim";
 *
 * const { report } = replay(readTrace("fixtures/traces/chat.jsonl"), {
 *   cluster: { replicas: 1, engine: vllm({ blocks: 3000 }), startupSeconds: 30 },
 *   planner: planner({ target: "latency", maxGpus: 4 }),
 *   speedup: 4,
 * });
 * gpuHoursByPhase(await report).print(); // what active, starting and draining workers cost
 * ```
 */
export function gpuHoursByPhase(source: ReplicaSource): ColumnTable {
  const end = endOfRun(source), price = source.evaluation?.cost?.price_per_gpu_hour;
  const phases = ["active", "starting", "draining"] as const;
  const rows = poolsOf(source.summary).flatMap((pool) => {
    const gpus = pool === "prefill" ? source.summary.prefill_gpus_per_worker : source.summary.decode_gpus_per_worker;
    const steps = replicaSteps(source, pool);
    return phases.map((phase) => {
      const workerMs = steps.reduce((sum, step, i) => {
        const until = Math.min(steps[i + 1]?.at_ms ?? end, end);
        return sum + step[phase] * Math.max(until - step.at_ms, 0);
      }, 0);
      return { pool, phase, gpu_hours: (workerMs * gpus) / 3_600_000 };
    });
  });
  return table({
    pool: rows.map(({ pool }) => pool),
    phase: rows.map(({ phase }) => phase),
    gpu_hours: rows.map(({ gpu_hours }) => gpu_hours),
    ...(price === undefined ? {} : { cost: rows.map(({ gpu_hours }) => gpu_hours * price) }),
  });
}
