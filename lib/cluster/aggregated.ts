/**
 * An aggregated cluster in virtual time: requests arrive, are placed and served by workers that do everything.
 *
 * Workers influence each other only through the router, the admission source and the policy. Where none of them looks
 * at what happened elsewhere (round robin, recorded arrivals), each worker runs from one of its own arrivals to the next;
 * where somebody does, or a sample is taken, all workers are brought to that time first. Where the end of a request
 * causes an arrival some time later, they all run on by that time, look what arrives, and so on; where it can cause one
 * at once, they move in lock step, from event to event, and each stays behind while nothing happens on it that others
 * see: no request ends there, none emits its first token, no cache content changes that a router hears of. Router queues
 * only move at such events. Samples and ticks look at workers themselves, so all of them are brought to that time first.
 *
 * @module
 */
import { SimulationError } from "../errors.ts";
import type { Rank } from "../engine/rank.ts";
import { Outcome, Pool } from "../engine/records.ts";
import type { Router } from "../router/router.ts";
import { Cluster } from "./cluster.ts";
import { Laggards } from "./laggards.ts";
import { checkRank, notePlacement } from "./placement.ts";
import type { ClusterSpec, PoolSpec, Progress } from "./spec.ts";
import type { Worker } from "./worker.ts";
import type { WorkerPool } from "./worker_pool.ts";

/** Virtual time a cluster that only drains goes on between two yields. */
const SLICE_MS = 60_000;
/** So many workers in lock step are brought from event to event sooner than they are looked after one by one. */
const FEW = 2;
/** Windows between two yields of a cluster that has nothing else to do. */
const WINDOWS_PER_YIELD = 1024;

/** One run of an aggregated cluster. */
export class AggregatedCluster extends Cluster {
  readonly #pool: WorkerPool;
  readonly #router: Router;
  /** Attempts in vain count: see the constructor. */
  readonly #countsAttempts: boolean;
  /** All ends up to then were heard of, where they cause arrivals. */
  #heardMs = 0;
  /** All workers, each of which is brought to the present when somebody looks at it. */
  readonly #laggards: Laggards;

  constructor(spec: ClusterSpec, pool: PoolSpec) {
    // Under a prefill cadence the passes of a group of ranks are counted, the attempts without effect too; they are made
    // in every round of every instant of the cluster.
    const { settings } = pool, lockStep = settings.dpSize > 1 && settings.rank.prefillScheduleInterval > 1;
    super(spec, [{ spec: pool, name: "agg", pool: Pool.aggregated }], { lockStep, endsInOrder: true, windows: true });
    this.#countsAttempts = lockStep;
    this.#pool = this.pools[0];
    this.#router = this.#pool.router;
    this.#laggards = new Laggards(this.#pool, () => true);
    // Samples are taken up to the last event. The last one before a limit may be the end of a pass that nobody sees, so
    // that with samples and a limit every pass end has to be an event.
    this.staysQuiet = this.lockStep && !lockStep && (this.telemetry === null || this.limitMs === Infinity) &&
      this.#pool.workers.length > FEW;
  }

  // What ranks tell.

