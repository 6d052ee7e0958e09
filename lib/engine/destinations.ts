/**
 * The requests a decode rank awaits KV for: pending ones have no blocks yet and get them in the order in which they
 * were offered, reserved ones wait for the transfer.
 *
 * @module
 */

/** Awaited requests of one rank, with their slots. */
export class Destinations {
  readonly #slots = new Map<number, number>();
  readonly #pending: number[] = [];
  /** The oldest pending one was tried, and nothing has become free since. */
  #tried = false;

  /** All of them, pending and reserved. */
  get size(): number {
    return this.#slots.size;
  }

  get pending(): number {
    return this.#pending.length;
  }

  offer(request: number, slot: number): void {
    this.#slots.set(request, slot);
    this.#pending.push(slot);
    if (this.#pending.length === 1) this.#tried = false;
  }

  /** The oldest pending slot, to be tried once; -1 when there is none, or no reason to try it again. */
  tryNext(): number {
    if (this.#pending.length === 0 || this.#tried) return -1;
    this.#tried = true;
    return this.#pending[0];
  }

  /** The oldest pending one got its blocks: it is reserved. */
  granted(): void {
    this.#pending.shift();
    this.#tried = false;
  }

  /** Blocks or places may have become free: another try is worth it. */
  freed(): void {
    this.#tried = false;
  }

  /** The KV of a reserved one is there: it is awaited no more. Returns its slot. */
  activate(request: number): number {
    const slot = this.#slots.get(request)!;
    this.#slots.delete(request);
    return slot;
  }

  /** Slot of a request, -1 when it is not awaited. */
  slotOf(request: number): number {
    return this.#slots.get(request) ?? -1;
  }

  isPending(slot: number): boolean {
    return this.#pending.includes(slot);
  }

  /** Forgets a request, pending or reserved. */
  remove(request: number): void {
    const at = this.#pending.indexOf(this.activate(request));
    if (at >= 0) this.#pending.splice(at, 1);
    // A new head has not been tried.
    if (at === 0) this.#tried = false;
  }
}
