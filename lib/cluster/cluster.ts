/**
 * A cluster in virtual time: what all clusters have in common. The clock goes from event to event; at each instant
 * everything that is possible happens, round by round, with the policy's tick at the end of the first round; a run ends
 * when its load has ended, at its limit, or with an error when nothing can happen any more although requests are left.
 *
 * The two kinds of clusters differ in the steps of a round, in how far workers may run on their own, and in the words
 * for a dead end.
 *
 * @module
 */
import { PromptIndex } from "../engine/prompt_index.ts";
import type { Rank, RankObserver } from "../engine/rank.ts";
import { type Outcome, OUTCOME_NAMES, type Pool } from "../engine/records.ts";
import type { Pending } from "../planner/policy.ts";
import { buildPool } from "./build_pool.ts";
import { LifecycleLog, type PoolName } from "./lifecycle.ts";
import type { ClusterOutcome, ClusterRun, ClusterSpec, PoolSpec, Progress } from "./spec.ts";
import { TelemetrySampler } from "./telemetry_sampler.ts";
import { TickClock } from "./tick_clock.ts";
import { TrafficMeter } from "./traffic_meter.ts";
import type { Worker } from "./worker.ts";
import type { WorkerPool } from "./worker_pool.ts";

/** Events, or admitted requests, between two yields of a run. */
const EVENTS_PER_YIELD = 1024;
/** Ticks in a row that change nothing while nothing else can happen either. */
const MOST_IDLE_TICKS = 100_000;

/** One pool of a cluster: what it is made of, and its names in logs and records. */
export interface ClusterPool {
  spec: PoolSpec;
  name: PoolName;
  pool: Pool;
}

/** How a kind of cluster moves. */
export interface ClusterForm {
  /** All workers move from event to event, always; otherwise only where somebody looks at more than one of them. */
  lockStep: boolean;
  /** In lock step the ends of requests are told in the order in which they happen. */
  endsInOrder: boolean;
  /** Workers go on by windows of the load's `reactionMs` instead of in lock step, where it has such a time. */
  windows: boolean;
}

/** One run of a cluster. */
export abstract class Cluster implements RankObserver {
  protected readonly spec: ClusterSpec;
  /** Aggregated: one; disaggregated: prefill, then decode. */
  protected readonly pools: readonly WorkerPool[];
  /** The prompts in the blocks of the pools, the first one's first; one index where their blocks are alike. */
  protected readonly prompts: readonly PromptIndex[];
  protected readonly log: LifecycleLog = new LifecycleLog();
  protected readonly traffic: TrafficMeter;
  protected readonly ticks: TickClock;
  protected readonly telemetry: TelemetrySampler | null;
  protected readonly watchTraffic: boolean;
  protected readonly lockStep: boolean;
  /** In lock step: workers stay behind the clock for as long as nothing happens on them that others see. */
  protected staysQuiet = false;
  protected readonly limitMs: number;
  /** Not in lock step: how long after the end of a request it can cause an arrival; 0 where none does. */
  protected readonly windowMs: number;
  /** Time of the instant that is being settled. */
  protected nowMs = 0;
  /** Time up to which workers' lives are counted. */
  protected agedMs = 0;
  /** The pool whose workers emit tokens. */
  readonly #decode: WorkerPool;
  readonly #prefill: WorkerPool | null;

