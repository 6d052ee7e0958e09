/**
 * The output tokens that rows name. They matter only where they stand in another request's sequence, too, so that their
 * KV blocks can be shared: of all others nobody ever asks for the tokens, and engines treat them like outputs that no
 * row names, which cost nothing a block.
 *
 * @module
 */
import { reaching } from "../collections/growing.ts";
import type { Workload } from "./workload.ts";

/** Tokens that are kept in one piece of memory, at least. */
const PIECE = 1 << 16;

/** The prompts of a load. */
export type Prompts = Pick<Workload, "count" | "blockTokens" | "inputTokens" | "blockStart" | "blockIds">;

/** Named outputs under construction, by request; empty ones count as not named. */
export class NamedOutputs {
  #count = 0;
  /** By request: the piece its tokens stand in, from where on, and how many they are. */
  #pieceOf = new Int32Array(1024);
  #from = new Int32Array(1024);
  #length = new Int32Array(1024);
  readonly #pieces: Uint32Array[] = [];
  #used = 0;

  /** Requests with a named output. */
  get count(): number {
    return this.#count;
  }

  /** Keeps the first `count` tokens that a request is going to emit. */
  add(request: number, tokens: ArrayLike<number>, count: number): void {
    if (count === 0) return;
    if (this.#pieces.length === 0 || this.#used + count > this.#pieces.at(-1)!.length) {
      this.#pieces.push(new Uint32Array(Math.max(PIECE, count)));
      this.#used = 0;
    }
    const last = this.#pieces.length - 1, piece = this.#pieces[last], from = this.#used;
    for (let i = 0; i < count; i++) piece[from + i] = tokens[i];
    this.#used += count;
    this.#pieceOf = reaching(this.#pieceOf, request);
    this.#from = reaching(this.#from, request);
    this.#length = reaching(this.#length, request);
    this.#pieceOf[request] = last;
    this.#from[request] = from;
    this.#length[request] = count;
    this.#count++;
  }

  /** Puts the requests in a new order: request `order[i]` becomes request `i`. */
  reorder(order: Int32Array): void {
    const moved = (column: Int32Array) => order.map((request) => column[request] ?? 0);
    this.#pieceOf = moved(this.#pieceOf);
    this.#from = moved(this.#from);
    this.#length = moved(this.#length);
  }

  /** All of them. */
  all(): Map<number, Uint32Array> {
    const outputs = new Map<number, Uint32Array>(), length = this.#length;
    for (let r = 0; r < length.length; r++) if (length[r] > 0) outputs.set(r, this.#tokens(r));
    return outputs;
  }

  /**
   * Those that matter. A sequence shares tokens behind the end of `r`'s prompt only if it has `r`'s whole prompt and
   * then `r`'s first output token. Either that token still belongs to its prompt, and then any two sequences that meet
   * so may go on together, or its prompt is the same and it emits the same token first.
   */
  shared(prompts: Prompts): Map<number, Uint32Array> {
    if (this.#count === 0) return new Map();
    return this.#meetsPrompt(prompts) ? this.all() : this.#sameBeginnings(prompts);
  }

  /**
   * Whether some prompt goes on behind the end of another one with the first token that the other's request emits. True
   * in very few other cases, too.
   */
  #meetsPrompt({ count, blockTokens, inputTokens, blockStart, blockIds }: Prompts): boolean {
    /** First output tokens behind prompts of full blocks, by the hash of the prompt with the token as its next block. */
    const wanted = new Map<number, number>(), length = this.#length;
    for (let r = 0; r < Math.min(count, length.length); r++) {
      if (length[r] === 0) continue;
      const start = blockStart[r], end = blockStart[r + 1], first = this.#first(r);
      if (inputTokens[r] % blockTokens === 0) wanted.set(next(hashOf(blockIds, start, end), first), first);
      else if (blockIds[end - 1] === first) return true;
    }
    if (wanted.size === 0) return false;
    for (let r = 0; r < count; r++) {
      let hash = EMPTY;
      for (let at = blockStart[r]; at < blockStart[r + 1]; at++) {
        hash = next(hash, blockIds[at]);
        if (wanted.get(hash) === blockIds[at]) return true;
      }
    }
    return false;
  }

  /** The outputs that begin like that of another request with the same prompt. */
  #sameBeginnings(prompts: Prompts): Map<number, Uint32Array> {
    const { count, inputTokens, blockStart, blockIds } = prompts, length = this.#length;
    const shared = new Map<number, Uint32Array>(), met = new Map<number, number>();
    for (let r = 0; r < Math.min(count, length.length); r++) {
      if (length[r] === 0) continue;
      const prompt = next(hashOf(blockIds, blockStart[r], blockStart[r + 1]), inputTokens[r]);
      let hash = next(prompt, this.#first(r)), other = met.get(hash);
      while (other !== undefined && !this.#beginAlike(prompts, r, other)) other = met.get(hash = next(hash, 1));
      if (other === undefined) {
        met.set(hash, r);
      } else {
        shared.set(other, this.#tokens(other));
        shared.set(r, this.#tokens(r));
      }
    }
    return shared;
  }

  /** Whether two requests have the same prompt and the same first output token. */
  #beginAlike({ inputTokens, blockStart, blockIds }: Prompts, a: number, b: number): boolean {
    if (inputTokens[a] !== inputTokens[b] || this.#first(a) !== this.#first(b)) return false;
    const from = blockStart[a], other = blockStart[b], blocks = blockStart[a + 1] - from;
    for (let i = 0; i < blocks; i++) if (blockIds[from + i] !== blockIds[other + i]) return false;
    return true;
  }

  #first(request: number): number {
    return this.#pieces[this.#pieceOf[request]][this.#from[request]];
  }

  #tokens(request: number): Uint32Array {
    const from = this.#from[request];
    return this.#pieces[this.#pieceOf[request]].subarray(from, from + this.#length[request]);
  }
}

const EMPTY = 1;

function next(hash: number, item: number): number {
  const mixed = Math.imul(hash ^ item, 0x9e3779b1);
  return mixed ^ mixed >>> 15;
}

function hashOf(ids: Int32Array, from: number, to: number): number {
  let hash = EMPTY;
  for (let at = from; at < to; at++) hash = next(hash, ids[at]);
  return hash;
}
