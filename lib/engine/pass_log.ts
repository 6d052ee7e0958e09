/**
 * When the passes of one rank ended, and how many requests that completed emitted a token in each. A request that
 * emits in every pass is two numbers here (first and last pass), so the pooled inter-token latencies cost one entry a
 * pass instead of one a token.
 *
 * @module
 */
import { FEW } from "../collections/growing.ts";
import type { GapSink } from "./gap_sink.ts";

/** Passes that a log takes before it is to be folded for the first time. */
const FIRST_LENGTH = 256;

/**
 * Append-only log of pass ends; the part no running request looks back to is folded into the sink and forgotten.
 *
 * When it is folded decides the order in which gaps of all ranks reach the sink, so its length is a rule of its own; the
 * rings that hold the passes grow up to it as they are used.
 */
export class PassLog {
  readonly #sink: GapSink;
  #ends = new Float64Array(FEW);
  /** Change, at each pass, of the number of completed requests whose gap ends there. */
  #change = new Int32Array(FEW);
  #mask = FEW - 1;
  #length = FIRST_LENGTH;
  #next = 0;
  #oldest = 0;
  #emitting = 0;

  constructor(sink: GapSink) {
    this.#sink = sink;
  }

  /** Index the next pass will get. */
  get next(): number {
    return this.#next;
  }

  /** Passes that can still be pushed; at 0 call `fold` first, with the oldest pass still looked back to. */
  get room(): number {
    return this.#length - 1 - (this.#next - this.#oldest);
  }

  /** Appends a pass end. */
  push(endMs: number): void {
    if (this.#next - this.#oldest === this.#mask) this.#grow();
    this.#ends[this.#next++ & this.#mask] = endMs;
  }

  /** End of pass `index`, which must not be folded. */
  end(index: number): number {
    return this.#ends[index & this.#mask];
  }

  /** Tells that a request which completed had emitted in every pass from `first` to `last`. */
  emitted(first: number, last: number): void {
    if (last <= first) return;
    this.#change[(first + 1) & this.#mask]++;
    this.#change[(last + 1) & this.#mask]--;
  }

  /** Folds all passes up to and including `until`; grows the log when more than half of it must stay. */
  fold(until: number): void {
    const last = Math.min(until, this.#next - 1);
    const ends = this.#ends, change = this.#change, mask = this.#mask;
    let emitting = this.#emitting;
    for (let pass = this.#oldest; pass <= last; pass++) {
      const at = pass & mask;
      if (change[at] !== 0) {
        emitting += change[at];
        change[at] = 0;
      }
      // The end before is read again: V8 would make an object of a number that one round of a loop leaves to the next.
      if (emitting > 0) this.#sink.add(ends[at] - ends[(pass - 1) & mask], emitting);
    }
    if (last >= this.#oldest) this.#oldest = last + 1;
    this.#emitting = emitting;
    if (this.#next - this.#oldest >= this.#length >> 1) this.#length *= 2;
  }

  #grow(): void {
    const size = (this.#mask + 1) * 2;
    const ends = new Float64Array(size), change = new Int32Array(size);
    // One entry past the last pass may already hold a change, and one before the oldest the end that its gap begins at.
    for (let pass = this.#oldest; pass <= this.#next; pass++) {
      ends[pass & (size - 1)] = this.#ends[pass & this.#mask];
      change[pass & (size - 1)] = this.#change[pass & this.#mask];
    }
    const before = this.#oldest - 1;
    ends[before & (size - 1)] = this.#ends[before & this.#mask];
    this.#ends = ends;
    this.#change = change;
    this.#mask = size - 1;
  }

  static {
    // Columns are replaced once before code that reads them is compiled: see growing.ts.
    new PassLog({ add: () => {} }).#grow();
  }
}
