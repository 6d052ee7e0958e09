/**
 * How many requests waited for a scheduler, by quarters of the time in which requests came, taken down as they end.
 *
 * @module
 */
import { reaching } from "../collections/growing.ts";
import type { RequestRecords } from "../engine/records.ts";

/** First and last arrival, in milliseconds. */
export type Span = readonly [firstMs: number, lastMs: number];

/** One figure for each quarter of a time. */
export type Quarters = [number, number, number, number];

/** Fewest waits there is room for. */
const FIRST = 64;

/** The waits of a run. They are summed at once where it is known when requests come, else kept until it is over. */
export class Waits {
  readonly #sums: QuarterSums | null;
  #firstMs = Infinity;
  #lastMs = -Infinity;
  #count = 0;
  #sinceMs: Float64Array;
  #untilMs: Float64Array;

  /**
   * @param spanMs first and last arrival; null where they are not known beforehand
   * @param expected waits to make room for at once where they are kept; memory is taken as they come
   */
  constructor(spanMs: Span | null, expected: number) {
    this.#sums = spanMs && new QuarterSums(spanMs);
    const room = spanMs === null ? Math.max(expected, FIRST) : 0;
    this.#sinceMs = new Float64Array(room);
    this.#untilMs = new Float64Array(room);
  }

  /** A request is about to end. One that was refused did not wait. */
  ended(records: RequestRecords, row: number): void {
    const { arrivalMs, firstAdmitMs, disaggregated } = records, arrived = arrivalMs[row];
    this.#came(arrived);
    this.#add(arrived, firstAdmitMs[row]);
    if (disaggregated !== null) this.#add(disaggregated.sourceHeldMs[row], disaggregated.decodeWaitedMs[row]);
  }

  /**
   * What came of it when the run is over: requests that waited on average, in each quarter, and those that no scheduler
   * had admitted by then, other than rejected and failed ones.
   */
  result(records: RequestRecords): { waits: Quarters; neverRan: number } {
    const { arrivalMs, firstAdmitMs, disaggregated } = records, unended = records.unended();
    let neverRan = 0;
    for (const request of unended) this.#came(arrivalMs[records.rowOf(request)]);
    const sums = this.#sums ?? new QuarterSums([this.#firstMs, this.#lastMs]);
    for (let i = 0; i < this.#count; i++) sums.add(this.#sinceMs[i], this.#untilMs[i]);
    for (const request of unended) {
      const row = records.rowOf(request), admitted = firstAdmitMs[row];
      if (Number.isNaN(admitted)) neverRan++;
      sums.add(arrivalMs[row], orNever(admitted));
      if (disaggregated !== null) sums.add(disaggregated.sourceHeldMs[row], orNever(disaggregated.decodeWaitedMs[row]));
    }
    return { waits: sums.waits, neverRan };
  }

  #came(atMs: number): void {
    if (atMs < this.#firstMs) this.#firstMs = atMs;
    if (atMs > this.#lastMs) this.#lastMs = atMs;
  }

  #add(sinceMs: number, untilMs: number): void {
    if (this.#sums !== null) return this.#sums.add(sinceMs, untilMs);
    if (!(untilMs > sinceMs)) return;
    const at = this.#count++;
    this.#sinceMs = reaching(this.#sinceMs, at);
    this.#untilMs = reaching(this.#untilMs, at);
    this.#sinceMs[at] = sinceMs;
    this.#untilMs[at] = untilMs;
  }
}

const orNever = (atMs: number): number => Number.isNaN(atMs) ? Infinity : atMs;

/** Waits summed by quarters: what lies in each, in parts of a quarter. */
class QuarterSums {
  readonly waits: Quarters = [0, 0, 0, 0];
  readonly #fromMs: number;
  readonly #quarterMs: number;

  constructor([firstMs, lastMs]: Span) {
    this.#fromMs = firstMs;
    this.#quarterMs = (lastMs - firstMs) / 4;
  }

  /** Adds one wait, unless it never began. Most lie in one quarter: the others are passed over quickly. */
  add(sinceMs: number, untilMs: number): void {
    const quarterMs = this.#quarterMs;
    if (!(quarterMs > 0 && untilMs > sinceMs)) return;
    for (let quarter = 0; quarter < 4; quarter++) {
      const start = this.#fromMs + quarter * quarterMs, end = start + quarterMs;
      if (end <= sinceMs) continue;
      if (start >= untilMs) break;
      const overlap = (untilMs < end ? untilMs : end) - (sinceMs > start ? sinceMs : start);
      if (overlap > 0) this.waits[quarter] += overlap / quarterMs;
    }
  }
}
