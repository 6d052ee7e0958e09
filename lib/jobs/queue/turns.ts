/**
 * Shared and sole turns: tasks run side by side, but one that may end the whole process runs when nothing else does.
 *
 * @module
 */

/** Who is in, and who waits. */
export class Turns {
  #sharing = 0;
  #alone = false;
  #waiting: { alone: boolean; enter: () => void }[] = [];

  /** Runs beside others. */
  shared<T>(work: () => Promise<T>): Promise<T> {
    return this.#run(false, work);
  }

  /** Runs while nothing else does. */
  alone<T>(work: () => Promise<T>): Promise<T> {
    return this.#run(true, work);
  }

  async #run<T>(alone: boolean, work: () => Promise<T>): Promise<T> {
    await new Promise<void>((enter) => {
      this.#waiting.push({ alone, enter });
      this.#admit();
    });
    try {
      return await work();
    } finally {
      if (alone) this.#alone = false;
      else this.#sharing--;
      this.#admit();
    }
  }

  /** In the order of asking, so that nobody waits for ever. */
  #admit(): void {
    while (this.#waiting.length > 0 && !this.#alone) {
      const [{ alone, enter }] = this.#waiting;
      if (alone && this.#sharing > 0) return;
      this.#waiting.shift();
      if (alone) this.#alone = true;
      else this.#sharing++;
      enter();
    }
  }
}
