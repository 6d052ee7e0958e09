/**
 * Names the content of every prompt's KV blocks, once for all ranks. Prompts form a tree; an edge is a run of up to
 * `blocksPerEdge` KV blocks (one trace block when it is a multiple of the KV block), and two prompts share exactly
 * the KV blocks on their common edges. A path is a list of edges, so a prompt of 200 blocks costs 25 numbers.
 *
 * @module
 */
import { reaching } from "../collections/growing.ts";
import { PairMap } from "../collections/pair_map.ts";
import { SequenceTable } from "../collections/sequence_table.ts";
import type { PromptRuns, Workload } from "../traffic/workload.ts";

const NO_PROMPTS = new Int32Array(0);

/** Prompt paths of one workload for one KV block size. */
export class PromptIndex {
  /** KV blocks on an edge; the last edge of a path may be covered in part. */
  readonly blocksPerEdge: number;
  /** Tokens of a KV block. */
  readonly blockTokens: number;
  /** Path of request `r`: `edges[start[r] .. start[r] + edges of it)`. */
  edges: Int32Array;
  /** See `edges`; at least one entry a request. */
  start: Int32Array;
  /** Prompts given as token runs, by request, also of requests that ended; empty unless they are kept. */
  readonly runs: Map<number, PromptRuns> = new Map();
  readonly #keepsRuns: boolean;
  readonly #outputs: ReadonlyMap<number, Uint32Array>;
  readonly #inputTokens: Int32Array;
  /** By request; null where every prompt is made of the workload's blocks, and its paths stand where those do. */
  #known: Int32Array | null = null;
  #edgeCount = 0;
  #used = 0;
  /** First parent and edge seen for each content, and a map for contents met under several parents. */
  #firstParent: Int32Array;
  #firstEdge: Int32Array;
  readonly #others = new PairMap();
  readonly #cut = new BlockCut();
  /** Contents of KV blocks that no single interned token fills: their runs, each a token and how often it stands there. */
  readonly #contents = new SequenceTable();

  /**
   * Indexes every prompt of the workload.
   *
   * @param keepsRuns whether somebody compares prompts token by token: keeps those that are given as runs
   */
  constructor(workload: Workload, blockTokens: number, keepsRuns = true) {
    this.blockTokens = blockTokens;
    this.#keepsRuns = keepsRuns;
    this.#outputs = workload.outputTokenIds;
    this.#inputTokens = workload.inputTokens;
    const uniform = workload.blockTokens % blockTokens === 0 && workload.outputTokenIds.size === 0;
    this.blocksPerEdge = uniform ? workload.blockTokens / blockTokens : 1;
    const contents = largest(workload.blockIds) + 1;
    this.#firstParent = new Int32Array(contents).fill(-2);
    this.#firstEdge = new Int32Array(contents);
    if (uniform) {
      this.start = workload.blockStart;
      this.edges = new Int32Array(workload.blockIds.length);
      this.#indexUniform(workload);
      if (this.blocksPerEdge > 1) this.#firstParent = this.#firstEdge = NO_PROMPTS; // no prompts come later
    } else {
      this.start = new Int32Array(workload.count);
      this.#known = new Int32Array(workload.count);
      this.edges = new Int32Array(1024);
      for (let r = 0; r < workload.count; r++) this.#indexTokens(workload, r);
    }
  }

  /** Edges named so far; ids are dense. */
  get edgeCount(): number {
    return this.#edgeCount;
  }

  /** KV blocks of a request whose content is known beforehand: full blocks of the prompt, and of literal output after it. */
  knownBlocks(request: number): number {
    return this.#known === null ? Math.floor(this.#inputTokens[request] / this.blockTokens) : this.#known[request];
  }

  /** Gives `request` a prompt made of token runs, known only when its turn starts. */
  addRuns(request: number, runs: PromptRuns): void {
    if (this.blocksPerEdge !== 1) {
      throw new RangeError("prompts made of token runs need an index with one block an edge");
    }
    if (this.#known === null) this.#own();
    if (this.#keepsRuns) this.runs.set(request, runs);
    this.start[request] = this.#used;
    const cut = this.#cut.begin();
    this.#extend(cut, runs.tokens, runs.lengths);
    const outputs = this.#outputs.get(request);
    if (outputs !== undefined) this.#extend(cut, outputs, null);
    this.#known![request] = this.#used - this.start[request];
  }

  /** Paths stand where they are put from now on. */
  #own(): void {
    this.#known = Int32Array.from(this.#inputTokens, (tokens) => Math.floor(tokens / this.blockTokens));
    this.start = this.start.slice();
  }

  #indexUniform(workload: Workload): void {
    const { blockStart, blockIds, inputTokens } = workload;
    const perEdge = this.blocksPerEdge, size = this.blockTokens;
    for (let r = 0; r < workload.count; r++) {
      const blocks = Math.floor(inputTokens[r] / size);
      const end = blockStart[r] + Math.ceil(blocks / perEdge);
      let parent = -1;
      for (let at = blockStart[r]; at < end; at++) this.edges[at] = parent = this.#child(parent, blockIds[at]);
    }
    this.#used = blockIds.length;
  }

