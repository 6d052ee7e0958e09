/**
 * What an SGLang rank knows of each request it owns, by slot: a small number that is reused once the request is gone.
 *
 * @module
 */
import { longer } from "../../collections/growing.ts";

/** Columns of the owned requests; a slot's values mean something from `open` to `close`. */
export class Slots {
  request = new Int32Array(64);
  /** Prompt tokens. */
  prompt = new Int32Array(64);
  /** Known tokens at which the request is complete. */
  stop = new Int32Array(64);
  /** Known tokens, prompt and generated ones; of steadily decoding slots only up to date when they leave. */
  length = new Int32Array(64);
  /** Tokens whose KV exists, while the request does not run; a running one has KV for all it knows. */
  computed = new Int32Array(64);
  /** Leading pages that are in the tree, locked for this request; not up to date for tails. */
  cached = new Int32Array(64);
  /** Tree node where they end. */
  anchor = new Int32Array(64);
  /** Time of use of the anchor's path by the last page put below it; not up to date for tails. */
  used = new Float64Array(64);
  /** Decode passes formed when the anchor became the slot's tail, -1 while it is not. */
  tailSince = new Int32Array(64);
  /** 1 for a running request whose next full page must be put into the tree explicitly. */
  loose = new Uint8Array(64);
  /** Place in the running list relative to others: later ones are larger. */
  order = new Int32Array(64);

  #size = 64;
  #next = 0;
  readonly #spare: number[] = [];

  /** Slots in use. */
  get count(): number {
    return this.#next - this.#spare.length;
  }

  /** Every slot ever used is below it. */
  get limit(): number {
    return this.#next;
  }

  /** Takes a slot for a request that nothing has been done for yet. */
  open(request: number, prompt: number, output: number): number {
    const slot = this.#spare.pop() ?? this.#next++;
    if (slot === this.#size) this.#grow();
    this.request[slot] = request;
    this.prompt[slot] = prompt;
    this.stop[slot] = prompt + output;
    this.length[slot] = prompt;
    this.computed[slot] = this.cached[slot] = this.anchor[slot] = 0;
    this.used[slot] = 0;
    this.tailSince[slot] = -1;
    this.loose[slot] = 0;
    return slot;
  }

  close(slot: number): void {
    this.#spare.push(slot);
  }

  #grow(): void {
    this.#size *= 2;
    this.request = longer(this.request, this.#size);
    this.prompt = longer(this.prompt, this.#size);
    this.stop = longer(this.stop, this.#size);
    this.length = longer(this.length, this.#size);
    this.computed = longer(this.computed, this.#size);
    this.cached = longer(this.cached, this.#size);
    this.anchor = longer(this.anchor, this.#size);
    this.tailSince = longer(this.tailSince, this.#size);
    this.order = longer(this.order, this.#size);
    this.used = longer(this.used, this.#size);
    this.loose = longer(this.loose, this.#size);
  }

  static {
    // Columns are replaced once before code that reads them is compiled: see growing.ts.
    new Slots().#grow();
  }
}
