/**
 * What the operators of a run's passes took, where somebody asks for it.
 *
 * @module
 */
import type { PoolSpec } from "../cluster/spec.ts";
import { OperationLedger, type OperationTotal, type OperationTotals } from "../timing/aic/operation_ledger.ts";
import type { Timing } from "../timing/timing.ts";
import type { ClosedRole } from "./roles.ts";

/** Adds up the operators of all roles whose times are measured. */
export class RunOperations {
  readonly #roles: readonly ClosedRole[];
  readonly #ready: readonly (Timing | undefined)[];
  readonly #stack: "engine" | "dynamo";
  readonly #ledgers: OperationLedger[] = [];

  /**
   * @param stack whose engines ask
   * @param ready timing models that replace a role's own
   */
  constructor(
    roles: readonly ClosedRole[],
    stack: "engine" | "dynamo" = "dynamo",
    ready: readonly (Timing | undefined)[] = [],
  ) {
    this.#roles = roles;
    this.#stack = stack;
    this.#ready = ready;
  }

  /** The pools, their passes looked at. */
  watched(pools: readonly PoolSpec[]): PoolSpec[] {
    return pools.map((pool, i) => {
      const { measured } = this.#roles[i];
      if (measured === null || this.#ready[i] !== undefined) return pool;
      const ledger = new OperationLedger(pool.timing, measured, this.#stack);
      this.#ledgers.push(ledger);
      return { ...pool, timing: ledger };
    });
  }

  /** Null when no role's times are measured. */
  totals(): OperationTotals | null {
    if (this.#ledgers.length === 0) return null;
    const all = this.#ledgers.map((ledger) => ledger.totals());
    return {
      complete: this.#ledgers.length === this.#roles.length,
      prefill: all.flatMap(({ prefill }) => prefill).sort(byName),
      decode: all.flatMap(({ decode }) => decode).sort(byName),
    };
  }
}

const byName = (a: OperationTotal, b: OperationTotal) => a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
