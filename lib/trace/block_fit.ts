/**
 * Whether the number of block ids fits the prompts, and which block size would fit.
 *
 * @module
 */

const SIZES = [8, 16, 32, 64, 128, 256, 512, 1024, 2048];

/** Watches the rows of a trace and says which block size they were written for. */
export class BlockFit {
  readonly #blockTokens: number;
  readonly #fitting = new Float64Array(SIZES.length);
  #rows = 0;
  /** Rows with more ids than their prompt needs. */
  surplusRows = 0;
  surplusIds = 0;
  #offByMore = 0;

  constructor(blockTokens: number) {
    this.#blockTokens = blockTokens;
  }

  add(inputTokens: number, ids: number): void {
    this.#rows++;
    const needed = Math.ceil(inputTokens / this.#blockTokens);
    if (ids > needed) {
      this.surplusRows++;
      this.surplusIds += ids - needed;
      if (ids > needed + 1) this.#offByMore++;
    }
    if (ids === needed) return;
    for (let i = 0; i < SIZES.length; i++) if (Math.ceil(inputTokens / SIZES[i]) === ids) this.#fitting[i]++;
  }

  /** A warning when the ids do not fit, else undefined. */
  warning(): string | undefined {
    if (this.surplusRows === 0) return undefined;
    const text = `${this.surplusIds} surplus block ids in ${this.surplusRows} of ${this.#rows} rows`;
    if (this.#offByMore * 2 <= this.#rows) return text;
    const best = this.#fitting.indexOf(Math.max(...this.#fitting));
    if (this.#fitting[best] * 10 < this.surplusRows * 9) return `${text}: ${this.#blockTokens} is not the block size`;
    return `${text}: blocks of ${SIZES[best]} tokens fit, blocks of ${this.#blockTokens} do not`;
  }
}
