/**
 * How much load a deployment carries: the largest one with a wanted share of requests within the SLA.
 *
 * @module
 */
import type { PredictionPlan } from "../config/plan.ts";
import { checkNumber, checkOptions, ConfigError, type OptionNames, SimulationError } from "../errors.ts";
import { inline } from "../jobs/inline.ts";
import type { Executor } from "../jobs/job.ts";
import { largestHolding } from "./bracket.ts";
import { planSpec } from "../replay/predict.ts";
import type { CapacityAnswer, CapacityPoint, CapacitySetup, CapacityTask } from "./capacity_jobs.ts";
import { axisOf, checkAxis, type LoadAxis, loadValue, withLoad } from "./load_axis.ts";
import type { Saturation } from "../report/saturation.ts";

export type { CapacityPoint };

/** Options of {@linkcode capacity}. */
export interface CapacityOptions {
  /** What is turned up; must be what the load has. Default: that. */
  over?: LoadAxis;
  /** Share of the requests that must keep every bound, above 0 and at most 1. Default 0.99. */
  attainment?: number;
  /** Narrows until the edge is known to this share of its value. Default 0.01. */
  precision?: number;
  /** Where replays run. Default in this thread. */
  executor?: Executor;
  /**
   * Hears of each load that was tried, and about how many replays are left: an estimate that supposes the edge to be near
   * as long as it was not passed.
   */
  onPoint?: (point: CapacityPoint, replaysLeft: number) => void;
  /** Ends the search. */
  signal?: AbortSignal;
}

const OPTIONS: OptionNames<CapacityOptions> = {
  over: true,
  attainment: true,
  precision: true,
  executor: true,
  onPoint: true,
  signal: true,
};

/** The job kind of {@linkcode capacity}. */
export const CAPACITY_JOBS = { name: "capacity", module: new URL("./capacity_jobs.ts", import.meta.url) };

/** How far from the written load the edge is looked for, as a factor. */
const REACH = 1024;

/** Samples of the run that tells what runs out. */
const SAMPLES = 200;

/** What a deployment carries. */
export interface Capacity {
  /** Largest load that keeps the share; null when even a thousandth of what is written does not. */
  largest: number | null;
  /** Smallest load above it that was found not to; null when everything within reach is carried. */
  beyond: number | null;
  /** What was turned up. */
  over: LoadAxis;
  /** The share that was asked for. */
  attainment: number;
  /** The bounds. */
  sla: { ttft_ms: number | null; itl_ms: number | null; e2e_ms: number | null };
  /** The load as it is written. */
  written: number;
  /** Every load that was tried, by size. */
  points: CapacityPoint[];
  /** What runs out just beyond the edge; null when no load was too much. */
  saturation: Saturation | null;
  /** What the replay there warned of: passes outside of what a calibration was measured on, for example. */
  warnings: string[];
}

/**
 * Finds the largest load of a plan with a share of requests within its SLA, by doubling and bisection. The requests stay
 * the same, they only come faster, or more at a time. A load above one that is too much is taken for too much as well.
 *
 * @throws {ConfigError} for a plan without SLA, an attainment out of (0, 1] and an axis that its load does not have
 * @throws {SimulationError} when a replay cannot go on
 *
 * @example
 * ```ts
 * import { capacity, loadPrediction } from "dynosim";
 *
 * const { plan } = await loadPrediction(`
 * traffic: {source: {type: synthetic}, load: {concurrency: 8}, stop: {requests: 60}}
 * engine:
 *   model: Qwen/Qwen3-32B
 *   hardware: h200_sxm
 *   workers: {aggregated: {parallelism: {tensor: 2}, timing: {type: fixed, prefill_ms: 20, decode_ms: 10}}}
 * evaluation: {sla: {ttft_ms: 500, itl_ms: 20}}
 * `);
 * const { largest, over } = await capacity(plan, { attainment: 0.9 });
 * console.log(over, largest! >= 1); // concurrency true
 * ```
 */
export async function capacity(plan: PredictionPlan, options: CapacityOptions = {}): Promise<Capacity> {
  checkOptions("capacity()", options, OPTIONS);
  const { over = axisOf(plan), attainment = 0.99, precision = 0.01, executor = inline(), onPoint, signal } = options;
  if (plan.sla === null) {
    const path = "evaluation.sla", message = "a capacity needs bounds: give ttft_ms and itl_ms, or e2e_ms";
    throw new ConfigError(`${path}: ${message}`, [{ path, message }]);
  }
  if (!(attainment > 0 && attainment <= 1)) {
    throw new ConfigError(`attainment must be above 0 and at most 1, got ${attainment}`);
  }
  checkNumber("precision", precision, { above: 0, most: 1 });
  checkAxis(plan, over);
  const setup = { spec: planSpec(plan, { plannerDetails: false, diagnostics: false }) };
  const runner = executor.open<CapacitySetup, CapacityTask, CapacityAnswer>(CAPACITY_JOBS, setup);
  const points: CapacityPoint[] = [];
  const replayed = async (value: number, telemetryIntervalMs: number | null): Promise<CapacityAnswer> => {
    const task: CapacityTask = { value, traffic: planSpec(withLoad(plan, value)).traffic!, telemetryIntervalMs };
    const outcome = await runner.do({ id: null, data: task }, { signal });
    if (outcome.status === "done") return outcome.result;
    throw new SimulationError(
      `the replay at ${over} ${value} failed: ${outcome.status === "failed" ? outcome.reason : "it took too long"}`,
    );
  };
  try {
    const written = loadValue(plan);
    const { holds, fails } = await largestHolding(
      (values, roundsAfter) => {
        // the last replay tells what runs out
        let left = values.length + roundsAfter * runner.parallel + 1;
        return Promise.all(values.map(async (value) => {
          const { point } = await replayed(value, null);
          points.push(point);
          onPoint?.(point, --left);
          return point.attainment >= attainment;
        }));
      },
      { start: written, whole: over === "concurrency", parallel: runner.parallel, precision, reach: REACH },
    );
    const edge = points.find(({ value }) => value === fails);
    const interval = edge && Math.max(edge.duration_ms / SAMPLES, 1);
    const { saturation, warnings } = interval === undefined
      ? { saturation: null, warnings: [] }
      : await replayed(edge!.value, interval);
    points.sort((a, b) => a.value - b.value);
    const { ttftMs = null, itlMs = null, e2eMs = null } = plan.sla;
    const sla = { ttft_ms: ttftMs, itl_ms: itlMs, e2e_ms: e2eMs };
    return { largest: holds, beyond: fails, over, attainment, sla, written, points, saturation, warnings };
  } finally {
    runner.close();
  }
}
