/**
 * Load scaling by thresholds: the targets `throughput`, `latency` and `load` compare each rank's queue or KV use with an
 * upper and a lower bound.
 *
 * @module
 */
import type { EngineCapabilities } from "./capabilities.ts";
import type { PlannerConfig } from "./config.ts";
import type { OptimizationTarget } from "./config_fields.ts";
import type { PassRow } from "./policy.ts";
import type { SideDecision } from "./side_decision.ts";

/** One side's bounds: `up` when any rank reaches it, `down` when all ranks are below it. */
interface Thresholds {
  up: (value: number) => boolean;
  down: (value: number) => boolean;
  upAt: number;
}

type Side = "prefill" | "decode" | "aggregated";

function thresholds(side: Side, target: OptimizationTarget, config: PlannerConfig): Thresholds {
  const reaches = (bound: number) => (value: number) => value >= bound;
  const atMost = (bound: number) => (value: number) => value <= bound;
  const exceeds = (bound: number) => (value: number) => value > bound;
  const below = (bound: number) => (value: number) => value < bound;
  if (target === "load") {
    const queue = side === "prefill";
    const up = queue ? config.prefill_scale_up_queue_tokens! : config.decode_scale_up_kv_rate! / 100;
    const down = queue ? config.prefill_scale_down_queue_tokens! : config.decode_scale_down_kv_rate! / 100;
    return { up: reaches(up), down: atMost(down), upAt: up };
  }
  if (side === "prefill") {
    return target === "latency"
      ? { up: reaches(0.1), down: atMost(0), upAt: 0.1 }
      : { up: reaches(1), down: below(0.1), upAt: 1 };
  }
  return target === "latency"
    ? { up: exceeds(0.4), down: below(0.1), upAt: 0.4 }
    : { up: exceeds(1), down: below(0.6), upAt: 1 };
}

/** What a rank's row weighs on a side; null when the engine's limit it is measured against is unknown. */
function weigh(side: Side, target: OptimizationTarget, engine: EngineCapabilities): ((row: PassRow) => number) | null {
  if (side === "prefill") {
    if (target === "load") return (row) => row.queuedPrefillTokens;
    const limit = engine.contextTokens;
    return limit !== null && limit > 0 ? (row) => row.queuedPrefillTokens / limit : null;
  }
  const limit = engine.maxKvTokens;
  if (limit === null || limit <= 0) return null;
  const prompts = side === "aggregated" ? 1 : 0;
  return (row) => (row.decodeKvTokens + row.queuedDecodeKvTokens + prompts * row.queuedPrefillTokens) / limit;
}

/** Decides one side: one replica more, one fewer, or as it is. */
export function thresholdSide(
  side: Side,
  rows: readonly PassRow[],
  { config, engine, ready, minimum }: {
    config: PlannerConfig;
    engine: EngineCapabilities;
    ready: number;
    minimum: number;
  },
): SideDecision {
  const target = config.optimization_target;
  const weight = weigh(side, target, engine);
  const none = { desired: null, refused: false, estimateMs: null, limitsKnown: weight !== null };
  // A prefill role without workers is not asked for its limits.
  if (side === "prefill" && ready === 0) return { ...none, reason: "insufficient_data", limitsKnown: null };
  if (weight === null) return { ...none, reason: "missing_engine_metadata" };
  if (ready === 0) return { ...none, reason: "insufficient_data" };
  const { up, down, upAt } = thresholds(side, target, config);
  const values = rows.map(weight);
  const decided = (desired: number): SideDecision => ({ ...none, desired, reason: "no_change" });
  if (values.some(up)) return decided(ready + 1);
  if (ready > 1 && values.every(down)) {
    // The last worker that reports stays: without reports nothing would wake the role again.
    const fewer = Math.max(ready - 1, minimum, 1);
    // Taking a replica away must not push the rest over the upper bound at once.
    const flaps = fewer < ready && (Math.max(...values) * ready) / fewer >= upAt;
    return decided(flaps ? ready : fewer);
  }
  return { ...none, reason: "no_change" };
}
