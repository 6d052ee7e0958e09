/**
 * What runs in one process can share: measurements and deployments of the operator database, and loads.
 *
 * @module
 */
import { Deployments } from "../timing/deployments.ts";
import { loadTraffic, type TrafficSpec } from "../traffic/spec.ts";
import type { Pace, Traffic } from "../traffic/workload.ts";

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
  readonly #loads = new Map<string, Promise<unknown>>();

  /**
   * The load of a description, read when it is asked for first.
   *
   * @param engineBlockTokens KV block size of the workers that compute prompts
   * @throws as {@linkcode loadTraffic}
   */
  async traffic(spec: TrafficSpec, engineBlockTokens: () => number | Promise<number>): Promise<Traffic> {
    const blockTokens = spec.type === "synthetic" ? spec.blockTokens ?? await engineBlockTokens() : spec.blockTokens;
    const make = () => loadTraffic({ ...spec, blockTokens }, engineBlockTokens);
    if (spec.type === "synthetic") return await this.#kept(JSON.stringify({ ...spec, blockTokens }), make);
    const { speedup, concurrency, ...recorded } = spec;
    return await this.recorded(JSON.stringify(recorded), { speedup, concurrency }, make);
  }

  /**
   * Recorded requests at a pace. They are read once for all paces, as far as their format allows.
   *
   * @param name of the requests; the same name must mean the same ones
   * @param make reads them at that pace
   */
  async recorded(name: string, pace: Pace, make: () => Promise<Traffic>): Promise<Traffic> {
    const closed = pace.concurrency !== undefined;
    const asked = JSON.stringify({ ...pace });
    const { traffic, pace: first } = await this.#kept(`${closed ? "closed" : "timed"} ${name}`, async () => ({
      traffic: await make(),
      pace: asked,
    }));
    if (first === asked) return traffic;
    return traffic.repaced?.(pace) ?? await this.#kept(`${asked} ${name}`, make);
  }

  /** What was made under a name, or what is made now. */
  async #kept<T>(key: string, make: () => Promise<T>): Promise<T> {
    const made = (this.#loads.get(key) ?? make()) as Promise<T>;
    this.#loads.delete(key);
    this.#loads.set(key, made);
    if (this.#loads.size > MOST_LOADS) this.#loads.delete(this.#loads.keys().next().value!);
    try {
      return await made;
    } catch (problem) {
      this.#loads.delete(key);
      throw problem;
    }
  }
}
