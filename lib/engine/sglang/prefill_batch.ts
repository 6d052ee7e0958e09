/**
 * The prompts, or chunks of prompts, that an SGLang rank computes in one pass, and how they are chosen: from the head of
 * the queue, never past a request that does not fit, under three budgets: KV pages beside the output that running
 * requests still have open, prompt tokens of a pass, tokens of a chunk.
 *
 * @module
 */
import { longer } from "../../collections/growing.ts";
import type { PassMetrics } from "../pass_metrics.ts";
import type { SequenceLimit } from "../sequence_limit.ts";
import type { SglangSettings } from "../settings.ts";
import type { DecodeBatch } from "./decode_batch.ts";
import type { RequestPages } from "./request_pages.ts";
import type { Slots } from "./slots.ts";
import type { WaitList } from "./wait_list.ts";

/** One rank's prefill batch. */
export class PrefillBatch {
  count = 0;
  slot = new Int32Array(64);
  /** Tokens each request computes in this pass, and tokens it had before. */
  computed = new Int32Array(64);
  prior = new Int32Array(64);
  /** Sums over the batch: tokens with KV after the pass, before it, and computed in it. */
  reachedTokens = 0;
  priorTokens = 0;
  computedTokens = 0;
  readonly #slots: Slots;
  readonly #pages: RequestPages;
  readonly #waiting: WaitList;
  readonly #running: DecodeBatch;
  readonly #pageTokens: number;
  readonly #settings: SglangSettings;

  constructor(
    parts: { slots: Slots; pages: RequestPages; waiting: WaitList; running: DecodeBatch },
    pageTokens: number,
    settings: SglangSettings,
  ) {
    this.#slots = parts.slots;
    this.#pages = parts.pages;
    this.#waiting = parts.waiting;
    this.#running = parts.running;
    this.#pageTokens = pageTokens;
    this.#settings = settings;
  }

  clear(): void {
    this.count =
      this.reachedTokens =
      this.priorTokens =
      this.computedTokens =
        0;
  }

  /** Requests that compute prompt tokens, for the pass's metrics. */
  describe(pass: PassMetrics): void {
    for (let i = 0; i < this.count; i++) {
      if (this.computed[i] === 0) continue;
      pass.prefill.add(this.#slots.prompt[this.slot[i]]);
      pass.prefillTokens += this.computed[i];
      pass.prefillKvTokens += this.prior[i];
    }
  }

  /**
   * Moves requests from the queue into the batch and gives them their pages.
   *
   * @param sequences how many may run, those of the batch included
   * @param ratio share of their open output that running requests are expected to need
   * @param admitted told of each request that gets its first pages, with the tokens it reuses
   */
  form(sequences: SequenceLimit, ratio: number, admitted: (slot: number, reusedTokens: number) => void): void {
    const { length, computed, stop, prompt } = this.#slots, waiting = this.#waiting, pages = this.#pages;
    const page = this.#pageTokens, { maxPrefillTokens, chunkedPrefillTokens, clipMaxNewTokens } = this.#settings;
    let total = pages.tree.obtainable * page - this.#running.openOutput(ratio);
    let input = maxPrefillTokens, chunk = chunkedPrefillTokens;
    const running = this.#running.count;
    while (waiting.size > 0 && chunk > 0 && sequences.admits(running + this.count)) {
      const slot = waiting.at(0), begun = computed[slot] > 0;
      let start = computed[slot];
      if (!begun) {
        // Who must produce a token computes at least one.
        const usable = stop[slot] === prompt[slot] ? length[slot] : length[slot] - 1;
        start = pages.match(slot, Math.floor(usable / page)) * page;
      }
      const todo = length[slot] - start;
      let count = todo;
      if (todo === 0 && begun) return;
      if (Math.ceil(todo / page) * page > chunk) {
        count = Math.min(Math.floor(chunk / page) * page, todo);
        if (count === 0) return;
      }
      const charge = Math.ceil(count / page) * page;
      const reserve = count === todo ? Math.min(stop[slot] - length[slot], clipMaxNewTokens) : 0;
      if (charge + reserve >= total) {
        if (this.count === 0) this.#rememberHead(charge + reserve, begun);
        return;
      }
      if (charge > input || charge > chunk) return;
      let prior = start;
      if (begun) {
        if (!pages.extend(slot, start + count)) return;
      } else {
        const matched = pages.take(slot, start / page, start + count);
        if (matched < 0) return;
        prior = matched * page;
        admitted(slot, prior);
      }
      pages.publish(slot, start + count);
      waiting.remove(0);
      this.#add(slot, start + count, prior);
      total -= charge + reserve;
      input -= charge;
      chunk -= charge;
    }
  }

  #add(slot: number, reached: number, prior: number): void {
    const at = this.count++;
    if (at === this.slot.length) {
      this.slot = longer(this.slot);
      this.computed = longer(this.computed);
      this.prior = longer(this.prior);
    }
    this.slot[at] = slot;
    this.computed[at] = reached - prior;
    this.prior[at] = prior;
    this.reachedTokens += reached;
    this.priorTokens += prior;
    this.computedTokens += reached - prior;
  }

  /** Until something else changes, the head only needs room. */
  #rememberHead(needs: number, begun: boolean): void {
    const tree = this.#pages.tree;
    this.#waiting.headNeeds = needs;
    tree.watch(begun ? -1 : tree.matchEnd);
  }
}
