/**
 * Preemption by recomputation: when blocks run out, a running request gives up all of its own and waits in front of the
 * queue to start over. Ends a replay in which requests only keep taking blocks from each other.
 *
 * @module
 */
import { SimulationError } from "../../errors.ts";
import type { RankSettings } from "../settings.ts";
import type { PassBatch } from "./pass_batch.ts";
import type { Requests } from "./requests.ts";

/** Preemptions of one rank. */
export class Preemption {
  /** So far. */
  count = 0;
  readonly #rankId: number;
  readonly #requests: Requests;
  readonly #batch: PassBatch;
  readonly #lastFirst: boolean;
  readonly #blocks: number;
  /** Since a token was emitted or a request came or went. */
  #withoutOutput = 0;

  constructor(rankId: number, requests: Requests, batch: PassBatch, settings: RankSettings) {
    this.#rankId = rankId;
    this.#requests = requests;
    this.#batch = batch;
    this.#lastFirst = settings.preemption === "lifo";
    this.#blocks = settings.blocks;
  }

  /** Something came of the blocks that were taken. */
  progressed(): void {
    this.#withoutOutput = 0;
  }

  /** Preempts one running request; returns its slot, -1 when there is none. */
  preempt(): number {
    const { running, waiting, tables } = this.#requests;
    if (running.count === 0) return -1;
    if (tables.promises !== null) throw new SimulationError(`rank ${this.#rankId} lacks blocks it has promised`);
    const index = this.#lastFirst ? running.count - 1 : 0, slot = running.slots[index];
    this.#requests.preempt(index);
    this.#batch.preempted = true;
    this.count++;
    if (++this.#withoutOutput > 1000 + 4 * (running.count + waiting.size)) {
      throw new SimulationError(
        `offline replay makes no progress: rank ${this.#rankId} preempted ${this.#withoutOutput} times without emitting a ` +
          `token (${this.#requests.owned} requests in flight); its KV pool of ${this.#blocks} blocks is too small`,
      );
    }
    return slot;
  }
}
