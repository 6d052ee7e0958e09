/**
 * The KV block pool of one rank with prefix caching: which blocks are free, which are held, which are cached and wait
 * in least-recently-used order to be evicted.
 *
 * Blocks are counted, not numbered. What has content lives in frames: a frame is the resident part of one prompt edge
 * (see `prompt_index.ts`), and its blocks are neighbours in the arrays ("cells"), so holding, releasing and evicting a
 * long prompt walks memory in order. Within a rank a block is never resident without the one before it, so the resident
 * blocks of an edge are always its first ones. Blocks completed by generated tokens belong to nobody else: they are
 * anonymous until their request is preempted, when they get frames of their own so that it can find them again.
 *
 * As long as everybody who holds a frame holds all of it, the frame is one unit: one count of holders, one place in the
 * eviction order. Only where somebody holds a part, or a block has a second copy, is it split into its cells.
 *
 * An identity can have several physical copies (a block recomputed although cached). The first is the cell itself, the
 * others stand in `Copy` objects until the first goes.
 *
 * @module
 */
import { IntMap } from "../../collections/int_map.ts";
import type { PromptIndex } from "../prompt_index.ts";

/** A further copy of a block that is resident already. */
interface Copy {
  cell: number;
  refs: number;
  /** Stamp of its place in the eviction order; 0 while held. */
  stamp: number;
  /** The earlier copies are gone: this one is the cell now. */
  promoted: boolean;
}

/** The generated blocks of a request that was preempted once. */
interface Generated {
  /** Frames, -1 where nothing is resident. */
  frames: number[];
  /** Blocks of the request's table below this one are in frames as far as it holds them. */
  done: number;
}

