/**
 * What is resident in a rank's KV block pool. A frame is the resident part of one prompt edge (see `prompt_index.ts`).
 * Within a rank a block is never resident without the one before it, so the resident blocks of an edge are always its
 * first ones.
 *
 * As long as everybody who holds a frame holds all of it, the frame is one unit: one count of holders, one place in the
 * eviction order. Only where somebody holds a part, or a block has a second copy, is it split into cells, one a block,
 * which are neighbours in two columns.
 *
 * @module
 */
import { FEW, longer, reaching } from "../../collections/growing.ts";
import type { IntList } from "../../collections/int_list.ts";
import { IntMap } from "../../collections/int_map.ts";
import { RunMap } from "../../collections/run_map.ts";

/** The generated blocks of a request that was preempted once; they belong to no prompt edge. */
export interface Generated {
  /** Frames, -1 where nothing is resident. */
  frames: number[];
  /** Blocks of the request's table below this one are in frames as far as it holds them. */
  done: number;
}

/**
 * Fields of a frame, which stand at the frame's number: its resident blocks; holders and place in the eviction order while
 * it is one unit, the place being 0 while somebody holds it; its first cell, -1 while it is one unit; its prompt edge, -1
 * for generated blocks.
 */
export const RESIDENT = 0, REFS = 1, STAMP = 2, CELL = 3, EDGE = 4;

/** Numbers a frame takes. */
const FIELDS = 5;

/** The frames of one rank. The number of a frame is where its fields begin. */
export class Frames {
  /** Blocks that a frame has at most. */
  readonly mostBlocks: number;
  fields = new Int32Array(FEW * FIELDS);
  /** Holders and place in the eviction order of every cell. */
  cellRefs: Int32Array;
  cellStamp: Int32Array;
  /** Edges whose resident part changed since the log was last taken, each before its new length; null when nobody listens. */
  changes: IntList | null = null;
  /** Edges of one block come in runs of neighbours, longer ones alone. */
  readonly #ofEdge: IntMap | RunMap;
  readonly #ofRequest = new Map<number, { owner: Generated; at: number }>();
  #used = 0;
  readonly #spare: number[] = [];
  /** Frames that are split, by number of their cells / `mostBlocks`. */
  #owners = new Int32Array(1);
  #split = 0;
  readonly #spareCells: number[] = [];

  constructor(mostBlocks: number) {
    this.mostBlocks = mostBlocks;
    this.#ofEdge = mostBlocks > 1 ? new IntMap() : new RunMap();
    this.cellRefs = new Int32Array(mostBlocks);
    this.cellStamp = new Int32Array(mostBlocks);
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
    this.fields[frame + RESIDENT] = blocks;
    if (this.changes !== null) this.#note(this.changes, this.fields[frame + EDGE], blocks);
  }

  /** Leaves a frame its first `blocks` blocks; without any it is free for another edge. */
  shrink(frame: number, blocks: number): void {
    this.extend(frame, blocks);
    if (blocks === 0) this.#close(frame);
  }

  /** From here on the blocks of a frame are counted one by one, in cells; returns the first. */
  split(frame: number): number {
    const { fields, mostBlocks } = this, cell = fields[frame + CELL];
    if (cell >= 0) return cell;
    const number = this.#spareCells.pop() ?? this.#split++, first = number * mostBlocks, end = first + mostBlocks;
    // Assigned in any case: see growing.ts.
    this.#owners = reaching(this.#owners, number);
    this.cellRefs = reaching(this.cellRefs, end - 1);
    this.cellStamp = reaching(this.cellStamp, end - 1);
    this.#owners[number] = frame;
    fields[frame + CELL] = first;
    const resident = first + fields[frame + RESIDENT];
    this.cellRefs.fill(fields[frame + REFS], first, resident);
    this.cellStamp.fill(fields[frame + STAMP], first, resident);
    // What its last owner left there must not look like a place in the eviction order.
    this.cellStamp.fill(0, resident, end);
    return first;
  }

  /** The frame that a cell belongs to. */
  ownerOf(cell: number): number {
    return this.#owners[Math.floor(cell / this.mostBlocks)];
  }

  #close(frame: number): void {
    const edge = this.fields[frame + EDGE], cell = this.fields[frame + CELL];
    if (edge >= 0) {
      this.#ofEdge.delete(edge);
    } else {
      const { owner, at } = this.#ofRequest.get(frame)!;
      owner.frames[at] = -1;
      this.#ofRequest.delete(frame);
    }
    if (cell >= 0) this.#spareCells.push(cell / this.mostBlocks);
    this.#spare.push(frame);
  }

  #new(edge: number): number {
    let frame = this.#spare.pop();
    if (frame === undefined) {
      frame = this.#used;
      this.#used += FIELDS;
      if (this.#used > this.fields.length) this.#grow();
    }
    const { fields } = this;
    fields[frame + RESIDENT] = fields[frame + REFS] = fields[frame + STAMP] = 0;
    fields[frame + CELL] = -1;
    fields[frame + EDGE] = edge;
    return frame;
  }

  #grow(): void {
    this.fields = longer(this.fields);
  }

  static {
    // Columns are replaced once before code that reads them is compiled: see growing.ts.
    const frames = new Frames(2);
    frames.#grow();
    frames.split(frames.open(0));
  }

  /** Notes the resident length of an edge; block after block of one edge is one change. */
  #note(changes: IntList, edge: number, blocks: number): void {
    if (edge < 0) return;
    const last = changes.count - 2;
    if (last >= 0 && changes.slots[last] === edge) {
      changes.slots[last + 1] = blocks;
      return;
    }
    changes.add(edge);
    changes.add(blocks);
  }
}
