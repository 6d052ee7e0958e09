/**
 * Values that stay the same from one moment to the next are kept once, however many moments there are.
 *
 * @module
 */

/**
 * The last of a sequence of flat values, handed out again for as long as new ones are equal to it. Nested values count
 * as equal when they are the same object, so they are kept first. Nobody may change what was handed out.
 */
export class Kept<T extends object> {
  #last: T | null = null;

  /** The value, or the one before when both are equal. */
  keep(value: T): T {
    if (this.#last !== null && equal(this.#last, value)) return this.#last;
    return this.#last = value;
  }
}

/** Lists of which the last is handed out again for as long as new ones have the same elements. */
export class KeptList<T> {
  #last: T[] = [];

  /** The list, or the one before when both have the same elements. */
  keep(list: readonly T[]): T[] {
    const last = this.#last;
    let same = list.length === last.length;
    for (let i = 0; same && i < last.length; i++) same = list[i] === last[i];
    return same ? last : this.#last = [...list];
  }
}

function equal<T extends object>(a: T, b: T): boolean {
  for (const key in a) if (!Object.is(a[key], b[key])) return false;
  for (const key in b) if (!(key in a)) return false;
  return true;
}
