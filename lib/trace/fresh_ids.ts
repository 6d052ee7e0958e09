/**
 * Block ids for prompts whose content is not known.
 *
 * @module
 */

/** Gives every block of every request an id of its own, so that nothing is shared that was not recorded as shared. */
export class FreshIds {
  #next = 0;

  /** Ids for a prompt. */
  take(inputTokens: number, blockTokens: number): number[] {
    const ids = new Array<number>(Math.ceil(inputTokens / blockTokens));
    for (let i = 0; i < ids.length; i++) ids[i] = this.#next++;
    return ids;
  }

  one(): number {
    return this.#next++;
  }
}

/**
 * Mixes numbers into an id of 53 bits: equal sequences give equal ids, and different ones different ids but for a chance
 * of about n² / 2^54 among n of them.
 */
export class IdMixer {
  #a = 0;
  #b = 0;

  /** Begins a new id. */
  start(kind: number): void {
    this.#a = 0x811c9dc5 ^ kind;
    this.#b = 0x9747b28c ^ kind;
  }

  /** Takes up a non-negative number. */
  add(value: number | bigint): void {
    if (typeof value === "bigint") {
      this.#word(Number(value & 0xffffffffn));
      this.#word(Number(value >> 32n));
    } else {
      this.#word(value >>> 0);
      this.#word(Math.floor(value / 4294967296));
    }
  }

  #word(word: number): void {
    let a = Math.imul(this.#a ^ word, 0x85ebca6b);
    a = Math.imul(a ^ a >>> 13, 0xc2b2ae35);
    this.#a = a ^ a >>> 16;
    let b = Math.imul(this.#b + word | 0, 0x9e3779b1);
    b = Math.imul(b ^ b >>> 15, 0x27d4eb2f) + this.#a | 0;
    this.#b = b ^ b >>> 13;
  }

  /** The id of what was added since {@linkcode start}. */
  get id(): number {
    return (this.#a & 0x1fffff) * 4294967296 + (this.#b >>> 0);
  }
}
