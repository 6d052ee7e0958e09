/**
 * The sections of a search, each read by itself: what is wrong with one hides nothing of another.
 *
 * @module
 */
import * as v from "valibot";
import {
  type AutoscaledRole,
  type AutoscalerSection,
  autoscalerSection,
  leavesNone,
  mostReplicas,
} from "../config/autoscaler_section.ts";
import type { ConfigDocument } from "../config/document.ts";
import { type EvaluationSection, evaluationSection } from "../config/evaluation_section.ts";
import { executionSection } from "../config/execution_section.ts";
import { placed, type PlacedIssue, placedIssues } from "../config/issues.ts";
import type { Stack } from "../config/load.ts";
import { pricePlan } from "../config/make_plan.ts";
import type { PricePlan } from "../config/plan.ts";
import type { Reads } from "../config/schema_parts.ts";
import { type EngineSearch, readEngine } from "./engine_domain.ts";
import { type OptimizationSection, optimizationSection, optimizerSection } from "./goal_sections.ts";
import { plannerSearch } from "./planner_domain.ts";
import type { AutoscalerSearch, Recommendation } from "./recommendation.ts";
import { routerSearch } from "./router_domain.ts";
import { readTraffic, type SchemaIssues } from "./traffic_domain.ts";

/** The sections of a search. */
export type SearchSections = Pick<
  Recommendation,
  | "traffic"
  | "engine"
  | "sla"
  | "price"
  | "resources"
  | "optimization"
  | "optimizer"
  | "router"
  | "planner"
  | "autoscaler"
>;

/** Reads all sections; what is wrong is added to the issues. */
export function readSections(document: ConfigDocument, stack: Stack, issues: PlacedIssue[]): Partial<SearchSections> {
  const { value } = document;
  const tell = (section: string, found: SchemaIssues) => issues.push(...placedIssues(document, section, found));
  const read = <T>(section: string, schema: Reads<T>, absent: unknown): T | undefined => {
    if (!Object.hasOwn(value, section) && absent === undefined) {
      issues.push(placed(document, section, [section], "Field required"));
      return undefined;
    }
    const result = v.safeParse(schema, Object.hasOwn(value, section) ? value[section] : absent);
    if (!result.success) tell(section, result.issues);
    return result.success ? result.output : undefined;
  };
  const traffic = readTraffic(Object.hasOwn(value, "traffic") ? value.traffic : undefined);
  if ("issues" in traffic) tell("traffic", traffic.issues);
  const optimization = read("optimization", optimizationSection, undefined);
  const optimizer = read("optimizer", optimizerSection, {});
  const evaluation = read("evaluation", evaluationSection, {});
  const execution = read("execution", executionSection, {});
  const lengths = "traffic" in traffic ? traffic.traffic.lengths : null;
  let engine: EngineSearch | undefined;
  if (!Object.hasOwn(value, "engine")) issues.push(placed(document, "engine", ["engine"], "Field required"));
  else {
    const found = readEngine(value.engine, optimization?.hardware ?? null, lengths);
    if ("issues" in found) tell("engine", found.issues);
    else engine = found.engine;
  }
  const own = <T>(section: string, schema: Reads<T>): T | null =>
    stack === "dynamo" && Object.hasOwn(value, section) ? read(section, schema, undefined) ?? null : null;
  return {
    traffic: "traffic" in traffic ? traffic.traffic : undefined,
    engine,
    sla: evaluation?.sla ?? null,
    price: readPrice(document, evaluation, optimization, issues),
    resources: execution?.resources,
    optimization,
    optimizer,
    router: own("router", routerSearch),
    planner: own("planner", plannerSearch),
    autoscaler: scaled(own("autoscaler", autoscalerSection)),
  };
}

function scaled(section: AutoscalerSection | null): AutoscalerSearch | null {
  if (section === null) return null;
  const roles: Partial<Record<AutoscaledRole, { most: number; none: boolean }>> = {};
  for (const [role, settings] of Object.entries(section.workers)) {
    if (settings === null) continue;
    roles[role as AutoscaledRole] = { most: mostReplicas(settings), none: leavesNone(settings) };
  }
  return { type: section.type, roles };
}

/** The price of a GPU hour, which may stand in either section. */
function readPrice(
  document: ConfigDocument,
  evaluation: EvaluationSection | undefined,
  optimization: OptimizationSection | undefined,
  issues: PlacedIssue[],
): PricePlan | null {
  const price = evaluation ? pricePlan(evaluation) : null;
  if (!optimization) return price;
  const { gpu_hour_price: price_per_gpu_hour, currency } = optimization;
  const other = pricePlan({ price_per_gpu_hour, currency });
  if (price === null || other === null) return price ?? other;
  if (price.perGpuHour !== other.perGpuHour || price.currency !== other.currency) {
    const message = "Value error, gpu_hour_price is another price than evaluation.price_per_gpu_hour: give one of them";
    issues.push(placed(document, "", ["optimization", "gpu_hour_price"], message));
  }
  return price;
}
