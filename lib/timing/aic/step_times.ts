/**
 * Remembers the time of decode steps. A replay asks for most of its steps more than once, and the next replay of the same
 * workers asks for little that is new.
 *
 * @module
 */

/** Sequence lengths of a page: lengths that follow one another are asked for one after the other. */
const PAGE_BITS = 8;
const PAGE = 1 << PAGE_BITS;
/** Pages kept: 4 MB. Steps beyond them are computed each time. */
const MOST_PAGES = 2048;
/** Above the longest sequence and the largest batch that are kept. */
const LENGTHS = 1 << 20;
const BATCHES = 1 << 12;

/** Times by batch and sequence length, in pages that are made when they are needed. */
export class StepTimes {
  /** By batch, then by page of sequence lengths. */
  readonly #pages: (Float64Array | undefined)[][] = [];
  #count = 0;

  /**
   * The times of the lengths around `seq`, NaN where nothing is known yet; null when this step is not kept. The step
   * itself stands at {@linkcode StepTimes.place}.
   *
   * @param batch sequences
   * @param seq their length
   */
  page(batch: number, seq: number): Float64Array | null {
    if ((batch | 0) !== batch || (seq | 0) !== seq || batch < 0 || seq < 0 || seq >= LENGTHS) return null;
    if (batch < this.#pages.length) {
      const page = this.#pages[batch][seq >> PAGE_BITS];
      if (page !== undefined) return page;
    }
    return batch < BATCHES && this.#count < MOST_PAGES ? this.#add(batch, seq >> PAGE_BITS) : null;
  }

  /** Where a length stands in its page. */
  static place(seq: number): number {
    return seq & PAGE - 1;
  }

  #add(batch: number, at: number): Float64Array {
    this.#count++;
    while (this.#pages.length <= batch) this.#pages.push([]);
    const row = this.#pages[batch];
    while (row.length <= at) row.push(undefined);
    return row[at] = new Float64Array(PAGE).fill(NaN);
  }
}
