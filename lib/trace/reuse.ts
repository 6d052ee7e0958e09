/**
 * How much of the prompts was seen before, and how long before.
 *
 * @module
 */
import { longer } from "../collections/growing.ts";
import { Histogram } from "../collections/histogram.ts";
import { IdTable } from "../collections/id_table.ts";
import type { HashId } from "./request.ts";

/** Different ids that are remembered at most; beyond it, every second id is followed, then every fourth, and so on. */
const MOST_IDS = 1 << 19;

/**
 * Follows the block ids of a trace in bounded memory: when there are too many, only those ids are followed whose hash
 * falls into a share of all, which keeps shares and distances right on average.
 */
export class ReuseMeter {
  readonly #blockTokens: number;
  /** One of `2 ** #halvings` ids is followed. */
  #halvings = 0;
  #table = new IdTable();
  /** Blocks before it when an id was last used, and the row. */
  #lastBlock = new Float64Array(1 << 12);
  #lastRow = new Float64Array(1 << 12);
  #followed: HashId[] = [];
  readonly #one: HashId[] = [0];
  readonly #number = new Int32Array(1);
  #blocks = 0;
  #rows = 0;
  /** Tokens of followed blocks, of those that were seen before, and all followed blocks. */
  #tokens = 0;
  #reusedTokens = 0;
  #seenBlocks = 0;
  #reusedBlocks = 0;
  /** Rows with an id twice. */
  repeats = 0;
  /** Blocks between two uses of the same id. */
  readonly distance: Histogram = new Histogram();

  constructor(blockTokens: number) {
    this.#blockTokens = blockTokens;
  }

  add(inputTokens: number, hashIds: readonly HashId[]): void {
    const needed = Math.min(hashIds.length, Math.ceil(inputTokens / this.#blockTokens));
    const row = ++this.#rows;
    let repeated = false;
    for (let i = 0; i < needed; i++) {
      this.#blocks++;
      const id = hashIds[i];
      if (this.#halvings > 0 && !this.#isFollowed(id)) continue;
      const tokens = Math.min(this.#blockTokens, inputTokens - i * this.#blockTokens);
      const known = this.#table.count;
      this.#one[0] = id;
      this.#table.intern(this.#one, 1, this.#number, 0);
      const number = this.#number[0];
      this.#tokens += tokens;
      this.#seenBlocks++;
      if (number < known) {
        if (this.#lastRow[number] === row) repeated = true;
        else {
          this.#reusedTokens += tokens;
          this.#reusedBlocks++;
          this.distance.add(this.#blocks - this.#lastBlock[number], 2 ** this.#halvings);
        }
      } else {
        if (number === this.#lastBlock.length) this.#grow();
        this.#followed.push(id);
      }
      this.#lastBlock[number] = this.#blocks;
      this.#lastRow[number] = row;
      if (this.#table.count > MOST_IDS) this.#thin();
    }
    if (repeated) this.repeats++;
  }

  /** Share of prompt tokens whose block was used by an earlier row, 0 … 1. */
  get reusableShare(): number {
    return this.#tokens === 0 ? 0 : this.#reusedTokens / this.#tokens;
  }

  /** Share of blocks that were used by an earlier row. */
  get reusableBlocks(): number {
    return this.#seenBlocks === 0 ? 0 : this.#reusedBlocks / this.#seenBlocks;
  }

  get blocks(): number {
    return this.#blocks;
  }

  /** Different ids, estimated when not all are followed. */
  get distinct(): number {
    return this.#table.count * 2 ** this.#halvings;
  }

  /** Share of ids that were followed at the end: 1 means that the figures are exact. */
  get followedShare(): number {
    return 2 ** -this.#halvings;
  }

  #isFollowed(id: HashId): boolean {
    const low = typeof id === "number" ? id >>> 0 : Number(id & 0xffffffffn);
    const high = typeof id === "number" ? Math.floor(id / 4294967296) : Number(id >> 32n);
    let hash = Math.imul(low ^ Math.imul(high, 0x9e3779b1), 0x85ebca6b);
    hash = Math.imul(hash ^ hash >>> 13, 0xc2b2ae35);
    hash ^= hash >>> 16;
    return (hash & (1 << this.#halvings) - 1) === 0;
  }

  #grow(): void {
    this.#lastBlock = longer(this.#lastBlock);
    this.#lastRow = longer(this.#lastRow);
  }

  /** Follows half as many ids from now on. */
  #thin(): void {
    this.#halvings++;
    const table = new IdTable(), followed: HashId[] = [];
    const lastBlock = new Float64Array(this.#lastBlock.length), lastRow = new Float64Array(this.#lastRow.length);
    this.#followed.forEach((id, number) => {
      if (!this.#isFollowed(id)) return;
      this.#one[0] = id;
      table.intern(this.#one, 1, this.#number, 0);
      lastBlock[followed.length] = this.#lastBlock[number];
      lastRow[followed.length] = this.#lastRow[number];
      followed.push(id);
    });
    this.#table = table;
    this.#followed = followed;
    this.#lastBlock = lastBlock;
    this.#lastRow = lastRow;
  }
}
