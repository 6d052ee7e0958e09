/**
 * The KV blocks that the requests of a vLLM rank hold: what of a prompt is cached, what a request still needs, and
 * what it gives back. Under promises (TensorRT-LLM) all blocks of a request are set aside when it is admitted.
 *
 * @module
 */
import type { BlockPool } from "../blocks/block_pool.ts";
import type { RankSettings } from "../settings.ts";
import type { CompletionPromises } from "../trtllm/completion_promises.ts";
import type { Slots } from "./slots.ts";

/** Blocks of all requests of one rank. */
export class BlockTables {
  readonly pool: BlockPool;
  /** Requests are promised all their blocks at admission, and cached prompts are reused whole. */
  readonly promises: CompletionPromises | null;
  /** Result of the last `lookup`, in tokens: the prefix that need not be computed, and what of it somebody holds. */
  cachedTokens = 0;
  sharedTokens = 0;
  readonly #slots: Slots;
  readonly #block: number;
  readonly #blocks: number;
  readonly #bursts: boolean;

  /** Where `settings.acceptRates` predict tokens, one cached block fewer can be reused. */
  constructor(settings: RankSettings, slots: Slots, pool: BlockPool, promises: CompletionPromises | null) {
    this.pool = pool;
    this.promises = promises;
    this.#slots = slots;
    this.#block = settings.blockTokens;
    this.#blocks = settings.blocks;
    this.#bursts = settings.acceptRates !== null;
  }

  /** Blocks that cover `tokens`. */
  blocks(tokens: number): number {
    return Math.ceil(tokens / this.#block);
  }

  /** Blocks that `tokens` fill. */
  fullBlocks(tokens: number): number {
    return Math.floor(tokens / this.#block);
  }

  /** Finds the cached prefix of a request that holds nothing; sets `cachedTokens` and `sharedTokens`. */
  lookup(slot: number): void {
    const slots = this.#slots, block = this.#block, length = slots.length[slot];
    this.pool.lookup(slot, slots.identified[slot]);
    let cached = Math.min(this.pool.overlap * block, length);
    let shared = Math.min(this.pool.activeHits * block, length);
    if (length < slots.outputEnd[slot] && this.promises === null) {
      // Who must produce a token computes at least one.
      const limit = Math.floor((length - 1) / block) * block;
      cached = Math.min(cached, limit);
      shared = Math.min(shared, limit);
      if (this.#bursts && cached >= block) {
        cached -= block;
        shared = Math.min(shared, cached);
      }
    }
    this.cachedTokens = cached;
    this.sharedTokens = shared;
  }

  /** Whether a waiting request could be admitted if it were alone. */
  possible(slot: number): boolean {
    const { length, outputEnd } = this.#slots;
    return this.promises?.possible(outputEnd[slot]) ?? this.blocks(length[slot]) <= this.#blocks;
  }

  /** Whether a waiting request, the last one looked up, fits beside those that run. */
  fits(slot: number): boolean {
    const { length, outputEnd } = this.#slots, available = this.pool.available;
    const shared = this.fullBlocks(this.sharedTokens);
    return this.promises?.fits(outputEnd[slot], shared, available) ?? this.blocks(length[slot]) - shared <= available;
  }

  /** Blocks for a slot through `target` tokens, the first `cached` of them from the cache; all or nothing. */
  grow(slot: number, target: number, cached: number): boolean {
    const held = this.blocks(this.#slots.allocated[slot]), hits = this.fullBlocks(cached);
    const more = this.blocks(target) - held;
    if (more > 0 && !this.pool.allocate(slot, hits, more - hits)) return false;
    this.promises?.redeem(more);
    this.#slots.allocated[slot] = target;
    return true;
  }

  /** Takes blocks that are known to be available, for requests that run. */
  take(blocks: number): void {
    this.pool.take(blocks);
    this.promises?.redeem(blocks);
  }

  /** Undoes `take` of blocks that were not needed. */
  putBack(blocks: number): void {
    this.pool.free += blocks;
    this.promises?.redeem(-blocks);
  }

  /** Tokens `before .. after - 1` of a slot have KV now: the blocks they complete can be shared. */
  complete(slot: number, before: number, after: number): void {
    const from = this.fullBlocks(before), to = this.fullBlocks(after);
    if (to > from) this.pool.finalise(slot, from, to);
  }

  /** Gives a slot blocks for its prompt, all or nothing; returns how many have to be transferred, -1 when it got none. */
  reserve(slot: number): number {
    const slots = this.#slots, prompt = slots.prompt[slot], end = slots.outputEnd[slot], promises = this.promises;
    if (promises?.fits(end, 0, this.pool.available) === false) return -1;
    // Promised destinations are all fresh.
    this.pool.lookup(slot, promises === null ? slots.identified[slot] : 0);
    const hits = this.pool.overlap, missing = this.blocks(prompt) - hits;
    if (!this.pool.allocate(slot, hits, missing)) return -1;
    promises?.give(end, missing);
    slots.allocated[slot] = prompt;
    slots.computed[slot] = hits * this.#block;
    return missing;
  }

  /** The slot needs no more blocks than it holds. */
  takeBackPromise(slot: number): void {
    this.promises?.takeBack(this.#slots.outputEnd[slot], this.blocks(this.#slots.allocated[slot]));
  }

  /** Gives up all blocks of a slot. */
  release(slot: number): void {
    const { allocated, computed } = this.#slots;
    this.pool.release(slot, this.blocks(allocated[slot]), this.fullBlocks(computed[slot]));
  }

  /** Gives up all blocks of a slot that will run again: it can find those with content by then. */
  preempt(slot: number): void {
    const slots = this.#slots, complete = this.fullBlocks(slots.computed[slot]);
    slots.identified[slot] = Math.max(slots.identified[slot], complete);
    this.pool.rememberGenerated(slot, complete);
    this.release(slot);
    slots.computed[slot] = slots.allocated[slot] = 0;
  }
}
