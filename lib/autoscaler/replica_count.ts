/**
 * From a metric to a number of replicas, as the HorizontalPodAutoscaler of Kubernetes counts (its documentation,
 * "Algorithm details", and API `autoscaling/v2`).
 *
 * @module
 */
import type { Sample } from "./metrics.ts";

/** How far the ratio of value to target may be from 1 without a change. */
export interface Tolerance {
  /** Above 1. */
  up: number;
  /** Below 1. */
  down: number;
}

/** What a metric is compared with; one of the two. */
export interface MetricTarget {
  /** Wanted mean over workers. */
  averageValue: number | null;
  /** Wanted value of the whole. */
  value: number | null;
}

const within = (ratio: number, { up, down }: Tolerance): boolean => ratio >= 1 - down && ratio <= 1 + up;

/** Least integer not below the number, where rounding of products does not count. */
const ceiling = (value: number): number => Math.ceil(Number(value.toPrecision(15)));

/**
 * A metric that every worker reports. Workers that are not ready count as idle when more are wanted; workers without a
 * value count as idle when more and as loaded to the target when fewer are wanted. What turns the direction around, or
 * comes within the tolerance by that, changes nothing.
 *
 * @param current replicas that are wanted now
 * @returns null when no worker has reported a value
 */
export function podsReplicas(
  { byWorker, missing, notReady }: Sample,
  target: number,
  current: number,
  tolerance: Tolerance,
): number | null {
  if (byWorker.length === 0) return null;
  const sum = byWorker.reduce((total, value) => total + value, 0);
  const ratio = sum / (byWorker.length * target);
  const unready = ratio > 1 ? notReady : 0;
  if (unready === 0 && missing === 0) return within(ratio, tolerance) ? current : ceiling(ratio * byWorker.length);
  const assumed = ratio < 1 ? missing * target : 0;
  const workers = byWorker.length + missing + unready;
  const cautious = (sum + assumed) / (workers * target);
  if (within(cautious, tolerance) || (ratio < 1 && cautious > 1) || (ratio > 1 && cautious < 1)) return current;
  const replicas = ceiling(cautious * workers);
  return (cautious < 1 && replicas > current) || (cautious > 1 && replicas < current) ? current : replicas;
}

/**
 * A metric of the whole: compared with its target as it is, or divided by the replicas.
 *
 * @param ready workers that are ready, those among them that finish what they have before they go
 * @returns null when the metric is unknown
 */
export function externalReplicas(
  { total, mean }: Sample,
  { averageValue, value }: MetricTarget,
  { current, ready, share }: { current: number; ready: number; share: boolean },
  tolerance: Tolerance,
): number | null {
  if (averageValue !== null) {
    if (total === null) return null;
    return within(total / (averageValue * current), tolerance) ? current : ceiling(total / averageValue);
  }
  // a share of the whole is the mean of the workers' shares
  const whole = share ? mean : total;
  if (whole === null) return null;
  const ratio = whole / value!;
  if (current === 0) return ceiling(ratio);
  return within(ratio, tolerance) ? current : ceiling(ratio * ready);
}

/**
 * The largest of what the metrics want. While one of them is unknown, nothing is taken away.
 *
 * @param wanted by metric; null where it is unknown
 * @returns null when nothing is to be done
 */
export function largestReplicas(wanted: readonly (number | null)[], current: number): number | null {
  const known = wanted.filter((count) => count !== null);
  if (known.length === 0) return null;
  const most = Math.max(...known);
  return known.length < wanted.length && most < current ? null : most;
}
