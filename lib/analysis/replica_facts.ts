/**
 * What there is to say of a run's replicas in words and numbers.
 *
 * @module
 */
import { moneyText } from "../report/price.ts";
import { autoscalerName } from "../report/story/autoscaler_story.ts";
import { counted } from "../report/story/format.ts";
import { poolsOf, type ReplicaSource, type ReplicaStep, replicaSteps } from "./replicas.ts";

/** Whether a run's workers ever changed, or somebody advised it. */
export function hasHistory(run: ReplicaSource): boolean {
  return (run.planner?.recommended_scaling_events?.length ?? 0) > 0 ||
    poolsOf(run.summary).some((pool) => new Set(replicaSteps(run, pool).map(stateOf)).size > 1);
}

const stateOf = ({ active, starting, draining, target }: ReplicaStep): string =>
  [active, starting, draining, target].join();

/** The numbers of workers of a run in which they never changed: `2 workers`. */
export function constantWorkers(run: ReplicaSource): string {
  const pools = poolsOf(run.summary);
  return pools.map((pool) => {
    const count = replicaSteps(run, pool)[0].active;
    return `${count} ${pools.length > 1 ? `${pool} ` : ""}worker${count === 1 ? "" : "s"}`;
  }).join(" and ");
}

/** The most workers, of any state, that a pool of a run had at once. */
export function mostWorkers(run: ReplicaSource): number {
  const totals = poolsOf(run.summary).flatMap((pool) =>
    replicaSteps(run, pool).map(({ active, starting, draining }) => active + starting + draining)
  );
  return Math.max(1, ...totals);
}

/** Changes and cost of a run: `3 scale-ups, 1 scale-down in 151 ticks of the Planner; 0.873 GPU hours`. */
export function describeScaling({ planner, summary, evaluation }: ReplicaSource): string {
  const money = evaluation?.cost ? ` (${moneyText(evaluation.cost.total, evaluation.cost.currency)})` : "";
  const cost = `${Number(summary.gpu_hours.toPrecision(3))} GPU hours${money}`;
  if (planner === null) return `fixed number of workers, ${cost}`;
  const ups = planner.scaling_events.filter(({ reason }) => reason === "scale_up").length;
  const downs = planner.scaling_events.length - ups;
  const advice = planner.recommended_scaling_events?.length ?? 0;
  const { autoscaler } = planner.metadata, who = autoscaler ? autoscalerName(autoscaler) : "the Planner";
  return `${counted(ups, "scale-up")}, ${counted(downs, "scale-down")} in ${
    counted(planner.total_ticks, "tick")
  } of ${who}` +
    (advice > 0 ? `, ${advice} recommendations` : "") + `; ${cost}`;
}
