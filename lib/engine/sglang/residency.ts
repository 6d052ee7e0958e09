/**
 * Which prompt pages a rank holds anywhere, in its tree or privately, for routers that follow the caches. Kept per
 * prompt edge: a rank always holds the first pages of an edge, so one number says which.
 *
 * @module
 */
import { RunMap } from "../../collections/run_map.ts";
import type { PromptIndex } from "../prompt_index.ts";

/** Resident prompt pages of one rank. */
export class Residency {
  /** Changes since the log was emptied last: edge, pages of it now resident, edge, … */
  readonly log: number[] = [];
  readonly #prompts: PromptIndex;
  /** By edge; absent where no page is resident. */
  readonly #resident = new RunMap();
  /** Leading pages held by slots that hold some outside the tree. */
  readonly #private = new Map<number, { request: number; pages: number }>();

  constructor(prompts: PromptIndex) {
    this.#prompts = prompts;
  }

  /** The first `pages` pages of a request have their KV; some of them may be private to `slot`. */
  grown(slot: number, request: number, pages: number): void {
    const prompts = this.#prompts, { edges, edgeBlocks } = prompts;
    const known = Math.min(pages, prompts.knownBlocks(request));
    this.#private.set(slot, { request, pages: known });
    if (known === 0) return;
    let at = prompts.locate(request, known - 1), first = prompts.firstBlock, cover = known - first;
    while (this.#raise(edges[at], cover) && first > 0) {
      cover = edgeBlocks[edges[--at]];
      first -= cover;
    }
  }

  /** All pages of `slot` are in the tree now, or gone. */
  settled(slot: number): void {
    this.#private.delete(slot);
  }

  /** The pages `from .. to` of a request's sequence are no longer in the tree, nor held by the request itself. */
  evicted(request: number, from: number, to: number): void {
    const prompts = this.#prompts, { edges, start, edgeBlocks } = prompts;
    const end = Math.min(to, prompts.knownBlocks(request));
    if (from >= end) return;
    let at = prompts.locate(request, from), first = prompts.firstBlock;
    for (; first < end; first += edgeBlocks[edges[at++]]) {
      const edge = edges[at], step = at - start[request], blocks = edgeBlocks[edge];
      let cover = Math.max(from - first, 0);
      for (const other of this.#private.values()) {
        if (other.pages - first > cover && edges[start[other.request] + step] === edge) {
          cover = Math.min(other.pages - first, blocks);
        }
      }
      if (cover >= this.#resident.get(edge)) continue;
      if (cover > 0) this.#resident.set(edge, cover);
      else this.#resident.delete(edge);
      this.log.push(edge, cover);
    }
  }

  #raise(edge: number, cover: number): boolean {
    const before = this.#resident.get(edge);
    if (before >= cover) return false;
    if (before < 0) this.#resident.add(edge, cover);
    else this.#resident.set(edge, cover);
    this.log.push(edge, cover);
    return true;
  }
}
