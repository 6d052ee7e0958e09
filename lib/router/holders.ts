/**
 * Which ranks hold how many leading KV blocks of which prompt edge. Only pairs of edge and rank that hold something
 * take room, chained per edge in one typed array, so that thousands of ranks and millions of edges stay affordable.
 *
 * @module
 */
import type { PromptIndex } from "../engine/prompt_index.ts";
import { reaching } from "../collections/growing.ts";
import { RunMap } from "../collections/run_map.ts";

/** Fields of a node: next node of the edge (or of the free list), then the edge, the rank and its blocks. */
const NEXT = 0, EDGE = 1, RANK = 2, BLOCKS = 3, FIELDS = 4;
const NONE = -1;

/** Block counts by edge and rank. */
export class Holders {
  /** First node of each edge that has any. */
  readonly #heads = new RunMap();
  #nodes = new Int32Array(1024 * FIELDS);
  #used = 0;
  #free = NONE;

  /** Node of `rank` on `edge`, or -1. */
  find(edge: number, rank: number): number {
    const nodes = this.#nodes;
    let node = this.#heads.get(edge);
    while (node !== NONE && nodes[node * FIELDS + RANK] !== rank) node = nodes[node * FIELDS + NEXT];
    return node;
  }

  /** Makes a node of no blocks for a pair that has none. */
  add(edge: number, rank: number): number {
    let node = this.#free;
    if (node !== NONE) this.#free = this.#nodes[node * FIELDS + NEXT];
    else {
      node = this.#used++;
      this.#nodes = reaching(this.#nodes, this.#used * FIELDS - 1);
    }
    const at = node * FIELDS, nodes = this.#nodes, head = this.#heads.get(edge);
    nodes[at + EDGE] = edge;
    nodes[at + RANK] = rank;
    nodes[at + BLOCKS] = 0;
    if (head === NONE) {
      nodes[at + NEXT] = NONE;
      this.#heads.add(edge, node);
    } else {
      nodes[at + NEXT] = nodes[head * FIELDS + NEXT];
      nodes[head * FIELDS + NEXT] = node;
    }
    return node;
  }

  /** Leading blocks of the node's edge that its rank holds. */
  blocks(node: number): number {
    return this.#nodes[node * FIELDS + BLOCKS];
  }

  setBlocks(node: number, blocks: number): void {
    this.#nodes[node * FIELDS + BLOCKS] = blocks;
  }

  /** Forgets a node. */
  remove(node: number): void {
    const nodes = this.#nodes, at = node * FIELDS, edge = nodes[at + EDGE];
    let before = this.#heads.get(edge);
    if (before === node) {
      if (nodes[at + NEXT] === NONE) this.#heads.delete(edge);
      else this.#heads.set(edge, nodes[at + NEXT]);
    } else {
      while (nodes[before * FIELDS + NEXT] !== node) before = nodes[before * FIELDS + NEXT];
      nodes[before * FIELDS + NEXT] = nodes[at + NEXT];
    }
    nodes[at + NEXT] = this.#free;
    nodes[at + RANK] = NONE;
    this.#free = node;
  }

  /** Sets the blocks of a pair, whether or not it has a node. */
  set(edge: number, rank: number, blocks: number): void {
    let node = this.find(edge, rank);
    if (blocks > 0) {
      if (node === NONE) node = this.add(edge, rank);
      this.setBlocks(node, blocks);
    } else if (node !== NONE) this.remove(node);
  }

  /** Forgets everything a rank holds. */
  forget(rank: number): void {
    for (let node = 0; node < this.#used; node++) if (this.#nodes[node * FIELDS + RANK] === rank) this.remove(node);
  }

  /**
   * Counts, for every rank, the leading blocks of a prompt that it holds without a gap.
   *
   * @param blocks leading blocks of the prompt that matter
   * @param counts result by rank id; must be long enough for every rank that holds something
   */
  count(prompts: PromptIndex, request: number, blocks: number, counts: Int32Array): void {
    counts.fill(0);
    const { edges, edgeBlocks } = prompts, heads = this.#heads, nodes = this.#nodes;
    // A rank goes on as long as its count equals the blocks of all edges before.
    for (let at = prompts.start[request], before = 0; before < blocks; at++) {
      const edge = edges[at], wanted = Math.min(edgeBlocks[edge], blocks - before);
      let goOn = false;
      for (let node = heads.get(edge); node !== NONE; node = nodes[node * FIELDS + NEXT]) {
        const rank = nodes[node * FIELDS + RANK];
        if (counts[rank] !== before) continue;
        const held = nodes[node * FIELDS + BLOCKS];
        if (held >= wanted) goOn = true;
        counts[rank] = before + Math.min(held, wanted);
      }
      if (!goOn) return;
      before += wanted;
    }
  }

  static {
    // A removal, done once before anything is compiled: the first one in a replay, when a rank evicts for the first time,
    // would make V8 throw compiled code away.
    const holders = new Holders();
    holders.set(0, 0, 1);
    holders.set(0, 0, 0);
  }
}
