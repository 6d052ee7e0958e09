/**
 * Puts a pool together: its router and its workers.
 *
 * @module
 */
import { makeRank } from "../engine/make_rank.ts";
import type { PromptIndex } from "../engine/prompt_index.ts";
import type { RankObserver } from "../engine/rank.ts";
import type { Pool } from "../engine/records.ts";
import { SequenceLimit } from "../engine/sequence_limit.ts";
import { StdRng } from "../random/chacha.ts";
import type { LifecycleLog, PoolName } from "./lifecycle.ts";
import type { ClusterSpec, PoolSpec } from "./spec.ts";
import { WorkerPool } from "./worker_pool.ts";

/**
 * A pool with its starting workers.
 *
 * @param prompts the index that its ranks and its router share
 */
export function buildPool(
  spec: ClusterSpec,
  pool: PoolSpec,
  identity: { name: PoolName; pool: Pool },
  prompts: PromptIndex,
  observer: RankObserver,
  log: LifecycleLog,
): WorkerPool {
  const { workload } = spec.source, { settings } = pool;
  const router = pool.router({
    workload,
    prompts,
    records: spec.records,
    pool: identity.pool,
    maxBatchedTokens: settings.rank.maxBatchedTokens,
  });
  const context = {
    workload,
    prompts,
    records: spec.records,
    sink: spec.sink,
    observer,
    cache: router.cache,
    sequences: pool.sequences ?? new SequenceLimit(settings.rank.maxSequences),
    words: (id: number) => new StdRng(settings.rank.mtpSeed + BigInt(id)),
  };
  const workers = new WorkerPool(
    identity.name,
    settings,
    router,
    (id) => makeRank(id, settings.rank, pool.timing, context, settings.dpSize),
    log,
  );
  workers.populate(pool.replicas);
  return workers;
}
