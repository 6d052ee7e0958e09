/**
 * One logical worker: its attention data-parallel ranks, which run their passes as a group, and where it stands in its
 * life. A worker keeps its own clock: `advance` runs it up to a time at which somebody wants something of it.
 *
 * @module
 */
import { type Rank, Retry } from "../engine/rank.ts";
import { SimulationError } from "../errors.ts";
import type { NumberSet } from "../collections/number_set.ts";
import type { PassRow } from "../planner/policy.ts";

/** Attempts at one time, each without effect, after which a worker is given up. */
const MOST_RETRIES = 1024;

/** Where a worker stands in its life. */
export type WorkerState = "starting" | "active" | "draining" | "removed";

/** What a rank has to tell at the next tick. */
export interface RankReport {
  /** A pass ended that no tick has reported. */
  fresh: boolean;
  /** The rank sat that pass out. */
  idle: boolean;
  /** Last time the rank told of a pass, or of being idle. */
  lastMs: number;
  startMs: number;
  endMs: number;
  /** What a tick hears of the rank while it is idle, made once; null before. */
  idleRow: PassRow | null;
}

/** What telemetry shows of a rank: its state when it last told it, and counters up to then. */
export interface Gauges {
  activeBlocks: number;
  inactiveBlocks: number;
  runningRequests: number;
  waitingRequests: number;
  preemptions: number;
  cacheTotalTokens: number;
  cacheHitTokens: number;
}

const NONE: readonly Rank[] = [];

/** A worker and the pass it has in flight. */
export class Worker {
  readonly id: number;
  /** How many ranks it has, and the id of the first. */
  readonly size: number;
  readonly firstRank: number;
  /** Its ranks once one of them was needed, none before: most of a large cluster's workers may never be. */
  made: readonly Rank[] = NONE;
  readonly reports: RankReport[];
  /** Gauges by rank, kept up when somebody watches them. */
  gauges: Gauges[] | null = null;
  state: WorkerState;
  /** Operation that started or drained it, for the lifecycle log. */
  originOrdinal = 0;
  /** A pass is in flight until `endMs`. */
  inFlight = false;
  endMs = 0;
  /** When it was last free to start a pass. */
  freeAtMs = 0;
  /** When it was added, and when it was removed; `Infinity` while it is there. */
  readonly addedMs: number;
  removedMs = Infinity;
  /** Most KV blocks that its requests held in all ranks together, looked at when a pass starts. */
  peakHeldBlocks = 0;
  /** Blocks that were held during passes, times the milliseconds those took. */
  heldBlockMs = 0;
  /** Commands for it that wait for the end of its pass. */
  putOff = 0;
  /** Its last attempt came to nothing: not tried again before something happens to it. */
  deferred = false;
  /** Nothing that others see happens here up to then, unless something reaches it; see {@linkcode Rank.quietUntilMs}. */
  quietUntilMs = -Infinity;
  #startMs = 0;
  /** Retries at one time that a scheduler asked for, one after the other. */
  #retries = 0;
  /** Group passes since all ranks were idle. */
  #wave = 0;
  readonly #tookPart: Uint8Array;
  /** The last pass that was started ends when it starts. */
  #takesNoTime = false;
  readonly #awake: NumberSet;
  readonly #make: (firstRank: number) => Rank[];

  /**
   * @param make makes the ranks, whose ids follow each other
   * @param awake the workers of the pool that may have something to do; this one enters itself
   */
  constructor(
    id: number,
    size: number,
    make: (firstRank: number) => Rank[],
    state: WorkerState,
    nowMs: number,
    awake: NumberSet,
  ) {
    this.id = id;
    this.size = size;
    this.firstRank = id * size;
    this.#make = make;
    this.state = state;
    this.#awake = awake;
    this.freeAtMs = nowMs;
    this.addedMs = nowMs;
    this.#tookPart = new Uint8Array(size);
    this.reports = [];
    for (let i = 0; i < size; i++) {
      this.reports.push({ fresh: false, idle: false, lastMs: nowMs, startMs: 0, endMs: 0, idleRow: null });
    }
  }

  /** Its ranks, which are made when they are needed first. */
  get ranks(): readonly Rank[] {
    return this.made.length > 0 ? this.made : this.made = this.#make(this.firstRank);
  }

  /** True when it would start a pass now. */
  get ready(): boolean {
    if (this.inFlight || this.deferred) return false;
    for (let i = 0; i < this.made.length; i++) if (this.made[i].ready) return true;
    return false;
  }

