/**
 * Guaranteed no eviction: a request is admitted only when the blocks it will hold at its end fit beside what all others
 * have been promised, so nobody is ever preempted. TensorRT-LLM's capacity scheduler; the rest of its rank is the paged
 * core (`vllm/rank.ts`).
 *
 * @module
 */
import type { RankSettings } from "../settings.ts";

/** Blocks one rank owes to the requests it admitted. */
export class CompletionPromises {
  /** Blocks promised to running requests and to reserved destinations beyond those they hold. */
  outstanding = 0;
  readonly #blocks: number;
  readonly #blockTokens: number;
  readonly #maxModelTokens: number;

  constructor(settings: Pick<RankSettings, "blocks" | "blockTokens" | "maxModelTokens">) {
    this.#blocks = settings.blocks;
    this.#blockTokens = settings.blockTokens;
    this.#maxModelTokens = settings.maxModelTokens;
  }

  /** Output tokens a prompt may have of the `wanted` ones: as many as the model, then the pool, can take beside it. */
  outputLimit(promptTokens: number, wanted: number): number {
    const capacity = this.#blocks * this.#blockTokens;
    const output = Math.min(wanted, Math.max(0, this.#maxModelTokens - promptTokens));
    return promptTokens < capacity ? Math.min(output, capacity - promptTokens) : output;
  }

  /** Whether a request that ends with `tokens` tokens can ever be admitted. */
  possible(tokens: number): boolean {
    return this.#completion(tokens) <= this.#blocks;
  }

  /** Whether a request that ends with `tokens` tokens fits, `available` blocks not being in use; `shared` of its own are. */
  fits(tokens: number, shared: number, available: number): boolean {
    return this.#completion(tokens) - shared <= Math.max(available - this.outstanding, 0);
  }

  /** A request that ends with `tokens` tokens is promised its blocks, of which it holds `held`. */
  give(tokens: number, held: number): void {
    this.outstanding += this.#completion(tokens) - held;
  }

  /** Takes back what a request that ends with `tokens` tokens and holds `held` blocks is still owed. */
  takeBack(tokens: number, held: number): void {
    this.outstanding -= this.#completion(tokens) - held;
  }

  /** Requests got `blocks` of those promised to them. */
  redeem(blocks: number): void {
    this.outstanding -= blocks;
  }

  #completion(tokens: number): number {
    return Math.ceil(tokens / this.#blockTokens);
  }
}
