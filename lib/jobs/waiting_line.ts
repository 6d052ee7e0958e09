/**
 * Lets at most so many through at once, in the order of asking.
 *
 * @module
 */

/** A line in front of a number of places. */
export class WaitingLine {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(places: number) {
    this.#free = places;
  }

  /** Resolves when a place is free, and takes it. */
  async enter(): Promise<void> {
    if (this.#free > 0) {
      this.#free--;
      return;
    }
    await new Promise<void>((resume) => this.#waiting.push(resume));
  }

  /** Gives a place back. */
  leave(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free++;
    else next();
  }
}