  #indexTokens(workload: Workload, r: number): void {
    const ids = workload.blockIds.subarray(workload.blockStart[r], workload.blockStart[r + 1]);
    const lengths = new Int32Array(ids.length).fill(workload.blockTokens);
    if (ids.length > 0) lengths[ids.length - 1] = workload.inputTokens[r] - (ids.length - 1) * workload.blockTokens;
    this.start[r] = this.#used;
    const cut = this.#cut.begin();
    this.#extend(cut, ids, lengths);
    const planned = workload.outputTokenIds.get(r);
    if (planned !== undefined) this.#extend(cut, planned, null);
    this.#known![r] = this.#used - this.start[r];
  }

  /**
   * Cuts runs of equal tokens into KV blocks and follows or extends the tree block by block.
   *
   * @param lengths how often each token stands in a row; null: once
   */
  #extend(cut: BlockCut, tokens: ArrayLike<number>, lengths: ArrayLike<number> | null): void {
    const size = this.blockTokens;
    for (let i = 0; i < tokens.length; i++) {
      const token = tokens[i];
      let left = lengths === null ? 1 : lengths[i];
      if (cut.filled === 0 && left >= size) {
        const content = this.#content(cut.all(token, size));
        for (; left >= size; left -= size) this.#append(cut, content);
      }
      while (left > 0) {
        const part = Math.min(left, size - cut.filled);
        cut.add(token, part);
        left -= part;
        if (cut.filled === size) this.#append(cut, this.#content(cut.finish()));
      }
    }
  }

  #append(cut: BlockCut, content: number): void {
    cut.parent = this.#child(cut.parent, content);
    this.edges = reaching(this.edges, this.#used);
    this.edges[this.#used++] = cut.parent;
  }

  /** Number that stands for a block's runs: the token itself where the whole block repeats it and it is interned. */
  #content({ runs, used }: BlockCut): number {
    const interned = this.#firstParent.length;
    return used === 2 && runs[0] < interned ? runs[0] : interned + this.#contents.numberOf(runs, used);
  }

  #child(parent: number, content: number): number {
    if (content < this.#firstParent.length) {
      const first = this.#firstParent[content];
      if (first === parent) return this.#firstEdge[content];
      if (first === -2) {
        this.#firstParent[content] = parent;
        return this.#firstEdge[content] = this.#edgeCount++;
      }
    }
    let edge = this.#others.get(parent, content);
    if (edge < 0) this.#others.add(parent, content, edge = this.#edgeCount++);
    return edge;
  }
}

/** The largest of some block ids, -1 without any. By index: an iterator would allocate for each of them. */
function largest(ids: Int32Array): number {
  let most = -1;
  for (let i = 0; i < ids.length; i++) if (ids[i] > most) most = ids[i];
  return most;
}

/** Where a path of the tree has got to, and the tokens of the block that is not full yet. */
class BlockCut {
  /** Last edge of the path. */
  parent = -1;
  /** Tokens of the block so far. */
  filled = 0;
  /** Runs of the block, `used` numbers: a token, how often it stands in a row, the next token … */
  runs = new Uint32Array(256);
  used = 0;

  /** Of another path, which begins at the root. */
  begin(): this {
    this.parent = -1;
    this.filled = 0;
    return this;
  }

  add(token: number, count: number): void {
    let { used } = this;
    if (this.filled === 0) used = 0;
    this.filled += count;
    if (used > 0 && this.runs[used - 2] === token) {
      this.runs[used - 1] += count;
      return;
    }
    this.runs = reaching(this.runs, used + 1);
    this.runs[used] = token;
    this.runs[used + 1] = count;
    this.used = used + 2;
  }

  /** The block is full; its runs stand until the next one begins. */
  finish(): this {
    this.filled = 0;
    return this;
  }

  /** A whole block of one token. */
  all(token: number, size: number): this {
    this.add(token, size);
    return this.finish();
  }
}
