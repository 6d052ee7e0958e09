/**
 * Which strategy a search uses, and over how much.
 *
 * @module
 */
import { ConfigError } from "../errors.ts";
import { PREFIX_FORMATS } from "./candidate_jobs.ts";
import type { Algorithm } from "./goal_sections.ts";
import { LEAST_WHOLE } from "./halving_search.ts";
import type { Recommendation } from "./recommendation.ts";
import { Points } from "./points.ts";
import type { SearchSpace } from "./space.ts";

/** What runs, and over how much. */
export interface SearchPlan {
  /** The order in which candidates are tried. */
  algorithm: Exclude<Algorithm, "bayesian">;
  /** Replays at most. */
  most: number;
  /** Points of the space; `Infinity` when a parameter is continuous. */
  size: number;
}

/** Why a load has no beginning that could be replayed alone; null when it has. */
export function uncuttable({ traffic: { prediction: { source } } }: Recommendation): string | null {
  if (source.type === "synthetic-session") return "a load of sessions cannot be cut off after some requests";
  if (source.type !== "trace") return null;
  const { format = "mooncake", paths } = source;
  if (!PREFIX_FORMATS.includes(format)) return `a ${format} trace cannot be cut off after some requests`;
  return paths.length > 1 ? `${paths.length} trace files cannot be cut off after some requests` : null;
}

/** Requests of a synthetic load; null when nobody knows. */
export function syntheticRequests({ traffic: { prediction: { source, stop } } }: Recommendation): number | null {
  if (source.type !== "synthetic" || stop?.requests == null) return null;
  return stop.requests;
}

/**
 * The strategy of a search over a space.
 *
 * @throws {ConfigError} when the asked one cannot search it
 */
export function planOf(search: Recommendation, { branches }: SearchSpace): SearchPlan {
  const { optimizer: { algorithm, max_trials }, written } = search;
  const { size } = new Points(branches);
  const given = (written.optimizer as Record<string, unknown> | undefined)?.max_trials !== undefined;
  const refuse = (path: string, message: string): never => {
    throw new ConfigError(message, [{ path, message }]);
  };
  switch (algorithm) {
    case "random":
      return { algorithm, most: max_trials, size };
    case "exhaustive":
      if (size === Infinity) {
        refuse(
          "optimizer.algorithm",
          "exhaustive needs a finite space: give the continuous ranges a step, or use halving",
        );
      }
      if (given && size > max_trials) {
        refuse(
          "optimizer.max_trials",
          `the space has ${size} configurations, more than max_trials=${max_trials}: raise it, or use halving`,
        );
      }
      return { algorithm, most: size, size };
    case "halving":
      checkHalving(syntheticRequests(search));
      return { algorithm, most: Math.min(max_trials, size), size };
    case "bayesian":
      return size <= max_trials
        ? { algorithm: "exhaustive", most: size, size }
        : { algorithm: "halving", most: max_trials, size };
  }
}

/** @throws {ConfigError} when a load is too short to be replayed in part */
export function checkHalving(requests: number | null): void {
  if (requests === null || requests >= LEAST_WHOLE) return;
  const message =
    `halving replays a ninth of the load first: ${requests} requests are too few, it needs ${LEAST_WHOLE}; ` +
    "use exhaustive or random";
  throw new ConfigError(message, [{ path: "optimizer.algorithm", message }]);
}

/** Only where every configuration is tried does none depend on what came of others. */
export function notInParts(algorithm: string): ConfigError {
  const message =
    `a search can only be done in shards when it tries every configuration, and ${algorithm} decides by ` +
    "what came of others: use exhaustive, or --executor";
  return new ConfigError(message, [{ path: "optimizer.algorithm", message }]);
}
