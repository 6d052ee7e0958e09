/**
 * Commands to workers that are in the middle of a pass: they wait for its end.
 *
 * @module
 */
import type { Rank } from "../engine/rank.ts";
import type { Action, ActionQueue } from "./handoffs.ts";
import type { Worker } from "./worker.ts";

/** Commands that wait for the end of their worker's pass. */
export class PutOff {
  /** (action, request) by rank. */
  readonly #waiting = new Map<Rank, number[]>();

  /** A command waits. From now on the end of the pass is looked for. */
  add(worker: Worker, rank: Rank, action: Action, request: number): void {
    const waiting = this.#waiting.get(rank);
    worker.putOff++;
    worker.quietUntilMs = -Infinity;
    if (waiting === undefined) this.#waiting.set(rank, [action, request]);
    else waiting.push(action, request);
  }

  /** A pass of the worker has ended: what waited for it is to be carried out, rank by rank. */
  release(worker: Worker, actions: ActionQueue): void {
    if (worker.putOff === 0) return;
    worker.putOff = 0;
    for (const rank of worker.made) {
      const waiting = this.#waiting.get(rank);
      if (waiting === undefined) continue;
      this.#waiting.delete(rank);
      for (let k = 0; k < waiting.length; k += 2) actions.push(waiting[k] as Action, waiting[k + 1]);
    }
  }
}
