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
import { Frames, type Generated } from "./frames.ts";

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
  readonly #perEdge: number;
  readonly #frames: Frames;
  readonly #copies = new Copies();
  readonly #order: EvictionOrder;
  /** Stamp of the last release. */
  #clock = 0;
  /** By slot: where its path starts in the prompt index, and how many blocks of it are known contents. */
  #pathStart = new Int32Array(FEW);
  #known = new Int32Array(FEW);
  readonly #generated = new Map<number, Generated>();

  constructor(capacity: number, index: PromptIndex, caching: boolean) {
    this.capacity = capacity;
    this.free = capacity;
    this.#index = index;
    this.#caching = caching;
    this.#perEdge = index.blocksPerEdge;
    this.#frames = new Frames(this.#perEdge);
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
    this.#pathStart = reaching(this.#pathStart, slot);
    this.#known = reaching(this.#known, slot);
    this.#pathStart[slot] = this.#index.start[request];
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
    const perEdge = this.#perEdge, known = Math.min(blocks, this.#known[slot]);
    const frames = this.#frames, edges = this.#index.edges, refs = frames.cellRefs;
    let overlap = 0, active = 0;
    for (let at = this.#pathStart[slot]; overlap < known; at++) {
      const frame = frames.of(edges[at]);
      if (frame < 0) break;
      const wanted = Math.min(perEdge, known - overlap), take = Math.min(wanted, frames.resident[frame]);
      if (frames.isSplit[frame] === 0) {
        if (frames.refs[frame] > 0) active += take;
      } else {
        for (let cell = frame * perEdge, end = cell + take; cell < end; cell++) if (refs[cell] > 0) active++;
      }
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
    const perEdge = this.#perEdge, known = this.#known[slot], frames = this.#frames;
    const edges = this.#index.edges, end = Math.min(to, known);
    const step = Math.floor(from / perEdge);
    let block = from, first = step * perEdge;
    for (let at = this.#pathStart[slot] + step; block < end; at++, first += perEdge) {
      const frame = frames.open(edges[at]), resident = frames.resident[frame], next = Math.min(first + perEdge, end);
      if (resident !== block - first) {
        for (let b = block; b < next; b++) this.#complete(slot, b, frame, b - first);
      } else if (frames.isSplit[frame] === 0 && (resident === 0 || frames.refs[frame] === 1)) {
        frames.refs[frame] = 1;
        frames.stamp[frame] = 0;
        frames.extend(frame, next - first);
      } else {
        frames.split(frame);
        const cell = frame * perEdge;
        frames.cellRefs.fill(1, cell + resident, cell + next - first);
        frames.cellStamp.fill(0, cell + resident, cell + next - first);
        frames.extend(frame, next - first);
      }
      block = next;
    }
    if (block < to && this.#generated.size > 0) this.#finaliseGenerated(slot, to);
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
    const known = this.#known[slot], perEdge = this.#perEdge, stamp = ++this.#clock;
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
    const blocks = Math.min(complete, known), edges = this.#index.edges, start = this.#pathStart[slot];
    const frames = this.#frames, refs = frames.cellRefs, stamps = frames.cellStamp;
    let freed = 0;
    for (
      let step = Math.ceil(blocks / perEdge) - 1, top = blocks - step * perEdge - 1;
      step >= 0;
      step--, top = perEdge - 1
    ) {
      const frame = frames.of(edges[start + step]), first = frame * perEdge;
      if (frames.isSplit[frame] === 0) {
        if (frames.resident[frame] === top + 1) {
          if (--frames.refs[frame] === 0) {
            frames.stamp[frame] = stamp;
            freed += top + 1;
            this.#order.append(frame, 0, top, stamp);
          }
          continue;
        }
        frames.split(frame);
      }
      let high = -1;
      for (let at = top; at >= 0; at--) {
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
    }
    this.inactive += freed;
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
    return frame < 0 ? 0 : this.#frames.resident[frame];
  }

  // Cells and copies.

  #cellOf(slot: number, block: number): number {
    const known = this.#known[slot], perEdge = this.#perEdge;
    if (block >= known) return this.#generatedCell(slot, block - known);
    const step = Math.floor(block / perEdge);
    const frame = this.#frames.of(this.#index.edges[this.#pathStart[slot] + step]);
    return frame * perEdge + block - step * perEdge;
  }

  #generatedCell(slot: number, ordinal: number): number {
    const generated = this.#generated.get(slot);
    if (generated === undefined) return -1;
    const step = Math.floor(ordinal / this.#perEdge), at = ordinal - step * this.#perEdge;
    const frame = generated.frames[step] ?? -1;
    return frame < 0 || this.#frames.resident[frame] <= at ? -1 : frame * this.#perEdge + at;
  }

  /** Puts the generated blocks below `to` into frames, for a slot that was preempted once. */
  #finaliseGenerated(slot: number, to: number): void {
    const generated = this.#generated.get(slot);
    if (generated === undefined) return;
    for (; generated.done < to; generated.done++) {
      const ordinal = generated.done - this.#known[slot], step = Math.floor(ordinal / this.#perEdge);
      const frame = this.#frames.openGenerated(generated, step);
      this.#complete(slot, generated.done, frame, ordinal - step * this.#perEdge);
    }
  }

  /** One block of a frame gets content: the frame's next one, or a further copy of one that is resident. */
  #complete(slot: number, block: number, frame: number, at: number): void {
    const frames = this.#frames, cell = frame * this.#perEdge + at;
    frames.split(frame);
    if (frames.resident[frame] === at) {
      frames.cellRefs[cell] = 1;
      frames.cellStamp[cell] = 0;
      frames.extend(frame, at + 1);
    } else {
      this.#copies.add(slot, block, cell);
    }
  }

  #releaseOne(slot: number, block: number, stamp: number): void {
    if (block >= this.#known[slot] && !this.#generated.has(slot)) {
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
    const cell = copy === undefined ? this.#cellOf(slot, block) : copy.cell;
    const frame = Math.floor(cell / this.#perEdge), at = cell - frame * this.#perEdge;
    this.#frames.split(frame);
    if (--this.#frames.cellRefs[cell] === 0) {
      this.#frames.cellStamp[cell] = stamp;
      this.#order.append(frame, at, at, stamp);
      this.inactive++;
    }
  }

  #hold(slot: number, blocks: number): void {
    const frames = this.#frames,
      perEdge = this.#perEdge,
      refs = frames.cellRefs,
      known = Math.min(blocks, this.#known[slot]);
    let block = 0, reclaimed = 0;
    for (let at = this.#pathStart[slot]; block < known; at++) {
      const frame = frames.of(this.#index.edges[at]), end = Math.min(block + perEdge, known);
      if (frames.isSplit[frame] === 0) {
        if (frames.resident[frame] === end - block) {
          if (frames.refs[frame]++ === 0) {
            frames.stamp[frame] = 0;
            reclaimed += end - block;
          }
          block = end;
          continue;
        }
        frames.split(frame);
      }
      for (let cell = frame * perEdge; block < end; block++, cell++) {
        if (refs[cell]++ === 0) {
          frames.cellStamp[cell] = 0;
          reclaimed++;
        }
      }
    }
    if (block < blocks) this.#generated.get(slot)!.done = blocks;
    for (; block < blocks; block++) {
      const cell = this.#generatedCell(slot, block - known);
      if (refs[cell]++ === 0) {
        frames.cellStamp[cell] = 0;
        reclaimed++;
      }
    }
    this.inactive -= reclaimed;
  }

  #evict(blocks: number): void {
    this.inactive -= blocks;
    this.#order.evict(blocks);
  }

  #inactiveAmong(slot: number, blocks: number): number {
    let inactive = 0;
    for (let block = 0; block < blocks; block++) {
      const cell = this.#cellOf(slot, block), frame = Math.floor(cell / this.#perEdge);
      if ((this.#frames.isSplit[frame] === 0 ? this.#frames.refs[frame] : this.#frames.cellRefs[cell]) === 0) {
        inactive++;
      }
    }
    return inactive;
  }
}
