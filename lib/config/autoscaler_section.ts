/**
 * The `autoscaler` section: Kubernetes' HorizontalPodAutoscaler or KEDA in place of the Planner, with their fields under
 * their names in this file's spelling. Defaults are those of the projects, except where a comment says otherwise.
 *
 * @module
 */
import * as v from "valibot";
import { METRIC_NAMES } from "../autoscaler/metrics.ts";
import type { HpaRoleSettings, KedaRoleSettings } from "../autoscaler/settings.ts";
import { ConfigError } from "../errors.ts";
import { literal, orNull, Problem, type Reads, reads, strictInt, strictNumber, withDefault } from "./schema_parts.ts";
import { section, tagged } from "./schema_sections.ts";

const listOf = <T>(schema: Reads<T>, least: number): Reads<T[]> =>
  v.pipe(
    reads<unknown[]>((value) => {
      if (!Array.isArray(value)) return new Problem("Input should be a valid list");
      return value.length < least ? new Problem(`List should have at least ${least} item`) : value;
    }),
    v.array(schema),
  );

const policy = section("ScalingPolicy", {
  type: literal(["Pods", "Percent"]),
  value: strictInt({ gt: 0 }),
  period_seconds: strictInt({ gt: 0, le: 1800 }),
});

type Policies = v.InferOutput<typeof policy>[];

const rules = (window: number, policies: Policies) =>
  section("ScalingRules", {
    stabilization_window_seconds: withDefault(strictInt({ ge: 0, le: 3600 }), window),
    select_policy: withDefault(literal(["Max", "Min", "Disabled"]), "Max"),
    policies: v.optional(listOf(policy, 1), policies),
    tolerance: orNull(strictNumber({ ge: 0 })),
  });

const behavior = () =>
  withDefault(
    section("Behavior", {
      scale_up: withDefault(
        rules(0, [
          { type: "Percent", value: 100, period_seconds: 15 },
          { type: "Pods", value: 4, period_seconds: 15 },
        ]),
        {},
      ),
      scale_down: withDefault(rules(300, [{ type: "Percent", value: 100, period_seconds: 15 }]), {}),
    }),
    {},
  );

const metric = section("Metric", {
  type: orNull(literal(["Pods", "External"])),
  name: literal(METRIC_NAMES),
  target: section("MetricTarget", {
    average_value: orNull(strictNumber({ gt: 0 })),
    value: orNull(strictNumber({ gt: 0 })),
  }, [
    ({ average_value, value }) =>
      (average_value === null) === (value === null) ? "give one of average_value and value" : undefined,
  ]),
}, [
  ({ type, name }) =>
    type === "Pods" && name === "request_rate" ? "request_rate is a metric of the whole: type External" : undefined,
  ({ type, target }) => type === "Pods" && target.value !== null ? "a Pods metric has an average_value" : undefined,
]);

const hpaRole = section("HorizontalPodAutoscaler", {
  min_replicas: withDefault(strictInt({ ge: 1 }), 1),
  max_replicas: strictInt({ ge: 1 }),
  metrics: listOf(metric, 1),
  behavior: behavior(),
}, [
  ({ min_replicas, max_replicas }) =>
    min_replicas > max_replicas ? "min_replicas must not exceed max_replicas" : undefined,
]);

const trigger = section("Trigger", {
  metric: literal(METRIC_NAMES),
  threshold: strictNumber({ gt: 0 }),
  activation_threshold: withDefault(strictNumber({ ge: 0 }), 0),
  metric_type: withDefault(literal(["AverageValue", "Value"]), "AverageValue"),
});

const kedaRole = section("ScaledObject", {
  polling_interval: withDefault(strictInt({ gt: 0 }), 30),
  cooldown_period: withDefault(strictInt({ ge: 0 }), 300),
  initial_cooldown_period: withDefault(strictInt({ ge: 0 }), 0),
  idle_replica_count: orNull(strictInt({ ge: 0, le: 0 })),
  min_replica_count: withDefault(strictInt({ ge: 0 }), 0),
  max_replica_count: withDefault(strictInt({ ge: 1 }), 100),
  triggers: listOf(trigger, 1),
  advanced: withDefault(
    section("Advanced", {
      horizontal_pod_autoscaler_config: withDefault(section("HpaConfig", { behavior: behavior() }), {}),
    }),
    {},
  ),
}, [
  ({ min_replica_count, max_replica_count }) =>
    min_replica_count > max_replica_count ? "min_replica_count must not exceed max_replica_count" : undefined,
  ({ idle_replica_count, min_replica_count }) =>
    idle_replica_count !== null && idle_replica_count >= min_replica_count
      ? "idle_replica_count must be less than min_replica_count"
      : undefined,
]);

