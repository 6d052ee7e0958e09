/**
 * The points of a sweep: what is tried, each distinct one once.
 *
 * @module
 */
import type { RouterKnobs } from "../planner/policy.ts";
import { PREDICTOR_PRESETS, type RetuneConfig, ROUTER_KNOBS } from "./config.ts";
import type { PlannerFields, Point } from "./types.ts";

/** All combinations, the last list varying fastest. */
function product<T>(lists: readonly (readonly T[])[]): T[][] {
  return lists.reduce<T[][]>((rows, list) => rows.flatMap((row) => list.map((value) => [...row, value])), [[]]);
}

/**
 * The grid of a `retune` block: every combination of knobs and Planner fields in written order, the last field varying
 * fastest. The load predictor is no dimension of it.
 */
export function gridPoints({ router, planner }: RetuneConfig): Point[] {
  const sensitivity = planner?.load_scaling_down_sensitivity ?? null;
  const knobs = router ? ROUTER_KNOBS.map((knob) => router[knob]) : [];
  return product([...knobs, ...(sensitivity ? [sensitivity] : [])]).map((values) => ({
    router: router
      ? Object.fromEntries(ROUTER_KNOBS.map((knob, i) => [knob, values[i]])) as unknown as RouterKnobs
      : null,
    planner: sensitivity ? { load_scaling_down_sensitivity: values.at(-1)! } : {},
  }));
}

/** Fields that matter for the predictor a configuration names. */
export function predictorFields(config: PlannerFields): PlannerFields {
  const { load_predictor, load_predictor_log1p } = config;
  const fields: PlannerFields = { load_predictor, load_predictor_log1p };
  if (load_predictor === "prophet") fields.prophet_window_size = config.prophet_window_size;
  if (load_predictor === "kalman") {
    const { kalman_q_level, kalman_q_trend, kalman_r, kalman_min_points } = config;
    Object.assign(fields, { kalman_q_level, kalman_q_trend, kalman_r, kalman_min_points });
  }
  return fields;
}

/** Fields of `to` whose values differ from those of `from`. */
export function changedFields(from: PlannerFields, to: PlannerFields): PlannerFields {
  return Object.fromEntries(
    Object.entries(to).filter(([name, value]) => from[name as keyof PlannerFields] !== value),
  );
}

/** Whether two settings of the routers are equal. */
function sameKnobs(a: RouterKnobs | null, b: RouterKnobs | null): boolean {
  return ROUTER_KNOBS.every((knob) => a?.[knob] === b?.[knob]);
}

/** Whether two points are equal in all values. */
function samePoint(a: Point, b: Point): boolean {
  const fields = new Set([...Object.keys(a.planner), ...Object.keys(b.planner)]) as Set<keyof PlannerFields>;
  return sameKnobs(a.router, b.router) && [...fields].every((name) => a.planner[name] === b.planner[name]);
}

/**
 * What a sweep replays: the current point first, then every grid point that differs from it and from those before.
 *
 * @param winner preset that all grid points use; null keeps the predictor of the current point
 */
export function candidatePoints(current: Point, grid: readonly Point[], winner: string | null): Point[] {
  const { load_scaling_down_sensitivity: _, ...kept } = current.planner;
  const predictor = winner === null ? kept : PREDICTOR_PRESETS[winner];
  const points = [current];
  for (const { router, planner } of grid) {
    const point = { router, planner: { ...planner, ...predictor } };
    if (!points.some((other) => samePoint(other, point))) points.push(point);
  }
  return points;
}
