/**
 * A cluster with separate prefill and decode pools in virtual time. Every request is prefilled in one pool, its KV moves
 * to a worker of the other, which emits all its tokens. Engines that compute first and then look for room (vLLM,
 * TensorRT-LLM) are served source first, SGLang destination first.
 *
 * The pools move in lock step, from event to event, but decode workers that wait for nothing run on alone while nothing
 * from outside can reach them.
 *
 * @module
 */
import { SimulationError } from "../errors.ts";
import type { PromptIndex } from "../engine/prompt_index.ts";
import type { Rank, RankObserver } from "../engine/rank.ts";
import { Outcome, OUTCOME_NAMES, Pool } from "../engine/records.ts";
import { buildPool } from "./build_pool.ts";
import { Action, ActionQueue, Transfers } from "./handoffs.ts";
import { LifecycleLog } from "./lifecycle.ts";
import { notePlacement } from "./placement.ts";
import type { ClusterOutcome, ClusterRun, ClusterSpec, PoolSpec } from "./spec.ts";
import { TelemetrySampler } from "./telemetry_sampler.ts";
import { TickClock } from "./tick_clock.ts";
import { TrafficMeter } from "./traffic_meter.ts";
import type { Worker } from "./worker.ts";
import type { WorkerPool } from "./worker_pool.ts";

const EVENTS_PER_YIELD = 8192;
/** Ticks in a row that change nothing while nothing else can happen either. */
const MOST_IDLE_TICKS = 100_000;

/** Where a request stands between the pools. */
const Phase = { none: 0, open: 1, closed: 2 } as const;

/** One run of a disaggregated cluster. */
export class DisaggregatedCluster implements RankObserver {
  readonly #spec: ClusterSpec;
  readonly #prefill: WorkerPool;
  readonly #decode: WorkerPool;
  readonly #prefillPrompts: PromptIndex;
  readonly #decodePrompts: PromptIndex;
  readonly #destinationFirst: boolean;
  readonly #log = new LifecycleLog();
  readonly #traffic: TrafficMeter;
  readonly #ticks: TickClock;
  readonly #telemetry: TelemetrySampler | null;
  readonly #limitMs: number;
  readonly #watchTraffic: boolean;

  readonly #actions = new ActionQueue();
  readonly #transfers: Transfers;
  readonly #ordinal: Int32Array;
  readonly #phase: Uint8Array;
  /** Ranks a request was placed on, -1 before. */
  readonly #prefillRank: Int32Array;
  readonly #decodeRank: Int32Array;
  readonly #missing: Int32Array;
  /** Commands that wait for the end of their worker's pass: (action, request) by rank. */
  readonly #putOff = new Map<Rank, number[]>();
  /** Requests whose destination was refused: its rank does not know them. */
  readonly #refused = new Set<number>();
  /** Requests that wait for a worker of their pool. */
  #unplacedPrefill: number[] = [];
  #unplacedDecode: number[] = [];
  #open = 0;
  #nextOrdinal = 1;
  #nowMs = 0;
  #agedMs = 0;