/** Settings of the controller that runs all HorizontalPodAutoscalers. */
const controller = {
  sync_period_seconds: withDefault(strictNumber({ gt: 0 }), 15),
  tolerance: withDefault(strictNumber({ ge: 0 }), 0.1),
};

const ofRoles = <T>(role: Reads<T>) =>
  section("AutoscaledWorkers", { aggregated: orNull(role), prefill: orNull(role), decode: orNull(role) }, [
    (workers) => Object.values(workers).every((one) => one === null) ? "name the workers to scale" : undefined,
  ]);

const hpa = section("Hpa", { type: literal(["hpa"]), ...controller, workers: ofRoles(hpaRole) });
const keda = section("Keda", { type: literal(["keda"]), ...controller, workers: ofRoles(kedaRole) });

/** Schema of `autoscaler`. */
export const autoscalerSection: Reads<v.InferOutput<typeof hpa> | v.InferOutput<typeof keda>> = tagged({ hpa, keda });
/** `autoscaler` with its defaults. */
export type AutoscalerSection = v.InferOutput<typeof autoscalerSection>;

/** Roles that can be scaled, as the file calls them. */
export type AutoscaledRole = "aggregated" | "prefill" | "decode";

type ScaledRole = NonNullable<AutoscalerSection["workers"][AutoscaledRole]>;

/** Whether an autoscaler may take all workers of a role away. */
export const leavesNone = (role: ScaledRole): boolean =>
  "triggers" in role && (role.min_replica_count === 0 || role.idle_replica_count === 0);

/** What is wrong with that where prompts and tokens have workers of their own. */
export const SCALED_TO_ZERO = "only aggregated workers can be scaled to zero: min_replica_count must be at least 1";

/** Workers of a role at most. */
export const mostReplicas = (role: ScaledRole): number =>
  "triggers" in role ? role.max_replica_count : role.max_replicas;

/** Settings of all roles of one kind of autoscaler. */
export interface AutoscalerSettings<Role> {
  /** Seconds between two looks of the HorizontalPodAutoscaler. */
  syncSeconds: number;
  /** By role. */
  roles: Partial<Record<AutoscaledRole, Role>>;
}

/** A written section, or its resolved form, read as settings of an `hpa`. */
export const hpaSettings = (config: unknown): AutoscalerSettings<HpaRoleSettings> => {
  const { sync_period_seconds: syncSeconds, tolerance, workers } = readOf(hpa, config);
  return {
    syncSeconds,
    roles: mapRoles(workers, ({ behavior, metrics, ...rest }) => ({
      ...rest,
      metrics: metrics.map(({ type, ...one }) => ({
        ...one,
        type: type ?? (one.name === "request_rate" || one.target.value !== null ? "External" : "Pods"),
      })),
      behavior,
      tolerance: tolerances(behavior, tolerance),
    })),
  };
};

/** The same of `keda`. */
export const kedaSettings = (config: unknown): AutoscalerSettings<KedaRoleSettings> => {
  const { sync_period_seconds: syncSeconds, tolerance, workers } = readOf(keda, config);
  return {
    syncSeconds,
    roles: mapRoles(workers, ({ advanced, idle_replica_count, ...rest }) => {
      const { behavior } = advanced.horizontal_pod_autoscaler_config;
      const idle = idle_replica_count === null ? null : 0 as const;
      return { ...rest, idle_replica_count: idle, behavior, tolerance: tolerances(behavior, tolerance) };
    }),
  };
};

const tolerances = (
  { scale_up, scale_down }: { scale_up: { tolerance: number | null }; scale_down: { tolerance: number | null } },
  cluster: number,
) => ({ up: scale_up.tolerance ?? cluster, down: scale_down.tolerance ?? cluster });

function mapRoles<A, B>(workers: Record<AutoscaledRole, A | null>, map: (role: A) => B) {
  const entries = Object.entries(workers).flatMap(([role, one]) => one === null ? [] : [[role, map(one)] as const]);
  return Object.fromEntries(entries) as Partial<Record<AutoscaledRole, B>>;
}

/** @throws {ConfigError} when a configuration from elsewhere does not fit */
function readOf<T>(schema: Reads<T>, config: unknown): T {
  const result = v.safeParse(schema, config);
  if (result.success) return result.output;
  const issues = result.issues.map((issue) => ({
    path: ["autoscaler", v.getDotPath(issue)].filter((part) => part).join("."),
    message: issue.message,
  }));
  throw new ConfigError(issues.map(({ path, message }) => `${path}: ${message}`).join("; "), issues);
}
