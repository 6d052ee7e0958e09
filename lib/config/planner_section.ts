/**
 * The `planner` section and its way into PlannerConfig: other names for some keys, the rest of the configuration filled
 * in, the Planner's outputs (dashboard, HTML, Prometheus) switched off.
 *
 * @module
 */
import * as v from "valibot";
import type { RetuneConfig } from "../retune/config.ts";
import type { EngineSection } from "./engine_section.ts";
import type { EvaluationSection } from "./evaluation_section.ts";
import {
  anything,
  boolean,
  laxInt,
  laxNumber,
  literal,
  orNull,
  type Reads,
  text,
  withDefault,
} from "./schema_parts.ts";
import { section } from "./schema_sections.ts";

const positive = () => laxInt({ gt: 0 });
/** Null is told from absent: it is refused while the interval's mode is on. */
const interval = () => v.optional(v.nullable(positive()));

const settings = {
  target: withDefault(literal(["throughput", "latency", "load", "sla"]), "throughput"),
  max_num_gpus: withDefault(laxInt({ ge: -1 }), 8),
  min_num_gpus: withDefault(laxInt({ ge: -1 }), -1),
  min_workers: withDefault(laxInt({ ge: 0 }), 1),
  prefill_min_workers: orNull(laxInt({ ge: 1 })),
  decode_min_workers: orNull(laxInt({ ge: 1 })),
  enable_throughput_scaling: v.optional(boolean()),
  enable_load_scaling: v.optional(boolean()),
  throughput_adjustment_interval_seconds: interval(),
  load_adjustment_interval_seconds: interval(),
  max_throughput_scaling_replicas: withDefault(positive(), 8),
  max_num_fpm_samples: withDefault(positive(), 64),
  fpm_sample_bucket_size: withDefault(positive(), 16),
  load_scaling_down_sensitivity: withDefault(laxInt({ ge: 0, le: 100 }), 80),
  load_min_observations: withDefault(positive(), 5),
  load_predictor: withDefault(literal(["constant", "arima", "kalman", "prophet"]), "arima"),
  load_predictor_log1p: withDefault(boolean(), false),
  prophet_window_size: withDefault(positive(), 50),
  kalman_q_level: withDefault(laxNumber({ ge: 0 }), 1),
  kalman_q_trend: withDefault(laxNumber({ ge: 0 }), 0.1),
  kalman_r: withDefault(laxNumber({ ge: 0 }), 10),
  kalman_min_points: withDefault(positive(), 5),
  load_predictor_warmup_trace: orNull(text()),
  advisory: withDefault(boolean(), false),
  retune: anything(),
};

const policy = withDefault(literal(["disabled", "enabled"]), "disabled");
const enabled = section("PlannerConfig", { policy, ...settings }, [
  (planner) => {
    const { throughput, load } = scalingModes(planner);
    for (const [active, name] of [[throughput, "throughput"], [load, "load"]] as const) {
      const key = `${name}_adjustment_interval_seconds` as const;
      if (active && planner[key] === null) return `${key} cannot be null while its scaling mode is enabled`;
    }
  },
], { listUnknown: true });

const ignored = Object.fromEntries(Object.keys(settings).map((name) => [name, anything()]));
const disabled = section("PlannerConfig", { policy, ...ignored }, [
  (planner) => {
    const advisory = v.safeParse(boolean(), (planner as { advisory?: unknown }).advisory);
    return advisory.success && advisory.output ? "planner.advisory requires policy: enabled" : undefined;
  },
], { listUnknown: true });

/** An enabled `planner` section, defaults filled except those that depend on other sections. */
export type PlannerSection = v.InferOutput<v.ObjectSchema<typeof settings & { policy: typeof policy }, undefined>>;

/** Schema of `planner`; with `policy: disabled` (the default) only its keys are looked at. */
export const plannerSection: Reads<PlannerSection> = v.lazy((value) =>
  ((value as { policy?: unknown } | null)?.policy === "enabled" ? enabled : disabled) as Reads<any>
);

