/**
 * What of a load is turned up and down to find the largest one that is served.
 *
 * @module
 */
import type { PredictionPlan } from "../config/plan.ts";
import { ConfigError } from "../errors.ts";

/** Ways to make a load larger: a trace played faster, more requests at a time, more arrivals a second. */
export const LOAD_AXES = ["speedup", "concurrency", "rate"] as const;
/** One of {@linkcode LOAD_AXES}. */
export type LoadAxis = "speedup" | "concurrency" | "rate";

/** The way that a load has. */
export function axisOf({ traffic: { load } }: PredictionPlan): LoadAxis {
  return load.type === "trace_timestamps" ? "speedup" : load.type === "concurrency" ? "concurrency" : "rate";
}

/** @throws {ConfigError} when a load has another way than the one that is asked for */
export function checkAxis(plan: PredictionPlan, axis: LoadAxis): void {
  const own = axisOf(plan);
  if (own === axis) return;
  const path = "traffic.load.type";
  const message = `the load is ${plan.traffic.load.type}, which has no ${axis}: ask --over ${own}, or change the load`;
  throw new ConfigError(`${path}: ${message}`, [{ path, message }]);
}

/** How large a load is as it is written. */
export function loadValue({ traffic: { load } }: PredictionPlan): number {
  return load.type === "trace_timestamps"
    ? load.speedup
    : load.type === "concurrency"
    ? load.concurrency
    : load.perSecond;
}

/** A plan with a load of another size; the requests stay the same. */
export function withLoad(plan: PredictionPlan, value: number): PredictionPlan {
  const { load } = plan.traffic;
  const sized = load.type === "trace_timestamps"
    ? { ...load, speedup: value }
    : load.type === "concurrency"
    ? { ...load, concurrency: value }
    : { ...load, perSecond: value };
  return { ...plan, traffic: { ...plan.traffic, load: sized } };
}
