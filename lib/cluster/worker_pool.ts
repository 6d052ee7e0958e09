/**
 * The workers of one pool: who is starting, active or draining, when starting ones become ready, and what scaling did.
 *
 * @module
 */
import type { Rank } from "../engine/rank.ts";
import type { WorkerSettings } from "../engine/settings.ts";
import { NumberSet } from "../collections/number_set.ts";
import { emptyPassRow } from "../planner/pass_row.ts";
import type { PassRow, RoleSnapshot } from "../planner/policy.ts";
import type { Router } from "../router/router.ts";
import {
  type LifecycleLog,
  type LifecycleOperation,
  type PoolName,
  transitionOf,
  type WorkerTransition,
} from "./lifecycle.ts";
import { PoolGauges } from "./pool_gauges.ts";
import { PoolTotals } from "./pool_totals.ts";
import type { WorkerUsage } from "./spec.ts";
import type { PoolTelemetry } from "./telemetry_probe.ts";
import { Worker, type WorkerState } from "./worker.ts";

/** Makes the rank with a scheduler id. */
export type RankFactory = (id: number) => Rank;

/** Ids of workers by their state, each list ascending. */
export interface WorkerStates {
  readonly active: readonly number[];
  readonly starting: readonly number[];
  readonly draining: readonly number[];
}

const NO_PASSES: readonly PassRow[] = [];

/** One pool of like workers. */
export class WorkerPool {
  readonly name: PoolName;
  readonly settings: WorkerSettings;
  readonly router: Router;
  /** Live workers by ascending id. */
  readonly workers: Worker[] = [];
  /** Worker of each scheduler id ever given. */
  readonly workerOf: Worker[] = [];
  /** What all workers that there ever were have counted. */
  readonly totals: PoolTotals;
  /** Requests the router keeps. */
  queued = 0;
  /** Seconds of all workers' lives so far. */
  workerSeconds = 0;
  /** Workers that may have something to do; all others wait for something to happen to them. */
  readonly #awake = new NumberSet();
  #draining = 0;
  readonly #makeRanks: (first: number) => Rank[];
  readonly #log: LifecycleLog;
  readonly #readyAt: { atMs: number; worker: Worker }[] = [];
  #nextWorker = 0;
  #collecting = false;
  /** Ids by state, until a worker changes its state: samples and ticks of quiet hours share them. */
  #states: WorkerStates | null = null;
  /** Null while nobody watches. */
  #gauges: PoolGauges | null = null;

