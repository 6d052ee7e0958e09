/**
 * Names the content of every prompt's KV blocks, once for all ranks. Prompts form a tree; an edge is a run of KV blocks,
 * and two prompts share exactly the KV blocks on their common edges. A path is a list of edges.
 *
 * Where a trace block is a multiple of the KV block and nothing but trace blocks is known of a load, all prompts are known
 * beforehand: then an edge goes on to where a prompt ends or others branch off, so a conversation's next turn is one edge
 * however long it is. Else an edge is one KV block, and prompts may be added.
 *
 * @module
 */
import { reaching } from "../collections/growing.ts";
import { PairMap } from "../collections/pair_map.ts";
import { SequenceTable } from "../collections/sequence_table.ts";
import type { PromptRuns, Workload } from "../traffic/workload.ts";

const NO_PROMPTS = new Int32Array(0);

/** Trace blocks a request has at least, on average, where edges are made longer than one: short prompts would gain nothing. */
const WORTH_JOINING = 2;

/** KV blocks of the longest edges; what is counted block by block of an edge is made for so many. */
const MOST_JOINED = 512;

/** KV blocks of a trace block that an edge can have: lengths of edges are kept in 16 bits. */
const MOST_BLOCKS = 2 ** 16 - 1;

/** Prompt paths of one workload for one KV block size. */
export class PromptIndex {
  /** Tokens of a KV block. */
  readonly blockTokens: number;
  /** Path of request `r`: from `edges[start[r]]` on, as many as its blocks take. */
  edges: Int32Array;
  /** See `edges`, by request. */
  start: Int32Array;
  /** KV blocks of each edge; the last edge of a path may be covered in part. */
  edgeBlocks: Uint16Array;
  /** KV blocks that an edge has at most. */
  readonly mostBlocks: number;
  /** Result of the last `locate`: block of the path at which the edge begins. */
  firstBlock = 0;
  /** Prompts given as token runs, by request, also of requests that ended; empty unless they are kept. */
  readonly runs: Map<number, PromptRuns> = new Map();
  readonly #keepsRuns: boolean;
  readonly #outputs: ReadonlyMap<number, Uint32Array>;
  readonly #inputTokens: Int32Array;
  /** By request; null where every prompt is made of the workload's blocks. */
  #known: Int32Array | null = null;
  #edgeCount = 0;
  #used = 0;
  /** First parent, + 2, and edge seen for each content (0 for none), and a map for contents met under several parents. */
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
    const perId = workload.blockTokens / blockTokens;
    const known = Number.isInteger(perId) && perId <= MOST_BLOCKS && workload.outputTokenIds.size === 0;
    if (known) {
      const ids = workload.blockIds.length, most = Math.floor(MOST_JOINED / perId);
      const joins = most > 1 && ids >= workload.count * WORTH_JOINING;
      // Where prompts have many, the largest is not looked for: ids are numbered in a row, so that there are seldom more
      // contents than ids, and what is never met takes no memory.
      const contents = joins ? ids : largest(workload.blockIds) + 1;
      this.#firstParent = new Int32Array(contents);
      this.#firstEdge = new Int32Array(contents);
      this.start = workload.blockStart;
      const stops = joins ? new Uint8Array(ids) : null;
      this.edges = this.#indexBlocks(workload, perId, stops);
      this.edgeBlocks = new Uint16Array(this.#edgeCount);
      if (stops === null) this.edgeBlocks.fill(perId);
      this.mostBlocks = stops === null ? perId : this.#join(workload, perId, most, stops);
      this.#firstParent = this.#firstEdge = NO_PROMPTS; // no prompts come later
    } else {
      const contents = largest(workload.blockIds) + 1;
      this.#firstParent = new Int32Array(contents);
      this.#firstEdge = new Int32Array(contents);
      this.edgeBlocks = new Uint16Array(0);
      this.start = new Int32Array(workload.count);
      this.#known = new Int32Array(workload.count);
      this.edges = new Int32Array(1024);
      this.mostBlocks = 1;
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

  /**
   * Where in `edges` block `block` of a request's path is; `firstBlock` becomes the first block of that edge. The path is
   * known to have so many blocks.
   */
  locate(request: number, block: number): number {
    let at = this.start[request], first = 0;
    if (this.#known !== null) {
      // an edge a block
      this.firstBlock = block;
      return at + block;
    }
    for (;;) {
      const next = first + this.edgeBlocks[this.edges[at]];
      if (next > block) break;
      first = next;
      at++;
    }
    this.firstBlock = first;
    return at;
  }

  /** Gives `request` a prompt made of token runs, known only when its turn starts. */
  addRuns(request: number, runs: PromptRuns): void {
    if (this.#known === null) throw new RangeError("prompts made of token runs need a load with known output tokens");
    if (this.#keepsRuns) this.runs.set(request, runs);
    this.start[request] = this.#used;
    const cut = this.#cut.begin();
    this.#extend(cut, runs.tokens, runs.lengths);
    const outputs = this.#outputs.get(request);
    if (outputs !== undefined) this.#extend(cut, outputs, null);
    this.#known![request] = this.#used - this.start[request];
  }

  /**
   * An edge for every trace block; returns the paths, which stand where the blocks of the load do. `stops` becomes 1 for
   * edges that end a prompt or are followed by several others.
   */
  #indexBlocks({ count, blockStart, blockIds }: Workload, perId: number, stops: Uint8Array | null): Int32Array {
    const edges = new Int32Array(blockIds.length);
    for (let r = 0; r < count; r++) {
      const end = blockStart[r] + this.#traceBlocks(r, perId);
      let parent = -1;
      for (let at = blockStart[r]; at < end; at++) {
        const edge = this.#child(parent, blockIds[at]);
        // Edges are numbered where they are met first: another one came after the parent, or a prompt ended there.
        if (stops !== null && edge !== parent + 1 && parent >= 0) stops[parent] = 1;
        edges[at] = parent = edge;
      }
      if (stops !== null && parent >= 0) stops[parent] = 1;
    }
    return edges;
  }

  /** Trace blocks of a prompt that hold a full KV block. */
  #traceBlocks(request: number, perId: number): number {
    return Math.ceil(Math.floor(this.#inputTokens[request] / this.blockTokens) / perId);
  }

  /**
   * Joins edges, of `perId` KV blocks each so far, up to those that `stops` names, at most `most` of them; returns the
   * length of the longest. The edge after one that does not stop has the next number.
   */
  #join({ count, blockStart }: Workload, perId: number, most: number, stops: Uint8Array): number {
    // Paths become shorter, so they are written where they are read; numbers are 1 larger, 0 for an edge not met yet.
    const { edges, edgeBlocks } = this, numbers = new Int32Array(this.#edgeCount), start = new Int32Array(count);
    let used = 0, edgeCount = 0, longest = 1;
    for (let r = 0; r < count; r++) {
      const end = blockStart[r] + this.#traceBlocks(r, perId);
      start[r] = used;
      for (let at = blockStart[r]; at < end;) {
        const head = edges[at], number = numbers[head];
        let joined: number;
        if (number > 0) {
          joined = edgeBlocks[number - 1];
          edges[used++] = number - 1;
        } else {
          for (joined = 1; stops[head + joined - 1] === 0 && joined < most;) joined++;
          if (joined > longest) longest = joined;
          edgeBlocks[edgeCount] = joined;
          edges[used++] = edgeCount++;
          numbers[head] = edgeCount;
        }
        at += joined;
      }
    }
    this.#edgeCount = edgeCount;
    this.edges = edges.slice(0, used);
    this.edgeBlocks = edgeBlocks.slice(0, edgeCount);
    for (let edge = 0; edge < edgeCount; edge++) this.edgeBlocks[edge] *= perId;
    this.start = start;
    return longest * perId;
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
    this.edgeBlocks = reaching(this.edgeBlocks, cut.parent, 1);
  }

  /** Number that stands for a block's runs: the token itself where the whole block repeats it and it is interned. */
  #content({ runs, used }: BlockCut): number {
    const interned = this.#firstParent.length;
    return used === 2 && runs[0] < interned ? runs[0] : interned + this.#contents.numberOf(runs, used);
  }

  #child(parent: number, content: number): number {
    if (content < this.#firstParent.length) {
      const first = this.#firstParent[content];
      if (first === parent + 2) return this.#firstEdge[content];
      if (first === 0) {
        this.#firstParent[content] = parent + 2;
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
