/**
 * The load of a candidate.
 *
 * @module
 */
import { roundHalfEven } from "../arithmetic/rounding.ts";
import type { Suggestion } from "./branch.ts";
import type { RoleKnobs } from "./role_knobs.ts";
import type { SearchSpace } from "./space.ts";
import type { TrafficSearch } from "./traffic_domain.ts";

/** The load of the candidate: what goes into the document, and what ledgers say of it. */
export function loadOf(
  { values }: Suggestion,
  knobs: readonly RoleKnobs[],
  { field, domain, lengths, prediction }: TrafficSearch,
  space: SearchSpace,
): { value: number; config: Record<string, unknown> } | { reason: string } {
  const drawn = values.traffic_load as number | undefined;
  const pinned = domain.kind === "choices" ? domain.values[0] : domain.min;
  if (field === "fraction") return fractionOf(drawn ?? pinned, knobs, lengths!, drawn !== undefined, space);
  const value = field === "concurrency" ? Math.max(1, roundHalfEven(drawn ?? pinned)) : drawn ?? pinned;
  const name = field === "speedup"
    ? "arrival_speedup_ratio"
    : field !== "concurrency"
    ? "request_rate"
    : prediction.source.type === "trace"
    ? "replay_concurrency"
    : "concurrency";
  const both = field === "concurrency" ? { concurrency: value, [name]: value } : { [name]: value };
  if (drawn === undefined) return { value, config: field === "concurrency" ? both : {} };
  return { value, config: { traffic_load: value, ...both } };
}

/** A share of the KV cache as a number of requests at once. */
function fractionOf(
  fraction: number,
  knobs: readonly RoleKnobs[],
  { input, output }: { input: number; output: number },
  searched: boolean,
  space: SearchSpace,
): { value: number; config: Record<string, unknown> } | { reason: string } {
  const config: Record<string, unknown> = { kv_load_ratio: fraction };
  if (searched) config.traffic_load = fraction;
  let capacity = 0;
  for (const { role, shape, tokens, blockTokens, memoryFraction, backend } of knobs) {
    const perRank = role.fixedBlocks !== null
      ? role.fixedBlocks * blockTokens
      : Math.floor(space.feasibility.tokens(role, backend, shape, tokens, memoryFraction) / blockTokens) *
        blockTokens;
    capacity = perRank * shape.attentionData * shape.replicas;
    config[`${role.key}_kv_capacity_tokens`] = capacity;
  }
  const requests = Math.floor(capacity / (input + Math.floor(output / 2)));
  if (requests < 1) {
    return {
      reason:
        `candidate KV capacity infeasible: ${capacity} tokens hold no request of ${input} prompt and ${output} output tokens`,
    };
  }
  const value = Math.max(1, Math.trunc(fraction * requests));
  return {
    value,
    config: {
      ...config,
      concurrency: value,
      kv_load_capacity_tokens: capacity,
      kv_load_concurrency_capacity: requests,
    },
  };
}
