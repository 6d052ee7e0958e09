/**
 * The KV block pool of one rank with prefix caching: which blocks are free, which are held, which are cached and wait
 * in least-recently-used order to be evicted.
 *
 * Blocks are counted, not numbered. What has content lives in frames (`frames.ts`). Blocks completed by generated tokens
 * belong to nobody else: they are anonymous until their request is preempted, when they get frames of their own so that
 * it can find them again. An identity can have several physical copies: the first is the cell of a frame, the others
 * stand in `copies.ts` until the first goes.
 *
 * @module
 */
import { FEW, reaching } from "../../collections/growing.ts";
import type { IntList } from "../../collections/int_list.ts";
import type { PromptIndex } from "../prompt_index.ts";
import { Copies } from "./copies.ts";
import { ANONYMOUS, COPY, EvictionOrder } from "./eviction_order.ts";
import { CELL, Frames, type Generated, REFS, RESIDENT, STAMP } from "./frames.ts";

/** Counts and contents of one rank's KV blocks. Slots are the rank's numbers for the requests it owns. */
export class BlockPool {
  readonly capacity: number;
  /** Blocks without content. */
  free: number;
  /** Cached blocks nobody holds, evictable. */
  inactive = 0;
  /** Result of the last `lookup`: leading resident blocks, and how many of them are held by somebody. */
  overlap = 0;
  activeHits = 0;
  readonly #index: PromptIndex;
  readonly #caching: boolean;
  readonly #frames: Frames;
  readonly #copies = new Copies();
  readonly #order: EvictionOrder;
  /** Stamp of the last release. */
  #clock = 0;
  /** By slot: its request, and how many blocks of its path in the prompt index are known contents. */
  #request = new Int32Array(FEW);
  #known = new Int32Array(FEW);
  readonly #generated = new Map<number, Generated>();

  constructor(capacity: number, index: PromptIndex, caching: boolean) {
    this.capacity = capacity;
    this.free = capacity;
    this.#index = index;
    this.#caching = caching;
    this.#frames = new Frames(index.mostBlocks);
    this.#order = new EvictionOrder(this.#frames, this.#copies);
  }

  /** Blocks somebody holds. */
  get active(): number {
    return this.capacity - this.free - this.inactive;
  }

  /** Blocks that can be had without taking any from a request. */
  get available(): number {
    return this.free + this.inactive;
  }

  /** Whether some identity is resident more than once. */
  get hasCopies(): boolean {
    return this.#copies.any;
  }

  /** Edges whose resident part changed since the log was last taken, each before its new length; null when nobody listens. */
  get changes(): IntList | null {
    return this.#frames.changes;
  }

  set changes(changes: IntList | null) {
    this.#frames.changes = changes;
  }

  /** Gives a slot the prompt of a request. */
  open(slot: number, request: number): void {
    // Assigned in any case: see growing.ts.
    this.#request = reaching(this.#request, slot);
    this.#known = reaching(this.#known, slot);
    this.#request[slot] = request;
    this.#known[slot] = this.#caching ? this.#index.knownBlocks(request) : 0;
  }

