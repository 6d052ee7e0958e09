import {
  HorizontalPodAutoscaler,
  roleAutoscaler
} from "./retune.js";
import "./router.js";
import "./planner.js";
import "./traces.js";
import "./core.js";
import "./shared.js";
import {
  kedaSettings
} from "./config.js";
import "./timing.js";
import "./base.js";

// lib/autoscaler/keda.ts
var ScaledObject = class {
  #settings;
  /** The HorizontalPodAutoscaler that KEDA makes of it. */
  scaler;
  #lastActiveS = null;
  constructor(settings) {
    this.#settings = settings;
    const { min_replica_count, max_replica_count, triggers, behavior, tolerance } = settings;
    this.scaler = new HorizontalPodAutoscaler({
      min_replicas: Math.max(min_replica_count, 1),
      max_replicas: max_replica_count,
      metrics: triggers.map(({ metric, threshold, metric_type }) => ({
        type: "External",
        name: metric,
        target: metric_type === "AverageValue" ? {
          average_value: threshold,
          value: null
        } : {
          average_value: null,
          value: threshold
        }
      })),
      behavior,
      tolerance
    });
  }
  /** Looks at the triggers. Null: KEDA has nothing to do, the HorizontalPodAutoscaler decides. */
  poll({ nowS, active, starting, sample }) {
    const { min_replica_count, idle_replica_count, triggers, cooldown_period, initial_cooldown_period } = this.#settings;
    if (min_replica_count > 0 && idle_replica_count === null) return null;
    const current = active + starting;
    const metrics = triggers.map(({ metric, activation_threshold: target }) => {
      const { total, mean } = sample(metric);
      return {
        name: metric,
        value: metric === "kv_usage" ? mean : total,
        target,
        each: false,
        replicas: null
      };
    });
    const isActive = metrics.some(({ value, target }) => value !== null && value > target);
    if (isActive) {
      this.#lastActiveS = nowS;
      if (current > 0) return null;
      return {
        replicas: Math.max(min_replica_count, 1),
        wanted: null,
        metrics,
        reason: "activated"
      };
    }
    if (current === 0) return {
      replicas: 0,
      wanted: null,
      metrics,
      reason: "idle"
    };
    const after = this.#lastActiveS === null ? 0 : this.#lastActiveS + cooldown_period;
    const cold = Math.max(after, initial_cooldown_period);
    if (nowS < cold) return null;
    return {
      replicas: 0,
      wanted: null,
      metrics,
      reason: "scale_to_zero"
    };
  }
};

// lib/replay/keda_autoscaler.ts
async function makeAutoscaler(spec, context) {
  return roleAutoscaler(spec, kedaSettings(spec.config), {
    loops(settings, role, syncSeconds) {
      const object = new ScaledObject(settings);
      return [
        {
          role,
          everySeconds: settings.polling_interval,
          decide: (state) => object.poll(state)
        },
        {
          role,
          everySeconds: syncSeconds,
          decide: (state) => object.scaler.decide(state)
        }
      ];
    },
    toZero: ({ min_replica_count, idle_replica_count }) => min_replica_count === 0 || idle_replica_count === 0
  }, context);
}
export {
  makeAutoscaler
};