  constructor(spec: ClusterSpec, prefill: PoolSpec, decode: PoolSpec) {
    this.#spec = spec;
    const { count } = spec.source.workload;
    const source = buildPool(spec, prefill, { name: "prefill", pool: Pool.prefill }, this, this.#log);
    const destination = buildPool(spec, decode, { name: "decode", pool: Pool.decode }, this, this.#log);
    this.#prefill = source.pool;
    this.#prefillPrompts = source.prompts;
    this.#decode = destination.pool;
    this.#decodePrompts = destination.prompts;
    this.#destinationFirst = prefill.settings.rank.backend === "sglang";
    this.#traffic = new TrafficMeter(spec.records, false);
    this.#ticks = new TickClock(spec.policy ?? null);
    this.#telemetry = spec.telemetry
      ? new TelemetrySampler(spec.telemetry, spec.records, this.#prefill, this.#decode)
      : null;
    this.#watchTraffic = spec.policy != null;
    this.#limitMs = spec.maxVirtualMs ?? Infinity;
    this.#ordinal = new Int32Array(count);
    this.#phase = new Uint8Array(count);
    this.#prefillRank = new Int32Array(count).fill(-1);
    this.#decodeRank = new Int32Array(count).fill(-1);
    this.#missing = new Int32Array(count);
    this.#transfers = new Transfers(this.#ordinal);
  }

  /** Runs the whole load; see `ClusterRun` for what is yielded. */
  *run(): ClusterRun {
    this.#collect(this.#watchTraffic);
    this.#settle(0, false);
    this.#telemetry?.baseline(0);
    this.#ticks.arm(0);
    this.#collect(this.#ticks.nextMs < Infinity);
    let events = 0, idleTicks = 0;
    for (;;) {
      const now = this.#nextMs();
      if (now === Infinity || this.#finished()) {
        if (this.#finished()) break;
        this.#deadEnd();
      }
      if (now > this.#limitMs) break;
      if (this.#telemetry !== null && this.#telemetry.nextMs < now) {
        this.#nowMs = this.#telemetry.nextMs;
        this.#age(this.#nowMs);
        this.#telemetry.periodic(this.#nowMs);
        continue;
      }
      const tick = now === this.#ticks.nextMs, before = this.#log.next;
      const pending = this.#settle(now, tick);
      if (tick) {
        if (pending) yield pending;
        idleTicks = this.#stuck() && before === this.#log.next ? idleTicks + 1 : 0;
        if (idleTicks > MOST_IDLE_TICKS) this.#deadEnd();
      }
      if (++events % EVENTS_PER_YIELD === 0) yield { virtualMs: now, ended: this.#spec.records.ended };
    }
    return this.#close();
  }

  // What ranks tell.

  ended(rank: Rank, request: number, atMs: number, outcome: Outcome): void {
    if (outcome === Outcome.completed) {
      this.#terminate(request, atMs, outcome);
      if (this.#watchTraffic || this.#telemetry !== null) {
        const worker = this.#decode.workerOf[rank.id].id, atOnce = rank.passStartMs === atMs;
        if (this.#watchTraffic) this.#traffic.ended(request, worker, atOnce);
        this.#telemetry?.traffic.ended(request, worker, atOnce);
      }
      if (this.#decode.router.needsEnds) this.#decode.router.ended(request, rank.id, atMs);
      if (this.#decode.router.mayQueue) this.#releaseQueued(this.#decode, atMs);
    } else {
      this.#fail(request, atMs, outcome);
    }
  }

  firstToken(): void {}

  sourceHeld(rank: Rank, request: number, atMs: number): void {
    this.#spec.records.disaggregated!.sourceHeldMs[request] = atMs;
    const { router } = this.#prefill;
    if (router.needsPrefillDone) router.prefillDone(request, rank.id, atMs);
    if (router.mayQueue) this.#releaseQueued(this.#prefill, atMs);
    this.#actions.push(this.#destinationFirst ? Action.transfer : Action.reserve, request);
  }

  reserved(rank: Rank, request: number, atMs: number, missingTokens: number): void {
    const { records } = this.#spec;
    records.disaggregated!.destinationReservedMs[request] = atMs;
    notePlacement(records, this.#decode.router, Pool.decode, request, this.#decode.workerOf[rank.id], rank.id, NaN);
    this.#missing[request] = missingTokens;
    this.#actions.push(this.#destinationFirst ? Action.submitPrefill : Action.transfer, request);
  }

  // The clock.

  #nextMs(): number {
    let next = Math.min(
      this.#spec.source.nextReadyMs(),
      this.#ticks.nextMs,
      this.#prefill.nextReadyMs,
      this.#decode.nextReadyMs,
      this.#transfers.nextMs,
    );
    for (const pool of [this.#prefill, this.#decode]) {
      const workers = pool.workers;
      for (let i = 0; i < workers.length; i++) {
        if (workers[i].inFlight && workers[i].endMs < next) next = workers[i].endMs;
      }
    }
    return next;
  }

  /** Everything that is possible at `now`, round by round; the tick comes at the end of the first. */
  #settle(now: number, tick: boolean): ReturnType<TickClock["decide"]>["pending"] {
    this.#nowMs = now;
    this.#age(now);
    let pending: ReturnType<TickClock["decide"]>["pending"] = null;
    for (let changed = true, first = true; changed; first = false) {
      changed = this.#round(now);
      if (first && this.#telemetry !== null && this.#telemetry.nextMs === now && !this.#finished()) {
        this.#telemetry.periodic(now);
      }
      if (first && tick) {
        if (this.#finished()) break;
        pending = this.#tick(now);
        changed = true;
      }
    }
    return pending;
  }

  #round(now: number): boolean {
    let changed = this.#finishDue(this.#prefill, now);
    if (this.#finishDue(this.#decode, now)) changed = true;
    if (this.#settleReady(this.#prefill, now)) changed = true;
    if (this.#settleReady(this.#decode, now)) changed = true;
    while (this.#transfers.nextMs <= now) {
      this.#actions.push(Action.activate, this.#transfers.pop());
      changed = true;
    }
    while (!this.#actions.empty) {
      this.#perform(this.#actions.shift(), this.#actions.request, now);
      changed = true;
    }
    const { source } = this.#spec;
    if (source.nextReadyMs() <= now) {
      for (let request = source.admit(now); request >= 0; request = source.admit(now)) this.#arrive(request, now);
      changed = true;
    }
    if (this.#startReady(this.#prefill, now)) changed = true;
    if (this.#startReady(this.#decode, now)) changed = true;
    this.#prefill.settleDrained(now);
    this.#decode.settleDrained(now);
    return changed;
  }

  #arrive(request: number, now: number): void {
    const { source, records } = this.#spec;
    const runs = source.promptRuns(request);
    if (runs !== null) {
      this.#prefillPrompts.addRuns(request, runs);
      this.#decodePrompts.addRuns(request, runs);
    }
    records.arrive(request, source.arrivalMs, runs === null ? source.workload.inputTokens[request] : runs.inputTokens);
    if (this.#watchTraffic) this.#traffic.arrived();
    this.#telemetry?.traffic.arrived();
    this.#ordinal[request] = this.#nextOrdinal++;
    this.#phase[request] = Phase.open;
    this.#open++;
    this.#actions.push(this.#destinationFirst ? Action.reserve : Action.submitPrefill, request);
    if (source.reactive) source.dispatched(request, now);
    if (source.workload.playIds !== null) records.dispatch(request, now);
  }

  /** Carries out one step of a hand-off, or puts it off until its worker's pass ends. */
  #perform(action: Action, request: number, now: number): void {
    switch (action) {
      case Action.submitPrefill:
        if (this.#phase[request] !== Phase.open) return;
        return this.#submitPrefill(request, now);
      case Action.reserve:
        if (this.#phase[request] !== Phase.open) return;
        return this.#reserve(request, now);
      case Action.transfer:
        if (this.#phase[request] !== Phase.open) return;
        return this.#transfer(request, now);
      case Action.activate:
      case Action.cancelDecode:
        return this.#command(this.#decode, this.#decodeRank[request], action, request, now);
      case Action.release:
      case Action.cancelPrefill:
        return this.#command(this.#prefill, this.#prefillRank[request], action, request, now);
    }
  }

  #submitPrefill(request: number, now: number): void {
    const pool = this.#prefill;
    if (pool.count("active") === 0) {
      this.#unplacedPrefill.push(request);
      return;
    }
    const rankId = pool.router.place(request, now);
    if (rankId >= 0) this.#handPrefill(request, rankId, now, NaN);
  }

  #handPrefill(request: number, rankId: number, now: number, queuedMs: number): void {
    const { records } = this.#spec, pool = this.#prefill, worker = pool.workerOf[rankId];
    this.#prefillRank[request] = rankId;
    notePlacement(records, pool.router, Pool.prefill, request, worker, rankId, queuedMs, now);
    this.#meterHit(pool, request);
    pool.rank(rankId).submit(request, now);
    worker.wake(now);
  }

  #reserve(request: number, now: number): void {
    const pool = this.#decode;
    if (pool.count("active") === 0) {
      this.#unplacedDecode.push(request);
      return;
    }
    const rankId = pool.router.place(request, now);
    if (rankId >= 0) this.#handDecode(request, rankId, now);
  }

  #handDecode(request: number, rankId: number, now: number): void {
    const pool = this.#decode, worker = pool.workerOf[rankId], rank = pool.rank(rankId);
    this.#decodeRank[request] = rankId;
    if (rank.offer(request, now) !== null) {
      this.#refused.add(request);
      this.#fail(request, now, Outcome.failed);
      return;
    }
    if (!worker.inFlight) rank.tryReserve(now);
    worker.wake(now);
  }

  #transfer(request: number, now: number): void {
    const { rank } = this.#prefill.settings;
    const tokens = rank.transferTiming === "full_prompt"
      ? this.#spec.records.inputTokens[request]
      : this.#missing[request];
    const bytes = rank.transferBytesPerToken, bandwidth = rank.transferGigabytesPerSecond;
    const delayMs = bytes === null || bandwidth === null || bandwidth <= 0
      ? 0
      : tokens * bytes / (bandwidth * 1e9) * 1000;
    if (delayMs > 0) this.#transfers.push(now + delayMs, request);
    else this.#actions.push(Action.activate, request);
  }

  /** A command that may only reach a worker between passes. */
  #command(pool: WorkerPool, rankId: number, action: Action, request: number, now: number): void {
    if (rankId < 0 || (action === Action.cancelDecode && this.#refused.delete(request))) {
      this.#afterCommand(action, request, now);
      return;
    }
    const worker = pool.workerOf[rankId], rank = pool.rank(rankId);
    if (worker.inFlight) {
      const waiting = this.#putOff.get(rank);
      if (waiting === undefined) this.#putOff.set(rank, [action, request]);
      else waiting.push(action, request);
      return;
    }
    let applied = true;
    if (action === Action.activate) rank.activate(request, now);
    else if (action === Action.release) rank.release(request, now);
    else applied = rank.cancel(request, now);
    if (applied) {
      worker.wake(now);
      rank.tryReserve(now);
    }
    this.#afterCommand(action, request, now);
  }

  #afterCommand(action: Action, request: number, now: number): void {
    const stamps = this.#spec.records.disaggregated!;
    if (action === Action.activate) {
      stamps.destinationActivatedMs[request] = now;
      this.#actions.push(Action.release, request);
    } else if (action === Action.release) {
      stamps.sourceReleasedMs[request] = now;
      this.#leavePrefill(request, now);
      this.#closeHandoff(request);
    } else if (action === Action.cancelDecode) {
      const { router } = this.#decode;
      if (this.#decodeRank[request] >= 0) {
        if (router.needsEnds) router.ended(request, this.#decodeRank[request], now);
        if (router.mayQueue) this.#releaseQueued(this.#decode, now);
      }
      this.#closeHandoff(request);
    } else if (this.#prefillRank[request] >= 0) {
      this.#leavePrefill(request, now);
    }
  }

  #leavePrefill(request: number, now: number): void {
    const { router } = this.#prefill;
    if (router.needsEnds) router.ended(request, this.#prefillRank[request], now);
    if (router.mayQueue) this.#releaseQueued(this.#prefill, now);
  }

  #closeHandoff(request: number): void {
    if (this.#phase[request] === Phase.closed) return;
    this.#phase[request] = Phase.closed;
    this.#open--;
  }

  /** A request ends without tokens: both sides forget it. */
  #fail(request: number, now: number, outcome: Outcome): void {
    this.#spec.records.emit(request, 0, NaN, NaN, NaN);
    this.#terminate(request, now, outcome);
    this.#transfers.drop(request);
    this.#actions.push(Action.cancelPrefill, request);
    this.#actions.push(Action.cancelDecode, request);
  }

  #terminate(request: number, atMs: number, outcome: Outcome): void {
    const { records, source } = this.#spec;
    records.finish(request, atMs, outcome);
    if (source.reactive) {
      const status = OUTCOME_NAMES[outcome] as "completed" | "rejected" | "failed";
      source.ended(request, atMs, status, records.outputTokens[request]);
    }
  }

  #releaseQueued(pool: WorkerPool, now: number): void {
    const { router } = pool;
    for (let request = router.nextReleased(now); request >= 0; request = router.nextReleased(now)) {
      if (pool === this.#prefill) {
        this.#handPrefill(request, router.placedRank, now, this.#spec.records.arrivalMs[request]);
      } else this.#handDecode(request, router.placedRank, now);
    }
  }

  #meterHit(pool: WorkerPool, request: number): void {
    const { overlapBlocks } = pool.router.placement;
    if (!this.#watchTraffic || overlapBlocks < 0) return;
    const blocks = Math.ceil(this.#spec.records.inputTokens[request] / this.#prefillPrompts.blockTokens);
    this.#traffic.routed(overlapBlocks, blocks);
  }

  /** Start-ups that are over; what waited for a worker is queued again. */
  #settleReady(pool: WorkerPool, now: number): boolean {
    return pool.nextReadyMs <= now && pool.settleReady(now, () => this.#resume(pool, now));
  }

  #resume(pool: WorkerPool, now: number): void {
    if (pool.router.mayQueue) this.#releaseQueued(pool, now);
    if (pool.count("active") === 0) return;
    const prefill = pool === this.#prefill;
    const waiting = prefill ? this.#unplacedPrefill : this.#unplacedDecode;
    if (prefill) this.#unplacedPrefill = [];
    else this.#unplacedDecode = [];
    for (const request of waiting) this.#actions.push(prefill ? Action.submitPrefill : Action.reserve, request);
  }

  // Passes.

  #finishDue(pool: WorkerPool, now: number): boolean {
    const workers = pool.workers;
    let any = false;
    for (let i = 0; i < workers.length; i++) {
      const worker = workers[i];
      if (!worker.inFlight || worker.endMs > now) continue;
      this.#finish(worker, now);
      any = true;
    }
    return any;
  }

  /** Ends a pass: tokens first, then a try to grant a destination, then the commands that waited for it. */
  #finish(worker: Worker, now: number): void {
    worker.finish();
    const ranks = worker.ranks;
    for (let i = 0; i < ranks.length; i++) ranks[i].tryReserve(now);
    if (this.#putOff.size === 0) return;
    for (let i = 0; i < ranks.length; i++) {
      const waiting = this.#putOff.get(ranks[i]);
      if (waiting === undefined) continue;
      this.#putOff.delete(ranks[i]);
      for (let k = 0; k < waiting.length; k += 2) this.#actions.push(waiting[k] as Action, waiting[k + 1]);
    }
  }

  /** Starts passes on all ready workers of a pool, lowest id first; returns whether something else became possible. */
  #startReady(pool: WorkerPool, now: number): boolean {
    const workers = pool.workers;
    let any = false;
    for (let i = 0; i < workers.length; i++) {
      const worker = workers[i];
      worker.deferred = false;
      while (worker.ready) {
        worker.start(now, pool === this.#decode ? this.#freeUntil(worker, now) : now);
        if (!worker.inFlight) {
          // A pass without effect ends too: a destination may be granted there.
          for (let i = 0; i < worker.ranks.length; i++) {
            if (!worker.ranks[i].tryReserve(now)) continue;
            worker.finishRank(i);
            worker.deferred = false;
            any = true;
          }
          continue;
        }
        if (worker.endMs > now) break;
        this.#finish(worker, now);
        any = true;
      }
    }
    return any;
  }

  /** How long a decode worker can go on without anything from outside reaching it. */
  #freeUntil(worker: Worker, now: number): number {
    if (this.#telemetry !== null || worker.ranks.length > 1 || !this.#actions.empty) return now;
    if (worker.ranks[0].pendingDestinations > 0) return now;
    const reactive = this.#spec.source.reactive;
    let until = Math.min(
      this.#spec.source.nextReadyMs(),
      this.#ticks.nextMs,
      this.#prefill.nextReadyMs,
      this.#decode.nextReadyMs,
      this.#transfers.nextMs,
      this.#limitMs,
    );
    for (const other of this.#prefill.workers) {
      if (other.inFlight) until = Math.min(until, other.endMs);
      else if (other.ready) return now;
    }
    for (const other of this.#decode.workers) {
      if (other === worker) continue;
      const matters = reactive || this.#awaited(other);
      if (!matters) continue;
      if (other.inFlight) until = Math.min(until, other.endMs);
      else if (other.ready) return now;
    }
    return until;
  }

  /** Whether the end of a worker's pass can have consequences elsewhere. */
  #awaited(worker: Worker): boolean {
    for (let i = 0; i < worker.ranks.length; i++) {
      const rank = worker.ranks[i];
      if (rank.pendingDestinations > 0 || this.#putOff.has(rank)) return true;
    }
    return false;
  }

  // Ticks and ends.

  #tick(now: number): ReturnType<TickClock["decide"]>["pending"] {
    const prefill = this.#prefill, decode = this.#decode;
    const { targets, pending, armed } = this.#ticks.decide({
      nowMs: now,
      prefill: prefill.snapshot(now),
      decode: decode.snapshot(now),
      traffic: this.#traffic.close(now, decode.decodeForwards, decode.acceptedTokens),
      routers: { prefill: prefill.router, decode: decode.router },
    });
    const tick = this.#ticks.handled - 1;
    if (targets.prefill !== null) {
      prefill.scaleTo(targets.prefill, now, tick);
      this.#resume(prefill, now);
    }
    if (targets.decode !== null) {
      decode.scaleTo(targets.decode, now, tick);
      this.#resume(decode, now);
    }
    if (!armed) this.#collect(false);
    return pending;
  }

  #collect(collecting: boolean): void {
    this.#prefill.collecting = collecting;
    this.#decode.collecting = collecting;
  }

  #age(now: number): void {
    this.#prefill.age(this.#agedMs, now);
    this.#decode.age(this.#agedMs, now);
    if (now > this.#agedMs) this.#agedMs = now;
  }

  #finished(): boolean {
    if (this.#open > 0 || this.#spec.source.nextReadyMs() < Infinity || !this.#spec.source.exhausted()) return false;
    return this.#spec.records.ended === this.#spec.records.admitted && !this.#anyInFlight();
  }

  #anyInFlight(): boolean {
    return this.#prefill.workers.some((worker) => worker.inFlight) ||
      this.#decode.workers.some((worker) => worker.inFlight);
  }

  #stuck(): boolean {
    return this.#spec.source.nextReadyMs() === Infinity && this.#transfers.nextMs === Infinity &&
      this.#prefill.nextReadyMs === Infinity && this.#decode.nextReadyMs === Infinity && !this.#anyInFlight();
  }

  #deadEnd(): never {
    const { records } = this.#spec;
    // KV that is held for a transfer is no work an engine could do.
    const attempted = [...this.#prefill.workers, ...this.#decode.workers].some((worker) =>
      worker.ranks.some((rank) => rank.ready)
    );
    const left = records.admitted - records.ended;
    throw new SimulationError(
      "replay invariant violated: offline disagg replay " +
        (attempted ? "encountered an effect-free zero-duration pass" : "reached a dead end") +
        ` with ${left} in-flight requests remaining`,
    );
  }

  #close(): ClusterOutcome {
    let end = this.#nowMs;
    for (const worker of this.#decode.workers) end = Math.max(end, Math.min(worker.lastEventMs, this.#limitMs));
    this.#age(end);
    this.#telemetry?.final(end);
    this.#prefill.close();
    this.#decode.close();
    return {
      prefillWorkerSeconds: this.#prefill.workerSeconds,
      decodeWorkerSeconds: this.#decode.workerSeconds,
      committedPrefillTokens: this.#prefill.committedPrefillTokens + this.#decode.committedPrefillTokens,
      endMs: end,
      ticks: this.#ticks.handled,
      lifecycle: this.#log.operations,
    };
  }
}
