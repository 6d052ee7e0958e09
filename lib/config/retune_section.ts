/**
 * The `planner.retune` block: its fields, the rules between them and what it resolves to.
 *
 * @module
 */
import * as v from "valibot";
import { nearName } from "../errors.ts";
import { OBJECTIVES, PREDICTOR_PRESETS, type RetuneConfig, ROUTER_KNOBS, type RouterKnob } from "../retune/config.ts";
import { type DomainKind, readDomain } from "./retune_domains.ts";
import {
  didYouMean,
  laxInt,
  laxNumber,
  literal,
  orNull,
  orWord,
  Problem,
  type Reads,
  reads,
  withDefault,
} from "./schema_parts.ts";
import { section } from "./schema_sections.ts";

const positive = () => laxNumber({ gt: 0 });

const knobDomain: DomainKind = {
  owner: "Router",
  check(value) {
    if (typeof value !== "number" || !Number.isFinite(value)) return "Input should be a finite number";
    return value >= 0 ? undefined : "Input should be greater than or equal to 0";
  },
};
const sensitivityDomain: DomainKind = {
  owner: "Planner",
  check(value) {
    if (!Number.isInteger(value)) return "Input should be a valid integer";
    if ((value as number) < 0) return "Input should be greater than or equal to 0";
    return (value as number) <= 100 ? undefined : "Input should be less than or equal to 100";
  },
};

const domain = (kind: DomainKind) => reads<number[]>((value) => readDomain(value, kind));

/** Values a knob takes when a mapping leaves it out. */
const DEFAULT_KNOBS: Record<RouterKnob, number[]> = {
  overlap_score_credit: [0, 0.5, 1],
  prefill_load_scale: [0, 0.25, 0.5, 1, 2, 4, 8, 16, 32],
  temperature: [0, 0.2, 0.5, 1],
};

const CANNOT = {
  host_cache_hit_weight:
    "it also sets how the startup router counts cached tokens, which a runtime update does not change",
  disk_cache_hit_weight:
    "it also sets how the startup router counts cached tokens, which a runtime update does not change",
  shared_cache_multiplier: "replay reports no shared cache hits",
};

const refused = Object.fromEntries(
  Object.entries(CANNOT).map(([name, why]) => [
    name,
    v.optional(reads<never>(() => new Problem(`Value error, retune.router.${name} cannot be retuned: ${why}`))),
  ]),
);

const router = orDefaultWord(section("RetuneRouter", {
  overlap_score_credit: v.optional(domain(knobDomain)),
  prefill_load_scale: v.optional(domain(knobDomain)),
  temperature: v.optional(domain(knobDomain)),
  ...refused,
}));

const predictors = reads<string[] | "default">((value) => {
  if (value === "default") return value;
  const list = typeof value === "string" ? [value] : value;
  if (!Array.isArray(list) || list.length === 0) {
    return new Problem("Value error, Planner choices must be a nonempty list");
  }
  const odd = list.find((name) => typeof name !== "string" || !Object.hasOwn(PREDICTOR_PRESETS, name));
  if (odd !== undefined) {
    const near = typeof odd === "string" ? nearName(odd, Object.keys(PREDICTOR_PRESETS)) : undefined;
    const known = Object.keys(PREDICTOR_PRESETS).join(", ");
    return new Problem(
      `Value error, unknown load predictor preset '${odd}', expected one of ${known}`,
      near && didYouMean(near),
    );
  }
  return new Set(list).size < list.length
    ? new Problem("Value error, Planner choices must contain unique values")
    : list;
});

const planner = orDefaultWord(section("RetunePlanner", {
  load_scaling_down_sensitivity: v.optional(domain(sensitivityDomain)),
  load_predictor: v.optional(predictors),
}));

/** `default` or a mapping. */
function orDefaultWord<T>(schema: Reads<T>): Reads<T | "default"> {
  return v.lazy((value) => (value === "default" ? v.literal("default") : schema) as Reads<T | "default">);
}

const fields = {
  interval_seconds: withDefault(positive(), 600),
  grace_seconds: withDefault(laxNumber({ ge: 0 }), 60),
  router: orNull(router),
  planner: orNull(planner),
  objective: withDefault(literal(OBJECTIVES), "goodput_per_gpu"),
  sla_ttft_ms: orNull(positive()),
  sla_itl_ms: orNull(positive()),
  min_improvement_percentage: withDefault(laxNumber({ ge: 0 }), 3),
  decision_latency_seconds: withDefault(orWord("measured", laxNumber({ ge: 0 }), "constrained-float"), 0),
  decision_latency_scale: withDefault(positive(), 1),
  timeout_seconds: orNull(positive()),
  max_parallel: withDefault(laxInt({ gt: 0 }), 4),
  history_seconds: orNull(positive()),
};

