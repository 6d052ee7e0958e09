/**
 * Kubernetes' HorizontalPodAutoscaler over one role.
 *
 * @module
 */
import { Stabilizer } from "./behavior.ts";
import type { Sample } from "./metrics.ts";
import { externalReplicas, largestReplicas, podsReplicas } from "./replica_count.ts";
import type { RoleScaler, RoleState, RoleVerdict, ScalerReason } from "./role_scaler.ts";
import type { HpaRoleSettings, MetricSettings } from "./settings.ts";

/** One HorizontalPodAutoscaler. */
export class HorizontalPodAutoscaler implements RoleScaler {
  readonly #settings: HpaRoleSettings;
  readonly #stabilizer: Stabilizer;

  constructor(settings: HpaRoleSettings) {
    this.#settings = settings;
    const { behavior, min_replicas: least, max_replicas: most } = settings;
    this.#stabilizer = new Stabilizer(behavior, { least, most });
  }

  decide({ nowS, active, starting, draining, sample }: RoleState): RoleVerdict {
    const { min_replicas, max_replicas, metrics } = this.#settings;
    const current = active + starting;
    if (current === 0 && min_replicas > 0) return { replicas: current, wanted: null, metrics: [], reason: "paused" };
    const seen = metrics.map((metric) => {
      const value = sample(metric.name);
      // a pod that is being removed counts as long as it is ready
      return { metric, sample: value, replicas: this.#wanted(metric, value, current, active + draining) };
    });
    const told = seen.map(({ metric, sample, replicas }) => ({ ...shown(metric, sample), replicas }));
    if (current < min_replicas || current > max_replicas) {
      const replicas = Math.min(Math.max(current, min_replicas), max_replicas);
      this.#stabilizer.changed(current, replicas, nowS);
      return { replicas, wanted: replicas, metrics: told, reason: "outside_bounds" };
    }
    const wanted = largestReplicas(seen.map(({ replicas }) => replicas), current);
    if (wanted === null) return { replicas: current, wanted, metrics: told, reason: "no_metrics" };
    const { replicas, by } = this.#stabilizer.limit(wanted, current, nowS);
    this.#stabilizer.changed(current, replicas, nowS);
    const reason: ScalerReason = replicas > current
      ? "scale_up"
      : replicas < current
      ? "scale_down"
      : wanted === current
      ? "within_target"
      : by === "stabilization"
      ? "stabilizing"
      : by === "bounds"
      ? "at_bound"
      : "rate_limited";
    return { replicas, wanted, metrics: told, reason };
  }

  #wanted({ type, name, target }: MetricSettings, sample: Sample, current: number, ready: number): number | null {
    const { tolerance } = this.#settings, { average_value: averageValue, value } = target;
    if (type === "Pods") return podsReplicas(sample, averageValue!, current, tolerance);
    return externalReplicas(sample, { averageValue, value }, { current, ready, share: name === "kv_usage" }, tolerance);
  }
}

/** A metric's value beside its target, in the same unit. */
function shown({ type, name, target: { average_value, value } }: MetricSettings, { byWorker, total, mean }: Sample) {
  const sum = byWorker.reduce((all, one) => all + one, 0);
  const whole = name === "kv_usage" ? mean : total;
  return average_value === null
    ? { name, value: whole, target: value!, each: false }
    : type === "Pods"
    ? { name, value: byWorker.length > 0 ? sum / byWorker.length : null, target: average_value, each: true }
    : { name, value: name === "kv_usage" ? mean : total, target: average_value, each: name === "kv_usage" };
}
