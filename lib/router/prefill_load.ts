/**
 * Prompt tokens that each rank still has to compute, as far as the router knows: booked when a request is placed,
 * removed when its prompt is computed. With a load model the oldest booking of a rank shrinks as time passes.
 *
 * @module
 */
import { nanoseconds } from "../timing/duration.ts";
import { reaching } from "../collections/growing.ts";
import { SlotMap } from "../collections/slot_map.ts";

/**
 * Expected duration of one prefill in milliseconds.
 *
 * @param newTokens prompt tokens to compute
 * @param prefixTokens prompt tokens believed resident
 * @returns milliseconds, or null when the model does not know
 */
export type PrefillLoadModel = (newTokens: number, prefixTokens: number) => number | null;

/** Bookings of one rank, oldest first; the oldest is the anchor that shrinks. */
interface Line {
  requests: number[];
  unmodeled: number;
  /** When the anchor became the oldest, in nanoseconds. */
  anchorNs: number;
}

/** Booked prompt tokens by rank. */
export class PrefillLoad {
  readonly #model: PrefillLoadModel | null;
  /** Slots of the requests with a booking. */
  readonly #slots = new SlotMap();
  #booked = new Int32Array(64);
  /** Expected duration by slot in nanoseconds, -1 when unmodeled; only with a model. */
  #durationNs = new Float64Array(64);
  #sums = new Float64Array(16);
  readonly #lines: Line[] = [];

  constructor(model: PrefillLoadModel | null = null) {
    this.#model = model;
  }

  /** A rank is to compute `newTokens` of a prompt that starts with `prefixTokens` resident ones. */
  book(request: number, rank: number, newTokens: number, prefixTokens: number, nowMs: number): void {
    if (newTokens <= 0) return;
    this.#sums = reaching(this.#sums, rank);
    const slot = this.#slots.take(request);
    this.#booked = reaching(this.#booked, slot);
    this.#booked[slot] = newTokens;
    this.#sums[rank] += newTokens;
    if (this.#model === null) return;
    const line = this.#lines[rank] ??= { requests: [], unmodeled: 0, anchorNs: 0 };
    if (line.requests.push(request) === 1) line.anchorNs = nanoseconds(nowMs / 1000);
    const expected = this.#model(newTokens, prefixTokens);
    this.#durationNs = reaching(this.#durationNs, slot);
    this.#durationNs[slot] = expected === null ? -1 : nanoseconds(expected / 1000);
    if (expected === null) line.unmodeled++;
  }

  /** The prompt is computed or will not be; a request without a booking is ignored. */
  remove(request: number, rank: number, nowMs: number): void {
    if (this.#slots.get(request) < 0) return;
    const slot = this.#slots.give(request);
    this.#sums[rank] -= this.#booked[slot];
    if (this.#model === null) return;
    const line = this.#lines[rank], at = line.requests.indexOf(request), duration = this.#durationNs[slot];
    line.requests.splice(at, 1);
    if (duration < 0) line.unmodeled--;
    const nowNs = nanoseconds(nowMs / 1000);
    if (at === 0) line.anchorNs = nowNs;
    else if (duration > 0) line.anchorNs = Math.min(nowNs, line.anchorNs + duration);
  }

  /** Tokens a rank still has to compute at `nowMs`. */
  on(rank: number, nowMs: number): number {
    const sum = rank < this.#sums.length ? this.#sums[rank] : 0;
    if (this.#model === null || sum === 0) return sum;
    const { requests, unmodeled, anchorNs } = this.#lines[rank];
    const anchor = this.#slots.get(requests[0]), tokens = this.#booked[anchor], duration = this.#durationNs[anchor];
    const elapsed = Math.max(0, nanoseconds(nowMs / 1000) - anchorNs);
    if (unmodeled === 0) return Math.max(0, sum - completed(tokens, elapsed, duration));
    const left = duration < 0 ? 1 : duration === 0 ? 0 : Math.min(1, Math.max(0, 1 - elapsed / duration));
    return sum - tokens + Math.ceil(tokens * left);
  }

  /** A rank is gone. */
  forget(rank: number): void {
    if (rank < this.#sums.length) this.#sums[rank] = 0;
    delete this.#lines[rank];
  }
}

/** floor(tokens · elapsed / duration), exactly. */
function completed(tokens: number, elapsed: number, duration: number): number {
  if (duration === 0) return tokens;
  const product = tokens * elapsed;
  if (product <= Number.MAX_SAFE_INTEGER) return Math.floor(product / duration);
  return Number(BigInt(tokens) * BigInt(elapsed) / BigInt(duration));
}
