/**
 * What runs in one process can share: measurements and deployments of the operator database, and loads.
 *
 * @module
 */
import { Deployments } from "../timing/deployments.ts";
import { loadTraffic, type TrafficSpec } from "../traffic/spec.ts";
import type { Traffic } from "../traffic/workload.ts";

/** Loads kept at a time; the one that was asked for longest ago goes first. */
const MOST_LOADS = 4;

/**
 * Data that several runs share; hand the same one to each of them. A trace is read once, so it must not change between
 * the runs.
 *
 * @example
 * ```ts
 * import { type ReplaySpec, run, SharedData } from "dynosim";
 *
 * const shared = new SharedData();
 * const spec: ReplaySpec = {
 *   traffic: { type: "trace", paths: ["fixtures/traces/chat.jsonl"] },
 *   roles: [{ role: "aggregated", replicas: 1, launch: {} }],
 * };
 * const one = await run(spec, { shared }).report;
 * const two = await run({ ...spec, roles: [{ ...spec.roles[0], replicas: 2 }] }, { shared }).report;
 * console.log(one.summary.num_requests === two.summary.num_requests); // true
 * ```
 */
export class SharedData {
  /** Deployments by identity. */
  readonly deployments: Deployments = new Deployments();
  readonly #loads = new Map<string, Promise<Traffic>>();

  /**
   * The load of a description, read when it is asked for first.
   *
   * @param engineBlockTokens KV block size of the workers that compute prompts
   * @throws as {@linkcode loadTraffic}
   */
  async traffic(spec: TrafficSpec, engineBlockTokens: () => number | Promise<number>): Promise<Traffic> {
    const blockTokens = spec.type === "synthetic" ? spec.blockTokens ?? await engineBlockTokens() : spec.blockTokens;
    const key = JSON.stringify({ ...spec, blockTokens });
    let load = this.#loads.get(key);
    this.#loads.delete(key);
    load ??= loadTraffic({ ...spec, blockTokens }, engineBlockTokens);
    this.#loads.set(key, load);
    if (this.#loads.size > MOST_LOADS) this.#loads.delete(this.#loads.keys().next().value!);
    try {
      return await load;
    } catch (problem) {
      this.#loads.delete(key);
      throw problem;
    }
  }
}