  constructor(name: PoolName, settings: WorkerSettings, router: Router, makeRank: RankFactory, log: LifecycleLog) {
    this.name = name;
    this.settings = settings;
    this.router = router;
    this.#makeRanks = (first) => {
      const ranks = Array.from({ length: settings.dpSize }, (_, i) => makeRank(first + i));
      for (const rank of ranks) {
        rank.collectPasses = this.#collecting;
        rank.tellFirstTokens = router.needsPrefillDone;
      }
      return ranks;
    };
    this.#log = log;
    this.totals = new PoolTotals(this.workers);
  }

  /** Adds the workers a run starts with, active at time 0. */
  populate(replicas: number): void {
    for (let i = 0; i < replicas; i++) this.#join(this.#add("active", 0), 0);
  }

  /** Whether ranks keep up the rows that ticks report. */
  set collecting(collecting: boolean) {
    this.#collecting = collecting;
    for (const worker of this.workers) for (const rank of worker.made) rank.collectPasses = collecting;
  }

  /**
   * The worker with the lowest id from `id` on that may have something to do, undefined without any. Loops over such
   * workers cost nothing for the idle ones between them.
   */
  awakeFrom(id: number): Worker | undefined {
    const found = this.#awake.next(id);
    return found < 0 ? undefined : this.workerOf[found * this.settings.dpSize];
  }

  /** Rank by scheduler id. */
  rank(id: number): Rank {
    const worker = this.workerOf[id];
    return worker.ranks[id - worker.firstRank];
  }

  /** Adds the time between two instants to every live worker's life. */
  age(fromMs: number, toMs: number): void {
    if (toMs > fromMs) this.workerSeconds += this.workers.length * (toMs - fromMs) / 1000;
  }

  /** Requests owned by all ranks. */
  get owned(): number {
    let owned = 0;
    for (const worker of this.workers) owned += worker.owned;
    return owned;
  }

  count(state: WorkerState): number {
    const { workers } = this;
    let count = 0;
    for (let i = 0; i < workers.length; i++) if (workers[i].state === state) count++;
    return count;
  }

  /** Ids of the workers in each state; the same object until one of them changes. */
  get states(): WorkerStates {
    return this.#states ??= {
      active: this.#ids("active"),
      starting: this.#ids("starting"),
      draining: this.#ids("draining"),
    };
  }

  #ids(state: WorkerState): number[] {
    return this.workers.filter((worker) => worker.state === state).map((worker) => worker.id);
  }

  /** Time of the next ready event, those of cancelled workers included (they still stop the clock). */
  get nextReadyMs(): number {
    const events = this.#readyAt;
    let next = Infinity;
    for (let i = 0; i < events.length; i++) if (events[i].atMs < next) next = events[i].atMs;
    return next;
  }

  /** Carries out a target: the wanted number of workers that are not draining. */
  scaleTo(target: number, nowMs: number, tick: number): void {
    const present = this.count("starting") + this.count("active");
    if (target === present) return;
    const ordinal = this.#log.next, transitions: WorkerTransition[] = [], removed: WorkerTransition[] = [];
    const origins = new Set<number>();
    for (let i = present; i < target; i++) transitions.push(this.#launch(nowMs, ordinal));
    let surplus = present - target;
    for (let i = this.workers.length - 1; i >= 0 && surplus > 0; i--) {
      const worker = this.workers[i];
      if (worker.state !== "starting") continue;
      surplus--;
      origins.add(worker.originOrdinal);
      removed.push(this.#remove(worker, nowMs, "startup_cancelled"));
    }
    for (let i = this.workers.length - 1; i >= 0 && surplus > 0; i--) {
      const worker = this.workers[i];
      if (worker.state !== "active") continue;
      surplus--;
      this.#turn(worker, "draining");
      worker.originOrdinal = ordinal;
      this.router.leave(worker.id, nowMs);
      transitions.push(transitionOf(worker, "worker_draining", "active", ordinal));
    }
    for (const worker of this.#drained()) removed.push(this.#remove(worker, nowMs));
    this.#note("planner_scale", nowMs, tick, only(origins), [...transitions, ...removed]);
  }

  /** Workers whose start-up is over become active, one operation each; returns whether any event was due. */
  settleReady(nowMs: number, joined: () => void): boolean {
    let any = false;
    for (let i = 0; i < this.#readyAt.length;) {
      const { atMs, worker } = this.#readyAt[i];
      if (atMs > nowMs) {
        i++;
        continue;
      }
      this.#readyAt.splice(i, 1);
      any = true;
      if (worker.state !== "starting") continue;
      this.#turn(worker, "active");
      worker.freeAtMs = nowMs;
      for (const report of worker.reports) report.lastMs = nowMs;
      this.#join(worker, nowMs);
      const origin = worker.originOrdinal;
      this.#note("worker_ready_event", nowMs, null, origin, [transitionOf(worker, "worker_ready", "starting", origin)]);
      joined();
    }
    return any;
  }

  /** Earliest time at which a draining worker was found empty, `Infinity` when none is. */
  get nextDrainedMs(): number {
    let next = Infinity;
    if (this.#draining === 0) return next;
    for (const worker of this.workers) {
      if (worker.state === "draining" && worker.freeAtMs < next && worker.empty) next = worker.freeAtMs;
    }
    return next;
  }

  /** Removes draining workers that are empty since `nowMs` or before; returns whether any was. */
  settleDrained(nowMs: number): boolean {
    return this.#draining > 0 && this.#removeDrained(nowMs);
  }

  /** Apart, because a function whose closures use its arguments makes an object for these at every call. */
  #removeDrained(nowMs: number): boolean {
    const done = this.#drained().filter((worker) => worker.freeAtMs <= nowMs);
    if (done.length === 0) return false;
    const origins = new Set(done.map((worker) => worker.originOrdinal));
    const transitions = done.map((worker) => this.#remove(worker, nowMs));
    this.#note("drain_settlement", nowMs, null, only(origins), transitions);
    return true;
  }

  /** The pool as a policy sees it; empties the buffer of passes. */
  snapshot(nowMs: number): RoleSnapshot {
    let passes: PassRow[] | null = null;
    for (const worker of this.workers) {
      for (let i = 0; i < worker.size; i++) {
        const report = worker.reports[i], fresh = report.fresh;
        report.fresh = false;
        if (worker.state !== "active" || !this.#collecting) continue;
        const idleMs = nowMs - report.lastMs;
        passes ??= [];
        if (idleMs >= 1000) {
          report.lastMs += Math.floor(idleMs / 1000) * 1000;
          passes.push(report.idleRow ??= emptyPassRow(worker.id, i, 0));
        } else if (fresh) {
          const row = emptyPassRow(worker.id, i, (report.endMs - report.startMs) / 1000);
          if (!report.idle) worker.made[i].describePass(row);
          passes.push(row);
        }
      }
    }
    const { active, starting, draining } = this.states;
    return { active, starting, draining, passes: passes ?? NO_PASSES };
  }

  /** Keeps gauges of all ranks from here on. */
  watchGauges(): void {
    this.#gauges = new PoolGauges(this.workers, this.totals, this.settings.rank.blocks);
    for (const worker of this.workers) worker.watch();
  }

  /**
   * The pool as telemetry sees it, once {@linkcode WorkerPool.watchGauges} was called.
   *
   * @param consume whether the counters, which run from the last time on that did so, begin anew
   */
  telemetry(consume: boolean): PoolTelemetry {
    const { active, starting, draining } = this.states, { schedulers, interval } = this.#gauges!.read(consume);
    return { active, starting, draining, schedulers, interval, pendingRequests: this.queued };
  }

  /** What became of every worker there ever was, by ascending id. */
  usage(endMs: number): WorkerUsage[] {
    return [...new Set(this.workerOf)].map((worker) => ({
      pool: this.name,
      id: worker.id,
      firstRank: worker.firstRank,
      ranks: worker.size,
      aliveMs: Math.max(0, Math.min(worker.removedMs, endMs) - worker.addedMs),
      blocks: worker.size * this.settings.rank.blocks,
      peakHeldBlocks: worker.peakHeldBlocks,
      heldBlockMs: worker.heldBlockMs,
    }));
  }

  close(): void {
    for (const worker of this.workers) for (const rank of worker.made) rank.close();
  }

  #add(state: WorkerState, nowMs: number): Worker {
    const worker = new Worker(this.#nextWorker++, this.settings.dpSize, this.#makeRanks, state, nowMs, this.#awake);
    for (let i = 0; i < worker.size; i++) this.workerOf[worker.firstRank + i] = worker;
    this.workers.push(worker);
    this.#states = null;
    if (this.#gauges !== null) worker.watch();
    return worker;
  }

  #turn(worker: Worker, state: WorkerState): void {
    if (worker.state === "draining") this.#draining--;
    if (state === "draining") this.#draining++;
    if (state === "removed") this.#awake.delete(worker.id);
    worker.state = state;
    this.#states = null;
  }

  #join(worker: Worker, nowMs: number): void {
    this.router.join(worker.id, worker.firstRank, worker.size, nowMs);
  }

  #launch(nowMs: number, ordinal: number): WorkerTransition {
    const delayed = this.settings.startupMs > 0;
    const worker = this.#add(delayed ? "starting" : "active", nowMs);
    worker.originOrdinal = ordinal;
    if (delayed) {
      this.#readyAt.push({ atMs: nowMs + this.settings.startupMs, worker });
      return transitionOf(worker, "worker_starting", null, ordinal);
    }
    this.#join(worker, nowMs);
    return transitionOf(worker, "worker_ready", null, ordinal);
  }

  #drained(): Worker[] {
    return this.workers.filter((worker) => worker.state === "draining" && worker.empty);
  }

  #remove(worker: Worker, nowMs: number, reason?: string): WorkerTransition {
    const prior = worker.state;
    this.#turn(worker, "removed");
    worker.removedMs = nowMs;
    this.workers.splice(this.workers.indexOf(worker), 1);
    for (const rank of worker.made) {
      this.totals.keep(rank);
      rank.close();
    }
    if (prior === "draining") this.router.forget(worker.id, nowMs);
    return { ...transitionOf(worker, "worker_removed", prior, worker.originOrdinal), ...(reason && { reason }) };
  }

  #note(
    cause: LifecycleOperation["cause"],
    atMs: number,
    tick: number | null,
    origin: number | null,
    transitions: WorkerTransition[],
  ): void {
    const { states } = this;
    this.#log.add({
      at_ms: atMs,
      pool: this.name,
      cause,
      planner_tick_ordinal: tick,
      origin_operation_ordinal: origin,
      transitions,
      state_after_batch: {
        active: [...states.active],
        starting: [...states.starting],
        draining: [...states.draining],
      },
    });
  }
}

function only(origins: ReadonlySet<number>): number | null {
  return origins.size === 1 ? [...origins][0] : null;
}