/** `planner.retune` as the file has it. */
export type RetuneSection = v.InferOutput<v.ObjectSchema<typeof fields, undefined>>;

/** Schema of the block. Rules that need the Planner's own settings are in {@link resolveRetune}. */
export const retuneSection = section("RetuneConfig", fields, [
  ({ router, planner }) => router === null && planner === null ? "retune requires router or planner" : undefined,
  ({ interval_seconds, decision_latency_seconds, decision_latency_scale, timeout_seconds }) => {
    const timeout = timeout_seconds ?? interval_seconds;
    const limit = interval_seconds / decision_latency_scale;
    if (decision_latency_seconds === "measured" && decision_latency_scale > 1 && timeout > limit) {
      return `retune.timeout_seconds (${timeout}s) must be at most interval_seconds / decision_latency_scale ` +
        `(${limit}s) when decision_latency_seconds is measured`;
    }
  },
  ({ interval_seconds, decision_latency_seconds }) =>
    typeof decision_latency_seconds === "number" && decision_latency_seconds > interval_seconds
      ? "retune.decision_latency_seconds must be at most interval_seconds"
      : undefined,
]);

/** The settings of the Planner that a retune depends on. */
export interface RetuneContext {
  throughputScaling: boolean;
  loadScaling: boolean;
  loadIntervalSeconds: number;
  throughputIntervalSeconds: number;
  prophetWindow: number;
  /** Bounds to score with when the block has none: the file's SLA, else the Planner's targets. */
  slaTtftMs: number;
  slaItlMs: number;
}

/** Fills what depends on the Planner, or says what does not fit it. */
export function resolveRetune(retune: RetuneSection, context: RetuneContext): RetuneConfig | { problem: string } {
  const ticks = retune.interval_seconds / context.loadIntervalSeconds;
  if (Math.abs(ticks - Math.round(ticks)) > 1e-9) {
    return {
      problem: "retune.interval_seconds must be a multiple of load_adjustment_interval_seconds " +
        `(${context.loadIntervalSeconds}s), got ${retune.interval_seconds}`,
    };
  }
  const fields = plannerFields(retune.planner, context);
  if (fields !== null && "problem" in fields) return fields;
  const windows = (fields?.load_predictor ?? []).map((name) => PREDICTOR_PRESETS[name].prophet_window_size ?? 0);
  const window = Math.max(0, ...windows) || context.prophetWindow;
  const timeout = retune.timeout_seconds ?? retune.interval_seconds;
  return {
    interval_seconds: retune.interval_seconds,
    grace_seconds: retune.grace_seconds,
    router: routerKnobs(retune.router),
    planner: fields,
    objective: retune.objective,
    sla_ttft_ms: retune.sla_ttft_ms ?? context.slaTtftMs,
    sla_itl_ms: retune.sla_itl_ms ?? context.slaItlMs,
    min_improvement_percentage: retune.min_improvement_percentage,
    decision_latency_seconds: retune.decision_latency_seconds,
    decision_latency_scale: retune.decision_latency_scale,
    timeout_seconds: timeout,
    max_parallel: retune.max_parallel,
    history_seconds: retune.history_seconds ?? context.throughputIntervalSeconds * window,
  };
}

function routerKnobs(router: RetuneSection["router"]): RetuneConfig["router"] {
  if (router === null) return null;
  const written: Partial<Record<RouterKnob, number[]>> = router === "default" ? {} : router;
  return Object.fromEntries(ROUTER_KNOBS.map((name) => [name, written[name] ?? DEFAULT_KNOBS[name]])) as Record<
    RouterKnob,
    number[]
  >;
}

function plannerFields(
  planner: RetuneSection["planner"],
  { loadScaling, throughputScaling }: RetuneContext,
): RetuneConfig["planner"] | { problem: string } {
  if (planner === null) return null;
  if (!loadScaling && !throughputScaling) {
    return { problem: "retune.planner has nothing to search: both scaling modes are off" };
  }
  const all = Object.keys(PREDICTOR_PRESETS);
  if (planner === "default") {
    return {
      load_scaling_down_sensitivity: loadScaling ? [70, 80, 90] : null,
      load_predictor: throughputScaling ? all : null,
    };
  }
  if (planner.load_scaling_down_sensitivity && !loadScaling) {
    return { problem: "retune.planner.load_scaling_down_sensitivity requires load scaling" };
  }
  if (planner.load_predictor && !throughputScaling) {
    return { problem: "retune.planner.load_predictor requires throughput scaling" };
  }
  return {
    load_scaling_down_sensitivity: planner.load_scaling_down_sensitivity ?? null,
    load_predictor: planner.load_predictor === "default" ? all : planner.load_predictor ?? null,
  };
}
