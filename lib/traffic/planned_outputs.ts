/**
 * The output tokens of every request: those its row names, else random ones. Imports the generator and the workload
 * types.
 *
 * @module
 */
import { StdRng } from "./chacha.ts";
import type { Workload } from "./workload.ts";

const SEED = 232521115524845;

/** Output tokens by request and position; nothing is stored, the generator is wound to the place asked for. */
export class PlannedOutputs {
  readonly #workload: Workload;
  readonly #random = new StdRng(SEED);
  /** Words drawn before each request, in load order; rows that name their tokens draw none. */
  readonly #drawn: Float64Array;

  constructor(workload: Workload) {
    this.#workload = workload;
    this.#drawn = new Float64Array(workload.count);
    let drawn = 0;
    for (let r = 0; r < workload.count; r++) {
      this.#drawn[r] = drawn;
      if (!workload.outputTokenIds.has(r)) drawn += workload.outputTokens[r];
    }
  }

  /** Token `position` (from 0) of what `request` emits. */
  token(request: number, position: number): number {
    const named = this.#workload.outputTokenIds.get(request);
    return named !== undefined ? named[position] : this.#random.wordAt(this.#drawn[request] + position);
  }
}
