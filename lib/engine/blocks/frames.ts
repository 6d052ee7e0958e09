/**
 * What is resident in a rank's KV block pool. A frame is the resident part of one prompt edge (see `prompt_index.ts`), and
 * its blocks are neighbours in the arrays ("cells"), so holding, releasing and evicting a long prompt walks memory in
 * order. Within a rank a block is never resident without the one before it, so the resident blocks of an edge are always
 * its first ones.
 *
 * As long as everybody who holds a frame holds all of it, the frame is one unit: one count of holders, one place in the
 * eviction order. Only where somebody holds a part, or a block has a second copy, is it split into its cells.
 *
 * @module
 */
import { FEW, longer } from "../../collections/growing.ts";
import type { IntList } from "../../collections/int_list.ts";
import { RunMap } from "../../collections/run_map.ts";

/** The generated blocks of a request that was preempted once; they belong to no prompt edge. */
export interface Generated {
  /** Frames, -1 where nothing is resident. */
  frames: number[];
  /** Blocks of the request's table below this one are in frames as far as it holds them. */
  done: number;
}

/** The frames of one rank in columns; cell `frame × blocksPerFrame + i` is the frame's block `i`. */
export class Frames {
  readonly blocksPerFrame: number;
  /** Resident blocks. */
  resident = new Int32Array(FEW);
  /** Holders and place in the eviction order of a frame that is one unit; the place is 0 while somebody holds it. */
  refs = new Int32Array(FEW);
  stamp = new Int32Array(FEW);
  /** 1 where the cells are counted one by one. */
  isSplit = new Uint8Array(FEW);
  /** The same of every cell of a frame that is split. */
  cellRefs: Int32Array;
  cellStamp: Int32Array;
  /** Edges whose resident part changed since the log was last taken, each before its new length; null when nobody listens. */
  changes: IntList | null = null;
  /** Prompt edge of a frame, -1 for generated blocks. */
  #edge = new Int32Array(FEW);
  /** Edges of a prompt are numbered in a row. */
  readonly #ofEdge = new RunMap();
  readonly #ofRequest = new Map<number, { owner: Generated; at: number }>();
  #count = 0;
  readonly #spare: number[] = [];

  constructor(blocksPerFrame: number) {
    this.blocksPerFrame = blocksPerFrame;
    this.cellRefs = new Int32Array(FEW * blocksPerFrame);
    this.cellStamp = new Int32Array(FEW * blocksPerFrame);
  }

  /** The frame of a prompt edge, -1 when nothing of it is resident. */
  of(edge: number): number {
    return this.#ofEdge.get(edge);
  }

  /** The frame of a prompt edge, an empty one when nothing of it is resident. */
  open(edge: number): number {
    let frame = this.#ofEdge.get(edge);
    if (frame < 0) this.#ofEdge.add(edge, frame = this.#new(edge));
    return frame;
  }

  /** The frame of a request's generated blocks number `at`, an empty one when there is none. */
  openGenerated(owner: Generated, at: number): number {
    let frame = owner.frames[at] ?? -1;
    if (frame < 0) {
      owner.frames[at] = frame = this.#new(-1);
      this.#ofRequest.set(frame, { owner, at });
    }
    return frame;
  }

  /** Gives a frame more resident blocks. */
  extend(frame: number, blocks: number): void {
    this.resident[frame] = blocks;
    this.#note(frame, blocks);
  }

  /** Leaves a frame its first `blocks` blocks; without any it is free for another edge. */
  shrink(frame: number, blocks: number): void {
    this.extend(frame, blocks);
    if (blocks > 0) return;
    const edge = this.#edge[frame];
    if (edge >= 0) {
      this.#ofEdge.delete(edge);
    } else {
      const { owner, at } = this.#ofRequest.get(frame)!;
      owner.frames[at] = -1;
      this.#ofRequest.delete(frame);
    }
    this.#spare.push(frame);
  }

  /** From here on the cells of a frame are counted one by one. */
  split(frame: number): void {
    if (this.isSplit[frame] === 1) return;
    this.isSplit[frame] = 1;
    const first = frame * this.blocksPerFrame, end = first + this.resident[frame];
    this.cellRefs.fill(this.refs[frame], first, end);
    this.cellStamp.fill(this.stamp[frame], first, end);
    this.cellStamp.fill(0, end, first + this.blocksPerFrame);
  }

  #new(edge: number): number {
    let frame = this.#spare.pop();
    if (frame === undefined) {
      frame = this.#count++;
      if (frame === this.resident.length) this.#grow();
    }
    this.#edge[frame] = edge;
    this.resident[frame] =
      this.refs[frame] =
      this.stamp[frame] =
      this.isSplit[frame] =
        0;
    return frame;
  }

  #grow(): void {
    this.#edge = longer(this.#edge);
    this.resident = longer(this.resident);
    this.refs = longer(this.refs);
    this.stamp = longer(this.stamp);
    this.isSplit = longer(this.isSplit);
    this.cellRefs = longer(this.cellRefs);
    this.cellStamp = longer(this.cellStamp);
  }

  static {
    // Columns are replaced once before code that reads them is compiled: see growing.ts.
    new Frames(1).#grow();
  }

  /** Notes the resident length of an edge; block after block of one edge is one change. */
  #note(frame: number, blocks: number): void {
    const { changes } = this, edge = this.#edge[frame];
    if (changes === null || edge < 0) return;
    const last = changes.count - 2;
    if (last >= 0 && changes.slots[last] === edge) {
      changes.slots[last + 1] = blocks;
      return;
    }
    changes.add(edge);
    changes.add(blocks);
  }
}
