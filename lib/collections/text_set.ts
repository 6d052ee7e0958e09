/**
 * A set of many short texts that keeps 96 bits of each instead of the texts.
 *
 * @module
 */

/**
 * Whether a text was added before. Two different texts are taken for the same with a chance of n² / 2^97.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { TextSet } from "./text_set.ts";
 *
 * const set = new TextSet();
 * assert.equal(set.add("a"), true);
 * assert.equal(set.add("a"), false);
 * ```
 */
export class TextSet {
  size = 0;
  /** Three words a slot; a slot whose third word is 0 is empty. */
  #words = new Uint32Array(3 * 1024);
  #mask = 1023;
  #a = 0;
  #b = 0;
  #c = 0;

  /** Adds a text; false when it was there already. */
  add(text: string): boolean {
    if (this.size * 2 > this.#mask) this.#grow();
    this.#hash(text);
    if (!this.#place(this.#a, this.#b, this.#c)) return false;
    this.size++;
    return true;
  }

  #hash(text: string): void {
    let a = 0x243f6a88, b = 0x85a308d3, c = 0x13198a2e;
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      a = Math.imul(a ^ code, 0x85ebca6b);
      b = Math.imul(b ^ code, 0xc2b2ae35);
      c = Math.imul(c ^ code, 0x9e3779b1);
      a ^= a >>> 15;
      b ^= b >>> 13;
      c = c << 13 | c >>> 19;
    }
    a = Math.imul(a ^ c >>> 7 ^ text.length, 0x27d4eb2f);
    b = Math.imul(b ^ a >>> 16, 0x165667b1);
    c = Math.imul(c ^ b >>> 11, 0x2545f491);
    this.#a = a ^ c >>> 16;
    this.#b = b ^ a >>> 13;
    this.#c = c | 1;
  }

  #place(a: number, b: number, c: number): boolean {
    const words = this.#words;
    for (let slot = (a ^ b >>> 5) & this.#mask;; slot = slot + 1 & this.#mask) {
      const at = 3 * slot;
      if (words[at + 2] === 0) {
        words[at] = a;
        words[at + 1] = b;
        words[at + 2] = c;
        return true;
      }
      if (words[at] === a >>> 0 && words[at + 1] === b >>> 0 && words[at + 2] === c >>> 0) return false;
    }
  }

  #grow(): void {
    const old = this.#words;
    this.#words = new Uint32Array(old.length * 2);
    this.#mask = this.#mask * 2 + 1;
    for (let at = 0; at < old.length; at += 3) {
      if (old[at + 2] !== 0) this.#place(old[at], old[at + 1], old[at + 2]);
    }
  }
}
