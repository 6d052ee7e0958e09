/**
 * What a deployment carries, read back from the directory that `capacity` wrote.
 *
 * @module
 */
import * as v from "valibot";
import { joinPath } from "../io/folders.ts";
import { host } from "../io/host.ts";
import { type Bottleneck, type Saturation, saturationSchema } from "../report/saturation.ts";
import { readResult } from "./result_file.ts";

/** A load that was tried. */
export interface TriedLoad {
  /** Its size. */
  value: number;
  /** Share of the requests that kept every bound. */
  attainment: number;
  /** Requests a second that were served. */
  request_throughput_rps: number;
  /** 95th percentile of the time to the first token. */
  p95_ttft_ms: number;
  /** 95th percentile of the mean time between a request's tokens. */
  p95_tpot_ms: number;
  /** Whether queues grew until the last request came. */
  queues_growing: boolean;
  /** What a thousand requests within the SLA cost; only with a price. */
  cost?: { currency: string; per_thousand_good_requests: number | null };
}

/** Words for what runs out. */
export const BOTTLENECKS: Readonly<Record<Bottleneck, string>> = {
  prefill_compute: "computing prompts takes too long",
  decode_compute: "decode steps take too long",
  kv_blocks: "KV blocks run out",
  sequence_limit: "the limit of sequences a rank may run is reached",
  router_queue: "requests wait in the router",
};

/** A capacity as far as texts and pages need it; a `Capacity` is one. */
export interface CapacityResult {
  /** Largest load that is carried; null when none is. */
  largest: number | null;
  /** Smallest load above it that is too much; null when none was found. */
  beyond: number | null;
  /** What was turned up. */
  over: "speedup" | "concurrency" | "rate";
  /** The share of requests that was asked for. */
  attainment: number;
  /** The bounds of a good request; null where there is none. */
  sla: { ttft_ms: number | null; itl_ms: number | null; e2e_ms: number | null };
  /** The load as it was written. */
  written: number;
  /** Every load that was tried, by size. */
  points: TriedLoad[];
  /** What runs out just beyond the edge; null when no load was too much. */
  saturation: Saturation | null;
}

/** The file of a capacity in its directory. */
export const CAPACITY_FILE = "capacity.json";

const bound = v.nullable(v.number());
const schema: v.GenericSchema<unknown, CapacityResult> = v.looseObject({
  largest: v.nullable(v.number()),
  beyond: v.nullable(v.number()),
  over: v.picklist(["speedup", "concurrency", "rate"]),
  attainment: v.number(),
  sla: v.object({ ttft_ms: bound, itl_ms: bound, e2e_ms: bound }),
  written: v.number(),
  points: v.pipe(
    v.array(v.looseObject({
      value: v.number(),
      attainment: v.number(),
      request_throughput_rps: v.number(),
      p95_ttft_ms: v.number(),
      p95_tpot_ms: v.number(),
      queues_growing: v.boolean(),
      cost: v.optional(v.looseObject({
        currency: v.pipe(v.string(), v.maxLength(20)),
        per_thousand_good_requests: v.nullable(v.number()),
      })),
    })),
    v.minLength(1),
  ),
  saturation: v.nullable(saturationSchema),
});

/** A longer text is none of ours. */
const MOST_BYTES = 2 ** 24;

/** Where a capacity would lie. */
export const capacityFile = (path: string): string =>
  host().kind(path) === "directory" ? joinPath(path, CAPACITY_FILE) : path;

/**
 * Reads what a deployment carries.
 *
 * @param path the directory that `capacity --output-dir` wrote, or its `capacity.json`
 * @throws {ConfigError} when there is none, or the file is no such result
 *
 * @example
 * ```ts ignore
 * const { largest, over } = await readCapacity("runs/capacity");
 * ```
 */
export async function readCapacity(path: string): Promise<CapacityResult> {
  return await readResult(capacityFile(path), "a capacity", schema, MOST_BYTES);
}
