/**
 * A run as scripts see it: its report, and streams of what happens meanwhile. It is apart from {@linkcode Running}
 * because loading streams takes as long as reading a configuration, and commands have no use for them.
 *
 * @module
 */
import type { RequestRecord } from "../report/per_request.ts";
import type { Report } from "../report/report.ts";
import { Flow } from "../trace/stage.ts";
import type { ReplayRunOptions } from "./run_options.ts";
import { Running } from "./running.ts";
import type { ReplayTick } from "./run_streams.ts";
import type { ReplaySpec } from "./spec.ts";

export type { ReadyParts, ReplayRunOptions } from "./run_options.ts";
export { RUN_OPTIONS } from "./run_options.ts";

/**
 * A replay that starts when one of its results is asked for.
 *
 * @example
 * ```ts
 * import { readTrace, replay, type ReplayRun } from "dynosim";
 *
 * const run: ReplayRun = replay(readTrace("fixtures/traces/chat.jsonl"));
 * let slow = 0;
 * for await (const { ttft_ms } of run.requests) if (ttft_ms !== null && ttft_ms > 500) slow++;
 * console.log(slow, (await run.report).summary.num_requests);
 * ```
 */
export class ReplayRun {
  readonly #run: Running;

  /**
   * A run that starts when its report or one of its streams is asked for.
   *
   * @param spec what is run
   */
  constructor(spec: ReplaySpec, options: ReplayRunOptions) {
    this.#run = new Running(spec, options);
  }

  /** The record of every request, in the order in which they end. */
  get requests(): Flow<RequestRecord> {
    return new Flow(this.#run.requests());
  }

  /** Every tick of the autoscaler; none without one. */
  get ticks(): Flow<ReplayTick> {
    return new Flow(this.#run.ticks());
  }

  /** The report, once everything has happened. Streams that were asked for must be read to their end for it. */
  get report(): Promise<Report> {
    return this.#run.report;
  }
}

/**
 * The run of a description. It starts when one of its results is asked for: the report, or one of the streams.
 *
 * @throws through its results: {@linkcode TraceError} when a trace cannot be read, {@linkcode ConfigError} when the
 * description does not fit, {@linkcode SimulationError} when the replay cannot go on.
 *
 * @example
 * ```ts
 * import { type ReplaySpec, run } from "dynosim";
 *
 * const spec: ReplaySpec = {
 *   traffic: { type: "trace", paths: ["fixtures/traces/chat.jsonl"], speedup: 2 },
 *   roles: [{ role: "aggregated", replicas: 2, launch: { engine: { num_gpu_blocks: 4096 } } }],
 *   router: { policy: "kv_router", settings: { temperature: 0.2, seed: 7 } },
 *   sla: { ttftMs: 1500, itlMs: 50 },
 * };
 * const { summary } = await run(JSON.parse(JSON.stringify(spec))).report;
 * console.log(summary.num_requests === summary.completed_requests); // true
 * ```
 */
export function run(spec: ReplaySpec, options: ReplayRunOptions = {}): ReplayRun {
  return new ReplayRun(spec, options);
}