  /** Requests it owns in any way. */
  get owned(): number {
    let owned = 0;
    for (let i = 0; i < this.made.length; i++) owned += this.made[i].owned;
    return owned;
  }

  /** Nothing is left to do here. */
  get empty(): boolean {
    return !this.inFlight && this.owned === 0;
  }

  /** Something happened to a rank at `nowMs` (a request came, KV moved): the worker may try again from then on. */
  wake(nowMs: number, rank: number): void {
    this.deferred = false;
    this.quietUntilMs = -Infinity;
    this.#awake.add(this.id);
    if (!this.inFlight && nowMs > this.freeAtMs) this.freeAtMs = nowMs;
    this.readGauge(rank - this.firstRank);
  }

  /** Begins to keep gauges. */
  watch(): void {
    this.gauges = Array.from({ length: this.size }, () => ({
      activeBlocks: 0,
      inactiveBlocks: 0,
      runningRequests: 0,
      waitingRequests: 0,
      preemptions: 0,
      cacheTotalTokens: 0,
      cacheHitTokens: 0,
    }));
    for (let i = 0; i < this.size; i++) this.readGauge(i);
  }

  /** Brings the gauges of a rank up to date, where they are kept: a command reached it, or a pass ended. */
  readGauge(i: number): void {
    if (this.gauges === null) return;
    const rank = this.ranks[i], gauge = this.gauges[i];
    gauge.activeBlocks = rank.activeBlocks;
    gauge.inactiveBlocks = rank.inactiveBlocks;
    gauge.runningRequests = rank.runningRequests;
    gauge.waitingRequests = rank.waitingRequests;
    gauge.preemptions = rank.preemptions;
    gauge.cacheTotalTokens = rank.cacheTotalTokens ?? 0;
    gauge.cacheHitTokens = rank.cacheHitTokens ?? 0;
  }

  /** Ends every pass due by `untilMs`, starting each next one that starts before it, or also at it (`inclusive`). */
  advance(untilMs: number, inclusive = false): void {
    for (;;) {
      if (this.inFlight) {
        if (this.endMs > untilMs) return;
        this.finish();
      }
      if (this.deferred || this.freeAtMs > untilMs || (this.freeAtMs === untilMs && !inclusive)) return;
      if (!this.ready) return this.rest();
      this.start(this.freeAtMs, untilMs);
    }
  }

  /** Ends every pass due before `untilMs`, starting each next one; a pass that ends at that time is left in flight. */
  advanceBefore(untilMs: number): void {
    while (this.inFlight && this.endMs < untilMs) {
      this.finish();
      if (!this.ready) return this.rest();
      this.start(this.freeAtMs, untilMs);
    }
  }

  /** The pass in flight may end, and others after it, without anybody seeing it. */
  get isQuiet(): boolean {
    return this.inFlight && this.endMs < this.quietUntilMs;
  }

  /** In lock step: passes may have ended by `now`, none of which anybody sees. */
  isBehind(now: number): boolean {
    return this.endMs <= now && this.isQuiet && now <= this.quietUntilMs;
  }

  /** Finds out how long it may be left behind. */
  lookAhead(): void {
    this.quietUntilMs = this.inFlight && this.size === 1 && !this.#takesNoTime
      ? this.made[0].quietUntilMs?.(this.endMs) ?? -Infinity
      : -Infinity;
  }

  /** Nothing is left to try before something happens to it: it is passed over until then. */
  rest(): void {
    if (!this.inFlight && !this.deferred) this.#awake.delete(this.id);
  }

  /** Last time something happened here: the last pass end, or the start of the pass in flight. */
  get lastEventMs(): number {
    return this.inFlight ? this.startedMs : this.endMs;
  }

  /** The pass in flight takes no time: a run of passes came to it ahead of the cluster's clock. */
  get endsAtOnce(): boolean {
    return this.inFlight && this.#takesNoTime;
  }

  /** Start of the last pass that was tried. */
  get startedMs(): number {
    let last = 0;
    for (const rank of this.made) last = Math.max(last, rank.passStartMs);
    return last;
  }

