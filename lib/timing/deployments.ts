/**
 * Deployments by identity: one catalogue of measurements for all of them, each made once, when somebody asks for it.
 * Nothing of the operator database is loaded before.
 *
 * @module
 */
import type { PerfCatalog } from "./aic/catalog.ts";
import type { Deployment } from "./aic/deployment.ts";
import type { EstimatorIdentity } from "./aic/estimator_identity.ts";
import type { OperatorTimingOptions } from "./aic/operator_timing.ts";
import type { Timing } from "./timing.ts";

/** The operator database, loaded when it is first asked for. */
export const operatorDatabase = (): Promise<typeof import("./aic/run_parts.ts")> =>
  import(import.meta.resolve("./aic/run_parts.ts"));

/**
 * Deployments by identity; what they measure is shared.
 *
 * @example
 * ```ts
 * import { Deployments } from "dynosim";
 *
 * const deployments = new Deployments();
 * const identity = { model: "Qwen/Qwen3-32B", system: "h200_sxm", backend: "vllm", tp: 2 };
 * console.log(await deployments.of(identity) === await deployments.of({ ...identity })); // true
 * ```
 */
export class Deployments {
  readonly #made = new Map<string, Promise<Deployment>>();
  readonly #timings = new Map<string, Promise<Timing>>();
  /** By data release; the one that ships has no name. */
  readonly #catalogs = new Map<string | undefined, PerfCatalog>();

  /**
   * The deployment of an identity.
   *
   * @throws {ConfigError} when a name is not known, or the model cannot be split as asked.
   */
  of(identity: EstimatorIdentity): Promise<Deployment> {
    return once(this.#made, identity, () => this.#make(identity));
  }

  /**
   * The timing model of an identity, known to have times for what its workers do. Its measurements are loaded with it.
   *
   * @param options which stack's engine asks it
   * @throws {ConfigError} as {@linkcode Deployments.of}, and when the measurements are not on this machine or have no
   * times for the model.
   */
  timing(
    identity: EstimatorIdentity & { worker_type: "aggregated" | "prefill" | "decode" },
    options: OperatorTimingOptions = {},
  ): Promise<Timing> {
    return once(this.#timings, { ...identity, ...options }, async () => {
      const { operatorTiming, requireTimes } = await operatorDatabase();
      const deployment = await this.of(identity);
      requireTimes(deployment, identity.model, identity.worker_type);
      return operatorTiming(deployment, options);
    });
  }

  async #make(identity: EstimatorIdentity): Promise<Deployment> {
    const { deployIdentity, loadModel, requireOperators, PerfCatalog } = await operatorDatabase();
    const { data_release: release } = identity;
    let catalog = this.#catalogs.get(release);
    if (catalog === undefined) this.#catalogs.set(release, catalog = new PerfCatalog({ release }));
    const found = await loadModel(identity.model);
    requireOperators(found, identity.system, identity.backend, catalog);
    return deployIdentity(identity, catalog, found);
  }
}

function once<T>(made: Map<string, Promise<T>>, identity: EstimatorIdentity, make: () => Promise<T>): Promise<T> {
  const key = JSON.stringify(identity);
  let value = made.get(key);
  if (value === undefined) made.set(key, value = make());
  return value;
}