  constructor(spec: ClusterSpec, pools: readonly ClusterPool[], { lockStep, endsInOrder, windows }: ClusterForm) {
    this.spec = spec;
    const prompts = new Map<number, PromptIndex>();
    const comparesTokens = pools.some(({ spec: { settings } }) => settings.rank.backend === "sglang");
    this.pools = pools.map(({ spec: pool, ...identity }) => {
      const { blockTokens } = pool.settings.rank, { workload } = spec.source;
      const index = prompts.get(blockTokens) ?? new PromptIndex(workload, blockTokens, comparesTokens);
      prompts.set(blockTokens, index);
      return buildPool(spec, pool, identity, index, this, this.log);
    });
    this.prompts = [...prompts.values()];
    this.#decode = this.pools[this.pools.length - 1];
    this.#prefill = this.pools.length > 1 ? this.pools[0] : null;
    this.ticks = new TickClock(spec.policy ?? null);
    this.watchTraffic = spec.policy != null;
    const queues = this.pools.some(({ router }) => router.mayQueue);
    const { reactive, reactionMs = 0 } = spec.source;
    const inWindows = windows && reactionMs > 0;
    const sampled = spec.telemetry != null, samplesAlone = !reactive && !this.watchTraffic;
    this.lockStep = lockStep || (reactive && !inWindows) || queues || (sampled && !samplesAlone);
    this.telemetry = spec.telemetry
      ? new TelemetrySampler(spec.telemetry, spec.records, this.#prefill, this.#decode, this.lockStep)
      : null;
    this.windowMs = reactive && !this.lockStep && reactionMs < Infinity ? reactionMs : 0;
    this.traffic = new TrafficMeter(spec.records, this.lockStep && endsInOrder);
    this.limitMs = spec.maxVirtualMs ?? Infinity;
  }

  /** Runs the whole load; see `ClusterRun` for what is yielded. */
  *run(): ClusterRun {
    try {
      return yield* this.#play();
    } catch (error) {
      throw this.failureOf(error);
    }
  }

  *#play(): ClusterRun {
    const { records } = this.spec, { telemetry, ticks } = this;
    this.#collect(this.watchTraffic);
    this.#settle(0, false);
    if (telemetry !== null) {
      this.bring(0);
      telemetry.baseline(0);
    }
    ticks.arm(0);
    this.#collect(ticks.nextMs < Infinity);
    let events = 0, told = 0, idleTicks = 0;
    for (;;) {
      if (this.windowMs > 0) yield* this.hearEnds();
      const now = this.#nextMs();
      if (telemetry !== null && !this.lockStep) yield* this.#sampleRunning(telemetry, now);
      if (now === Infinity) {
        yield* this.runOut();
        if (this.finished() || this.anyInFlight()) break;
        this.deadEnd();
      }
      if (now > this.limitMs) break;
      if (telemetry !== null && this.lockStep && telemetry.nextMs < now) this.#sampleBefore(telemetry, now);
      const tick = now === ticks.nextMs;
      if (!this.reach(now, tick)) break;
      const before = this.log.next, pending = this.#settle(now, tick);
      if (tick) {
        if (pending) yield pending;
        if (this.finished()) break;
        idleTicks = this.#stuck() && before === this.log.next ? idleTicks + 1 : 0;
        if (idleTicks > MOST_IDLE_TICKS) this.deadEnd();
      }
      const { admitted } = records;
      if (++events >= EVENTS_PER_YIELD || admitted - told >= EVENTS_PER_YIELD) {
        events = 0;
        told = admitted;
        yield { virtualMs: now, ended: records.ended };
      }
    }
    return this.#close();
  }

