/**
 * The result of a search, read back from its directory.
 *
 * @module
 */
import * as v from "valibot";
import { joinPath } from "../io/folders.ts";
import { host } from "../io/host.ts";
import { CURRENCY } from "../report/price.ts";
import { readResult } from "./result_file.ts";

/** Figures by name; null where there is none. */
export type Figures = Record<string, number | null>;

/** A candidate of a result. */
export interface RecommendedCandidate {
  /** Its name in the file. */
  candidate_id: string;
  /** How it ended. */
  status: string;
  /** Its parameters. */
  config: Record<string, unknown>;
  /** GPUs of all its workers; null where it cannot run. */
  used_gpus: number | null;
  /** The objective; null unless feasible. */
  score: number | null;
  /** Figures of its replay; null unless it was replayed. */
  metrics: Figures | null;
  /** Both objectives of a Pareto search, by name; null otherwise. */
  objectives: Figures | null;
  /** Why it is not feasible, in a word; null when it is. */
  reason_category: string | null;
  /** Why it is not feasible, in a sentence; null when it is. */
  reason: string | null;
  /** Where it is from. */
  provenance: { description?: string };
}

/** `recommendation.json`, ours or the reference's, as far as tables and pages need it. */
export interface RecommendationResult {
  /** Every candidate, in the order of the file. */
  candidates: RecommendedCandidate[];
  /** How many there were, by how they ended. */
  counts: Figures;
  /** Ids of candidates: the best, and those that nothing beats in every objective. */
  views: { top_n: string[]; pareto_front: string[] };
  /** Where the result is from. */
  provenance: {
    search_strategy: string;
    /** What was searched. */
    config: Record<string, unknown>;
    /** What was not looked at, and why; absent in results of the reference. */
    space?: {
      configurations: number | null;
      interrupted: boolean;
      ruled_out: {
        why: string;
        reason: string;
        backend: string;
        role: string;
        shape: string | null;
        combinations: number;
      }[];
      screened: { requests: number | null; score: number | null }[];
    };
  };
}

/** What a GPU hour costs in a search, by its configuration; null when that does not say it. */
export function searchPrice(
  { provenance: { config } }: RecommendationResult,
): { perGpuHour: number; currency: string } | null {
  const { evaluation, optimization } = config as Record<string, Record<string, unknown> | null | undefined>;
  for (
    const [price, currency] of [
      [evaluation?.price_per_gpu_hour, evaluation?.currency],
      [optimization?.gpu_hour_price, optimization?.currency],
    ]
  ) {
    if (typeof price === "number") {
      return { perGpuHour: price, currency: typeof currency === "string" ? currency : CURRENCY };
    }
  }
  return null;
}

const MOST_BYTES = 2 ** 30;
const numbers: v.GenericSchema<unknown, Figures> = v.record(v.string(), v.nullable(v.number()));

const candidate: v.GenericSchema<unknown, RecommendedCandidate> = v.looseObject({
  candidate_id: v.string(),
  status: v.string(),
  config: v.record(v.string(), v.unknown()),
  used_gpus: v.nullable(v.number()),
  score: v.nullable(v.number()),
  metrics: v.nullable(numbers),
  objectives: v.nullable(numbers),
  reason_category: v.nullable(v.string()),
  reason: v.nullable(v.string()),
  provenance: v.optional(v.looseObject({ description: v.optional(v.string()) }), {}),
});

const ruledOut: v.GenericSchema<
  unknown,
  NonNullable<RecommendationResult["provenance"]["space"]>["ruled_out"][number]
> = v.looseObject({
  why: v.string(),
  reason: v.string(),
  backend: v.string(),
  role: v.string(),
  shape: v.nullable(v.string()),
  combinations: v.number(),
});

const schema: v.GenericSchema<unknown, RecommendationResult> = v.looseObject({
  candidates: v.array(candidate),
  counts: numbers,
  views: v.object({ top_n: v.array(v.string()), pareto_front: v.array(v.string()) }),
  provenance: v.looseObject({
    search_strategy: v.optional(v.string(), "unknown"),
    config: v.optional(v.looseObject({}), {}),
    space: v.optional(v.looseObject({
      configurations: v.nullable(v.number()),
      interrupted: v.boolean(),
      ruled_out: v.array(ruledOut),
      screened: v.array(v.looseObject({ requests: v.nullable(v.number()), score: v.nullable(v.number()) })),
    })),
  }),
});

/** Where the result of a search would lie. */
export const recommendationFile = (path: string): string =>
  host().kind(path) === "directory" ? joinPath(path, "recommendation.json") : path;

/**
 * Reads the result of a search.
 *
 * @param path the output directory, or its `recommendation.json`
 * @throws {ConfigError} when there is none, or the file is no such result
 *
 * @example
 * ```ts ignore
 * const { views } = await readRecommendation("runs/sizing");
 * ```
 */
export async function readRecommendation(path: string): Promise<RecommendationResult> {
  return await readResult(recommendationFile(path), "the result of a search", schema, MOST_BYTES);
}

/** The ranked candidates of a result, best first. */
export function rankedCandidates({ candidates, views }: RecommendationResult): RecommendedCandidate[] {
  const byId = new Map(candidates.map((one) => [one.candidate_id, one]));
  return [...views.top_n, ...views.pareto_front].map((id) => byId.get(id)).filter((one) => one !== undefined);
}
