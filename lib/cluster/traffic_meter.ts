/**
 * Traffic between two ticks as policies and telemetry see it. Ended requests are remembered by index and read from the
 * records when the window closes.
 *
 * @module
 */
import { longer } from "../collections/growing.ts";
import { Outcome, type RequestRecords } from "../engine/records.ts";
import type { TrafficWindow } from "../planner/policy.ts";

const AT_ONCE = 2 ** 30;
const NOBODY = new Uint32Array(0);

/** Meter of one window after the other. */
export class TrafficMeter {
  readonly #records: RequestRecords;
  readonly #inOrder: boolean;
  #openedMs = 0;
  #arrivals = 0;
  #ended = new Int32Array(256);
  /** What ranks requests that ended at one time: passes that take time come before those that do not, then workers. */
  #place = new Int32Array(256);
  #endedCount = 0;
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

  /** A request completed on a worker; `atOnce` when the pass took no time. Others need not be told. */
  ended(request: number, worker: number, atOnce: boolean): void {
    if (this.#endedCount === this.#ended.length) {
      this.#ended = longer(this.#ended);
      this.#place = longer(this.#place);
    }
    this.#place[this.#endedCount] = atOnce ? AT_ONCE + worker : worker;
    this.#ended[this.#endedCount++] = request;
  }

  /**
   * Closes the window at `nowMs` and opens the next.
   *
   * @param forwards decode forwards of all passes ended so far, since the start of the run
   * @param accepted tokens accepted by them
   */
  close(nowMs: number, forwards: number, accepted: number): TrafficWindow {
    const records = this.#records, ended = this.#ended, place = this.#place, ends = records.terminalMs;
    const order = this.#endedCount === 0 ? NOBODY : Uint32Array.from({ length: this.#endedCount }, (_, i) => i);
    if (!this.#inOrder) order.sort((a, b) => ends[ended[a]] - ends[ended[b]] || place[a] - place[b]);
    let shapes = 0, input = 0, output = 0, ttft = 0, ttfts = 0, itl = 0, itls = 0;
    for (const i of order) {
      const request = ended[i];
      if (records.status[request] !== Outcome.completed) continue;
      const tokens = records.outputTokens[request], first = records.firstTokenMs[request];
      shapes++;
      input += records.inputTokens[request];
      output += tokens;
      if (tokens === 0) continue;
      const wait = first - records.arrivalMs[request];
      if (wait > 0) {
        ttft += wait;
        ttfts++;
      }
      if (tokens > 1) {
        itl += (records.lastTokenMs[request] - first) / (tokens - 1);
        itls++;
      }
    }
    const moreForwards = forwards - this.#forwards, moreAccepted = accepted - this.#accepted;
    const window: TrafficWindow = {
      durationS: (nowMs - this.#openedMs) / 1000,
      requests: this.#arrivals,
      shapeCount: shapes,
      meanInputTokens: shapes > 0 ? input / shapes : 0,
      meanOutputTokens: shapes > 0 ? output / shapes : 0,
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
