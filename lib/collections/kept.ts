/**
 * Values that stay the same from one moment to the next are kept once, however many moments there are.
 *
 * @module
 */

/**
 * The last of a sequence of flat values, handed out again for as long as new ones are equal to it. Nested values count
 * as equal when they are the same object, so they are kept first; keys in another order count as different. Nobody may
 * change what was handed out.
 */
export class Kept<T extends object> {
  #last: T | null = null;
  #keys: (keyof T)[] = [];

  /** The value, or the one before when both are equal. */
  keep(value: T): T {
    const last = this.#last, before = this.#keys;
    if (value === last) return value;
    const keys = Object.keys(value) as (keyof T)[];
    let same = last !== null && keys.length === before.length;
    for (let i = 0; same && i < keys.length; i++) {
      const key = keys[i];
      same = key === before[i] && Object.is(last![key], value[key]);
    }
    if (same) return last!;
    this.#keys = keys;
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
