/**
 * A search as it was read: what is searched, and what for.
 *
 * @module
 */
import type { Stack } from "../config/load.ts";
import type { PricePlan, ResourceLimits } from "../config/plan.ts";
import type { ConfigError } from "../errors.ts";
import type { EngineSearch } from "./engine_domain.ts";
import type { OptimizationSection, OptimizerSection } from "./goal_sections.ts";
import type { PlannerSearch } from "./planner_domain.ts";
import type { Bounds } from "./planner_space.ts";
import type { RouterSearch } from "./router_domain.ts";
import type { TrafficSearch } from "./traffic_domain.ts";

/** A search, checked. */
export interface Recommendation {
  /** Which stack's rules the file follows. */
  stack: Stack;
  /**
   * The load, with what is searched of it.
   *
   * @internal
   */
  traffic: TrafficSearch;
  /**
   * The workers, with what is searched of them.
   *
   * @internal
   */
  engine: EngineSearch;
  /** Bounds of a good request; null when the file has none. */
  sla: Bounds | null;
  /** What a GPU costs: of `evaluation`, or of `optimization`; null when neither says it. */
  price: PricePlan | null;
  /** Limits of the whole deployment. */
  resources: ResourceLimits;
  /** What is looked for. */
  optimization: OptimizationSection;
  /** How it is looked for. */
  optimizer: OptimizerSection;
  /**
   * Null when the file has no such section.
   *
   * @internal
   */
  router: RouterSearch | null;
  /**
   * Null when the file has no such section.
   *
   * @internal
   */
  planner: PlannerSearch | null;
  /**
   * Null when the file has no such section.
   *
   * @internal
   */
  autoscaler: AutoscalerSearch | null;
  /** `router`, `planner` and `autoscaler` as far as the file has them, in its order. */
  sections: readonly ("router" | "planner" | "autoscaler")[];
  /** Sections of output adapters by name, as written. */
  outputs: Readonly<Record<string, Record<string, unknown>>>;
  /** The document's values, overrides applied. */
  written: Record<string, unknown>;
  /** Sentences about options without effect and doubtful values. */
  warnings: readonly string[];
  /** Finds the places of what went wrong later. */
  place(error: ConfigError): ConfigError;
}

/** The autoscaler of a search, the same for every candidate. */
export interface AutoscalerSearch {
  /** Which one. */
  type: "hpa" | "keda";
  /** What it may do to the workers that it scales, by role. */
  roles: Readonly<Partial<Record<"aggregated" | "prefill" | "decode", { most: number; none: boolean }>>>;
}