  override ended(rank: Rank, request: number, atMs: number, outcome: Outcome): void {
    if (outcome === Outcome.completed) this.meterEnd(this.#pool, rank, request, atMs);
    this.terminate(request, atMs, outcome);
    if (this.#router.needsEnds) this.#router.ended(request, rank.id, atMs);
    if (this.#router.mayQueue) this.#releaseQueued(atMs);
  }

  override firstToken(rank: Rank, request: number, atMs: number): void {
    this.#router.prefillDone(request, rank.id, atMs);
    if (this.#router.mayQueue) this.#releaseQueued(atMs);
  }

  override sourceHeld(): void {}

  override reserved(): void {}

  // The steps of a round.

  protected override round(now: number): boolean {
    const { source } = this.spec;
    let changed = this.lockStep && this.#finishDue(now);
    if (this.#pool.nextReadyMs <= now) {
      this.age(now);
      if (this.#settleReady(now)) changed = true;
    }
    if (source.nextReadyMs() <= now) {
      if (this.#router.needsState && !this.lockStep) this.#advanceSeen(now);
      for (let request = source.admit(now); request >= 0; request = source.admit(now)) this.#place(request, now);
      changed = true;
    }
    const goesOn = this.lockStep && this.#startReady(now);
    if (this.lockStep) this.#settleDrains(now, true);
    if (this.#countsAttempts) return changed || goesOn;
    // What ended was heard, and who became ready has started.
    return goesOn || this.#pool.nextReadyMs <= now || source.nextReadyMs() <= now;
  }

  /** Start-ups that are over; what waited for a worker goes on. */
  #settleReady(now: number): boolean {
    return this.#pool.settleReady(now, () => this.#router.mayQueue && this.#releaseQueued(now));
  }

  #place(request: number, now: number): void {
    this.arrive(request);
    const rank = this.#router.place(request, now);
    if (rank < 0) this.#pool.queued++;
    else this.#hand(request, rank, now, false);
    this.dispatched(request, now);
  }

  /** Gives a placed request to its rank. */
  #hand(request: number, rankId: number, now: number, queued: boolean): void {
    const { records } = this.spec;
    const worker = this.#pool.workerOf[rankId];
    checkRank(this.#router, rankId, worker !== undefined);
    const queuedMs = queued ? records.arrivalMs[records.rowOf(request)] : NaN;
    notePlacement(records, this.#router, Pool.aggregated, request, worker, rankId, queuedMs, now);
    records.place(request, Pool.aggregated, rankId);
    const { overlapBlocks } = this.#router.placement;
    if (overlapBlocks >= 0 && (this.watchTraffic || this.telemetry !== null)) {
      const blocks = Math.ceil(records.inputTokens[request] / this.prompts[0].blockTokens);
      if (this.watchTraffic) this.traffic.routed(overlapBlocks, blocks);
      this.telemetry?.traffic.routed(overlapBlocks, blocks);
    }
    if (!this.lockStep) this.#laggards.advance(worker, now, false);
    else if (this.staysQuiet && worker.isBehind(now)) this.#laggards.catchUp(worker, now);
    worker.ranks[rankId - worker.firstRank].submit(request, now);
    worker.wake(now, rankId);
  }

  #releaseQueued(now: number): void {
    for (let request = this.#router.nextReleased(now); request >= 0; request = this.#router.nextReleased(now)) {
      this.#pool.queued--;
      this.#hand(request, this.#router.placedRank, now, true);
    }
  }

  /** Ends the passes due at `now`, lowest worker first. */
  #finishDue(now: number): boolean {
    const pool = this.#pool;
    let any = false;
    for (let worker = pool.awakeFrom(0); worker !== undefined; worker = pool.awakeFrom(worker.id + 1)) {
      if (!worker.inFlight || worker.endMs > now || worker.endsAtOnce) continue;
      if (this.staysQuiet && worker.isBehind(now)) {
        if (now < worker.quietUntilMs) continue;
        this.#laggards.advance(worker, now, false);
      } else {
        this.#laggards.ending(worker.id);
        worker.finish();
      }
      any = true;
    }
    this.#laggards.ending(Infinity);
    return any;
  }

  /**
   * Lock step: starts passes on all ready workers, the lowest first, until none is ready: one whose pass takes no time
   * is at once ready for the next. The last one to start may go on alone until the next thing that can happen elsewhere.
   */
  #startReady(now: number): boolean {
    let any = false;
    if (this.#countsAttempts) this.#tryAgain();
    for (let worker = this.#firstReady(0, now); worker !== undefined;) {
      this.#laggards.starting(now, worker.id);
      const next = this.#firstReady(worker.id + 1, now);
      const again = this.#startOn(worker, now, next === undefined ? this.#untilOthers(worker) : now);
      if (again) any = true;
      else if (this.staysQuiet && worker.inFlight) worker.lookAhead();
      worker = again ? this.#firstReady(0, now) : next;
    }
    this.#laggards.starting(now, Infinity);
    return any;
  }

  /** Workers that found nothing to do may look again. */
  #tryAgain(): void {
    const pool = this.#pool;
    for (let worker = pool.awakeFrom(0); worker !== undefined; worker = pool.awakeFrom(worker.id + 1)) {
      worker.deferred = false;
    }
  }

  /** Lowest worker from `id` on that would start a pass now, or started one that takes no time. */
  #firstReady(id: number, now: number): Worker | undefined {
    const pool = this.#pool;
    for (let worker = pool.awakeFrom(id); worker !== undefined; worker = pool.awakeFrom(worker.id + 1)) {
      if (worker.ready || (worker.endsAtOnce && worker.endMs <= now)) return worker;
      worker.rest();
    }
    return undefined;
  }

  /** Next time at which something can happen that does not come from `worker`. */
  #untilOthers(worker: Worker): number {
    const pool = this.#pool;
    let until = Math.min(this.outsideMs(), this.seenMs());
    for (let other = pool.awakeFrom(0); other !== undefined; other = pool.awakeFrom(other.id + 1)) {
      if (other === worker || !other.inFlight) continue;
      if (this.staysQuiet) return 0;
      if (other.endMs >= until) continue;
      if (other.quietUntilMs <= other.endMs) other.lookAhead();
      until = Math.min(until, Math.max(other.quietUntilMs, other.endMs));
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
    this.#laggards.advanceAll(now, inclusive);
    this.#settleDrains(now, inclusive);
  }

  /** As far as a router can tell brings every worker to `now`: those where nothing happens that it hears of stay behind. */
  #advanceSeen(now: number): void {
    const pool = this.#pool;
    for (let worker = pool.awakeFrom(0); worker !== undefined; worker = pool.awakeFrom(worker.id + 1)) {
      if (now <= worker.quietUntilMs) continue;
      this.#laggards.advance(worker, now, false);
      worker.lookAhead();
    }
    this.#settleDrains(now, false);
  }

  /** Workers that do not move in lock step may fail out of order: the failure that came first is the run's. */
  protected override failureOf(failure: unknown): unknown {
    return this.lockStep ? failure : this.#laggards.firstFailure(failure, this.nowMs);
  }

  /** Removes drained workers at the times at which they became empty. */
  #settleDrains(now: number, inclusive: boolean): void {
    for (let at = this.#pool.nextDrainedMs; at < now || (at === now && inclusive); at = this.#pool.nextDrainedMs) {
      if (at === Infinity) return;
      this.age(at);
      this.#pool.settleDrained(Math.max(at, this.agedMs));
    }
  }

