/**
 * A prefill pass of an SGLang rank, once its batch is chosen: prompts that are complete now yield their first token
 * without further time, the others go back to the queue.
 *
 * @module
 */
import type { PassClock } from "../pass_clock.ts";
import { type PassResults, Signal } from "./pass_results.ts";
import type { PrefillBatch } from "./prefill_batch.ts";
import type { Requests } from "./requests.ts";

/** Prefill passes of one rank. */
export class PrefillPass {
  readonly #requests: Requests;
  readonly #batch: PrefillBatch;
  readonly #results: PassResults;
  readonly #clock: PassClock;
  readonly #pageTokens: number;
  readonly #takesTime: boolean;

  /** @param options.takesTime decode role: recomputed prompts take no time of their own */
  constructor(
    parts: { requests: Requests; batch: PrefillBatch; results: PassResults; clock: PassClock },
    { pageTokens, takesTime }: { pageTokens: number; takesTime: boolean },
  ) {
    this.#requests = parts.requests;
    this.#batch = parts.batch;
    this.#results = parts.results;
    this.#clock = parts.clock;
    this.#pageTokens = pageTokens;
    this.#takesTime = takesTime;
  }

  /** Decides the pass that starts at `nowMs` and returns its end. */
  run(nowMs: number): number {
    const batch = this.#batch, clock = this.#clock;
    const duration = this.#takesTime ? clock.prefillMs(batch.count, batch.reachedTokens, batch.priorTokens) : 0;
    this.#emit(this.#sendBack());
    this.#requests.giveUpEnded(this.#results);
    return nowMs + duration;
  }

  /** Unfinished prompts go back to the queue; the complete ones close up, and their number is returned. */
  #sendBack(): number {
    const { slots: { length, computed }, pages, waiting } = this.#requests, { slot: list, count } = this.#batch;
    let complete = 0;
    for (let i = 0; i < count; i++) {
      const slot = list[i];
      if (computed[slot] < length[slot]) {
        pages.cache(slot, computed[slot]);
        waiting.add(slot, true);
      } else {
        list[complete++] = slot;
      }
    }
    return complete;
  }

  /** First tokens: all of those that go on, or none when the pages they need do not suffice. */
  #emit(complete: number): void {
    const { slots: { stop, length, computed }, pages } = this.#requests, results = this.#results;
    const list = this.#batch.slot;
    let growth = 0;
    for (let i = 0; i < complete; i++) {
      const slot = list[i];
      if (stop[slot] === length[slot]) results.end(slot, Signal.done);
      else if (stop[slot] > length[slot] + 1 && length[slot] % this.#pageTokens === 0) growth++;
    }
    for (let i = 0; i < complete; i++) {
      if (stop[list[i]] === length[list[i]] + 1) results.end(list[i], Signal.only);
    }
    const emits = pages.takeGrowth(growth);
    for (let i = 0; i < complete; i++) {
      const slot = list[i];
      if (stop[slot] <= length[slot] + 1) continue;
      if (emits) {
        computed[slot] = ++length[slot];
        pages.cache(slot, length[slot]);
        results.signals.add(slot, Signal.first);
      } else {
        results.late.push(slot);
      }
      this.#requests.join(slot);
    }
  }
}
