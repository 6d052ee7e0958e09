/**
 * Prompt blocks of the requests that each rank works on. A prefix that several requests of a rank share counts once.
 *
 * @module
 */
import type { PromptIndex } from "../engine/prompt_index.ts";
import { reaching } from "../collections/growing.ts";
import { SlotMap } from "../collections/slot_map.ts";
import { Holders } from "./holders.ts";

/** Distinct prompt blocks under work, by rank. Costs one step per prompt edge, not per block. */
export class ActiveBlocks {
  readonly #prompts: PromptIndex;
  readonly #holders = new Holders();
  /** Slots of the requests that end inside an edge. */
  readonly #parts = new SlotMap();
  /** By node: requests that cover the whole edge, and the first of those that end inside it (slot + 1, 0 for none). */
  #whole = new Int32Array(1024);
  #part = new Int32Array(1024);
  /** By slot: the next one that ends inside the same edge on the same rank, likewise; and the blocks it covers there. */
  #nextPart = new Int32Array(64);
  #partBlocks = new Int32Array(64);
  #active = new Float64Array(16);

  constructor(prompts: PromptIndex) {
    this.#prompts = prompts;
  }

  /** Distinct blocks under work on a rank. */
  on(rank: number): number {
    return rank < this.#active.length ? this.#active[rank] : 0;
  }

  /** Leading blocks of a prompt that are under work already, by rank; see {@linkcode Holders.count}. */
  count(request: number, blocks: number, counts: Int32Array): void {
    this.#holders.count(this.#prompts, request, blocks, counts);
  }

  /** A rank starts to work on the first `blocks` blocks of a prompt. */
  add(request: number, rank: number, blocks: number): void {
    this.#active = reaching(this.#active, rank);
    const { edges, start, edgeBlocks } = this.#prompts;
    for (let at = start[request], left = blocks; left > 0; at++) {
      const edge = edges[at], covered = Math.min(left, edgeBlocks[edge]);
      let node = this.#holders.find(edge, rank);
      if (node < 0) node = this.#addNode(edge, rank);
      if (covered === edgeBlocks[edge]) this.#whole[node]++;
      else this.#link(node, this.#parts.take(request), covered);
      const before = this.#holders.blocks(node);
      if (covered > before) {
        this.#holders.setBlocks(node, covered);
        this.#active[rank] += covered - before;
      }
      left -= covered;
    }
  }

  /** A rank is done with a request that was added with the same `blocks`. */
  remove(request: number, rank: number, blocks: number): void {
    const { edges, start, edgeBlocks } = this.#prompts;
    for (let at = start[request], left = blocks; left > 0; at++) {
      const edge = edges[at], covers = left >= edgeBlocks[edge], node = this.#holders.find(edge, rank);
      left -= edgeBlocks[edge];
      if (covers) this.#whole[node]--;
      else this.#unlink(node, this.#parts.give(request));
      if (this.#whole[node] > 0) continue;
      const before = this.#holders.blocks(node);
      let still = 0;
      for (let next = this.#part[node]; next !== 0; next = this.#nextPart[next - 1]) {
        still = Math.max(still, this.#partBlocks[next - 1]);
      }
      this.#active[rank] += still - before;
      if (still > 0) this.#holders.setBlocks(node, still);
      else this.#holders.remove(node);
    }
  }

  #addNode(edge: number, rank: number): number {
    const node = this.#holders.add(edge, rank);
    this.#whole = reaching(this.#whole, node);
    this.#part = reaching(this.#part, node);
    this.#whole[node] = this.#part[node] = 0;
    return node;
  }

  #link(node: number, slot: number, covered: number): void {
    this.#nextPart = reaching(this.#nextPart, slot);
    this.#partBlocks = reaching(this.#partBlocks, slot);
    this.#partBlocks[slot] = covered;
    this.#nextPart[slot] = this.#part[node];
    this.#part[node] = slot + 1;
  }

  #unlink(node: number, slot: number): void {
    if (this.#part[node] === slot + 1) {
      this.#part[node] = this.#nextPart[slot];
      return;
    }
    let before = this.#part[node] - 1;
    while (this.#nextPart[before] !== slot + 1) before = this.#nextPart[before] - 1;
    this.#nextPart[before] = this.#nextPart[slot];
  }
}
