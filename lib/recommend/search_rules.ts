/**
 * Rules between the sections of a search, and what is said of one that keeps them.
 *
 * @module
 */
import { isMapping } from "../collections/mapping.ts";
import { SCALED_TO_ZERO } from "../config/autoscaler_section.ts";
import { type EngineSearch, type Mode, ROLE_NAMES, rolesOfMode } from "./engine_domain.ts";
import type { AutoscalerSearch } from "./recommendation.ts";
import type { SearchSections } from "./search_sections.ts";

/** Rules between sections; the paths that decide them and what is wrong. */
export function* crossRules(
  { engine, optimization, sla, traffic, router, planner, autoscaler }: SearchSections,
): Generator<[string, string]> {
  const { target, strict_sla, constraints } = optimization;
  if (engine.hardware === "auto") {
    yield ["engine.hardware", "engine.hardware='auto' requires one optimization.hardware"];
  }
  const bounded = sla !== null && Object.values(sla).some((bound) => bound !== null);
  if (!bounded && ["goodput", "goodput_per_gpu", "min_gpus"].includes(target)) {
    yield ["optimization.target", `optimization target '${target}' requires an evaluation.sla bound`];
  }
  if (!bounded && strict_sla) {
    yield ["optimization.strict_sla", "optimization.strict_sla requires at least one evaluation.sla bound"];
  }
  if (planner !== null && autoscaler !== null) {
    yield ["autoscaler", "the Planner scales already: give planner or autoscaler, not both"];
  }
  if (!bounded && constraints.min_attainment !== null) {
    const path = "optimization.constraints.min_attainment";
    yield [path, `${path} requires at least one evaluation.sla bound`];
  }
  if (autoscaler !== null) yield* scaledRoleRules(engine, autoscaler);
  if (target !== "min_gpus") return;
  const { prediction, field, domain, lengths } = traffic;
  const fixed = domain.kind === "choices" && domain.pinned &&
    (field === "concurrency" || field === "requests_per_second");
  if (lengths === null || prediction.source.type !== "synthetic" || !fixed) {
    yield ["traffic.load", "min_gpus requires fixed synthetic request-rate or concurrency traffic"];
    return;
  }
  if (field === "requests_per_second") {
    const rate = domain.values[0];
    if (constraints.min_goodput_rps === null) {
      yield ["optimization.constraints", "min_gpus with request-rate traffic requires constraints.min_goodput_rps"];
    } else if (constraints.min_goodput_rps > rate) {
      yield ["optimization.constraints.min_goodput_rps", "min_goodput_rps cannot exceed the offered request rate"];
    }
  }
  const adapter = router !== null ? "router" : planner !== null ? "planner" : autoscaler !== null ? "autoscaler" : null;
  if (adapter !== null) yield [adapter, "min_gpus requires static engine pools without adapters"];
}

/** What no manifest can say is found before the search, as far as all candidates have it. */
export function* outputRules(
  { planner, autoscaler }: SearchSections,
  outputs: readonly string[],
): Generator<[string, string]> {
  if (!outputs.includes("dgd")) return;
  if (autoscaler !== null) {
    yield ["autoscaler", "a DynamoGraphDeployment cannot hold an autoscaler: search without one"];
  }
  if (planner !== null && !planner.policies.includes("disabled")) {
    yield ["planner", "a Planner cannot be written into a DynamoGraphDeployment here: search without one"];
  }
}

/** An autoscaler scales the workers of every mode that is searched, and no others. */
function* scaledRoleRules({ modes }: EngineSearch, { roles }: AutoscalerSearch): Generator<[string, string]> {
  const told = (mode: Mode) => mode === "agg" ? "aggregated" : "disaggregated";
  const known = new Set<string>(modes.flatMap(rolesOfMode).map((role) => ROLE_NAMES[role]));
  for (const [role, { none }] of Object.entries(roles)) {
    const path = `autoscaler.workers.${role}`;
    if (!known.has(role)) yield [path, `engine.mode ${modes.map(told).join(", ")} has no ${role} workers`];
    else if (role !== "aggregated" && none) yield [path, SCALED_TO_ZERO];
  }
  for (const mode of modes) {
    if (rolesOfMode(mode).some((role) => Object.hasOwn(roles, ROLE_NAMES[role]))) continue;
    yield [
      "autoscaler.workers",
      `no workers of engine.mode ${told(mode)} are scaled: name them, or search another mode`,
    ];
  }
}

/** What is in vain, and what decides more than it seems to. */
export function* notes(
  { engine, optimization, optimizer }: SearchSections,
  value: Record<string, unknown>,
): Generator<string> {
  if (!Object.hasOwn(value, "traffic")) {
    yield "no traffic section: 100 synthetic requests of 1024 prompt and 128 output tokens, 10 at a time, are searched with";
  }
  if (engine.contextLength === "max") {
    yield "engine.context_length is the model's longest: shapes that cannot hold one such sequence are ruled out; " +
      "give the longest sequence that you serve to keep smaller ones";
  }
  const workers = (value.engine as { workers?: Record<string, { timing?: { calibration_forced?: boolean } } | null> })
    ?.workers ?? {};
  for (const [role, worker] of Object.entries(workers)) {
    if (worker?.timing?.calibration_forced !== true) continue;
    yield `the calibration of ${role} workers is forced: it corrects every configuration, also those that it was not ` +
      "fitted to";
  }
  const given = (value.engine as { hardware?: string } | undefined)?.hardware;
  if (optimization.hardware !== null && given !== "auto") {
    yield "optimization.hardware has no effect: engine.hardware is not auto";
  }
  if (isMapping(value.optimizer) && value.optimizer.algorithm === "bayesian") {
    yield `optimizer.algorithm bayesian is the reference's: here every configuration is replayed when there are at most ` +
      `max_trials (${optimizer.max_trials}) of them, else halving runs`;
  }
}
