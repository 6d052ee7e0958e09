/**
 * Kubernetes' HorizontalPodAutoscaler as the autoscaler of a run, one for each role.
 *
 * @module
 */
import { HorizontalPodAutoscaler } from "../autoscaler/hpa.ts";
import { hpaSettings } from "../config/autoscaler_section.ts";
import type { Autoscaler, AutoscalerContext } from "./autoscaler.ts";
import { roleAutoscaler } from "./role_autoscaler.ts";
import type { AutoscalerSpec } from "./spec.ts";

/**
 * Makes the HorizontalPodAutoscalers of a run.
 *
 * @param spec `config` as the `autoscaler` section of a configuration
 * @throws {ConfigError} when the configuration does not fit
 */
// deno-lint-ignore require-await -- every kind is made this way
export async function makeAutoscaler(spec: AutoscalerSpec, context: AutoscalerContext): Promise<Autoscaler> {
  return roleAutoscaler(spec, hpaSettings(spec.config), {
    loops(settings, role, everySeconds) {
      const scaler = new HorizontalPodAutoscaler(settings);
      return [{ role, everySeconds, decide: (state) => scaler.decide(state) }];
    },
    toZero: () => false,
  }, context);
}
