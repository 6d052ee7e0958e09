/**
 * Requests of an SGLang rank whose KV moves between prefill and decode workers. A decode rank owns them from the offer
 * on: pending (no KV yet), reserved (the KV is on its way), activated (it is there, no place among the running yet). A
 * prefill rank keeps their KV from the end of the prefill until it has been fetched.
 *
 * @module
 */
import { LengthSums } from "../pass_metrics.ts";
import { IntDeque } from "../../collections/int_deque.ts";
import type { RequestPages } from "./request_pages.ts";
import type { Slots } from "./slots.ts";

/** Transfers of one rank. */
export class HandOffs {
  /** Prompt lengths of all requests of a decode rank that do not run yet. */
  readonly queued = new LengthSums();
  /** Pages that have to be transferred to the destination reserved last. */
  missingPages = 0;
  readonly #slots: Slots;
  readonly #pages: RequestPages;
  readonly #activated = new IntDeque();
  readonly #offers: number[] = [];
  readonly #destinations = new Map<number, number>();
  readonly #keptForTransfer = new Map<number, number>();
  /** The oldest offer was tried, and pages have not become free since. */
  #tried = false;

  constructor(slots: Slots, pages: RequestPages) {
    this.#slots = slots;
    this.#pages = pages;
  }

  /** Requests that are neither waiting for a prefill nor running. */
  get size(): number {
    return this.#destinations.size + this.#activated.size + this.#keptForTransfer.size;
  }

  /** Requests with KV, or waiting for it, that do not run. */
  get waiting(): number {
    return this.#destinations.size + this.#activated.size;
  }

  /** Offers without KV. */
  get pending(): number {
    return this.#offers.length;
  }

  /** Requests that could run. */
  get activated(): number {
    return this.#activated.size;
  }

  /** Pages may have become free. */
  freed(): void {
    this.#tried = false;
  }

  offer(slot: number): void {
    this.queued.add(this.#slots.prompt[slot]);
    this.#destinations.set(this.#slots.request[slot], slot);
    this.#offers.push(slot);
    if (this.#offers.length === 1) this.#tried = false;
  }

  /** Takes pages for the oldest offer; returns its slot, -1 when there is none or they do not suffice. */
  reserve(pageTokens: number): number {
    if (this.#offers.length === 0 || this.#tried) return -1;
    const slot = this.#offers[0], prompt = this.#slots.prompt[slot];
    const matched = this.#pages.take(slot, Math.floor(prompt / pageTokens), prompt);
    this.#tried = matched < 0;
    if (matched < 0) return -1;
    this.#offers.shift();
    this.missingPages = this.#pages.pages(prompt) - matched;
    return slot;
  }

  /** The KV of a reserved destination is there. */
  activate(request: number): void {
    const slot = this.#destinations.get(request)!, tree = this.#pages.tree, available = tree.available;
    this.#destinations.delete(request);
    this.#pages.publish(slot, this.#slots.prompt[slot]);
    this.#pages.cache(slot, this.#slots.prompt[slot]);
    if (tree.available > available) this.#tried = false;
    this.#activated.pushBack(slot);
  }

  /** Takes out the activated request whose turn it is to run. */
  next(): number {
    const slot = this.#activated.popFront();
    this.queued.remove(this.#slots.prompt[slot]);
    return slot;
  }

  /** Keeps the KV of a finished prefill. */
  keep(slot: number): void {
    this.#keptForTransfer.set(this.#slots.request[slot], slot);
  }

  /** Stops keeping it; returns the slot, -1 when nothing is kept. */
  takeKept(request: number): number {
    const slot = this.#keptForTransfer.get(request) ?? -1;
    this.#keptForTransfer.delete(request);
    return slot;
  }

  /** Takes out a request in any state; returns its slot, -1 when it is not here. */
  remove(request: number): number {
    const kept = this.takeKept(request);
    if (kept >= 0) return kept;
    let slot = this.#destinations.get(request) ?? -1;
    if (slot >= 0) {
      this.#destinations.delete(request);
      const pending = this.#offers.indexOf(slot);
      if (pending >= 0) this.#offers.splice(pending, 1);
      // A new head has not been tried.
      if (pending === 0) this.#tried = false;
    } else {
      for (let i = 0; i < this.#activated.size && slot < 0; i++) {
        if (this.#slots.request[this.#activated.at(i)] === request) slot = this.#activated.remove(i);
      }
    }
    if (slot >= 0) this.queued.remove(this.#slots.prompt[slot]);
    return slot;
  }
}
