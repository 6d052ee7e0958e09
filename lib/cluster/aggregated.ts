/**
 * An aggregated cluster in virtual time: requests arrive, are placed and served by workers that do everything.
 *
 * Workers influence each other only through the router, the admission source and the policy. Where none of them looks
 * at what happened elsewhere (round robin, recorded arrivals), each worker runs from one of its own arrivals to the next;
 * where somebody does, all workers are brought to that time first; where the end of a request can cause an arrival,
 * they move in lock step, from event to event.
 *
 * @module
 */
import { SimulationError } from "../errors.ts";
import type { PromptIndex } from "../engine/prompt_index.ts";
import type { Rank, RankObserver } from "../engine/rank.ts";
import { type Outcome, OUTCOME_NAMES, Pool } from "../engine/records.ts";
import type { Router } from "../router/router.ts";
import { buildPool } from "./build_pool.ts";
import { LifecycleLog } from "./lifecycle.ts";
import { notePlacement } from "./placement.ts";
import type { ClusterOutcome, ClusterRun, ClusterSpec, PoolSpec } from "./spec.ts";
import { TelemetrySampler } from "./telemetry_sampler.ts";
import { TickClock } from "./tick_clock.ts";
import { TrafficMeter } from "./traffic_meter.ts";
import type { Worker } from "./worker.ts";
import type { WorkerPool } from "./worker_pool.ts";

/** Outside events between two yields of a run. */
const EVENTS_PER_YIELD = 1024;
/** Virtual time a cluster that only drains goes on between two yields. */
const SLICE_MS = 60_000;
/** Ticks in a row that change nothing while nothing else can happen either. */
const MOST_IDLE_TICKS = 100_000;

/** One run of an aggregated cluster. */
export class AggregatedCluster implements RankObserver {
  readonly #spec: ClusterSpec;
  readonly #pool: WorkerPool;
  readonly #router: Router;
  readonly #prompts: PromptIndex;
  readonly #log = new LifecycleLog();
  readonly #traffic: TrafficMeter;
  readonly #ticks: TickClock;
  readonly #telemetry: TelemetrySampler | null;
  readonly #lockStep: boolean;
  readonly #limitMs: number;
  readonly #watchTraffic: boolean;
  /** Who is being brought to another time. */
  #moving: Worker | null = null;
  #clockMs = 0;
  #agedMs = 0;

