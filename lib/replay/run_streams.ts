/**
 * What a run tells while it goes on: records of requests and ticks, for those who read them.
 *
 * @module
 */
import type { RequestRecords } from "../engine/records.ts";
import type { PlannerTick } from "../report/planner_section.ts";
import { PerRequestRecords, type RequestRecord } from "../report/per_request.ts";
import type { Workload } from "../traffic/workload.ts";

/** A tick as it is streamed: the report's entry, with what most people ask of it under short names. */
export interface ReplayTick extends PlannerTick {
  /** Virtual time in milliseconds, `at_ms`. */
  readonly atMs: number;
  /** Replicas wanted from this tick on; null for no change. Aggregated workers are `decode`. */
  readonly targets: { readonly prefill: number | null; readonly decode: number | null };
}

/** Items a stream may be ahead of its reader before the replay waits for it. */
const MOST_AHEAD = 4096;

/** The items of a stream that are not read yet. */
export class StreamBuffer<T> {
  /** Whether somebody reads the stream. */
  open = false;
  #items: T[] = [];
  #emptied: (() => void) | null = null;

  /** Whether the replay has to wait for the reader. */
  get full(): boolean {
    return this.#items.length > MOST_AHEAD;
  }

  /** Adds an item. */
  push(item: T): void {
    this.#items.push(item);
  }

  /** Takes all items; those who wait for room go on. */
  take(): T[] {
    const items = this.#items;
    this.#items = [];
    this.#emptied?.();
    this.#emptied = null;
    return items;
  }

  /** Nobody reads the stream any more. */
  close(): void {
    this.open = false;
    this.take();
  }

  /** Resolves when the items were taken. */
  emptied(): Promise<void> {
    return new Promise((resolve) => this.#emptied = resolve);
  }
}

/** The streams of one run. */
export class RunStreams {
  /** Records of requests that ended. */
  readonly requests = new StreamBuffer<RequestRecord>();
  /** Ticks of the autoscaler. */
  readonly ticks = new StreamBuffer<ReplayTick>();
  #toldRequests = 0;
  #toldTicks = 0;

  /** Resolves once no stream is too far ahead of its reader. */
  async room(): Promise<void> {
    for (const buffer of [this.requests, this.ticks]) while (buffer.full) await buffer.emptied();
  }

  /**
   * Puts what is new into the streams that are read.
   *
   * @param over whether the run is over, so that nothing more will come
   */
  tell(records: RequestRecords, workload: Workload, ticks: () => readonly PlannerTick[], over: boolean): void {
    // Histories are sorted by request each time, so a batch is a good part of what was told before.
    const due = records.ended - this.#toldRequests;
    if (this.requests.open && due > 0 && (over || due * 4 >= this.#toldRequests)) {
      const made = new PerRequestRecords(records, workload);
      while (this.#toldRequests < records.ended) {
        this.requests.push(made.of(records.completionOrder[this.#toldRequests++]));
      }
    }
    if (!this.ticks.open) return;
    const all = ticks();
    while (this.#toldTicks < all.length) this.ticks.push(streamed(all[this.#toldTicks++]));
  }
}

function streamed(tick: PlannerTick): ReplayTick {
  const { target_prefill: prefill, target_decode: decode } = tick.runtime_decision;
  return { ...tick, atMs: tick.at_ms, targets: { prefill, decode } };
}
