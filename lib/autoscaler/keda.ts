/**
 * KEDA's ScaledObject over one role: KEDA itself decides between none and some replicas by whether a trigger is active,
 * a HorizontalPodAutoscaler does the rest (KEDA documentation, "ScaledObject specification" and "Scaling Deployments").
 *
 * @module
 */
import { HorizontalPodAutoscaler } from "./hpa.ts";
import type { RoleScaler, RoleState, RoleVerdict } from "./role_scaler.ts";
import type { KedaRoleSettings } from "./settings.ts";

/** One ScaledObject. */
export class ScaledObject {
  readonly #settings: KedaRoleSettings;
  /** The HorizontalPodAutoscaler that KEDA makes of it. */
  readonly scaler: RoleScaler;
  #lastActiveS: number | null = null;

  constructor(settings: KedaRoleSettings) {
    this.#settings = settings;
    const { min_replica_count, max_replica_count, triggers, behavior, tolerance } = settings;
    this.scaler = new HorizontalPodAutoscaler({
      min_replicas: Math.max(min_replica_count, 1),
      max_replicas: max_replica_count,
      metrics: triggers.map(({ metric, threshold, metric_type }) => ({
        type: "External",
        name: metric,
        target: metric_type === "AverageValue"
          ? { average_value: threshold, value: null }
          : { average_value: null, value: threshold },
      })),
      behavior,
      tolerance,
    });
  }

  /** Looks at the triggers. Null: KEDA has nothing to do, the HorizontalPodAutoscaler decides. */
  poll({ nowS, active, starting, sample }: RoleState): RoleVerdict | null {
    const { min_replica_count, idle_replica_count, triggers, cooldown_period, initial_cooldown_period } =
      this.#settings;
    // with a lower bound that is never left, triggers are always active
    if (min_replica_count > 0 && idle_replica_count === null) return null;
    const current = active + starting;
    const metrics = triggers.map(({ metric, activation_threshold: target }) => {
      const { total, mean } = sample(metric);
      return { name: metric, value: metric === "kv_usage" ? mean : total, target, each: false, replicas: null };
    });
    const isActive = metrics.some(({ value, target }) => value !== null && value > target);
    if (isActive) {
      this.#lastActiveS = nowS;
      if (current > 0) return null;
      return { replicas: Math.max(min_replica_count, 1), wanted: null, metrics, reason: "activated" };
    }
    if (current === 0) return { replicas: 0, wanted: null, metrics, reason: "idle" };
    const after = this.#lastActiveS === null ? 0 : this.#lastActiveS + cooldown_period;
    const cold = Math.max(after, initial_cooldown_period);
    if (nowS < cold) return null;
    return { replicas: 0, wanted: null, metrics, reason: "scale_to_zero" };
  }
}