/** Which loops run: easy targets force their own, except in retune-only mode. */
export function scalingModes(
  planner: Pick<PlannerSection, "target" | "enable_throughput_scaling" | "enable_load_scaling" | "retune">,
): { throughput: boolean; load: boolean; retuneOnly: boolean } {
  const { target, enable_throughput_scaling, enable_load_scaling, retune } = planner;
  if (retune != null && enable_throughput_scaling === false && enable_load_scaling === false) {
    return { throughput: false, load: false, retuneOnly: true };
  }
  if (target !== "sla") return { throughput: false, load: true, retuneOnly: false };
  return { throughput: enable_throughput_scaling ?? true, load: enable_load_scaling ?? false, retuneOnly: false };
}

/** Names of PlannerConfig fields that the section calls otherwise. */
const RENAMED: Record<string, string> = {
  optimization_target: "target",
  max_gpu_budget: "max_num_gpus",
  min_gpu_budget: "min_num_gpus",
  min_endpoint: "min_workers",
  prefill_min_endpoint: "prefill_min_workers",
  decode_min_endpoint: "decode_min_workers",
};

/** The section key that a rule of PlannerConfig is about: the first field its message names. */
export function keyOfRule(message: string): string | undefined {
  const named = message.match(/\b[a-z0-9]+(_[a-z0-9]+)+\b/g) ?? [];
  return named.map((field) => RENAMED[field] ?? field).find((key) => Object.hasOwn(settings, key));
}

/** The GPUs of one replica as the Planner's own fields count them. */
const plannerGpus = (engine: EngineSection, role: "aggregated" | "prefill" | "decode"): number => {
  const { tensor, attention_data } = engine.workers[role]!.parallelism;
  return tensor * attention_data;
};

/**
 * The PlannerConfig mapping of an enabled section.
 *
 * @returns snake_case PlannerConfig names; `retune` (resolved) only when it is set
 */
export function plannerConfig(
  planner: PlannerSection,
  engine: EngineSection,
  sla: EvaluationSection["sla"],
  retune: RetuneConfig | null,
): Record<string, unknown> {
  const modes = scalingModes(planner);
  const aggregated = engine.mode === "aggregated";
  const config: Record<string, unknown> = {
    mode: aggregated ? "agg" : "disagg",
    backend: engine.backend,
    optimization_target: planner.target,
    enable_throughput_scaling: modes.throughput,
    enable_load_scaling: modes.load,
    throughput_adjustment_interval_seconds: planner.throughput_adjustment_interval_seconds ?? 180,
    load_adjustment_interval_seconds: planner.load_adjustment_interval_seconds ?? 5,
    max_throughput_scaling_replicas: planner.max_throughput_scaling_replicas,
    max_gpu_budget: planner.max_num_gpus,
    min_gpu_budget: planner.min_num_gpus,
    min_endpoint: planner.min_workers,
    prefill_min_endpoint: planner.prefill_min_workers,
    decode_min_endpoint: planner.decode_min_workers,
    decode_engine_num_gpu: plannerGpus(engine, aggregated ? "aggregated" : "decode"),
    ...(aggregated ? {} : { prefill_engine_num_gpu: plannerGpus(engine, "prefill") }),
    load_predictor: planner.load_predictor,
    load_predictor_log1p: planner.load_predictor_log1p,
    prophet_window_size: planner.prophet_window_size,
    kalman_q_level: planner.kalman_q_level,
    kalman_q_trend: planner.kalman_q_trend,
    kalman_r: planner.kalman_r,
    kalman_min_points: planner.kalman_min_points,
    max_num_fpm_samples: planner.max_num_fpm_samples,
    fpm_sample_bucket_size: planner.fpm_sample_bucket_size,
    load_scaling_down_sensitivity: planner.load_scaling_down_sensitivity,
    load_min_observations: planner.load_min_observations,
    report_interval_hours: null,
    live_dashboard_port: 0,
  };
  if (planner.target === "sla") {
    if (sla?.ttft_ms != null) config.ttft_ms = sla.ttft_ms;
    if (sla?.itl_ms != null) config.itl_ms = sla.itl_ms;
  } else if (planner.target === "load") {
    Object.assign(config, { decode_scale_up_kv_rate: 90, decode_scale_down_kv_rate: 70 });
    if (!aggregated) Object.assign(config, { prefill_scale_up_queue_tokens: 1, prefill_scale_down_queue_tokens: 0 });
  }
  if (planner.load_predictor_warmup_trace !== null) {
    config.load_predictor_warmup_trace = planner.load_predictor_warmup_trace;
  }
  if (planner.advisory) config.advisory = true;
  if (retune !== null) config.retune = retune;
  return config;
}
