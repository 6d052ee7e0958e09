/**
 * The KV cache of ordinary attention: keys and values of a rank's KV heads in every layer.
 *
 * @module
 */
import { KV_MODES } from "../quant.ts";
import type { CacheRequest } from "./family.ts";
import { linearCache, type SequenceCache } from "./memory.ts";

/** Keys and values of all layers. */
export function groupedQueryCache({ facts, parallelism, kv }: CacheRequest<unknown>): SequenceCache {
  const elements = Math.ceil(facts.kvHeads / parallelism.tensor) * facts.headSize * facts.layers * 2;
  return linearCache(elements * KV_MODES[kv]);
}
