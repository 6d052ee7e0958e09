/**
 * Everything that can be set on a kv_router, after validation.
 *
 * @module
 */
import type { QueueClass, QueuePolicy } from "./queue.ts";

/** Which class a request belongs to; see the policy file. */
export interface QueueProfile {
  /** The classes. */
  readonly classes: readonly QueueClass[];
  /** Classes a request can name itself: position in `classes` by name. */
  readonly explicit: ReadonlyMap<string, number>;
  /** Positions in `classes` by family, one per bucket. */
  readonly families: ReadonlyMap<string, readonly number[]>;
  /** Family of requests that name none. */
  readonly defaultFamily: string;
  /** Least uncached prompt tokens of each bucket, ascending from 0. */
  readonly bucketTokens: readonly number[];
}

/** Settings of a kv_router. */
export interface KvRouterSettings {
  /** Prefill blocks taken off per resident block. */
  overlapScoreCredit: number;
  /** How fast that credit fades on ranks that have more prompt work than the idlest; 0: not at all. */
  overlapScoreCreditDecay: number;
  /** Weight of prompt work against blocks under work. */
  prefillLoadScale: number;
  /** Cost of each request that a rank works on. */
  decodeActiveRequestWeight: number;
  /** 0 takes the cheapest rank; above, ranks are drawn by cost. */
  temperature: number;
  /** Whether blocks of running requests count as load. */
  trackActiveBlocks: boolean;
  /** Whether blocks of running requests that share a prefix count once. */
  assumeKvReuse: boolean;
  /** Whether prompt tokens still to be computed count as load. */
  trackPrefillTokens: boolean;
  /** Whether booked prompt tokens shrink as a performance model expects. */
  prefillLoadModel: "none" | "aic";
  /** Requests queue while every rank has more booked prompt tokens than this part of a pass's budget; null: never. */
  queueThreshold: number | null;
  /** Order in which queued requests go out. */
  queuePolicy: QueuePolicy;
  /** Classes of a policy file; null for one class with the two settings above. */
  profile: QueueProfile | null;
  /** Delay until the router learns of a change in a cache, in milliseconds. */
  kvEventLagMs: number;
  /** Seed of the stream that breaks ties and draws at temperatures above 0. */
  seed: bigint;
}

/** The reference's canonical seed. */
export const DEFAULT_ROUTER_SEED = 0xd1a05eedn;

/** What holds when nothing is set. */
export const KV_ROUTER_DEFAULTS: Readonly<KvRouterSettings> = {
  overlapScoreCredit: 1,
  overlapScoreCreditDecay: 0,
  prefillLoadScale: 1,
  decodeActiveRequestWeight: 0,
  temperature: 0,
  trackActiveBlocks: true,
  assumeKvReuse: true,
  trackPrefillTokens: true,
  prefillLoadModel: "none",
  queueThreshold: null,
  queuePolicy: "fcfs",
  profile: null,
  kvEventLagMs: 0,
  seed: DEFAULT_ROUTER_SEED,
};

/** Settings of a pool's own router, derived from the common ones. */
export function poolSettings(settings: KvRouterSettings, pool: "agg" | "prefill" | "decode"): KvRouterSettings {
  switch (pool) {
    case "agg":
      return settings;
    case "prefill":
      return { ...settings, trackActiveBlocks: false };
    case "decode":
      return { ...settings, assumeKvReuse: false, trackPrefillTokens: false, prefillLoadModel: "none" };
  }
}

/** The class without a policy file. */
export function singleClass(settings: KvRouterSettings): QueueProfile {
  const only: QueueClass = {
    name: "default",
    quantum: 1,
    policy: settings.queuePolicy,
    busyTokens: null,
    busyFraction: settings.queueThreshold,
    requestLimit: null,
    inputTokenLimit: null,
    cachedTokenLimit: null,
  };
  return {
    classes: [only],
    explicit: new Map(),
    families: new Map([["default", [0]]]),
    defaultFamily: "default",
    bucketTokens: [0],
  };
}
