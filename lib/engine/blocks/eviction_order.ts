/**
 * Eviction of the blocks nobody holds, in the order in which they were released: a ring of entries, oldest first. Entries are never taken out of
 * the middle: one whose blocks have been held again since carries another stamp than they do, and is skipped when it
 * comes to the front or dropped when the ring is full.
 *
 * @module
 */
import { Copies } from "./copies.ts";
import { CELL, Frames, STAMP } from "./frames.ts";

/** Kinds of entries beside frames, in `FRAME`. */
export const ANONYMOUS = -1, COPY = -2;

/**
 * Fields of an entry: a frame, `ANONYMOUS` (`HIGH` counts its blocks) or `COPY` (`LOW` is its number); lowest and highest
 * block of the frame; stamp.
 */
const FRAME = 0, LOW = 1, HIGH = 2, RELEASED = 3, FIELDS = 4;

/** Entries a ring starts with; a power of two. Few, for there may be thousands of rings. */
const FIRST = 16;

/** The ring of one rank. */
export class EvictionOrder {
  #ring = new Int32Array(FIRST * FIELDS);
  readonly #frames: Frames;
  readonly #copies: Copies;
  #mask = FIRST - 1;
  #head = 0;
  #tail = 0;

  constructor(frames: Frames, copies: Copies) {
    this.#frames = frames;
    this.#copies = copies;
  }

  /** Puts released blocks behind all others; of one entry the highest go first. */
  append(frame: number, low: number, high: number, stamp: number): void {
    if (this.#tail - this.#head > this.#mask) this.#makeRoom();
    const ring = this.#ring, at = (this.#tail++ & this.#mask) * FIELDS;
    ring[at + FRAME] = frame;
    ring[at + LOW] = low;
    ring[at + HIGH] = high;
    ring[at + RELEASED] = stamp;
  }

  /** Evicts blocks, those that were released longest ago first; so many are evictable. */
  evict(count: number): void {
    const ring = this.#ring, frames = this.#frames, fields = frames.fields;
    while (count > 0) {
      const at = (this.#head & this.#mask) * FIELDS, frame = ring[at + FRAME];
      if (frame >= 0 && fields[frame + CELL] < 0) {
        if (fields[frame + STAMP] !== ring[at + RELEASED]) {
          this.#head++;
          continue;
        }
        const blocks = ring[at + HIGH] + 1, taken = Math.min(count, blocks);
        count -= taken;
        ring[at + HIGH] = blocks - taken - 1;
        if (taken === blocks) this.#head++;
        frames.shrink(frame, blocks - taken);
      } else if (frame >= 0) {
        count = this.#evictCells(at, count);
      } else if (frame === ANONYMOUS) {
        const taken = Math.min(count, ring[at + HIGH]);
        ring[at + HIGH] -= taken;
        count -= taken;
        if (ring[at + HIGH] === 0) this.#head++;
      } else {
        count -= this.#evictCopy(at);
      }
    }
  }

  /** Evicts up to `count` cells of the first entry; returns how many are left to evict. */
  #evictCells(at: number, count: number): number {
    const ring = this.#ring, frames = this.#frames, stamp = ring[at + RELEASED], low = ring[at + LOW];
    const frame = ring[at + FRAME], first = frames.fields[frame + CELL];
    let high = ring[at + HIGH];
    for (; high >= low && count > 0; high--) {
      if (frames.cellStamp[first + high] !== stamp) continue;
      this.#evictCell(frame, first, high);
      count--;
    }
    if (high < low) this.#head++;
    else ring[at + HIGH] = high;
    return count;
  }

  /** Evicts the further copy that the first entry is, if nobody holds it again; returns how many blocks that frees. */
  #evictCopy(at: number): number {
    const frames = this.#frames, copies = this.#copies, number = this.#ring[at + LOW], copy = copies.released(number);
    copies.forgetReleased(number);
    this.#head++;
    if (!copy.promoted) {
      copies.remove(copy);
      return 1;
    }
    if (frames.cellStamp[copy.cell] !== this.#ring[at + RELEASED]) return 0;
    const frame = frames.ownerOf(copy.cell), first = frames.fields[frame + CELL];
    this.#evictCell(frame, first, copy.cell - first);
    return 1;
  }

  #evictCell(frame: number, first: number, at: number): void {
    const frames = this.#frames, cell = first + at, copy = this.#copies.promote(cell);
    frames.cellStamp[cell] = 0;
    if (copy === undefined) {
      frames.shrink(frame, at);
    } else {
      frames.cellRefs[cell] = copy.refs;
      frames.cellStamp[cell] = copy.stamp;
    }
  }

  /** Drops entries that hold nothing evictable any more; doubles the ring when most still do. */
  #makeRoom(): void {
    const size = this.#mask + 1, old = this.#ring;
    const kept: number[] = [];
    for (let i = this.#head; i < this.#tail; i++) {
      const at = (i & this.#mask) * FIELDS;
      if (this.#stillEvictable(at)) kept.push(at);
    }
    const larger = kept.length > size / 2 ? size * 2 : size, ring = new Int32Array(larger * FIELDS);
    for (let i = 0; i < kept.length; i++) {
      for (let field = 0; field < FIELDS; field++) ring[i * FIELDS + field] = old[kept[i] + field];
    }
    this.#ring = ring;
    this.#mask = larger - 1;
    this.#head = 0;
    this.#tail = kept.length;
  }

  static {
    // The column is replaced once before code that reads it is compiled: see growing.ts.
    new EvictionOrder(new Frames(1), new Copies()).#makeRoom();
  }

  #stillEvictable(at: number): boolean {
    const ring = this.#ring, { fields, cellStamp } = this.#frames;
    const frame = ring[at + FRAME], low = ring[at + LOW], stamp = ring[at + RELEASED];
    if (frame === ANONYMOUS) return true;
    if (frame === COPY) {
      const copy = this.#copies.released(low);
      if (!copy.promoted || cellStamp[copy.cell] === stamp) return true;
      this.#copies.forgetReleased(low);
      return false;
    }
    const first = fields[frame + CELL];
    if (first < 0) return fields[frame + STAMP] === stamp;
    for (let i = low; i <= ring[at + HIGH]; i++) if (cellStamp[first + i] === stamp) return true;
    return false;
  }
}