  constructor(spec: ClusterSpec, pool: PoolSpec) {
    this.#spec = spec;
    const built = buildPool(spec, pool, { name: "agg", pool: Pool.aggregated }, this, this.#log);
    this.#pool = built.pool;
    this.#prompts = built.prompts;
    this.#router = built.pool.router;
    this.#ticks = new TickClock(spec.policy ?? null);
    this.#watchTraffic = spec.policy != null;
    this.#telemetry = spec.telemetry ? new TelemetrySampler(spec.telemetry, spec.records, null, this.#pool) : null;
    this.#lockStep = spec.source.reactive || this.#router.mayQueue || this.#telemetry !== null;
    this.#traffic = new TrafficMeter(spec.records, this.#lockStep);
    this.#limitMs = spec.maxVirtualMs ?? Infinity;
  }

  /** Runs the whole load; see `ClusterRun` for what is yielded. */
  *run(): ClusterRun {
    try {
      return yield* this.#play();
    } catch (error) {
      throw this.#firstFailure(error);
    }
  }

  *#play(): ClusterRun {
    this.#pool.collecting = this.#watchTraffic;
    this.#settle(0, false);
    this.#telemetry?.baseline(0);
    this.#ticks.arm(0);
    this.#pool.collecting = this.#ticks.nextMs < Infinity;
    let events = 0, told = 0, idleTicks = 0;
    for (;;) {
      const now = this.#nextMs();
      if (now === Infinity) {
        // Nothing comes from outside any more; in slices, so that a driver can show progress or stop.
        for (let until = this.#clockMs + SLICE_MS; until < this.#limitMs && this.#anyBusy(); until += SLICE_MS) {
          this.#advanceAll(until, false);
          yield { virtualMs: until, ended: this.#spec.records.ended };
        }
        this.#advanceAll(this.#limitMs, true);
        if (this.#finished() || this.#anyInFlight()) break;
        this.#deadEnd();
      }
      if (now > this.#limitMs) break;
      if (this.#telemetry !== null && this.#telemetry.nextMs < now) {
        this.#clockMs = this.#telemetry.nextMs;
        this.#age(this.#clockMs);
        this.#telemetry.periodic(this.#clockMs);
        continue;
      }
      const tick = now === this.#ticks.nextMs;
      if (!this.#lockStep && (tick || now === this.#pool.nextReadyMs)) {
        this.#advanceAll(now, false);
        if (this.#finished() && this.#lastEventMs() < now) break;
      }
      const before = this.#log.next, pending = this.#settle(now, tick);
      if (tick) {
        if (pending) yield pending;
        if (this.#finished()) break;
        idleTicks = this.#stuck() && before === this.#log.next ? idleTicks + 1 : 0;
        if (idleTicks > MOST_IDLE_TICKS) this.#deadEnd();
      }
      const { admitted } = this.#spec.records;
      if (++events >= EVENTS_PER_YIELD || admitted - told >= EVENTS_PER_YIELD) {
        events = 0;
        told = admitted;
        yield { virtualMs: now, ended: this.#spec.records.ended };
      }
    }
    return this.#close();
  }

  ended(rank: Rank, request: number, atMs: number, outcome: Outcome): void {
    const { records, source } = this.#spec;
    records.finish(request, atMs, outcome);
    if (this.#watchTraffic || this.#telemetry !== null) {
      const worker = this.#pool.workerOf[rank.id].id, atOnce = rank.passStartMs === atMs;
      if (this.#watchTraffic) this.#traffic.ended(request, worker, atOnce);
      this.#telemetry?.traffic.ended(request, worker, atOnce);
    }
    if (source.reactive) {
      const status = OUTCOME_NAMES[outcome] as "completed" | "rejected" | "failed";
      source.ended(request, atMs, status, records.outputTokens[request]);
    }
    if (this.#router.needsEnds) this.#router.ended(request, rank.id, atMs);
    if (this.#router.mayQueue) this.#releaseQueued(atMs);
  }

  firstToken(rank: Rank, request: number, atMs: number): void {
    this.#router.prefillDone(request, rank.id, atMs);
    if (this.#router.mayQueue) this.#releaseQueued(atMs);
  }

  sourceHeld(): void {}

  reserved(): void {}

  /** Next time at which something from outside the workers happens; in lock step, or a pass ends. */
  #nextMs(): number {
    let next = Math.min(this.#spec.source.nextReadyMs(), this.#ticks.nextMs, this.#pool.nextReadyMs);
    if (!this.#lockStep) return next;
    const workers = this.#pool.workers;
    let busy = false;
    for (let i = 0; i < workers.length; i++) {
      if (!workers[i].inFlight) continue;
      busy = true;
      if (workers[i].endMs < next) next = workers[i].endMs;
    }
    // Start-ups alone keep nothing alive.
    if (!busy && this.#finished()) return Infinity;
    return next;
  }

  /** Does everything that is possible at `now`, round by round; the tick comes at the end of the first. */
  #settle(now: number, tick: boolean): ReturnType<TickClock["decide"]>["pending"] {
    if (now > this.#clockMs) this.#clockMs = now;
    if (this.#lockStep) this.#age(now);
    let pending: ReturnType<TickClock["decide"]>["pending"] = null;
    for (let changed = true, first = true; changed; first = false) {
      changed = this.#round(now);
      if (first && this.#telemetry !== null && this.#telemetry.nextMs === now && !this.#finished()) {
        this.#telemetry.periodic(now);
      }
      if (first && tick) {
        if (!this.#lockStep) this.#advanceAll(now, true);
        if (this.#finished()) break;
        pending = this.#tick(now);
        changed = true;
      }
    }
    return pending;
  }

  #round(now: number): boolean {
    const { source } = this.#spec;
    let changed = this.#lockStep && this.#finishDue(now);
    if (this.#pool.nextReadyMs <= now) {
      this.#age(now);
      if (this.#pool.settleReady(now, () => this.#router.mayQueue && this.#releaseQueued(now))) changed = true;
    }
    if (source.nextReadyMs() <= now) {
      if (this.#router.needsState && !this.#lockStep) this.#advanceAll(now, false);
      for (let request = source.admit(now); request >= 0; request = source.admit(now)) this.#arrive(request, now);
      changed = true;
    }
    if (this.#lockStep && this.#startReady(now)) changed = true;
    if (this.#lockStep) this.#settleDrains(now, true);
    return changed;
  }

  #arrive(request: number, now: number): void {
    const { source, records } = this.#spec;
    const runs = source.promptRuns(request);
    if (runs !== null) this.#prompts.addRuns(request, runs);
    records.arrive(request, source.arrivalMs, runs === null ? source.workload.inputTokens[request] : runs.inputTokens);
    if (this.#watchTraffic) this.#traffic.arrived();
    this.#telemetry?.traffic.arrived();
    const rank = this.#router.place(request, now);
    if (rank < 0) {
      this.#pool.queued++;
      return;
    }
    this.#hand(request, rank, now, false);
  }

  /** Gives a placed request to its rank. */
  #hand(request: number, rankId: number, now: number, queued: boolean): void {
    const { source, records } = this.#spec;
    const worker = this.#pool.workerOf[rankId];
    const queuedMs = queued ? records.arrivalMs[request] : NaN;
    notePlacement(records, this.#router, Pool.aggregated, request, worker, rankId, queuedMs, now);
    const { overlapBlocks } = this.#router.placement;
    if (this.#watchTraffic && overlapBlocks >= 0) {
      this.#traffic.routed(overlapBlocks, Math.ceil(records.inputTokens[request] / this.#prompts.blockTokens));
    }
    if (this.#telemetry !== null && overlapBlocks >= 0) {
      this.#telemetry.traffic.routed(
        overlapBlocks,
        Math.ceil(records.inputTokens[request] / this.#prompts.blockTokens),
      );
    }
    if (!this.#lockStep) this.#advance(worker, now, false);
    worker.ranks[rankId - worker.firstRank].submit(request, now);
    worker.wake(now);
    if (source.reactive) source.dispatched(request, now);
    if (source.workload.playIds !== null) records.dispatch(request, now);
  }

  #releaseQueued(now: number): void {
    for (let request = this.#router.nextReleased(now); request >= 0; request = this.#router.nextReleased(now)) {
      this.#pool.queued--;
      this.#hand(request, this.#router.placedRank, now, true);
    }
  }

  /** Ends the passes due at `now`, lowest worker first. */
  #finishDue(now: number): boolean {
    const workers = this.#pool.workers;
    let any = false;
    for (let i = 0; i < workers.length; i++) {
      const worker = workers[i];
      if (!worker.inFlight || worker.endMs > now || worker.endsAtOnce) continue;
      worker.finish();
      any = true;
    }
    return any;
  }

  /**
   * Lock step: starts passes on all ready workers, the lowest first, until none is ready: one whose pass takes no time
   * is at once ready for the next. The last one to start may go on alone until the next thing that can happen elsewhere.
   */
  #startReady(now: number): boolean {
    const workers = this.#pool.workers;
    let any = false;
    for (let i = this.#firstReady(0, now); i >= 0;) {
      const worker = workers[i], next = this.#firstReady(i + 1, now);
      const again = this.#startOn(worker, now, next >= 0 ? now : this.#untilOthers(worker));
      if (again) any = true;
      i = again ? this.#firstReady(0, now) : next;
    }
    return any;
  }

  /** Lowest worker from `from` on that would start a pass now, or started one that takes no time; -1 without any. */
  #firstReady(from: number, now: number): number {
    const workers = this.#pool.workers;
    for (let i = from; i < workers.length; i++) {
      if (workers[i].ready || (workers[i].endsAtOnce && workers[i].endMs <= now)) return i;
    }
    return -1;
  }

  /** Next time at which something can happen that does not come from `worker`. */
  #untilOthers(worker: Worker): number {
    const workers = this.#pool.workers;
    if (this.#telemetry !== null) return 0;
    let until = Math.min(this.#spec.source.nextReadyMs(), this.#ticks.nextMs, this.#pool.nextReadyMs, this.#limitMs);
    for (let i = 0; i < workers.length; i++) {
      if (workers[i] !== worker && workers[i].inFlight && workers[i].endMs < until) until = workers[i].endMs;
    }
    return until;
  }

  /** Starts a pass; returns whether it ended at once, so that more can happen now. */
  #startOn(worker: Worker, now: number, until: number): boolean {
    if (!worker.inFlight) {
      // A run of passes may have come further than the clock before it found nothing to do.
      worker.start(Math.max(now, worker.freeAtMs), until);
      if (!worker.inFlight) return !worker.deferred;
    }
    if (worker.endMs > now) return false;
    worker.finish();
    return true;
  }

  /**
   * Brings every worker to `now`; passes that start there are started too when `inclusive`. Workers that are drained by
   * then are removed after everything else that happens at the same time, so those of `now` only when `inclusive`.
   */
  #advanceAll(now: number, inclusive: boolean): void {
    const workers = this.#pool.workers;
    for (let i = 0; i < workers.length; i++) this.#advance(workers[i], now, inclusive);
    this.#settleDrains(now, inclusive);
  }

  #advance(worker: Worker, now: number, inclusive: boolean): void {
    this.#moving = worker;
    worker.advance(now, inclusive);
    this.#moving = null;
  }

  /** Workers that do not move in lock step may fail out of order: the failure that came first is the run's. */
  #firstFailure(failure: unknown): unknown {
    const failed = this.#moving;
    if (this.#lockStep || !(failure instanceof SimulationError)) return failure;
    let first: unknown = failure, until = failed?.startedMs ?? this.#clockMs, lowest = failed?.id ?? -1;
    for (const worker of this.#pool.workers) {
      if (worker === failed) continue;
      try {
        worker.advance(until, worker.id < lowest);
      } catch (earlier) {
        first = earlier;
        until = worker.startedMs;
        lowest = worker.id;
      }
    }
    return first;
  }

  /** Removes drained workers at the times at which they became empty. */
  #settleDrains(now: number, inclusive: boolean): void {
    for (let at = this.#pool.nextDrainedMs; at < now || (at === now && inclusive); at = this.#pool.nextDrainedMs) {
      if (at === Infinity) return;
      this.#age(at);
      this.#pool.settleDrained(Math.max(at, this.#agedMs));
    }
  }

  #tick(now: number): ReturnType<TickClock["decide"]>["pending"] {
    this.#age(now);
    const router = this.#router, pool = this.#pool;
    const { targets, pending, armed } = this.#ticks.decide({
      nowMs: now,
      prefill: null,
      decode: pool.snapshot(now),
      traffic: this.#traffic.close(now, pool.decodeForwards, pool.acceptedTokens),
      routers: { prefill: null, decode: router },
    });
    if (targets.decode !== null) {
      pool.scaleTo(targets.decode, now, this.#ticks.handled - 1);
      if (router.mayQueue) this.#releaseQueued(now);
    }
    if (!armed) pool.collecting = false;
    for (const worker of pool.workers) worker.deferred = false;
    return pending;
  }

  /** When something happened last on any worker. */
  #lastEventMs(): number {
    let last = 0;
    for (const worker of this.#pool.workers) last = Math.max(last, worker.lastEventMs);
    return last;
  }

  #age(now: number): void {
    if (now <= this.#agedMs) return;
    this.#pool.age(this.#agedMs, now);
    this.#agedMs = now;
  }

  #finished(): boolean {
    if (!this.#spec.source.exhausted() || this.#spec.source.nextReadyMs() < Infinity) return false;
    return this.#spec.records.ended === this.#spec.records.admitted && !this.#anyInFlight();
  }

  /** Requests are left, but no worker can do anything and none will come. */
  #stuck(): boolean {
    if (this.#spec.source.nextReadyMs() < Infinity || this.#pool.nextReadyMs < Infinity) return false;
    return !this.#anyInFlight();
  }

  #anyBusy(): boolean {
    return this.#pool.workers.some((worker) => worker.inFlight || worker.ready);
  }

  #anyInFlight(): boolean {
    return this.#pool.workers.some((worker) => worker.inFlight);
  }

  #deadEnd(): never {
    const { records } = this.#spec;
    const owned = this.#pool.owned;
    throw new SimulationError(
      owned > 0
        ? "replay invariant violated: offline replay detected an effect-free zero-duration pass with " +
          `${owned} in-flight requests remaining`
        : "replay invariant violated: offline replay reached a dead end with " +
          `${records.admitted - records.ended} in-flight requests remaining`,
    );
  }

  #close(): ClusterOutcome {
    const pool = this.#pool;
    if (this.#limitMs < Infinity) this.#advanceAll(this.#limitMs, true);
    const end = Math.max(this.#clockMs, this.#lastEventMs());
    this.#age(end);
    this.#telemetry?.final(end);
    pool.close();
    return {
      prefillWorkerSeconds: 0,
      decodeWorkerSeconds: pool.workerSeconds,
      committedPrefillTokens: pool.committedPrefillTokens,
      endMs: end,
      ticks: this.#ticks.handled,
      lifecycle: this.#log.operations,
    };
  }
}
