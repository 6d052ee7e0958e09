/**
 * The power that the passes of a run draw, where measurements tell it.
 *
 * @module
 */
import type { PoolSpec } from "../cluster/spec.ts";
import { addedUp, type Power, powerOf } from "../report/power.ts";
import { EnergyMeter } from "../timing/aic/energy_meter.ts";
import { energyModels } from "../timing/aic/energy_models.ts";
import type { AskingStack } from "../timing/aic/operator_timing.ts";
import type { ClosedRole } from "./roles.ts";

/** Adds up the energy of all roles. */
export class RunPower {
  readonly #roles: readonly ClosedRole[];
  readonly #stack: AskingStack;
  readonly #meters: EnergyMeter[] = [];

  /** @param stack whose engines ask */
  constructor(roles: readonly ClosedRole[], stack: AskingStack) {
    this.#roles = roles;
    this.#stack = stack;
  }

  /** The pools, their passes looked at. */
  watched(pools: readonly PoolSpec[]): PoolSpec[] {
    return pools.map((pool, i) => {
      const deployment = this.#roles[i].measured!;
      const meter = new EnergyMeter(pool.timing, deployment, energyModels(deployment), this.#stack);
      this.#meters.push(meter);
      return { ...pool, timing: meter };
    });
  }

  /** What the run drew. */
  power(): Power {
    return powerOf(addedUp(this.#meters.map(({ sums }) => sums)));
  }
}
