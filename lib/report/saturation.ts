/**
 * What runs out first when a load grows, as a capacity tells it and as files and messages hold it.
 *
 * @module
 */
import * as v from "valibot";

/**
 * What can run out. Where more requests miss by their first token it is what they waited for, or the computing of
 * prompts; where more miss by the time between tokens it is KV blocks that they gave up, decode steps, or prompts that
 * aggregated workers compute between those.
 */
export type Bottleneck = "prefill_compute" | "decode_compute" | "kv_blocks" | "sequence_limit" | "router_queue";

const BOTTLENECK_NAMES = [
  "prefill_compute",
  "decode_compute",
  "kv_blocks",
  "sequence_limit",
  "router_queue",
] as const satisfies readonly Bottleneck[];

/** What runs out at a load, and what that was told from. */
export interface Saturation {
  /** The load that was looked at. */
  value: number;
  /** What runs out. */
  bottleneck: Bottleneck;
  /** Mean share of KV blocks in use while requests wait. */
  kv_usage: number;
  /** Requests that gave up their blocks, a minute. */
  preemptions_per_minute: number;
  /** Share of the samples of ranks in which as many sequences ran as may. */
  at_sequence_limit: number;
  /** Mean number of requests that waited in schedulers. */
  waiting_requests: number;
  /** Mean number of requests that waited in the router. */
  router_queue: number;
  /** Requests that missed the bound on TTFT (or on the whole duration, before their first token). */
  missed_ttft: number;
  /** Requests that missed the bound on ITL (or on the whole duration, after it). */
  missed_itl: number;
}

const figure = v.pipe(v.number(), v.finite());

/** A {@linkcode Saturation} from outside. */
export const saturationSchema: v.GenericSchema<unknown, Saturation> = v.strictObject({
  value: figure,
  bottleneck: v.picklist(BOTTLENECK_NAMES),
  kv_usage: figure,
  preemptions_per_minute: figure,
  at_sequence_limit: figure,
  waiting_requests: figure,
  router_queue: figure,
  missed_ttft: figure,
  missed_itl: figure,
});
