/**
 * A window of a retune as a run of its own: the same cluster, cold, on one candidate setting.
 *
 * @module
 */
import type { ReplayTask } from "../retune/types.ts";
import type { ReplaySpec } from "./spec.ts";

/**
 * What the windows of a retune have of their run.
 *
 * @param spec the run, its roles with nothing open
 * @param planner configuration of the inner Planner in PlannerConfig names; null keeps the replicas fixed
 */
export function windowSpec(
  { roles, router }: ReplaySpec,
  planner: Readonly<Record<string, unknown>> | null,
): ReplaySpec {
  return {
    roles,
    router,
    autoscaler: planner && { kind: "planner", config: { ...planner, retune: null, advisory: false }, written: null },
    capture: { plannerDetails: false, diagnostics: false },
  };
}

/** The run of one candidate; the window's requests are its load, and are handed over with it. */
export function candidateSpec(
  spec: ReplaySpec,
  { replicas, routerKnobs, routerSeed, planner, sla }: Omit<ReplayTask, "window">,
): ReplaySpec {
  const { roles, router, autoscaler } = spec;
  const knobs = routerKnobs && {
    overlapScoreCredit: routerKnobs.overlap_score_credit,
    prefillLoadScale: routerKnobs.prefill_load_scale,
    temperature: routerKnobs.temperature,
  };
  return {
    ...spec,
    roles: roles.map((role) => ({ ...role, replicas: role.role === "prefill" ? replicas.prefill : replicas.decode })),
    router: router?.policy === "kv_router"
      ? { ...router, settings: { ...router.settings, ...knobs, seed: routerSeed } }
      : router,
    autoscaler: planner && autoscaler ? { ...autoscaler, config: { ...autoscaler.config, ...planner.fields } } : null,
    sla,
  };
}
