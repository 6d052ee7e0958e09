/**
 * Traffic between two ticks as policies and telemetry see it. What counts of a request is taken down when it ends, and
 * summed when the window closes.
 *
 * @module
 */
import { longer } from "../collections/growing.ts";
import type { RequestRecords } from "../engine/records.ts";
import type { TrafficWindow } from "../planner/policy.ts";

const AT_ONCE = 2 ** 30;
/** So many requests are put in order one by one: in a short window, that is sooner done. */
const FEW = 64;
/** Requests there is room for at first. */
const FIRST = 256;

/** Meter of one window after the other. */
export class TrafficMeter {
  readonly #records: RequestRecords;
  readonly #inOrder: boolean;
  #openedMs = 0;
  #arrivals = 0;
  /** Of each request that ended: its end, lengths, the wait for its first token, and its mean gap (`NaN` without one). */
  #endMs = new Float64Array(FIRST);
  #inputTokens = new Float64Array(FIRST);
  #outputTokens = new Float64Array(FIRST);
  #ttftMs = new Float64Array(FIRST);
  #itlMs = new Float64Array(FIRST);
  /** What ranks requests that ended at one time: passes that take time come before those that do not, then workers. */
  #place = new Int32Array(FIRST);
  #endedCount = 0;
  #order = new Uint32Array(FEW);
  #hitRates = 0;
  #hitRateCount = 0;
  #forwards = 0;
  #accepted = 0;

  /** @param inOrder whether ends are told in the order in which they happen */
  constructor(records: RequestRecords, inOrder: boolean) {
    this.#records = records;
    this.#inOrder = inOrder;
  }

  arrived(): void {
    this.#arrivals++;
  }

  /** A routed request of which the router believed `overlap` of `blocks` prompt blocks resident. */
  routed(overlap: number, blocks: number): void {
    this.#hitRates += overlap / Math.max(blocks, 1);
    this.#hitRateCount++;
  }

  /** A request is about to complete on a worker; `atOnce` when the pass took no time. Others need not be told. */
  ended(request: number, atMs: number, worker: number, atOnce: boolean): void {
    const at = this.#endedCount++, records = this.#records, row = records.rowOf(request);
    if (at === this.#place.length) this.#grow();
    const tokens = records.outputTokens[row], first = records.firstTokenMs[row];
    this.#place[at] = atOnce ? AT_ONCE + worker : worker;
    this.#endMs[at] = atMs;
    this.#inputTokens[at] = records.inputTokens[request];
    this.#outputTokens[at] = tokens;
    this.#ttftMs[at] = tokens > 0 ? first - records.arrivalMs[row] : NaN;
    this.#itlMs[at] = tokens > 1 ? (records.lastTokenMs[row] - first) / (tokens - 1) : NaN;
  }

  #grow(): void {
    this.#place = longer(this.#place);
    this.#endMs = longer(this.#endMs);
    this.#inputTokens = longer(this.#inputTokens);
    this.#outputTokens = longer(this.#outputTokens);
    this.#ttftMs = longer(this.#ttftMs);
    this.#itlMs = longer(this.#itlMs);
  }

  /** Closes a window in which nothing happened, unseen, and opens the next. */
  nothingUntil(nowMs: number): void {
    this.#openedMs = nowMs;
  }

  /** The requests of the window in the order of their ends. */
  #ordered(): Uint32Array {
    const count = this.#endedCount, ends = this.#endMs, place = this.#place;
    if (this.#order.length < count) this.#order = new Uint32Array(ends.length);
    const order = this.#order;
    if (count > FEW) {
      for (let i = 0; i < count; i++) order[i] = i;
      return order.subarray(0, count).sort((a, b) => ends[a] - ends[b] || place[a] - place[b]);
    }
    for (let i = 0; i < count; i++) {
      let at = i;
      for (; at > 0; at--) {
        const before = order[at - 1];
        if (ends[before] < ends[i] || (ends[before] === ends[i] && place[before] <= place[i])) break;
        order[at] = before;
      }
      order[at] = i;
    }
    return order;
  }

  /**
   * Closes the window at `nowMs` and opens the next.
   *
   * @param forwards decode forwards of all passes ended so far, since the start of the run
   * @param accepted tokens accepted by them
   */
  close(nowMs: number, forwards: number, accepted: number): TrafficWindow {
    const count = this.#endedCount;
    const order = this.#inOrder ? null : this.#ordered();
    let input = 0, output = 0, ttft = 0, ttfts = 0, itl = 0, itls = 0;
    for (let k = 0; k < count; k++) {
      const i = order === null ? k : order[k];
      input += this.#inputTokens[i];
      output += this.#outputTokens[i];
      const wait = this.#ttftMs[i], gap = this.#itlMs[i];
      if (wait > 0) {
        ttft += wait;
        ttfts++;
      }
      if (!Number.isNaN(gap)) {
        itl += gap;
        itls++;
      }
    }
    const moreForwards = forwards - this.#forwards, moreAccepted = accepted - this.#accepted;
    const window: TrafficWindow = {
      durationS: (nowMs - this.#openedMs) / 1000,
      requests: this.#arrivals,
      shapeCount: count,
      meanInputTokens: count > 0 ? input / count : 0,
      meanOutputTokens: count > 0 ? output / count : 0,
      meanTtftMs: ttfts > 0 ? ttft / ttfts : 0,
      ttftCount: ttfts,
      meanItlMs: itls > 0 ? itl / itls : 0,
      itlCount: itls,
      meanAcceptLength: moreForwards > 0 ? moreAccepted / moreForwards : null,
      acceptLengthForwards: moreForwards,
      meanKvHitRate: this.#hitRateCount > 0 ? this.#hitRates / this.#hitRateCount : 0,
      kvHitRateCount: this.#hitRateCount,
    };
    this.#openedMs = nowMs;
    this.#arrivals =
      this.#endedCount =
      this.#hitRates =
      this.#hitRateCount =
        0;
    this.#forwards = forwards;
    this.#accepted = accepted;
    return window;
  }
}