  /**
   * Samples before the event at `now`. Workers that stay behind are brought to each of them while any is at work. Once
   * nothing can happen, the first sample tells what happened since the one before it, the second that nothing did; all
   * others would tell the same.
   */
  #sampleBefore(telemetry: TelemetrySampler, now: number): void {
    let still = 0;
    for (let atMs = telemetry.nextMs; atMs < now; atMs = telemetry.nextMs) {
      this.nowMs = atMs;
      this.age(atMs);
      if (still === 0) this.bring(atMs);
      if (still < 2) telemetry.periodic(atMs);
      else telemetry.repeat(atMs);
      if (still > 0 || !this.staysQuiet || !this.anyBusy()) still++;
    }
  }

  /**
   * Samples before what comes from outside at `now`, of workers that run on their own. Where nothing comes, or after the
   * limit, there is no sample behind the last event.
   */
  *#sampleRunning(telemetry: TelemetrySampler, now: number): Generator<Progress, void> {
    const { records } = this.spec, limitMs = this.limitMs;
    let taken = 0, still = 0;
    for (let atMs = telemetry.nextMs; atMs < now && atMs <= limitMs; atMs = telemetry.nextMs) {
      if (still === 0) this.bring(atMs);
      if (now > limitMs || now === Infinity) { if (!this.eventFrom(atMs)) return; }
      if (still < 2) telemetry.periodic(atMs);
      else telemetry.repeat(atMs);
      if (still > 0 || !this.anyBusy()) still++;
      if (++taken % EVENTS_PER_YIELD === 0) yield { virtualMs: atMs, ended: records.ended };
    }
  }

  // What kinds of clusters do in their own way.

  /** One round at `now`; returns whether anything happened, so that more can happen now. */
  protected abstract round(now: number): boolean;
  /** Requests are left and nothing can happen any more. */
  protected abstract deadEnd(): never;
  /** Brings what runs on its own to the end of the run; returns the time of the last event. */
  protected abstract lastMs(): number;
  /** A pool has other workers than before: whoever waited for that may go on. */
  protected abstract rescaled(pool: WorkerPool, now: number): void;
  abstract ended(rank: Rank, request: number, atMs: number, outcome: Outcome): void;
  abstract firstToken(rank: Rank, request: number, atMs: number): void;
  abstract sourceHeld(rank: Rank, request: number, atMs: number): void;
  abstract reserved(rank: Rank, request: number, atMs: number, missingTokens: number): void;

  /** Time of the next thing that neither the load, nor the policy, nor a worker brings about. */
  protected ownNextMs(): number {
    return Infinity;
  }

  /** In lock step: whether a worker that has something to do is left behind all the same. */
  protected lags(_pool: WorkerPool, _worker: Worker): boolean {
    return false;
  }

  /** Whether requests are still under way between workers. */
  protected get underWay(): boolean {
    return false;
  }

  /** Nothing comes from outside any more: lets the workers finish what they have. */
  protected *runOut(): Generator<Progress, void> {}

  /** Hears of all ends that can bring about what happens next. */
  protected *hearEnds(): Generator<Progress, void> {}

  /** Brings workers that run on their own to an event at `now`; false when the run was over before. */
  protected reach(_now: number, _tick: boolean): boolean {
    return true;
  }

  /** Brings workers that run on their own through `now`, before somebody looks at them. */
  protected bring(_now: number): void {}

  /** Whether something happens on a worker at `now`, to which all were brought, or later and within the limit. */
  protected eventFrom(_now: number): boolean {
    return false;
  }

  /** The policy was asked, and its targets are carried out. */
  protected afterTick(): void {}

  /** The failure a run ends with, where another one was met first. */
  protected failureOf(failure: unknown): unknown {
    return failure;
  }

  // What they share.

  /** Next time at which something from outside the workers happens; in lock step, or a pass ends. */
  #nextMs(): number {
    let next = this.outsideMs();
    if (!this.lockStep) return next;
    let busy = false;
    for (let p = 0; p < this.pools.length; p++) {
      const pool = this.pools[p];
      for (let worker = pool.awakeFrom(0); worker !== undefined; worker = pool.awakeFrom(worker.id + 1)) {
        const lags = this.lags(pool, worker);
        if (!worker.inFlight && !lags) continue;
        busy = true;
        if (lags) continue;
        const seenMs = this.staysQuiet ? Math.max(worker.endMs, worker.quietUntilMs) : worker.endMs;
        if (seenMs < next) next = seenMs;
      }
    }
    // Start-ups alone keep nothing alive.
    return !busy && this.finished() ? Infinity : next;
  }

  /** Next time at which something from outside the workers happens. */
  protected outsideMs(): number {
    let next = Math.min(this.spec.source.nextReadyMs(), this.ticks.nextMs, this.ownNextMs());
    for (let p = 0; p < this.pools.length; p++) next = Math.min(next, this.pools[p].nextReadyMs);
    return next;
  }

  /** Next time at which somebody looks at all workers, or the end of the run. */
  protected seenMs(): number {
    return this.telemetry === null ? this.limitMs : Math.min(this.telemetry.seenMs, this.limitMs);
  }

  /** Does everything that is possible at `now`, round by round; the tick comes at the end of the first. */
  #settle(now: number, tick: boolean): Pending | null {
    if (now > this.nowMs) this.nowMs = now;
    if (this.lockStep) this.age(now);
    const { telemetry } = this;
    let pending: Pending | null = null;
    for (let changed = true, first = true; changed; first = false) {
      changed = this.round(now);
      if (first && telemetry !== null && telemetry.nextMs === now) {
        this.bring(now);
        telemetry.periodic(now);
      }
      if (first && tick) {
        this.bring(now);
        if (this.finished()) break;
        pending = this.#tick(now);
        changed = true;
      }
    }
    return pending;
  }

  #tick(now: number): Pending | null {
    this.age(now);
    const prefill = this.#prefill, decode = this.#decode;
    const { targets, pending, armed } = this.ticks.decide({
      nowMs: now,
      prefill: prefill && prefill.snapshot(now),
      decode: decode.snapshot(now),
      traffic: this.traffic.close(now, decode.totals.decodeForwards, decode.totals.acceptedTokens),
      routers: { prefill: prefill && prefill.router, decode: decode.router },
    });
    const scale = (pool: WorkerPool | null, target: number | null) => {
      if (pool === null || target === null) return;
      pool.scaleTo(target, now, this.ticks.handled - 1);
      this.rescaled(pool, now);
    };
    scale(prefill, targets.prefill);
    scale(decode, targets.decode);
    if (!armed) this.#collect(false);
    this.afterTick();
    return pending;
  }

  #collect(collecting: boolean): void {
    for (const pool of this.pools) pool.collecting = collecting;
  }

  /** Counts all workers' lives up to `now`. */
  protected age(now: number): void {
    if (now <= this.agedMs) return;
    for (let p = 0; p < this.pools.length; p++) this.pools[p].age(this.agedMs, now);
    this.agedMs = now;
  }

  /** A request enters the cluster. */
  protected arrive(request: number): void {
    const { source, records } = this.spec;
    const runs = source.promptRuns(request);
    if (runs !== null) { for (const prompts of this.prompts) prompts.addRuns(request, runs); }
    records.arrive(request, source.arrivalMs, runs === null ? source.workload.inputTokens[request] : runs.inputTokens);
    if (this.watchTraffic) this.traffic.arrived();
    this.telemetry?.traffic.arrived();
  }

  /** A request was handed to the workers. */
  protected dispatched(request: number, now: number): void {
    const { source, records } = this.spec;
    if (source.reactive) source.dispatched(request, now);
    if (source.workload.playIds !== null) records.dispatch(request, now);
  }

  /** A request has ended, whatever its outcome. */
  protected terminate(request: number, atMs: number, outcome: Outcome): void {
    const { records, source } = this.spec, row = records.rowOf(request);
    records.finish(request, atMs, outcome);
    if (!source.reactive) return;
    const status = OUTCOME_NAMES[outcome] as "completed" | "rejected" | "failed";
    source.ended(request, atMs, status, records.outputTokens[row]);
  }

  /** Counts a request that is about to complete on a worker of a pool. */
  protected meterEnd(pool: WorkerPool, rank: Rank, request: number, atMs: number): void {
    if (!this.watchTraffic && this.telemetry === null) return;
    const worker = pool.workerOf[rank.id].id, atOnce = rank.passStartMs === atMs;
    if (this.watchTraffic) this.traffic.ended(request, atMs, worker, atOnce);
    this.telemetry?.traffic.ended(request, atMs, worker, atOnce);
  }

  /** Whether the whole load has ended. */
  protected finished(): boolean {
    const { source, records } = this.spec;
    if (this.underWay || !source.exhausted() || source.nextReadyMs() < Infinity) return false;
    return records.ended === records.admitted && !this.anyInFlight();
  }

  protected anyInFlight(): boolean {
    return this.#anyWorker((worker) => worker.inFlight);
  }

  protected anyBusy(): boolean {
    return this.#anyWorker((worker) => worker.inFlight || worker.ready);
  }

  #anyWorker(is: (worker: Worker) => boolean): boolean {
    for (const pool of this.pools) {
      for (let worker = pool.awakeFrom(0); worker !== undefined; worker = pool.awakeFrom(worker.id + 1)) {
        if (is(worker)) return true;
      }
    }
    return false;
  }

  /** Requests may be left, but no worker can do anything and none will come. */
  #stuck(): boolean {
    if (this.spec.source.nextReadyMs() < Infinity || this.ownNextMs() < Infinity) return false;
    return this.pools.every((pool) => pool.nextReadyMs === Infinity) && !this.anyInFlight();
  }

  #close(): ClusterOutcome {
    const endMs = this.lastMs();
    this.age(endMs);
    this.telemetry?.final(endMs);
    for (const pool of this.pools) pool.close();
    return {
      prefillWorkerSeconds: this.#prefill?.workerSeconds ?? 0,
      decodeWorkerSeconds: this.#decode.workerSeconds,
      committedPrefillTokens: this.pools.reduce((sum, pool) => sum + pool.totals.committedPrefillTokens, 0),
      endMs,
      ticks: this.ticks.handled,
      lifecycle: this.log.operations,
      workers: this.pools.flatMap((pool) => pool.usage(endMs)),
    };
  }
}
