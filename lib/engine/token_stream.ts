/**
 * The output tokens of one rank's requests, kept as runs: a request that emits in every pass is only its first and last
 * pass in the pass log. Whatever breaks the rhythm (preemption, a skipped pass, bursts) is kept beside it. Statistics
 * and stamps are written when a request completes.
 *
 * @module
 */
import { FEW, reaching } from "../collections/growing.ts";
import type { GapSink } from "./gap_sink.ts";
import { PassLog } from "./pass_log.ts";
import type { RequestRecords } from "./records.ts";

/** What broke the rhythm of one request. */
class Broken {
  /** Gaps that are not the gap of a pass in an open run. */
  readonly gaps: number[] = [];
  /** Tokens that left together with the one before. */
  together = 0;
  lastMs = NaN;
}

/** Token stamps and gaps of one rank, by slot (the rank's small number for a request it owns). */
export class TokenStream {
  readonly log: PassLog;
  readonly #sink: GapSink;
  readonly #records: RequestRecords;
  /** First pass of the open run, or -1. */
  #since = new Int32Array(FEW).fill(-1);
  #firstMs = new Float64Array(FEW).fill(NaN);
  #secondMs = new Float64Array(FEW).fill(NaN);
  /** When the token right before the open run left, if that was between two passes of the log; else NaN. */
  #headMs = new Float64Array(FEW).fill(NaN);
  readonly #broken = new Map<number, Broken>();

  constructor(sink: GapSink, records: RequestRecords) {
    this.#sink = sink;
    this.#records = records;
    this.log = new PassLog(sink);
  }

  /** Makes room for slots below `slots` and clears nothing. */
  reserve(slots: number): void {
    const last = slots - 1;
    // Assigned in any case: see growing.ts.
    this.#since = reaching(this.#since, last, -1);
    this.#firstMs = reaching(this.#firstMs, last, NaN);
    this.#secondMs = reaching(this.#secondMs, last, NaN);
    this.#headMs = reaching(this.#headMs, last, NaN);
  }

  /** True while the slot emits in every pass. */
  running(slot: number): boolean {
    return this.#since[slot] >= 0;
  }

  /** Folds the log as far as no open run of these slots, the ones that run, looks back. */
  fold(slots: Int32Array, count: number): void {
    let oldest = this.log.next - 1;
    for (let i = 0; i < count; i++) {
      const since = this.#since[slots[i]];
      if (since >= 0 && since < oldest) oldest = since;
    }
    this.log.fold(oldest - 1);
  }

  /**
   * The slot emits in the pass just pushed, without an open run: its first token, or the first after a break.
   * From now on it counts as emitting in every pass until `pause` or `complete`.
   */
  begin(slot: number): void {
    const pass = this.log.next - 1, end = this.log.end(pass);
    this.#since[slot] = pass;
    if (Number.isNaN(this.#firstMs[slot])) {
      this.#firstMs[slot] = end;
      return;
    }
    const broken = this.#broken.get(slot)!;
    broken.gaps.push(Math.max(end - broken.lastMs, 0));
    if (Number.isNaN(this.#secondMs[slot])) this.#secondMs[slot] = end;
  }

  /**
   * The slot emits at `atMs` outside the passes of the log, after the last of them: its first token, or the first after
   * a break. From the next pass on it counts as emitting in every pass until `pause` or `complete`.
   */
  beginBetween(slot: number, atMs: number): void {
    if (Number.isNaN(this.#firstMs[slot])) {
      this.#firstMs[slot] = atMs;
    } else {
      const broken = this.#broken.get(slot)!;
      broken.gaps.push(Math.max(atMs - broken.lastMs, 0));
      if (Number.isNaN(this.#secondMs[slot])) this.#secondMs[slot] = atMs;
    }
    this.#since[slot] = this.log.next;
    this.#headMs[slot] = atMs;
  }

  /** `more` further tokens leave together with the slot's token of the pass just pushed (multi-token prediction). */
  burst(slot: number, more: number): void {
    if (more <= 0) return;
    this.#breakOf(slot).together += more;
    if (Number.isNaN(this.#secondMs[slot])) {
      const since = this.#since[slot], pass = this.log.next - 1;
      const second = Number.isNaN(this.#headMs[slot]) ? since + 1 : since;
      this.#secondMs[slot] = this.log.end(since >= 0 && second < pass ? second : pass);
    }
  }

  /** The slot's open run, if any, ended with pass `last` (default: the pass before the one being formed). */
  pause(slot: number, last = this.log.next - 1): void {
    const since = this.#since[slot];
    if (since < 0) return;
    const broken = this.#breakOf(slot), head = this.#headMs[slot];
    this.#since[slot] = -1;
    if (!Number.isNaN(head)) {
      this.#headMs[slot] = NaN;
      if (last < since) {
        broken.lastMs = head;
        return;
      }
      broken.gaps.push(Math.max(this.log.end(since) - head, 0));
      if (Number.isNaN(this.#secondMs[slot])) this.#secondMs[slot] = this.log.end(since);
    }
    if (last > since && Number.isNaN(this.#secondMs[slot])) this.#secondMs[slot] = this.log.end(since + 1);
    for (let pass = since + 1; pass <= last; pass++) {
      broken.gaps.push(Math.max(this.log.end(pass) - this.log.end(pass - 1), 0));
    }
    broken.lastMs = this.log.end(last);
  }

  /** The request in this slot completed with the token it emitted last; `emitted` tokens in all. */
  complete(slot: number, request: number, emitted: number): void {
    const since = this.#since[slot];
    if (emitted === 0) {
      this.#records.emit(request, 0, NaN, NaN, NaN);
      this.drop(slot);
      return;
    }
    const last = this.log.next - 1, head = this.#headMs[slot];
    let second = this.#secondMs[slot];
    if (!Number.isNaN(head) && last >= since) {
      const end = this.log.end(since);
      this.#sink.add(Math.max(end - head, 0), 1);
      if (Number.isNaN(second)) second = end;
    }
    if (since >= 0) {
      if (last > since && Number.isNaN(second)) second = this.log.end(since + 1);
      this.log.emitted(since, last);
    }
    const broken = this.#broken.size > 0 ? this.#broken.get(slot) : undefined;
    if (broken !== undefined) {
      for (const gap of broken.gaps) this.#sink.add(gap, 1);
      if (broken.together > 0) this.#sink.add(0, broken.together);
    }
    const lastMs = last < since ? head : this.log.end(last);
    this.#records.emit(request, emitted, this.#firstMs[slot], second, lastMs);
    this.drop(slot);
  }

  /** Forgets the slot: it completed, or its request went without completing. */
  drop(slot: number): void {
    this.#since[slot] = -1;
    this.#firstMs[slot] = NaN;
    this.#secondMs[slot] = NaN;
    this.#headMs[slot] = NaN;
    if (this.#broken.size > 0) this.#broken.delete(slot);
  }

  /** First token of the slot's request, `NaN` before it. */
  firstMs(slot: number): number {
    return this.#firstMs[slot];
  }

  #breakOf(slot: number): Broken {
    let broken = this.#broken.get(slot);
    if (broken === undefined) this.#broken.set(slot, broken = new Broken());
    return broken;
  }
}
