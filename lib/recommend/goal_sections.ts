/**
 * The `optimization` and `optimizer` sections: what a search looks for, and how.
 *
 * @module
 */
import { priceFields } from "../config/evaluation_section.ts";
import {
  literal,
  orNull,
  Problem,
  type Reads,
  reads,
  strictInt,
  strictNumber,
  withDefault,
} from "../config/schema_parts.ts";
import { section } from "../config/schema_sections.ts";

/** What a search can look for. */
export const TARGETS = [
  "throughput",
  "throughput_per_gpu",
  "throughput_per_user",
  "goodput",
  "goodput_per_gpu",
  "min_gpus",
  "ttft",
  "e2e_latency",
  "pareto",
] as const;
/** One of {@link TARGETS}. */
export type Target = typeof TARGETS[number];

/** How a search can look. `bayesian` is the reference's; what runs instead is told. */
export const ALGORITHMS = ["bayesian", "random", "exhaustive", "halving"] as const;
/** One of {@link ALGORITHMS}. */
export type Algorithm = typeof ALGORITHMS[number];

const strictBoolean = () =>
  reads<boolean>((value) => typeof value === "boolean" ? value : new Problem("Input should be a valid boolean"));

const hardware = () =>
  reads<string>((value) => {
    if (typeof value !== "string") return new Problem("Input should be a valid string");
    const name = value.trim();
    return name === "" || name === "auto"
      ? new Problem("Value error, optimization.hardware must be a concrete nonempty identifier")
      : name;
  });

const constraints = section("OptimizationConstraints", {
  max_candidate_gpus: withDefault(strictInt({ gt: 0, le: 8192 }), 32),
  min_candidate_gpus: orNull(strictInt({ gt: 0 })),
  min_goodput_rps: orNull(strictNumber({ gt: 0 })),
  min_attainment: orNull(strictNumber({ gt: 0, le: 1 })),
}, [
  ({ max_candidate_gpus, min_candidate_gpus }) =>
    min_candidate_gpus !== null && min_candidate_gpus > max_candidate_gpus
      ? "min_candidate_gpus cannot exceed max_candidate_gpus"
      : undefined,
]);

const optimizationFields = {
  target: withDefault(literal(TARGETS), "throughput"),
  hardware: orNull(hardware()),
  strict_sla: withDefault(strictBoolean(), false),
  constraints: withDefault(constraints, {}),
  gpu_hour_price: priceFields.price_per_gpu_hour,
  currency: priceFields.currency,
};

/**
 * Schema of `optimization`. dynosim's own are `gpu_hour_price` and `currency`, another place for
 * `evaluation.price_per_gpu_hour` and `evaluation.currency`, and `constraints.min_attainment`.
 */
export const optimizationSection: Reads<OptimizationSection> = section("OptimizationConfig", optimizationFields, [
  ({ target, constraints }) =>
    constraints.min_goodput_rps !== null && target !== "min_gpus"
      ? "min_goodput_rps is only supported with min_gpus"
      : undefined,
  ({ gpu_hour_price, currency }) =>
    currency !== null && gpu_hour_price === null ? "currency has no effect without gpu_hour_price" : undefined,
]);

/** `optimization` as the file has it, defaults filled. */
export interface OptimizationSection {
  /** What is looked for. */
  target: Target;
  /** What `engine.hardware: auto` stands for. */
  hardware: string | null;
  /** Whether a candidate whose means miss the SLA is out. */
  strict_sla: boolean;
  /** Bounds of what may be chosen. */
  constraints: {
    /** GPUs of a candidate at most, and at least. */
    max_candidate_gpus: number;
    min_candidate_gpus: number | null;
    /** Requests a second that must meet the SLA (`min_gpus` only). */
    min_goodput_rps: number | null;
    /** Share of the requests that must meet the SLA. */
    min_attainment: number | null;
  };
  /** Another place for `evaluation.price_per_gpu_hour`. */
  gpu_hour_price: number | null;
  /** Another place for `evaluation.currency`. */
  currency: string | null;
}

/** Schema of `optimizer`. */
export const optimizerSection: Reads<OptimizerSection> = section("OptimizerConfig", {
  algorithm: withDefault(literal(ALGORITHMS), "bayesian"),
  max_trials: withDefault(strictInt({ gt: 0 }), 320),
  parallelism: withDefault(strictInt({ gt: 0 }), 16),
  candidate_timeout_seconds: withDefault(strictNumber({ gt: 0 }), 600),
  seed: withDefault(strictInt({ ge: 0 }), 42),
});

/** `optimizer` as the file has it, defaults filled. */
export interface OptimizerSection {
  /** How is looked. */
  algorithm: Algorithm;
  /** Replays at most. */
  max_trials: number;
  /** Candidates of a round of the random search; no more run at once. */
  parallelism: number;
  /** Limit of one replay. */
  candidate_timeout_seconds: number;
  /** Seed of the draws. */
  seed: number;
}
