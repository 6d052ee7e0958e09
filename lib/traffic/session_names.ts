/**
 * Sessions and turns of requests that stand in load order, and what sessions are called.
 *
 * @module
 */
import type { SessionColumns } from "./workload_builder.ts";

/** Session columns of requests in load order. */
export class SessionNames implements SessionColumns {
  readonly session: Int32Array;
  readonly turn: Int32Array;
  readonly firstRequest: Int32Array;
  readonly sessionMadeUp: Uint8Array | null;
  readonly #names: readonly (string | undefined)[];
  readonly #lineOf: (request: number) => number;

  constructor(
    names: readonly (string | undefined)[],
    lineOf: (request: number) => number,
    firstRequest: Int32Array | null,
    sessions: number,
    count: number,
  ) {
    this.#names = names;
    this.#lineOf = lineOf;
    this.firstRequest = firstRequest ?? Int32Array.from({ length: count + 1 }, (_, i) => i);
    this.session = new Int32Array(count);
    this.turn = new Int32Array(count);
    let madeUp: Uint8Array | null = null;
    for (let s = 0; s < sessions; s++) {
      for (let r = this.firstRequest[s]; r < this.firstRequest[s + 1]; r++) {
        this.session[r] = s;
        this.turn[r] = r - this.firstRequest[s];
      }
      if (names[s] === undefined) (madeUp ??= new Uint8Array(sessions))[s] = 1;
    }
    this.sessionMadeUp = madeUp;
  }

  sessionName(session: number): string {
    return this.#names[session] ?? `request_${this.#lineOf(this.firstRequest[session])}`;
  }
}
