/**
 * What comes of a pass of a vLLM rank. A pass is decided when it starts and told when it ends, so results wait here in
 * between.
 *
 * @module
 */
import { Signals } from "../signals.ts";
import { IntList } from "../../collections/int_list.ts";
import type { Requests } from "./requests.ts";

/** What there is to tell about a slot. */
export const Signal = {
  /** It is over without a further token. */
  done: 0,
  /** It emitted a token and goes on. */
  token: 1,
  /** It emitted its last token. */
  last: 2,
  /** It emitted its token, if it had one, and its KV waits for the transfer (prefill role). */
  held: 3,
  rejected: 4,
} as const;

/** Results of the pass being formed or in flight. */
export class PassResults {
  readonly signals = new Signals();
  readonly #rejected = new IntList();
  readonly #requests: Requests;
  readonly #prefillOnly: boolean;

  constructor(requests: Requests, prefillOnly: boolean) {
    this.#requests = requests;
    this.#prefillOnly = prefillOnly;
  }

  clear(): void {
    this.signals.clear();
    this.#rejected.clear();
  }

  /** A slot that never ran is refused. */
  reject(slot: number): void {
    this.#rejected.add(slot);
  }

  /** The running request at `index` wants no token (more). */
  done(index: number): void {
    this.signals.add(this.#requests.running.slots[index], this.#prefillOnly ? Signal.held : Signal.done);
    this.#requests.end(index);
  }

  /** The running request at `index` emitted `burst` tokens, among them its last. */
  last(index: number, burst = 1): void {
    this.signals.add(this.#requests.running.slots[index], this.#prefillOnly ? Signal.held : Signal.last, burst);
    this.#requests.end(index);
  }

  /** Everything is decided: rejections are told after all else. */
  close(): void {
    const { slots, count } = this.#rejected;
    for (let i = 0; i < count; i++) this.signals.add(slots[i], Signal.rejected);
  }
}
