/**
 * Second and later physical copies of blocks: a block recomputed although it was cached stands here until the copies
 * before it are gone, and is then the cell itself.
 *
 * @module
 */

/** A further copy of a block that is resident already. */
export interface Copy {
  readonly cell: number;
  refs: number;
  /** Stamp of its place in the eviction order; 0 while held. */
  stamp: number;
  /** The earlier copies are gone: this one is the cell now. */
  promoted: boolean;
}

/** The further copies in one rank's pool. */
export class Copies {
  /** Copies by cell, oldest first. */
  readonly #ofCell = new Map<number, Copy[]>();
  /** Copies that slots hold, by slot and block of its table. */
  readonly #held = new Map<number, Map<number, Copy>>();
  /** Copies nobody holds, by the number they have in the eviction order. */
  readonly #released = new Map<number, Copy>();
  #next = 0;

  /** Whether some block is resident more than once. */
  get any(): boolean {
    return this.#ofCell.size > 0;
  }

  /** A slot's block becomes a further copy of a cell. */
  add(slot: number, block: number, cell: number): void {
    const copy: Copy = { cell, refs: 1, stamp: 0, promoted: false };
    const others = this.#ofCell.get(cell);
    if (others === undefined) this.#ofCell.set(cell, [copy]);
    else others.push(copy);
    let held = this.#held.get(slot);
    if (held === undefined) this.#held.set(slot, held = new Map());
    held.set(block, copy);
  }

  /** Whether a slot holds copies. */
  heldBy(slot: number): boolean {
    return this.#held.size > 0 && this.#held.has(slot);
  }

  /** The copy a slot holds as a block of its table. */
  held(slot: number, block: number): Copy | undefined {
    return this.#held.get(slot)?.get(block);
  }

  /** A slot has given up all blocks. */
  forget(slot: number): void {
    this.#held.delete(slot);
  }

  /** Nobody holds a copy any more; returns its number in the eviction order. */
  release(copy: Copy, stamp: number): number {
    copy.refs = 0;
    copy.stamp = stamp;
    this.#released.set(this.#next, copy);
    return this.#next++;
  }

  /** The copy of a number in the eviction order. */
  released(number: number): Copy {
    return this.#released.get(number)!;
  }

  /** A number in the eviction order is used up. */
  forgetReleased(number: number): void {
    this.#released.delete(number);
  }

  /** Takes a copy out for good. */
  remove(copy: Copy): void {
    const others = this.#ofCell.get(copy.cell)!;
    others.splice(others.indexOf(copy), 1);
    if (others.length === 0) this.#ofCell.delete(copy.cell);
  }

  /** A cell goes: its oldest further copy takes its place; undefined when it has none. */
  promote(cell: number): Copy | undefined {
    if (this.#ofCell.size === 0) return undefined;
    const others = this.#ofCell.get(cell), copy = others?.shift();
    if (copy === undefined) return undefined;
    if (others!.length === 0) this.#ofCell.delete(cell);
    copy.promoted = true;
    return copy;
  }
}