const ANONYMOUS = -1;
const COPY = -2;

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
  /** Edges whose resident part changed since the log was last taken, with the new length; null when nobody listens. */
  changes: number[] | null = null;

  readonly #index: PromptIndex;
  readonly #caching: boolean;
  readonly #perEdge: number;
  readonly #frameOf = new IntMap();
  #edge = new Int32Array(64);
  #resident = new Int32Array(64);
  /** Holders and place in the eviction order of a frame that is one unit. */
  #frameRefs = new Int32Array(64);
  #frameStamp = new Int32Array(64);
  /** 1 where the cells are counted one by one. */
  #split = new Uint8Array(64);
  #refs: Int32Array;
  #stamp: Int32Array;
  #frames = 0;
  #spareFrames: number[] = [];
  #clock = 0;

  #pathStart = new Int32Array(64);
  #known = new Int32Array(64);
  readonly #generated = new Map<number, Generated>();
  readonly #generatedFrames = new Map<number, { owner: Generated; at: number }>();
  readonly #copies = new Map<number, Copy[]>();
  readonly #heldCopies = new Map<number, Map<number, Copy>>();
  readonly #copyById = new Map<number, Copy>();
  #nextCopy = 0;

  // The eviction order: entries are (frame, lowest, highest cell of it, stamp), oldest first. A cell whose stamp is not
  // the entry's has been held again since and is skipped.
  #lruFrame = new Int32Array(256);
  #lruLow = new Int32Array(256);
  #lruHigh = new Int32Array(256);
  #lruStamp = new Int32Array(256);
  #lruMask = 255;
  #lruHead = 0;
  #lruTail = 0;

  constructor(capacity: number, index: PromptIndex, caching: boolean) {
    this.capacity = capacity;
    this.free = capacity;
    this.#index = index;
    this.#caching = caching;
    this.#perEdge = index.blocksPerEdge;
    this.#refs = new Int32Array(64 * this.#perEdge);
    this.#stamp = new Int32Array(64 * this.#perEdge);
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
    return this.#copies.size > 0;
  }

  /** Gives a slot the prompt of a request. */
  open(slot: number, request: number): void {
    if (slot >= this.#pathStart.length) {
      this.#pathStart = grown(this.#pathStart);
      this.#known = grown(this.#known);
    }
    this.#pathStart[slot] = this.#index.start[request];
    this.#known[slot] = this.#caching ? this.#index.knownBlocks[request] : 0;
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
    const edges = this.#index.edges, refs = this.#refs;
    let overlap = 0, active = 0;
    for (let at = this.#pathStart[slot]; overlap < known; at++) {
      const frame = this.#frameOf.get(edges[at]);
      if (frame < 0) break;
      const wanted = Math.min(perEdge, known - overlap), take = Math.min(wanted, this.#resident[frame]);
      if (this.#split[frame] === 0) {
        if (this.#frameRefs[frame] > 0) active += take;
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
    if (evictions > 0) {
      this.#evict(evictions);
      this.free = 0;
    } else {
      this.free -= fresh;
    }
    return true;
  }

  /** Takes `fresh` blocks that are known to be available. */
  take(fresh: number): void {
    if (fresh <= this.free) {
      this.free -= fresh;
    } else {
      this.#evict(fresh - this.free);
      this.free = 0;
    }
  }

  /** The slot's blocks `from .. to - 1`, which it holds without content so far, are complete: others may reuse them. */
  finalise(slot: number, from: number, to: number): void {
    if (!this.#caching) return;
    const perEdge = this.#perEdge, known = this.#known[slot];
    let block = from;
    while (block < to && block < known) {
      const step = Math.floor(block / perEdge), edge = this.#index.edges[this.#pathStart[slot] + step];
      const first = step * perEdge, end = Math.min(first + perEdge, to, known);
      let frame = this.#frameOf.get(edge);
      if (frame < 0) {
        frame = this.#newFrame(edge);
        this.#frameOf.add(edge, frame);
      }
      const resident = this.#resident[frame];
      if (resident === block - first && this.#split[frame] === 0 && (resident === 0 || this.#frameRefs[frame] === 1)) {
        this.#frameRefs[frame] = 1;
        this.#frameStamp[frame] = 0;
        this.#resident[frame] = end - first;
        if (this.changes !== null) this.#note(this.changes, edge, end - first);
      } else if (resident === block - first) {
        this.#splitUp(frame);
        for (let cell = frame * perEdge + block - first, last = frame * perEdge + end - first; cell < last; cell++) {
          this.#refs[cell] = 1;
          this.#stamp[cell] = 0;
        }
        this.#resident[frame] = end - first;
        if (this.changes !== null) this.#note(this.changes, edge, end - first);
      } else {
        for (let b = block; b < end; b++) this.#complete(slot, b, frame, b - first);
      }
      block = end;
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
    if (generated !== undefined || this.#heldCopies.size > 0 && this.#heldCopies.has(slot)) {
      for (let block = complete - 1; block >= 0; block--) this.#releaseOne(slot, block, stamp);
      if (generated !== undefined) generated.done = known;
      this.#heldCopies.delete(slot);
      return;
    }
    if (complete > known) {
      this.#append(ANONYMOUS, 0, complete - known, stamp);
      this.inactive += complete - known;
    }
    const blocks = Math.min(complete, known), edges = this.#index.edges, start = this.#pathStart[slot];
    const refs = this.#refs, stamps = this.#stamp;
    let freed = 0;
    for (
      let step = Math.ceil(blocks / perEdge) - 1, top = blocks - step * perEdge - 1;
      step >= 0;
      step--, top = perEdge - 1
    ) {
      const frame = this.#frameOf.get(edges[start + step]), first = frame * perEdge;
      if (this.#split[frame] === 0) {
        if (this.#resident[frame] === top + 1) {
          if (--this.#frameRefs[frame] === 0) {
            this.#frameStamp[frame] = stamp;
            freed += top + 1;
            this.#append(frame, 0, top, stamp);
          }
          continue;
        }
        this.#splitUp(frame);
      }
      let high = -1;
      for (let at = top; at >= 0; at--) {
        if (--refs[first + at] === 0) {
          stamps[first + at] = stamp;
          freed++;
          if (high < 0) high = at;
        } else if (high >= 0) {
          this.#append(frame, at + 1, high, stamp);
          high = -1;
        }
      }
      if (high >= 0) this.#append(frame, 0, high, stamp);
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
    const frame = this.#frameOf.get(edge);
    return frame < 0 ? 0 : this.#resident[frame];
  }

  // Cells and copies.

  #cellOf(slot: number, block: number): number {
    const known = this.#known[slot], perEdge = this.#perEdge;
    if (block >= known) return this.#generatedCell(slot, block - known);
    const step = Math.floor(block / perEdge);
    const frame = this.#frameOf.get(this.#index.edges[this.#pathStart[slot] + step]);
    return frame * perEdge + block - step * perEdge;
  }

  #generatedCell(slot: number, ordinal: number): number {
    const generated = this.#generated.get(slot);
    if (generated === undefined) return -1;
    const step = Math.floor(ordinal / this.#perEdge), at = ordinal - step * this.#perEdge;
    const frame = generated.frames[step] ?? -1;
    return frame < 0 || this.#resident[frame] <= at ? -1 : frame * this.#perEdge + at;
  }

  /** Puts the generated blocks below `to` into frames, for a slot that was preempted once. */
  #finaliseGenerated(slot: number, to: number): void {
    const generated = this.#generated.get(slot);
    if (generated === undefined) return;
    for (; generated.done < to; generated.done++) {
      const ordinal = generated.done - this.#known[slot], step = Math.floor(ordinal / this.#perEdge);
      let frame = generated.frames[step] ?? -1;
      if (frame < 0) {
        frame = this.#newFrame(-1);
        generated.frames[step] = frame;
        this.#generatedFrames.set(frame, { owner: generated, at: step });
      }
      this.#complete(slot, generated.done, frame, ordinal - step * this.#perEdge);
    }
  }

  /** One block of a frame gets content: the frame's next one, or a further copy of one that is resident. */
  #complete(slot: number, block: number, frame: number, at: number): void {
    this.#splitUp(frame);
    const cell = frame * this.#perEdge + at;
    if (this.#resident[frame] === at) {
      this.#resident[frame] = at + 1;
      this.#refs[cell] = 1;
      this.#stamp[cell] = 0;
      if (this.changes !== null && this.#edge[frame] >= 0) this.#note(this.changes, this.#edge[frame], at + 1);
      return;
    }
    const copy: Copy = { cell, refs: 1, stamp: 0, promoted: false };
    const others = this.#copies.get(cell);
    if (others === undefined) this.#copies.set(cell, [copy]);
    else others.push(copy);
    let held = this.#heldCopies.get(slot);
    if (held === undefined) this.#heldCopies.set(slot, held = new Map());
    held.set(block, copy);
  }

  #releaseOne(slot: number, block: number, stamp: number): void {
    if (block >= this.#known[slot] && !this.#generated.has(slot)) {
      this.#append(ANONYMOUS, 0, 1, stamp);
      this.inactive++;
      return;
    }
    const copy = this.#heldCopies.get(slot)?.get(block);
    if (copy !== undefined && !copy.promoted) {
      copy.refs = 0;
      copy.stamp = stamp;
      const id = this.#nextCopy++;
      this.#copyById.set(id, copy);
      this.#append(COPY, id, 0, stamp);
      this.inactive++;
      return;
    }
    const cell = copy === undefined ? this.#cellOf(slot, block) : copy.cell;
    const frame = Math.floor(cell / this.#perEdge), at = cell - frame * this.#perEdge;
    this.#splitUp(frame);
    if (--this.#refs[cell] === 0) {
      this.#stamp[cell] = stamp;
      this.#append(frame, at, at, stamp);
      this.inactive++;
    }
  }

  #hold(slot: number, blocks: number): void {
    const perEdge = this.#perEdge, refs = this.#refs, known = Math.min(blocks, this.#known[slot]);
    let block = 0, reclaimed = 0;
    for (let at = this.#pathStart[slot]; block < known; at++) {
      const frame = this.#frameOf.get(this.#index.edges[at]), end = Math.min(block + perEdge, known);
      if (this.#split[frame] === 0) {
        if (this.#resident[frame] === end - block) {
          if (this.#frameRefs[frame]++ === 0) {
            this.#frameStamp[frame] = 0;
            reclaimed += end - block;
          }
          block = end;
          continue;
        }
        this.#splitUp(frame);
      }
      for (let cell = frame * perEdge; block < end; block++, cell++) {
        if (refs[cell]++ === 0) {
          this.#stamp[cell] = 0;
          reclaimed++;
        }
      }
    }
    if (block < blocks) this.#generated.get(slot)!.done = blocks;
    for (; block < blocks; block++) {
      const cell = this.#generatedCell(slot, block - known);
      if (refs[cell]++ === 0) {
        this.#stamp[cell] = 0;
        reclaimed++;
      }
    }
    this.inactive -= reclaimed;
  }

  #inactiveAmong(slot: number, blocks: number): number {
    let inactive = 0;
    for (let block = 0; block < blocks; block++) {
      const cell = this.#cellOf(slot, block), frame = Math.floor(cell / this.#perEdge);
      if ((this.#split[frame] === 0 ? this.#frameRefs[frame] : this.#refs[cell]) === 0) inactive++;
    }
    return inactive;
  }

  // Eviction.

  #evict(count: number): void {
    this.inactive -= count;
    while (count > 0) {
      const at = this.#lruHead & this.#lruMask, frame = this.#lruFrame[at];
      if (frame >= 0 && this.#split[frame] === 0) {
        if (this.#frameStamp[frame] !== this.#lruStamp[at]) {
          this.#lruHead++;
          continue;
        }
        const blocks = this.#lruHigh[at] + 1, taken = Math.min(count, blocks);
        count -= taken;
        this.#shrink(frame, blocks - taken);
        if (taken === blocks) this.#lruHead++;
        else this.#lruHigh[at] = blocks - taken - 1;
      } else if (frame >= 0) {
        const stamp = this.#lruStamp[at], low = this.#lruLow[at], first = frame * this.#perEdge;
        let high = this.#lruHigh[at];
        for (; high >= low && count > 0; high--) {
          if (this.#stamp[first + high] !== stamp) continue;
          this.#evictCell(frame, high);
          count--;
        }
        if (high < low) this.#lruHead++;
        else this.#lruHigh[at] = high;
      } else if (frame === ANONYMOUS) {
        const taken = Math.min(count, this.#lruHigh[at]);
        this.#lruHigh[at] -= taken;
        count -= taken;
        if (this.#lruHigh[at] === 0) this.#lruHead++;
      } else {
        const copy = this.#copyById.get(this.#lruLow[at])!, stamp = this.#lruStamp[at];
        this.#copyById.delete(this.#lruLow[at]);
        this.#lruHead++;
        if (copy.promoted) {
          if (this.#stamp[copy.cell] !== stamp) continue;
          const owner = Math.floor(copy.cell / this.#perEdge);
          this.#evictCell(owner, copy.cell - owner * this.#perEdge);
        } else {
          const others = this.#copies.get(copy.cell)!;
          others.splice(others.indexOf(copy), 1);
          if (others.length === 0) this.#copies.delete(copy.cell);
        }
        count--;
      }
    }
  }

  #evictCell(frame: number, at: number): void {
    const cell = frame * this.#perEdge + at;
    this.#stamp[cell] = 0;
    if (this.#copies.size > 0) {
      const others = this.#copies.get(cell);
      if (others !== undefined) {
        const heir = others.shift()!;
        if (others.length === 0) this.#copies.delete(cell);
        heir.promoted = true;
        this.#refs[cell] = heir.refs;
        this.#stamp[cell] = heir.stamp;
        return;
      }
    }
    this.#shrink(frame, at);
  }

  /** Leaves a frame its first `blocks` blocks; without any it is free for another edge. */
  #shrink(frame: number, blocks: number): void {
    this.#resident[frame] = blocks;
    const edge = this.#edge[frame];
    if (this.changes !== null && edge >= 0) this.#note(this.changes, edge, blocks);
    if (blocks > 0) return;
    if (edge >= 0) {
      this.#frameOf.delete(edge);
    } else {
      const generated = this.#generatedFrames.get(frame)!;
      generated.owner.frames[generated.at] = -1;
      this.#generatedFrames.delete(frame);
    }
    this.#spareFrames.push(frame);
  }

  /** Notes the resident length of an edge; block after block of one edge is one change. */
  #note(changes: number[], edge: number, blocks: number): void {
    if (changes[changes.length - 2] === edge) changes[changes.length - 1] = blocks;
    else changes.push(edge, blocks);
  }

  #append(frame: number, low: number, high: number, stamp: number): void {
    if (this.#lruTail - this.#lruHead > this.#lruMask) this.#makeRoom();
    const at = this.#lruTail++ & this.#lruMask;
    this.#lruFrame[at] = frame;
    this.#lruLow[at] = low;
    this.#lruHigh[at] = high;
    this.#lruStamp[at] = stamp;
  }

  /** Drops entries that hold nothing evictable any more; doubles the ring when most still do. */
  #makeRoom(): void {
    const size = this.#lruMask + 1;
    const kept: number[] = [];
    for (let i = this.#lruHead; i < this.#lruTail; i++) {
      const at = i & this.#lruMask;
      if (this.#stillEvictable(at)) kept.push(at);
    }
    const larger = kept.length > size / 2 ? size * 2 : size;
    const move = (old: Int32Array) => {
      const ring = new Int32Array(larger);
      for (let i = 0; i < kept.length; i++) ring[i] = old[kept[i]];
      return ring;
    };
    this.#lruFrame = move(this.#lruFrame);
    this.#lruLow = move(this.#lruLow);
    this.#lruHigh = move(this.#lruHigh);
    this.#lruStamp = move(this.#lruStamp);
    this.#lruMask = larger - 1;
    this.#lruHead = 0;
    this.#lruTail = kept.length;
  }

  #stillEvictable(at: number): boolean {
    const frame = this.#lruFrame[at];
    if (frame === ANONYMOUS) return true;
    if (frame === COPY) {
      const copy = this.#copyById.get(this.#lruLow[at])!;
      if (!copy.promoted || this.#stamp[copy.cell] === this.#lruStamp[at]) return true;
      this.#copyById.delete(this.#lruLow[at]);
      return false;
    }
    const first = frame * this.#perEdge, stamp = this.#lruStamp[at];
    if (this.#split[frame] === 0) return this.#frameStamp[frame] === stamp;
    for (let i = this.#lruLow[at]; i <= this.#lruHigh[at]; i++) if (this.#stamp[first + i] === stamp) return true;
    return false;
  }

  #newFrame(edge: number): number {
    let frame = this.#spareFrames.pop();
    if (frame === undefined) {
      frame = this.#frames++;
      if (frame === this.#edge.length) {
        this.#edge = grown(this.#edge);
        this.#resident = grown(this.#resident);
        this.#frameRefs = grown(this.#frameRefs);
        this.#frameStamp = grown(this.#frameStamp);
        const split = new Uint8Array(this.#split.length * 2);
        split.set(this.#split);
        this.#split = split;
        this.#refs = grown(this.#refs);
        this.#stamp = grown(this.#stamp);
      }
    }
    this.#edge[frame] = edge;
    this.#resident[frame] = 0;
    this.#frameRefs[frame] = 0;
    this.#frameStamp[frame] = 0;
    this.#split[frame] = 0;
    return frame;
  }

  /** From here on the cells of a frame are counted one by one. */
  #splitUp(frame: number): void {
    if (this.#split[frame] === 1) return;
    this.#split[frame] = 1;
    const first = frame * this.#perEdge, end = first + this.#resident[frame];
    this.#refs.fill(this.#frameRefs[frame], first, end);
    this.#stamp.fill(this.#frameStamp[frame], first, end);
    this.#stamp.fill(0, end, first + this.#perEdge);
  }
}

function grown(array: Int32Array): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(array.length * 2);
  larger.set(array);
  return larger;
}
