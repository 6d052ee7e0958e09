/**
 * What one forward pass worked on and what waited meanwhile, as running sums of counts, lengths and squared lengths; a
 * row for observers is made from them on demand. Sums of integers are exact below 2^53.
 *
 * @module
 */
import type { PassRow } from "../planner/policy.ts";

/** Count, sum and sum of squares of some lengths. */
export class LengthSums {
  count = 0;
  sum = 0;
  squares = 0;

  add(length: number): void {
    this.count++;
    this.sum += length;
    this.squares += length * length;
  }

  remove(length: number): void {
    this.count--;
    this.sum -= length;
    this.squares -= length * length;
  }

  clear(): void {
    this.count = this.sum = this.squares = 0;
  }

  set(count: number, sum: number, squares: number): void {
    this.count = count;
    this.sum = sum;
    this.squares = squares;
  }

  copy(from: LengthSums): void {
    this.count = from.count;
    this.sum = from.sum;
    this.squares = from.squares;
  }

  /** Adds the lengths another one counts. */
  include(other: LengthSums): void {
    this.count += other.count;
    this.sum += other.sum;
    this.squares += other.squares;
  }

  /** Population variance, 0 without samples. */
  get variance(): number {
    const n = this.count;
    return n === 0 ? 0 : Math.max(0, (n * this.squares - this.sum * this.sum) / n / n);
  }
}

/** Sums of one pass. */
export class PassMetrics {
  /** Full prompt lengths of requests that computed prompt tokens. */
  readonly prefill = new LengthSums();
  /** Tokens those requests computed in the pass. */
  prefillTokens = 0;
  /** Their prompt tokens known before. */
  prefillKvTokens = 0;
  /** Lengths of the other scheduled requests. */
  readonly decode = new LengthSums();
  readonly queuedPrefill = new LengthSums();
  readonly queuedDecode = new LengthSums();
  startMs = 0;
  endMs = 0;

  clear(): void {
    this.prefill.clear();
    this.decode.clear();
    this.queuedPrefill.clear();
    this.queuedDecode.clear();
    this.prefillTokens =
      this.prefillKvTokens =
      this.startMs =
      this.endMs =
        0;
  }

  copy(from: PassMetrics): void {
    this.prefill.copy(from.prefill);
    this.decode.copy(from.decode);
    this.queuedPrefill.copy(from.queuedPrefill);
    this.queuedDecode.copy(from.queuedDecode);
    this.prefillTokens = from.prefillTokens;
    this.prefillKvTokens = from.prefillKvTokens;
    this.startMs = from.startMs;
    this.endMs = from.endMs;
  }

  /** Writes everything but the ids of worker and rank. */
  describe(row: PassRow): void {
    row.wallTimeS = Math.max(this.endMs - this.startMs, 0) / 1000;
    row.prefillRequests = this.prefill.count;
    row.prefillTokens = this.prefillTokens;
    row.prefillLengthVariance = this.prefill.variance;
    row.prefillKvTokens = this.prefillKvTokens;
    row.decodeRequests = this.decode.count;
    row.decodeKvTokens = this.decode.sum;
    row.decodeKvVariance = this.decode.variance;
    row.queuedPrefillRequests = this.queuedPrefill.count;
    row.queuedPrefillTokens = this.queuedPrefill.sum;
    row.queuedPrefillLengthVariance = this.queuedPrefill.variance;
    row.queuedDecodeRequests = this.queuedDecode.count;
    row.queuedDecodeKvTokens = this.queuedDecode.sum;
    row.queuedDecodeKvVariance = this.queuedDecode.variance;
  }
}
