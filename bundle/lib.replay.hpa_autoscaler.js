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
  hpaSettings
} from "./config.js";
import "./timing.js";
import "./base.js";

// lib/replay/hpa_autoscaler.ts
async function makeAutoscaler(spec, context) {
  return roleAutoscaler(spec, hpaSettings(spec.config), {
    loops(settings, role, everySeconds) {
      const scaler = new HorizontalPodAutoscaler(settings);
      return [
        {
          role,
          everySeconds,
          decide: (state) => scaler.decide(state)
        }
      ];
    },
    toZero: () => false
  }, context);
}
export {
  makeAutoscaler
};
