/**
 * Names the content of every prompt's KV blocks, once for all ranks. Prompts form a tree; an edge is a run of up to
 * `blocksPerEdge` KV blocks (one trace block when it is a multiple of the KV block), and two prompts share exactly
 * the KV blocks on their common edges. A path is a list of edges, so a prompt of 200 blocks costs 25 numbers.
 *
 * @module
 */
import { reaching } from "../collections/growing.ts";
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
  /** See `edges`; one entry a request. */
  readonly start: Int32Array;
  /** KV blocks whose content is known beforehand: full blocks of the prompt, and of literal output tokens after it. */
  readonly knownBlocks: Int32Array;
  /** Prompts given as token runs, by request. */
  readonly runs: Map<number, PromptRuns> = new Map();
  readonly #outputs: ReadonlyMap<number, Uint32Array>;
  #edgeCount = 0;
  #used = 0;
  /** First parent and edge seen for each content, and a map for contents met under several parents. */
  #firstParent: Int32Array;
  #firstEdge: Int32Array;
  readonly #others = new Map<number, Map<number, number>>();
  /** Contents of KV blocks that are not one repeated token, by their runs. */
  readonly #mixed = new Map<string, number>();

  /** Indexes every prompt of the workload. */
  constructor(workload: Workload, blockTokens: number) {
    this.blockTokens = blockTokens;
    this.#outputs = workload.outputTokenIds;
    const uniform = workload.blockTokens % blockTokens === 0 && workload.outputTokenIds.size === 0;
    this.blocksPerEdge = uniform ? workload.blockTokens / blockTokens : 1;
    this.start = new Int32Array(workload.count);
    this.knownBlocks = new Int32Array(workload.count);
    let contents = 0;
    for (const id of workload.blockIds) if (id >= contents) contents = id + 1;
    this.#firstParent = new Int32Array(contents).fill(-2);
    this.#firstEdge = new Int32Array(contents);
    if (uniform) {
      this.edges = new Int32Array(workload.blockIds.length);
      this.#indexUniform(workload);
      if (this.blocksPerEdge > 1) this.#firstParent = this.#firstEdge = NO_PROMPTS; // no prompts come later
    } else {
      this.edges = new Int32Array(1024);
      for (let r = 0; r < workload.count; r++) this.#indexTokens(workload, r);
    }
  }

  /** Edges named so far; ids are dense. */
  get edgeCount(): number {
    return this.#edgeCount;
  }

  /** Gives `request` a prompt made of token runs, known only when its turn starts. */
  addRuns(request: number, runs: PromptRuns): void {
    if (this.blocksPerEdge !== 1) {
      throw new RangeError("prompts made of token runs need an index with one block an edge");
    }
    this.runs.set(request, runs);
    const outputs = this.#outputs.get(request) ?? [], prompt = runs.tokens.length;
    const tokens = new Float64Array(prompt + outputs.length), lengths = new Float64Array(tokens.length).fill(1);
    tokens.set(runs.tokens);
    tokens.set(outputs, prompt);
    lengths.set(runs.lengths);
    this.#indexRuns(request, tokens, lengths, tokens.length);
  }

  #indexUniform(workload: Workload): void {
    const { blockStart, blockIds, inputTokens } = workload;
    const perEdge = this.blocksPerEdge, size = this.blockTokens;
    let used = 0;
    for (let r = 0; r < workload.count; r++) {
      const blocks = Math.floor(inputTokens[r] / size);
      const edges = Math.ceil(blocks / perEdge);
      this.start[r] = used;
      this.knownBlocks[r] = blocks;
      let parent = -1;
      for (let i = 0, at = blockStart[r]; i < edges; i++) {
        parent = this.#child(parent, blockIds[at + i]);
        this.edges[used++] = parent;
      }
    }
    this.#used = used;
  }

  #indexTokens(workload: Workload, r: number): void {
    const planned = workload.outputTokenIds.get(r);
    const from = workload.blockStart[r], blocks = workload.blockStart[r + 1] - from;
    const tokens = new Float64Array(blocks + (planned?.length ?? 0)), lengths = new Float64Array(tokens.length);
    let left = workload.inputTokens[r];
    for (let i = 0; i < blocks; i++, left -= workload.blockTokens) {
      tokens[i] = workload.blockIds[from + i];
      lengths[i] = Math.min(workload.blockTokens, left);
    }
    planned?.forEach((token, i) => {
      tokens[blocks + i] = token;
      lengths[blocks + i] = 1;
    });
    this.#indexRuns(r, tokens, lengths, tokens.length);
  }

  /** Cuts runs of equal tokens into KV blocks and follows or extends the tree block by block. */
  #indexRuns(request: number, tokens: ArrayLike<number>, lengths: ArrayLike<number>, runs: number): void {
    const size = this.blockTokens;
    this.start[request] = this.#used;
    let parent = -1, blocks = 0, filled = 0, signature = "", single = -1, last = -1, count = 0;
    for (let i = 0; i < runs; i++) {
      let left = lengths[i];
      while (left > 0) {
        const part = Math.min(left, size - filled);
        if (filled === 0) {
          signature = "";
          single = last = tokens[i];
          count = 0;
        } else if (tokens[i] !== last) {
          signature += `${last}*${count} `;
          single = -1;
          last = tokens[i];
          count = 0;
        }
        count += part;
        filled += part;
        left -= part;
        if (filled < size) continue;
        filled = 0;
        if (single < 0) signature += `${last}*${count}`;
        parent = this.#child(parent, this.#content(single, signature));
        this.edges = reaching(this.edges, this.#used);
        this.edges[this.#used++] = parent;
        blocks++;
      }
    }
    this.knownBlocks[request] = blocks;
  }

  /** Number that stands for a block's tokens: the token itself where the whole block repeats it and it is interned. */
  #content(single: number, signature: string): number {
    if (single >= 0 && single < this.#firstParent.length) return single;
    const key = single >= 0 ? `${single}` : signature;
    let content = this.#mixed.get(key);
    if (content === undefined) {
      content = this.#firstParent.length + this.#mixed.size;
      this.#mixed.set(key, content);
    }
    return content;
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
    let children = this.#others.get(parent);
    if (children === undefined) this.#others.set(parent, children = new Map());
    let edge = children.get(content);
    if (edge === undefined) children.set(content, edge = this.#edgeCount++);
    return edge;
  }
}
