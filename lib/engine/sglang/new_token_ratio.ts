/**
 * How much of their open output running requests are expected to produce while a new one is served: SGLang's
 * new-token ratio. It starts cautious, falls with every decode pass, and jumps when a request had to be retracted.
 *
 * @module
 */

const INITIAL = 0.7;
const LOWEST_FACTOR = 0.14;
const STEPS = 600;
/** Output tokens every running request is credited with after a retraction. */
const MARGIN = 20;
/** Attention data parallelism makes the scheduler less cautious. */
const GROUP_FACTOR = 0.3;

/** The ratio of one rank. */
export class NewTokenRatio {
  /** Begins as a number: V8 makes a new object of every number that it puts into a field which was undefined first. */
  value = 0;
  readonly #initial: number;
  readonly #lowest: number;
  readonly #step: number;

  /** @param grouped whether the rank is one of several of its worker */
  constructor(conservativeness: number, grouped: boolean) {
    this.#initial = INITIAL * (grouped ? conservativeness * GROUP_FACTOR : conservativeness);
    this.#lowest = this.#initial * LOWEST_FACTOR;
    this.#step = (this.#initial - this.#lowest) / STEPS;
    this.value = this.#initial;
  }

  /** A decode pass went by. */
  decay(): void {
    this.value = Math.max(this.value - this.#step, this.#lowest);
  }

  /** Starts anew: the rank had nothing to do. */
  reset(): void {
    this.value = this.#initial;
  }

  /** A retraction left `requests` running, which have produced `generated` of at most `most` tokens. */
  retracted(requests: number, generated: number, most: number): void {
    this.value = Math.min(1, (generated + MARGIN * requests) / (most + 1));
  }
}
