/**
 * Eviction of the blocks nobody holds, in the order in which they were released: a ring of entries, oldest first. Entries are never taken out of
 * the middle: one whose blocks have been held again since carries another stamp than they do, and is skipped when it
 * comes to the front or dropped when the ring is full.
 *
 * @module
 */
import { Copies } from "./copies.ts";
import { Frames } from "./frames.ts";

/** Kinds of entries beside frames, in `frame`. */
export const ANONYMOUS = -1, COPY = -2;

/** Entries a ring starts with; a power of two. Few, for there may be thousands of rings. */
const FIRST = 16;

/** Entries (frame, lowest and highest block of it, stamp) in columns. */
export class EvictionOrder {
  /** A frame, `ANONYMOUS` (`high` counts its blocks) or `COPY` (`low` is its number). */
  #frame = new Int32Array(FIRST);
  #low = new Int32Array(FIRST);
  #high = new Int32Array(FIRST);
  #stamp = new Int32Array(FIRST);
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
    const at = this.#tail++ & this.#mask;
    this.#frame[at] = frame;
    this.#low[at] = low;
    this.#high[at] = high;
    this.#stamp[at] = stamp;
  }

  /** Evicts blocks, those that were released longest ago first; so many are evictable. */
  evict(count: number): void {
    const frames = this.#frames, copies = this.#copies;
    while (count > 0) {
      const at = this.#head & this.#mask, frame = this.#frame[at];
      if (frame >= 0 && frames.isSplit[frame] === 0) {
        if (frames.stamp[frame] !== this.#stamp[at]) {
          this.#head++;
          continue;
        }
        const blocks = this.#high[at] + 1, taken = Math.min(count, blocks);
        count -= taken;
        frames.shrink(frame, blocks - taken);
        if (taken === blocks) this.#head++;
        else this.#high[at] = blocks - taken - 1;
      } else if (frame >= 0) {
        const stamp = this.#stamp[at], low = this.#low[at], first = frame * frames.blocksPerFrame;
        let high = this.#high[at];
        for (; high >= low && count > 0; high--) {
          if (frames.cellStamp[first + high] !== stamp) continue;
          this.#evictCell(frame, high);
          count--;
        }
        if (high < low) this.#head++;
        else this.#high[at] = high;
      } else if (frame === ANONYMOUS) {
        const taken = Math.min(count, this.#high[at]);
        this.#high[at] -= taken;
        count -= taken;
        if (this.#high[at] === 0) this.#head++;
      } else {
        const number = this.#low[at], copy = copies.released(number), stamp = this.#stamp[at];
        copies.forgetReleased(number);
        this.#head++;
        if (copy.promoted) {
          if (frames.cellStamp[copy.cell] !== stamp) continue;
          const owner = Math.floor(copy.cell / frames.blocksPerFrame);
          this.#evictCell(owner, copy.cell - owner * frames.blocksPerFrame);
        } else {
          copies.remove(copy);
        }
        count--;
      }
    }
  }

  #evictCell(frame: number, at: number): void {
    const frames = this.#frames, cell = frame * frames.blocksPerFrame + at, copy = this.#copies.promote(cell);
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
    const size = this.#mask + 1;
    const kept: number[] = [];
    for (let i = this.#head; i < this.#tail; i++) {
      const at = i & this.#mask;
      if (this.#stillEvictable(at)) kept.push(at);
    }
    const larger = kept.length > size / 2 ? size * 2 : size;
    const move = (old: Int32Array) => {
      const ring = new Int32Array(larger);
      for (let i = 0; i < kept.length; i++) ring[i] = old[kept[i]];
      return ring;
    };
    this.#frame = move(this.#frame);
    this.#low = move(this.#low);
    this.#high = move(this.#high);
    this.#stamp = move(this.#stamp);
    this.#mask = larger - 1;
    this.#head = 0;
    this.#tail = kept.length;
  }

  static {
    // Columns are replaced once before code that reads them is compiled: see growing.ts.
    new EvictionOrder(new Frames(1), new Copies()).#makeRoom();
  }

  #stillEvictable(at: number): boolean {
    const { isSplit, stamp: frameStamp, cellStamp } = this.#frames;
    const frame = this.#frame[at], low = this.#low[at], stamp = this.#stamp[at];
    if (frame === ANONYMOUS) return true;
    if (frame === COPY) {
      const copy = this.#copies.released(low);
      if (!copy.promoted || cellStamp[copy.cell] === stamp) return true;
      this.#copies.forgetReleased(low);
      return false;
    }
    if (isSplit[frame] === 0) return frameStamp[frame] === stamp;
    const first = frame * this.#frames.blocksPerFrame;
    for (let i = low; i <= this.#high[at]; i++) if (cellStamp[first + i] === stamp) return true;
    return false;
  }
}