  /** Starts a pass at `nowMs`; whole decode passes may follow while their starts are before `untilMs`. */
  start(nowMs: number, untilMs: number): void {
    const ranks = this.made;
    let effect = false, retry: Retry = Retry.later, countedMs = nowMs;
    this.#startMs = nowMs;
    if (ranks.length === 1) {
      const rank = ranks[0];
      this.#tookPart[0] = 1;
      this.endMs = this.gauges === null
        ? rank.steadyDecodeRun(nowMs, untilMs)
        : this.#runGauged(rank, this.gauges[0], nowMs, untilMs);
      effect = rank.hadEffect;
      retry = rank.retry;
      this.heldBlockMs += rank.ranHeldBlockMs;
      this.peakHeldBlocks = Math.max(this.peakHeldBlocks, rank.ranPeakBlocks);
      countedMs = rank.passStartMs;
      if (countedMs > nowMs) {
        // Passes ended on the way.
        this.#startMs = countedMs;
        const report = this.reports[0];
        report.fresh = true;
        report.idle = false;
        report.lastMs = countedMs;
      }
    } else {
      this.endMs = nowMs;
      for (let i = 0; i < ranks.length; i++) {
        const rank = ranks[i];
        this.#tookPart[i] = rank.ready ? 1 : 0;
        if (!rank.ready) continue;
        this.endMs = Math.max(this.endMs, rank.startInGroup?.(nowMs, this.#wave) ?? rank.start(nowMs, this.#wave));
        if (rank.hadEffect) effect = true;
        if (rank.retry > retry) retry = rank.retry;
      }
      ranks[0].settleGroup?.(ranks, this.#tookPart);
      this.#wave++;
    }
    this.inFlight = effect;
    this.#takesNoTime = this.endMs === countedMs;
    if (effect) {
      this.#retries = 0;
      this.#count(this.endMs - countedMs);
    } else this.#defer(this.endMs, retry);
  }

  /** Starts a pass and keeps the gauge up at the ends of those that end on the way. */
  #runGauged(rank: Rank, gauge: Gauges, nowMs: number, untilMs: number): number {
    const { runningRequests, waitingRequests } = rank;
    const end = rank.steadyDecodeRun(nowMs, rank.ranActiveBlocks === undefined ? 0 : untilMs);
    if (rank.ranActiveBlocks === undefined || rank.ranActiveBlocks < 0) return end;
    gauge.activeBlocks = rank.ranActiveBlocks;
    gauge.inactiveBlocks = rank.ranInactiveBlocks!;
    gauge.runningRequests = runningRequests;
    gauge.waitingRequests = waitingRequests;
    return end;
  }

  /** Notes what is held while a pass takes its time. */
  #count(durationMs: number): void {
    let held = 0;
    for (let i = 0; i < this.made.length; i++) held += this.made[i].heldBlocks;
    if (held > this.peakHeldBlocks) this.peakHeldBlocks = held;
    this.heldBlockMs += held * durationMs;
  }

  /** Ends the pass in flight. */
  finish(): void {
    const end = this.endMs, ranks = this.made;
    this.inFlight = false;
    this.freeAtMs = end;
    // A pass that took no time is told of by the ranks it did something to; by all of them when anybody was admitted or
    // preempted.
    const told = end > this.#startMs || this.#reshuffled();
    for (let i = 0; i < ranks.length; i++) {
      if (told || (this.#tookPart[i] === 1 && ranks[i].hadEffect)) this.finishRank(i);
    }
    if (ranks.length > 1 && this.owned === 0) this.#wave = 0;
  }

  /** One rank tells of the pass: because it ends, or because one without effect led to something all the same. */
  finishRank(i: number): void {
    const report = this.reports[i], end = this.endMs;
    report.fresh = true;
    report.idle = this.#tookPart[i] === 0;
    report.lastMs = end;
    report.startMs = this.#startMs;
    report.endMs = end;
    if (!report.idle) this.made[i].finish(end);
    this.readGauge(i);
  }

  #reshuffled(): boolean {
    for (let i = 0; i < this.made.length; i++) if (this.#tookPart[i] === 1 && this.made[i].reshuffled) return true;
    return false;
  }

  #defer(nowMs: number, retry: Retry): void {
    this.freeAtMs = Math.max(this.freeAtMs, nowMs);
    if (retry === Retry.countdown || (retry === Retry.again && ++this.#retries < MOST_RETRIES)) return;
    if (retry !== Retry.later) {
      throw new SimulationError(
        "replay invariant violated: offline replay detected an effect-free zero-duration pass with " +
          `${this.owned} in-flight requests remaining`,
      );
    }
    this.deferred = true;
    this.#retries = 0;
  }
}