  /** Forgets a slot that holds nothing. */
  close(slot: number): void {
    if (this.#generated.size > 0) this.#generated.delete(slot);
  }

  /** Finds how many of the slot's first `blocks` blocks are resident; sets `overlap` and `activeHits`. */
  lookup(slot: number, blocks: number): void {
    this.overlap = 0;
    this.activeHits = 0;
    if (!this.#caching) return;
    const index = this.#index, { edges, edgeBlocks } = index, known = Math.min(blocks, this.#known[slot]);
    const frames = this.#frames, fields = frames.fields, refs = frames.cellRefs;
    let overlap = 0, active = 0;
    for (let at = index.start[this.#request[slot]]; overlap < known; at++) {
      const edge = edges[at], frame = frames.of(edge);
      if (frame < 0) break;
      const wanted = Math.min(edgeBlocks[edge], known - overlap), take = Math.min(wanted, fields[frame + RESIDENT]);
      const first = fields[frame + CELL];
      if (first >= 0) {
        for (let cell = first, end = cell + take; cell < end; cell++) if (refs[cell] > 0) active++;
      } else if (fields[frame + REFS] > 0) active += take;
      overlap += take;
      if (take < wanted) break;
    }
    if (overlap === known && blocks > known) {
      for (; overlap < blocks; overlap++) {
        const cell = this.#generatedCell(slot, overlap - known);
        if (cell < 0) break;
        if (refs[cell] > 0) active++;
      }
    }
    this.overlap = overlap;
    this.activeHits = active;
  }

  /**
   * Takes blocks for a slot, all or nothing: its first `hits` blocks by holding the resident ones, and `fresh` ones
   * without content, evicting what was released longest ago where free blocks do not suffice.
   */
  allocate(slot: number, hits: number, fresh: number): boolean {
    const evictions = fresh - this.free;
    if (evictions > 0) {
      if (evictions > this.inactive) return false;
      if (hits > 0 && evictions > this.inactive - hits && evictions > this.inactive - this.#inactiveAmong(slot, hits)) {
        return false;
      }
    }
    if (hits > 0) this.#hold(slot, hits);
    this.take(fresh);
    return true;
  }

  /** Takes `fresh` blocks that are known to be available. */
  take(fresh: number): void {
    // Without a branch: code in which it was never taken would be compiled anew, callers included, when the pool is full.
    const free = Math.min(fresh, this.free);
    this.free -= free;
    this.#evict(fresh - free);
  }

  /** The slot's blocks `from .. to - 1`, which it holds without content so far, are complete: others may reuse them. */
  finalise(slot: number, from: number, to: number): void {
    if (!this.#caching) return;
    const known = this.#known[slot], end = Math.min(to, known);
    if (from < end) this.#finaliseKnown(slot, from, end);
    if (known < to && this.#generated.size > 0) this.#finaliseGenerated(slot, to);
  }

  #finaliseKnown(slot: number, from: number, to: number): void {
    const index = this.#index, frames = this.#frames, { edges, edgeBlocks } = index;
    let at = index.locate(this.#request[slot], from), first = index.firstBlock;
    for (let block = from; block < to; at++) {
      const edge = edges[at], frame = frames.open(edge), fields = frames.fields, resident = fields[frame + RESIDENT];
      const end = first + edgeBlocks[edge], next = Math.min(end, to);
      if (resident !== block - first) {
        for (let b = block; b < next; b++) this.#complete(slot, b, frame, b - first);
      } else if (fields[frame + CELL] < 0 && (resident === 0 || fields[frame + REFS] === 1)) {
        fields[frame + REFS] = 1;
        fields[frame + STAMP] = 0;
        frames.extend(frame, next - first);
      } else {
        const cell = frames.split(frame);
        frames.cellRefs.fill(1, cell + resident, cell + next - first);
        frames.cellStamp.fill(0, cell + resident, cell + next - first);
        frames.extend(frame, next - first);
      }
      block = next;
      first = end;
    }
  }

  /**
   * Returns what a slot holds: its blocks `0 .. held - 1`, of which the first `complete` are finalised. The last block
   * goes first, so that a prompt's tail is evicted before its head.
   */
  release(slot: number, held: number, complete: number): void {
    if (!this.#caching) {
      this.free += held;
      return;
    }
    this.free += held - complete;
    const known = this.#known[slot], stamp = ++this.#clock;
    const generated = this.#generated.size > 0 ? this.#generated.get(slot) : undefined;
    if (generated !== undefined) this.#finaliseGenerated(slot, complete);
    if (generated !== undefined || this.#copies.heldBy(slot)) {
      for (let block = complete - 1; block >= 0; block--) this.#releaseOne(slot, block, stamp);
      if (generated !== undefined) generated.done = known;
      this.#copies.forget(slot);
      return;
    }
    if (complete > known) {
      this.#order.append(ANONYMOUS, 0, complete - known, stamp);
      this.inactive += complete - known;
    }
    const blocks = Math.min(complete, known);
    if (blocks > 0) this.inactive += this.#releaseKnown(slot, blocks, stamp);
  }

  /** Releases a slot's first `blocks` blocks, of known content and without copies; returns how many nobody holds any more. */
  #releaseKnown(slot: number, blocks: number, stamp: number): number {
    const index = this.#index, frames = this.#frames, fields = frames.fields, { edges, edgeBlocks } = index;
    let at = index.locate(this.#request[slot], blocks - 1), first = index.firstBlock, top = blocks - first, freed = 0;
    for (;;) {
      const frame = frames.of(edges[at]);
      if (fields[frame + CELL] < 0 && fields[frame + RESIDENT] === top) {
        if (--fields[frame + REFS] === 0) {
          fields[frame + STAMP] = stamp;
          freed += top;
          this.#order.append(frame, 0, top - 1, stamp);
        }
      } else {
        freed += this.#releaseCells(frame, top, stamp);
      }
      if (first === 0) return freed;
      top = edgeBlocks[edges[--at]];
      first -= top;
    }
  }

  /** Releases the first `blocks` blocks of a frame one by one. */
  #releaseCells(frame: number, blocks: number, stamp: number): number {
    const frames = this.#frames, first = frames.split(frame), refs = frames.cellRefs, stamps = frames.cellStamp;
    let freed = 0, high = -1;
    for (let at = blocks - 1; at >= 0; at--) {
      if (--refs[first + at] === 0) {
        stamps[first + at] = stamp;
        freed++;
        if (high < 0) high = at;
      } else if (high >= 0) {
        this.#order.append(frame, at + 1, high, stamp);
        high = -1;
      }
    }
    if (high >= 0) this.#order.append(frame, 0, high, stamp);
    return freed;
  }

  /** Before a preempted slot is released: its complete generated blocks get frames, so that it can find them again. */
  rememberGenerated(slot: number, complete: number): void {
    if (!this.#caching || complete <= this.#known[slot] || this.#generated.has(slot)) return;
    this.#generated.set(slot, { frames: [], done: this.#known[slot] });
    this.#finaliseGenerated(slot, complete);
  }

  /** Resident blocks of a prompt edge. */
  residentOn(edge: number): number {
    const frame = this.#frames.of(edge);
    return frame < 0 ? 0 : this.#frames.fields[frame + RESIDENT];
  }

  // Cells and copies.

  #generatedCell(slot: number, ordinal: number): number {
    const frames = this.#frames, generated = this.#generated.get(slot);
    if (generated === undefined) return -1;
    const step = Math.floor(ordinal / frames.mostBlocks), at = ordinal - step * frames.mostBlocks;
    const frame = generated.frames[step] ?? -1;
    return frame < 0 || frames.fields[frame + RESIDENT] <= at ? -1 : frames.fields[frame + CELL] + at;
  }

  /** Puts the generated blocks below `to` into frames, for a slot that was preempted once. */
  #finaliseGenerated(slot: number, to: number): void {
    const generated = this.#generated.get(slot), { mostBlocks } = this.#frames;
    if (generated === undefined) return;
    for (; generated.done < to; generated.done++) {
      const ordinal = generated.done - this.#known[slot], step = Math.floor(ordinal / mostBlocks);
      const frame = this.#frames.openGenerated(generated, step);
      this.#complete(slot, generated.done, frame, ordinal - step * mostBlocks);
    }
  }

  /** One block of a frame gets content: the frame's next one, or a further copy of one that is resident. */
  #complete(slot: number, block: number, frame: number, at: number): void {
    const frames = this.#frames, cell = frames.split(frame) + at;
    if (frames.fields[frame + RESIDENT] === at) {
      frames.cellRefs[cell] = 1;
      frames.cellStamp[cell] = 0;
      frames.extend(frame, at + 1);
    } else {
      this.#copies.add(slot, block, cell);
    }
  }

  #releaseOne(slot: number, block: number, stamp: number): void {
    const known = this.#known[slot], frames = this.#frames;
    if (block >= known && !this.#generated.has(slot)) {
      this.#order.append(ANONYMOUS, 0, 1, stamp);
      this.inactive++;
      return;
    }
    const copy = this.#copies.held(slot, block);
    if (copy !== undefined && !copy.promoted) {
      this.#order.append(COPY, this.#copies.release(copy, stamp), 0, stamp);
      this.inactive++;
      return;
    }
    let cell: number;
    if (copy !== undefined) {
      cell = copy.cell;
    } else if (block >= known) {
      cell = this.#generatedCell(slot, block - known);
    } else {
      const index = this.#index, at = index.locate(this.#request[slot], block);
      cell = frames.split(frames.of(index.edges[at])) + block - index.firstBlock;
    }
    if (--frames.cellRefs[cell] === 0) {
      const frame = frames.ownerOf(cell), at = cell - frames.fields[frame + CELL];
      frames.cellStamp[cell] = stamp;
      this.#order.append(frame, at, at, stamp);
      this.inactive++;
    }
  }

  #hold(slot: number, blocks: number): void {
    const index = this.#index, frames = this.#frames, fields = frames.fields, { edges, edgeBlocks } = index;
    const known = Math.min(blocks, this.#known[slot]);
    let block = 0, reclaimed = 0;
    for (let at = index.start[this.#request[slot]]; block < known; at++) {
      const edge = edges[at], frame = frames.of(edge), held = Math.min(edgeBlocks[edge], known - block);
      if (fields[frame + CELL] < 0 && fields[frame + RESIDENT] === held) {
        if (fields[frame + REFS]++ === 0) {
          fields[frame + STAMP] = 0;
          reclaimed += held;
        }
      } else {
        const cell = frames.split(frame);
        for (let at = cell; at < cell + held; at++) reclaimed += this.#holdCell(at);
      }
      block += held;
    }
    if (block < blocks) this.#generated.get(slot)!.done = blocks;
    for (; block < blocks; block++) reclaimed += this.#holdCell(this.#generatedCell(slot, block - known));
    this.inactive -= reclaimed;
  }

  /** Holds a cell once more; returns how many blocks nobody held before. */
  #holdCell(cell: number): number {
    const frames = this.#frames;
    if (frames.cellRefs[cell]++ > 0) return 0;
    frames.cellStamp[cell] = 0;
    return 1;
  }

  #evict(blocks: number): void {
    this.inactive -= blocks;
    this.#order.evict(blocks);
  }

  /** How many of a slot's first `blocks` blocks, all of them resident, nobody holds. */
  #inactiveAmong(slot: number, blocks: number): number {
    const index = this.#index, frames = this.#frames, { fields, cellRefs } = frames, { edges, edgeBlocks } = index;
    const known = Math.min(blocks, this.#known[slot]);
    let block = 0, inactive = 0;
    for (let at = index.start[this.#request[slot]]; block < known; at++) {
      const edge = edges[at], frame = frames.of(edge), cell = fields[frame + CELL];
      const wanted = Math.min(edgeBlocks[edge], known - block);
      if (cell >= 0) {
        for (let at = cell; at < cell + wanted; at++) if (cellRefs[at] === 0) inactive++;
      } else if (fields[frame + REFS] === 0) inactive += wanted;
      block += wanted;
    }
    for (; block < blocks; block++) if (cellRefs[this.#generatedCell(slot, block - known)] === 0) inactive++;
    return inactive;
  }
}
