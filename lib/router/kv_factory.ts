/**
 * The kv_router as scripts and configurations make it: options in, a factory of routers out.
 *
 * @module
 */
import { checkOptions, ConfigError, type OptionNames } from "../errors.ts";
import { KvRouter } from "./kv_router.ts";
import { completeKvSettings } from "./kv_config.ts";
import { DEFAULT_ROUTER_SEED, type KvRouterSettings } from "./kv_settings.ts";
import type { PrefillLoadModel } from "./prefill_load.ts";
import type { RouterFactory } from "./router.ts";

/** Options of {@linkcode kvRouter}: any of its settings, the seed as a number too, and the load model itself. */
export interface KvRouterOptions extends Partial<Omit<KvRouterSettings, "seed">> {
  /** Seed of the random choices, a non-negative integer. Default 0xD1A05EED. */
  seed?: bigint | number;
  /** Expected prefill durations; needed for `prefillLoadModel: "aic"`, unused without. */
  prefillLoadMs?: PrefillLoadModel | null;
}

const OPTIONS: OptionNames<KvRouterOptions> = {
  overlapScoreCredit: true,
  overlapScoreCreditDecay: true,
  prefillLoadScale: true,
  decodeActiveRequestWeight: true,
  temperature: true,
  trackActiveBlocks: true,
  assumeKvReuse: true,
  trackPrefillTokens: true,
  prefillLoadModel: true,
  queueThreshold: true,
  queuePolicy: true,
  profile: true,
  kvEventLagMs: true,
  seed: true,
  prefillLoadMs: true,
};

/**
 * Makes kv_routers, one per pool of a cluster. Prefill pools leave out the blocks under work, decode pools the caches
 * and the prompt work. Each pool's router draws from a stream of its own that starts from the same seed.
 *
 * @param options defaults: `overlapScoreCredit` 1, `prefillLoadScale` 1, `temperature` 0, `queueThreshold` null (no
 * queue), `queuePolicy` `"fcfs"`, `kvEventLagMs` 0, tracking of blocks and prompt tokens on, weights and decay 0
 * @throws {ConfigError} for an option out of bounds, or a load model that is asked for and missing
 *
 * @example
 * ```ts
 * import { kvRouter } from "dynosim";
 *
 * const router = kvRouter({ temperature: 0.2, seed: 7 });
 * console.log(typeof router); // "function"
 * ```
 */
export function kvRouter(options: KvRouterOptions = {}): RouterFactory {
  checkOptions("kvRouter()", options, OPTIONS);
  const { seed = DEFAULT_ROUTER_SEED, prefillLoadMs = null, ...given } = options;
  if (typeof seed === "number" && !(Number.isSafeInteger(seed) && seed >= 0)) {
    throw wrong("router.seed", `seed must be a non-negative integer, got ${seed}`);
  }
  const settings = completeKvSettings({ ...given, seed: BigInt(seed) });
  if (settings.prefillLoadModel === "aic" && prefillLoadMs === null) {
    throw wrong("router.prefill_load_model", "router_prefill_load_model='aic' requires a performance model");
  }
  return (context) => new KvRouter(context, settings, prefillLoadMs);
}

const wrong = (path: string, message: string) => new ConfigError(message, [{ path, message }]);
