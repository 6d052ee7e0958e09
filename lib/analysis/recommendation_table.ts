/**
 * The result of a search as a table, and what each of its dimensions did.
 *
 * @module
 */
import { type ColumnTable, table } from "./arquero.ts";
import { makeColumns, pushRow } from "./columns.ts";
import { rankedCandidates, type RecommendationResult, type RecommendedCandidate } from "./read_recommendation.ts";

type Scalar = number | string | boolean;
const isScalar = (value: unknown): value is Scalar => ["number", "string", "boolean"].includes(typeof value);

/** The knobs of a candidate under plain names: those of its router and Planner as `router_…` and `planner_…`. */
export function knobsOf({ config }: RecommendedCandidate): Record<string, Scalar> {
  const knobs: Record<string, Scalar> = {};
  for (const [name, value] of Object.entries(config)) if (isScalar(value)) knobs[name] = value;
  const adapters = config.adapters;
  if (typeof adapters !== "object" || adapters === null) return knobs;
  for (const [adapter, section] of Object.entries(adapters)) {
    const prefix = adapter.slice(adapter.lastIndexOf(".") + 1);
    for (const [name, value] of Object.entries(Object(section))) {
      if (isScalar(value)) knobs[`${prefix}_${name}`] = value;
    }
  }
  return knobs;
}

/**
 * A row a candidate: its place in the ranking (null when it has none), status, GPUs, score, knobs and figures.
 *
 * @param result what `readRecommendation` read, or a ledger
 *
 * @example
 * ```ts ignore
 * const table = recommendationTable(await readRecommendation("runs/sizing"));
 * table.groupby("backend").rollup({ best: (d) => op.max(d.score) }).print();
 * ```
 */
export function recommendationTable(result: RecommendationResult): ColumnTable {
  const ranks = new Map(rankedCandidates(result).map((one, i) => [one.candidate_id, i + 1]));
  const rows = result.candidates.map((one) => ({
    rank: ranks.get(one.candidate_id),
    candidate_id: one.candidate_id,
    status: one.status,
    reason_category: one.reason_category,
    reason: one.reason,
    used_gpus: one.used_gpus,
    score: one.score,
    ...knobsOf(one),
    ...one.metrics,
  }));
  const kinds: Record<string, "number" | "text"> = {};
  for (const row of rows) {
    for (const [name, value] of Object.entries(row)) {
      if (typeof value === "number") kinds[name] ??= "number";
      else if (value !== null && value !== undefined) kinds[name] = "text";
      else kinds[name] ??= ["reason", "reason_category"].includes(name) ? "text" : "number";
    }
  }
  const columns = makeColumns(kinds);
  for (const row of rows) pushRow(columns, row);
  return table(columns as any);
}

/** What a value of a dimension came to. */
export interface DimensionValue {
  value: Scalar;
  candidates: number;
  /** Best and middle score of the feasible candidates with it. */
  best: number;
  median: number;
}

/** One dimension of a search. */
export interface Dimension {
  name: string;
  /** Values in the order of their best score. */
  values: DimensionValue[];
  /** How much the best score falls when the best value is given up, as a share. */
  effect: number;
}

/** Names that only repeat others. */
const DERIVED =
  /^(used_gpus|traffic_load|strategy|prefill_strategy|decode_strategy|backend_version|kv_load_|.*_kv_capacity_tokens)/;

/** What every dimension with more than one value did to the score, the one that matters most first. */
export function dimensionEffects(result: RecommendationResult): Dimension[] {
  const scores = new Map<string, Map<Scalar, number[]>>();
  for (const one of result.candidates) {
    if (one.status !== "feasible" || one.score === null) continue;
    for (const [name, value] of Object.entries(knobsOf(one))) {
      if (DERIVED.test(name)) continue;
      const byValue = scores.get(name) ?? new Map<Scalar, number[]>();
      scores.set(name, byValue);
      byValue.set(value, [...byValue.get(value) ?? [], one.score]);
    }
  }
  const dimensions: Dimension[] = [];
  for (const [name, byValue] of scores) {
    if (byValue.size < 2) continue;
    const values = [...byValue].map(([value, all]): DimensionValue => {
      const ordered = all.toSorted((a, b) => a - b);
      return { value, candidates: all.length, best: ordered.at(-1)!, median: ordered[Math.floor(ordered.length / 2)] };
    }).toSorted((a, b) => b.best - a.best);
    const [first, second] = values;
    const scale = Math.max(Math.abs(first.best), Math.abs(second.best));
    dimensions.push({ name, values, effect: scale > 0 ? (first.best - second.best) / scale : 0 });
  }
  return dimensions.toSorted((a, b) => b.effect - a.effect);
}
