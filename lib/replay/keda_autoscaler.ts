/**
 * KEDA as the autoscaler of a run, one ScaledObject for each role.
 *
 * @module
 */
import { ScaledObject } from "../autoscaler/keda.ts";
import { kedaSettings } from "../config/autoscaler_section.ts";
import type { Autoscaler, AutoscalerContext } from "./autoscaler.ts";
import { roleAutoscaler } from "./role_autoscaler.ts";
import type { AutoscalerSpec } from "./spec.ts";

/**
 * Makes the ScaledObjects of a run.
 *
 * @param spec `config` as the `autoscaler` section of a configuration
 * @throws {ConfigError} when the configuration does not fit
 */
// deno-lint-ignore require-await -- every kind is made this way
export async function makeAutoscaler(spec: AutoscalerSpec, context: AutoscalerContext): Promise<Autoscaler> {
  return roleAutoscaler(spec, kedaSettings(spec.config), {
    loops(settings, role, syncSeconds) {
      const object = new ScaledObject(settings);
      return [
        { role, everySeconds: settings.polling_interval, decide: (state) => object.poll(state) },
        { role, everySeconds: syncSeconds, decide: (state) => object.scaler.decide(state) },
      ];
    },
    toZero: ({ min_replica_count, idle_replica_count }) => min_replica_count === 0 || idle_replica_count === 0,
  }, context);
}
