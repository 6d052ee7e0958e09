/**
 * Items in batches, which cost a loop step an item instead of a promise.
 *
 * @module
 */

/** Items in batches: what flows between stages. A batch may be empty; it is not changed after it was handed on. */
export type Batches<T> = AsyncIterable<readonly T[]>;

/** A source that knows the batches it is made of; its method of that name hands them to one reader. */
export const BATCHES: unique symbol = Symbol("batches");

/** The items of any source in batches. */
export function batchesOf<T>(source: AsyncIterable<T> & { [BATCHES]?(): Batches<T> }): Batches<T> {
  return source[BATCHES]?.() ?? grouped(source);
}

/** Items of a source that comes without batches, each in a batch of its own. */
export async function* grouped<T>(source: AsyncIterable<T>): AsyncGenerator<readonly T[], void, void> {
  for await (const item of source) yield [item];
}