  // Workers that run on their own.

  /** When the first of them has something to do; 0 without any. */
  #soonestMs(): number {
    const soonest = this.#laggards.nextMs;
    return soonest === Infinity ? 0 : soonest;
  }

  /**
   * What ends after `heardMs` causes arrivals after `heardMs + windowMs` only, so all workers can be brought there, or to
   * the next event when that comes first.
   */
  protected override *hearEnds(): Generator<Progress, void> {
    for (let windows = 1;; windows++) {
      const next = Math.min(this.outsideMs(), this.limitMs);
      if (this.#heardMs + this.windowMs > next || this.#heardMs >= this.limitMs || !this.anyBusy()) return;
      const from = Math.max(this.#heardMs, this.#soonestMs());
      this.#heardMs = Math.min(next, from + this.windowMs);
      this.#advanceAll(this.#heardMs, false);
      if (windows % WINDOWS_PER_YIELD === 0) yield { virtualMs: this.#heardMs, ended: this.spec.records.ended };
    }
  }

  /** In slices, so that a driver can show progress or stop. */
  protected override *runOut(): Generator<Progress, void> {
    for (let until = this.nowMs + SLICE_MS; until < this.limitMs && this.anyBusy();) {
      this.#advanceAll(until, false);
      yield { virtualMs: until, ended: this.spec.records.ended };
      until = Math.max(until, this.#soonestMs()) + SLICE_MS;
    }
    this.#advanceAll(this.limitMs, true);
  }

  protected override reach(now: number, tick: boolean): boolean {
    if (this.lockStep || (!tick && now !== this.#pool.nextReadyMs)) return true;
    this.#advanceAll(now, false);
    return !(this.finished() && this.#laggards.lastEventMs < now);
  }

  protected override bring(now: number): void {
    if (!this.lockStep) this.#advanceAll(now, true);
    else if (this.staysQuiet) this.#laggards.advanceAll(now, true);
  }

  protected override eventFrom(now: number): boolean {
    const pool = this.#pool;
    for (let worker = pool.awakeFrom(0); worker !== undefined; worker = pool.awakeFrom(worker.id + 1)) {
      if (worker.inFlight && worker.endMs <= this.limitMs) return true;
    }
    return this.#laggards.lastEventMs === now;
  }

  protected override rescaled(_pool: WorkerPool, now: number): void {
    if (this.#router.mayQueue) this.#releaseQueued(now);
  }

  protected override afterTick(): void {
    this.#tryAgain();
  }

  protected override lastMs(): number {
    if (this.limitMs < Infinity) this.#advanceAll(this.limitMs, true);
    return Math.max(this.nowMs, this.#laggards.lastEventMs);
  }

  protected override deadEnd(): never {
    const { records } = this.spec;
    const attempted = this.#pool.owned > 0;
    throw new SimulationError(
      "replay invariant violated: offline replay " +
        (attempted ? "detected an effect-free zero-duration pass" : "reached a dead end") +
        ` with ${records.admitted - records.ended} in-flight requests remaining`,
    );
  }
}
