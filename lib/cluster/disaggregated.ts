/**
 * A cluster with separate prefill and decode pools in virtual time. Every request is prefilled in one pool, its KV moves
 * to a worker of the other, which emits all its tokens. Engines that compute first and then look for room (vLLM,
 * TensorRT-LLM) are served source first, SGLang destination first.
 *
 * The pools move in lock step, from event to event. Decode workers that wait for nothing, and whose ends nobody waits
 * for, stay behind until something reaches them or a tick looks at them. Where ends matter at once, they stay behind for
 * as long as none ends, and a few that are looked after one by one run on alone while nothing from outside can reach them.
 * A pass end that is then no event would have changed nothing elsewhere: what waits for one is a command or a
 * destination, and their workers do not stay behind.
 *
 * @module
 */
import { SimulationError } from "../errors.ts";
import type { Rank } from "../engine/rank.ts";
import { Outcome, Pool } from "../engine/records.ts";
import { Cluster } from "./cluster.ts";
import { Laggards } from "./laggards.ts";
import { Action, ActionQueue, HandOffs, Transfers } from "./handoffs.ts";
import { checkRank, notePlacement } from "./placement.ts";
import { PutOff } from "./put_off.ts";
import { isAwaited, RunAlone } from "./run_alone.ts";
import type { ClusterSpec, PoolSpec, Progress } from "./spec.ts";
import type { Worker } from "./worker.ts";
import type { WorkerPool } from "./worker_pool.ts";

/** Virtual time a cluster that only drains goes on between two yields. */
const SLICE_MS = 60_000;
/** So many decode workers are brought from event to event sooner than they are looked after one by one. */
const FEW = 2;

/** One run of a disaggregated cluster. */
export class DisaggregatedCluster extends Cluster {
  readonly #prefill: WorkerPool;
  readonly #decode: WorkerPool;
  readonly #destinationFirst: boolean;
  readonly #actions = new ActionQueue();
  /** In this round a worker was ready and started nothing. */
  #triedInVain = false;
  /** Decode workers may stay behind: nothing that happens there is heard of at once. */
  readonly #mayLag: boolean;
  readonly #laggards: Laggards;
  readonly #alone: RunAlone;
  /** Workers that something reached in this round: no pass of theirs that starts now has been started. */
  readonly #reached: Worker[] = [];
  readonly #transfers = new Transfers();
  readonly #handOffs = new HandOffs();
  readonly #putOff = new PutOff();
  /** Requests whose destination was refused: its rank does not know them. */
  readonly #refused = new Set<number>();
  /** Requests that wait for a worker of their pool. */
  #unplacedPrefill: number[] = [];
  #unplacedDecode: number[] = [];

  constructor(spec: ClusterSpec, prefill: PoolSpec, decode: PoolSpec) {
    const pools = [
      { spec: prefill, name: "prefill", pool: Pool.prefill },
      { spec: decode, name: "decode", pool: Pool.decode },
    ] as const;
    super(spec, pools, { lockStep: true, endsInOrder: false, windows: false });
    [this.#prefill, this.#decode] = this.pools;
    this.#destinationFirst = prefill.settings.rank.backend === "sglang";
    this.#mayLag = decode.settings.dpSize === 1 && !spec.source.reactive && this.telemetry === null &&
      !this.#decode.router.needsEnds && !this.#decode.router.needsState && !this.#decode.router.mayQueue;
    // Where somebody waits for ends. With samples and a limit every pass end has to be an event: see AggregatedCluster.
    this.staysQuiet = !this.#mayLag && (this.telemetry === null || this.limitMs === Infinity) &&
      this.#decode.workers.length > FEW;
    this.#alone = new RunAlone(this.#prefill, this.#decode, spec.source.reactive, this.staysQuiet);
    this.#laggards = new Laggards(
      this.#decode,
      (worker) => this.staysQuiet ? worker.isQuiet : this.lags(this.#decode, worker),
    );
  }

  // What ranks tell.

  override ended(rank: Rank, request: number, atMs: number, outcome: Outcome): void {
    if (outcome !== Outcome.completed) return this.#fail(request, atMs, outcome);
    this.meterEnd(this.#decode, rank, request, atMs);
    this.terminate(request, atMs, outcome);
    this.#handOffs.ended(request);
    if (this.#decode.router.needsEnds) this.#decode.router.ended(request, rank.id, atMs);
    if (this.#decode.router.mayQueue) this.#releaseQueued(this.#decode, atMs);
  }

  override firstToken(): void {}

  override sourceHeld(rank: Rank, request: number, atMs: number): void {
    this.spec.records.hold(request, atMs);
    const { router } = this.#prefill;
    if (router.needsPrefillDone) router.prefillDone(request, rank.id, atMs);
    if (router.mayQueue) this.#releaseQueued(this.#prefill, atMs);
    this.#actions.push(this.#destinationFirst ? Action.transfer : Action.reserve, request);
  }

  override reserved(rank: Rank, request: number, atMs: number, missingTokens: number): void {
    const { records } = this.spec;
    records.disaggregated!.destinationReservedMs[request] = atMs;
    records.place(request, Pool.decode, rank.id);
    this.#handOffs.missing[this.#handOffs.rowOf(request)] = missingTokens;
    this.#actions.push(this.#destinationFirst ? Action.submitPrefill : Action.transfer, request);
  }

  // The steps of a round.

  protected override round(now: number): boolean {
    const { source } = this.spec, prefill = this.#prefill, decode = this.#decode;
    let changed = this.#finishDue(prefill, now);
    if (this.#finishDue(decode, now)) changed = true;
    if (this.#settleReady(prefill, now)) changed = true;
    if (this.#settleReady(decode, now)) changed = true;
    while (this.#transfers.nextMs <= now) {
      this.#actions.push(Action.activate, this.#transfers.pop());
      changed = true;
    }
    while (!this.#actions.empty) {
      this.#perform(this.#actions.shift(), this.#actions.request, now);
      changed = true;
    }
    if (source.nextReadyMs() <= now) {
      for (let request = source.admit(now); request >= 0; request = source.admit(now)) this.#open(request, now);
      changed = true;
    }
    this.#triedInVain = false;
    let goesOn = this.#startReady(prefill, now);
    if (this.#startReady(decode, now)) goesOn = true;
    this.#laggards.starting(now, Infinity);
    // An attempt in vain may change what the next one comes to, and there is another one at every pass end.
    if (this.#triedInVain && this.staysQuiet) this.#laggards.wakeAll(now);
    if (this.#reached.length > 0) this.#reached.length = 0;
    prefill.settleDrained(now);
    decode.settleDrained(now);
    // Whoever started nothing tries again in every round in which something happened.
    if (this.#triedInVain) return changed || goesOn;
    return goesOn || !this.#actions.empty || this.#transfers.nextMs <= now || source.nextReadyMs() <= now ||
      prefill.nextReadyMs <= now || decode.nextReadyMs <= now;
  }

  /** A request arrives; its first step is prepared. */
  #open(request: number, now: number): void {
    this.arrive(request);
    this.#handOffs.open(request);
    this.#actions.push(this.#destinationFirst ? Action.reserve : Action.submitPrefill, request);
    this.dispatched(request, now);
  }

  /** Carries out one step of a hand-off, or puts it off until its worker's pass ends. */
  #perform(action: Action, request: number, now: number): void {
    const handOffs = this.#handOffs, row = handOffs.rowOf(request);
    switch (action) {
      case Action.submitPrefill:
        if (!handOffs.isOpen(row)) return;
        return this.#submitPrefill(request, row, now);
      case Action.reserve:
        if (!handOffs.isOpen(row)) return;
        return this.#reserve(request, now);
      case Action.transfer:
        if (!handOffs.isOpen(row)) return;
        return this.#transfer(request, row, now);
      case Action.activate:
      case Action.cancelDecode:
        return this.#command(this.#decode, handOffs.decodeRank[row], action, request, now);
      case Action.release:
      case Action.cancelPrefill:
        return this.#command(this.#prefill, handOffs.prefillRank[row], action, request, now);
      case Action.complete:
        return this.#complete(request, now);
    }
  }

  #submitPrefill(request: number, row: number, now: number): void {
    const pool = this.#prefill;
    if (pool.count("active") === 0) {
      this.#unplacedPrefill.push(request);
      return;
    }
    const rankId = pool.router.place(request, now);
    if (rankId !== -1) this.#handPrefill(request, rankId, now, NaN);
    else {
      this.#handOffs.queuedMs[row] = now;
      pool.queued++;
    }
  }

  #handPrefill(request: number, rankId: number, now: number, queuedMs: number): void {
    const { records } = this.spec, pool = this.#prefill, worker = pool.workerOf[rankId];
    checkRank(pool.router, rankId, worker !== undefined);
    this.#handOffs.prefillRank[this.#handOffs.rowOf(request)] = rankId;
    notePlacement(records, pool.router, Pool.prefill, request, worker, rankId, queuedMs, now);
    records.place(request, Pool.prefill, rankId);
    this.#meterHit(pool, request);
    pool.rank(rankId).submit(request, now);
    worker.wake(now, rankId);
  }

  #reserve(request: number, now: number): void {
    const pool = this.#decode;
    if (pool.count("active") === 0) {
      this.#unplacedDecode.push(request);
      return;
    }
    const rankId = pool.router.place(request, now);
    if (rankId !== -1) this.#handDecode(request, rankId, now);
    else pool.queued++;
  }

  #handDecode(request: number, rankId: number, now: number): void {
    const pool = this.#decode, worker = pool.workerOf[rankId];
    checkRank(pool.router, rankId, worker !== undefined);
    this.#catchUp(worker, now);
    const rank = pool.rank(rankId);
    this.#handOffs.decodeRank[this.#handOffs.rowOf(request)] = rankId;
    // Whether or not the rank takes it.
    notePlacement(this.spec.records, pool.router, Pool.decode, request, worker, rankId, NaN);
    if (rank.offer(request, now) !== null) {
      this.#refused.add(request);
      this.#fail(request, now, Outcome.failed);
      return;
    }
    if (!worker.inFlight) rank.tryReserve(now);
    worker.wake(now, rankId);
  }

  #transfer(request: number, row: number, now: number): void {
    const { rank } = this.#prefill.settings;
    const tokens = rank.transferTiming === "full_prompt"
      ? this.spec.records.inputTokens[request]
      : this.#handOffs.missing[row];
    const bytes = rank.transferBytesPerToken, bandwidth = rank.transferGigabytesPerSecond;
    const delayMs = bytes === null || bandwidth === null || bandwidth <= 0
      ? 0
      : tokens * bytes / (bandwidth * 1e9) * 1000;
    if (delayMs > 0) this.#transfers.push(now + delayMs, request, this.#handOffs.ordinal[row]);
    else this.#actions.push(Action.activate, request);
  }

  /** A command that may only reach a worker between passes. */
  #command(pool: WorkerPool, rankId: number, action: Action, request: number, now: number): void {
    if (rankId < 0 || (action === Action.cancelDecode && this.#refused.delete(request))) {
      this.#afterCommand(action, request, now);
      return;
    }
    const worker = pool.workerOf[rankId], rank = pool.rank(rankId);
    if (pool === this.#decode) this.#catchUp(worker, now);
    if (worker.inFlight) return this.#putOff.add(worker, rank, action, request);
    let applied = true;
    if (action === Action.activate) rank.activate(request, now);
    else if (action === Action.release) rank.release(request, now);
    else applied = rank.cancel(request, now);
    if (applied) {
      rank.tryReserve(now);
      worker.wake(now, rankId);
    }
    this.#afterCommand(action, request, now);
  }

  #afterCommand(action: Action, request: number, now: number): void {
    const stamps = this.spec.records.disaggregated!;
    if (action === Action.activate) {
      stamps.destinationActivatedMs[request] = now;
      this.#actions.push(Action.release, request);
    } else if (action === Action.release) {
      stamps.sourceReleasedMs[request] = now;
      this.#actions.push(Action.complete, request);
    } else {
      const { router } = this.#decode, { decodeRank, cancelling } = this.#handOffs;
      const row = this.#handOffs.rowOf(request);
      if (action === Action.cancelDecode && decodeRank[row] >= 0) {
        if (router.needsEnds) router.ended(request, decodeRank[row], now);
        if (router.mayQueue) this.#releaseQueued(this.#decode, now);
      }
      if (--cancelling[row] === 0) this.#complete(request, now);
    }
  }

  /** Both sides have forgotten a request: what was booked for its prompt is given back, and its hand-off is over. */
  #complete(request: number, now: number): void {
    const { router } = this.#prefill, rank = this.#handOffs.prefillRank[this.#handOffs.rowOf(request)];
    if (rank >= 0) {
      if (router.needsEnds) router.ended(request, rank, now);
      if (router.mayQueue) this.#releaseQueued(this.#prefill, now);
    }
    this.#handOffs.close(request);
    this.spec.source.released?.(request, now);
  }

  /** A request ends without tokens: both sides forget it. */
  #fail(request: number, now: number, outcome: Outcome): void {
    this.spec.records.emit(request, 0, NaN, NaN, NaN);
    this.terminate(request, now, outcome);
    this.#transfers.drop(request);
    this.#handOffs.cancelling[this.#handOffs.rowOf(request)] = 2;
    this.#handOffs.ended(request);
    this.#actions.push(Action.cancelPrefill, request);
    this.#actions.push(Action.cancelDecode, request);
  }

  #releaseQueued(pool: WorkerPool, now: number): void {
    const { router } = pool;
    for (let request = router.nextReleased(now); request >= 0; request = router.nextReleased(now)) {
      pool.queued--;
      if (pool === this.#prefill) {
        const queuedMs = this.#handOffs.queuedMs[this.#handOffs.rowOf(request)];
        this.#handPrefill(request, router.placedRank, now, queuedMs);
      } else this.#handDecode(request, router.placedRank, now);
    }
  }

  #meterHit(pool: WorkerPool, request: number): void {
    const { overlapBlocks } = pool.router.placement;
    if (overlapBlocks < 0 || (!this.watchTraffic && this.telemetry === null)) return;
    const blocks = Math.ceil(this.spec.records.inputTokens[request] / this.prompts[0].blockTokens);
    if (this.watchTraffic) this.traffic.routed(overlapBlocks, blocks);
    this.telemetry?.traffic.routed(overlapBlocks, blocks);
  }

  /** Start-ups that are over; what waited for a worker is queued again. */
  #settleReady(pool: WorkerPool, now: number): boolean {
    return pool.nextReadyMs <= now && this.#join(pool, now);
  }

  /** Apart, because a function whose closures use its arguments makes an object for these at every call. */
  #join(pool: WorkerPool, now: number): boolean {
    return pool.settleReady(now, () => this.#resume(pool, now));
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
    const quiet = this.staysQuiet && pool === this.#decode;
    let any = false;
    for (let worker = pool.awakeFrom(0); worker !== undefined; worker = pool.awakeFrom(worker.id + 1)) {
      if (!worker.inFlight || worker.endMs > now || this.lags(pool, worker)) continue;
      if (quiet && worker.isBehind(now)) {
        if (now < worker.quietUntilMs) continue;
        this.#laggards.advance(worker, now, false);
      } else {
        if (quiet) this.#laggards.ending(worker.id);
        this.#finish(worker, now);
      }
      any = true;
    }
    if (quiet) this.#laggards.ending(Infinity);
    return any;
  }

  /** Ends a pass: tokens first, then a try to grant a destination, then the commands that waited for it. */
  #finish(worker: Worker, now: number): void {
    worker.finish();
    const ranks = worker.made;
    for (let i = 0; i < ranks.length; i++) if (ranks[i].tryReserve(now)) worker.readGauge(i);
    this.#putOff.release(worker, this.#actions);
  }

  /** Starts passes on all ready workers of a pool, lowest id first; returns whether something else became possible. */
  #startReady(pool: WorkerPool, now: number): boolean {
    const quiet = this.staysQuiet && pool === this.#decode;
    let any = false;
    for (let worker = pool.awakeFrom(0); worker !== undefined; worker = pool.awakeFrom(worker.id + 1)) {
      if (this.lags(pool, worker)) continue;
      worker.deferred = false;
      if (quiet) this.#laggards.starting(now, worker.id);
      while (worker.ready) {
        worker.start(now, pool === this.#decode ? this.#freeUntil(worker, now) : now);
        if (!worker.inFlight) {
          this.#triedInVain = true;
          // A pass without effect ends too: a destination may be granted there.
          for (let i = 0; i < worker.made.length; i++) {
            if (!worker.made[i].tryReserve(now)) continue;
            worker.finishRank(i);
            worker.deferred = false;
            any = true;
          }
          continue;
        }
        if (worker.endMs > now) {
          if (quiet && !isAwaited(worker)) worker.lookAhead();
          break;
        }
        this.#finish(worker, now);
        any = true;
      }
      worker.rest();
    }
    return any;
  }

  /** How long a decode worker can go on without anything from outside reaching it. */
  #freeUntil(worker: Worker, now: number): number {
    if (!this.#actions.empty) return now;
    return this.#alone.until(worker, now, Math.min(this.outsideMs(), this.seenMs()));
  }

  // Workers that stay behind.

  protected override lags(pool: WorkerPool, worker: Worker): boolean {
    if (!this.#mayLag || pool !== this.#decode || worker.putOff > 0 || worker.deferred) return false;
    if (worker.state !== "active" || worker.made.length === 0) return false;
    const rank = worker.made[0];
    return rank.pendingDestinations === 0 && (worker.inFlight || rank.ready);
  }

  /** Brings a worker that lags to `now`, where something reaches it. */
  #catchUp(worker: Worker, now: number): void {
    if (this.staysQuiet) {
      if (worker.isBehind(now)) this.#laggards.catchUp(worker, now);
      return;
    }
    const started = this.#laggards.started(worker, now) && !this.#reached.includes(worker);
    if (this.lags(this.#decode, worker)) this.#laggards.advance(worker, now, started);
    this.#reached.push(worker);
  }

  protected override failureOf(failure: unknown): unknown {
    return this.#laggards.firstFailure(failure, this.nowMs);
  }

  /** In slices, so that a driver can show progress or stop. */
  protected override *runOut(): Generator<Progress, void> {
    for (let until = this.nowMs + SLICE_MS; until < this.limitMs && this.#laggards.nextMs < Infinity;) {
      this.#laggards.advanceAll(until, false);
      yield { virtualMs: until, ended: this.spec.records.ended };
      until = Math.max(until, this.#laggards.nextMs) + SLICE_MS;
    }
    this.#laggards.advanceAll(this.limitMs, true);
  }

  protected override reach(now: number, tick: boolean): boolean {
    if (!this.#mayLag || (!tick && now !== this.#prefill.nextReadyMs && now !== this.#decode.nextReadyMs)) return true;
    this.#laggards.advanceAll(now, false);
    return !(this.finished() && Math.max(this.nowMs, this.#laggards.lastEventMs) < now);
  }

  protected override bring(now: number): void {
    if (this.#mayLag || this.staysQuiet) this.#laggards.advanceAll(now, true);
  }

  // Ticks and ends.

  protected override ownNextMs(): number {
    return this.#transfers.nextMs;
  }

  protected override get underWay(): boolean {
    return this.#handOffs.underWay > 0;
  }

  protected override rescaled(pool: WorkerPool, now: number): void {
    this.#resume(pool, now);
  }

  protected override lastMs(): number {
    if (this.limitMs < Infinity) this.#laggards.advanceAll(this.limitMs, true);
    let end = this.nowMs;
    for (const worker of this.#decode.workers) end = Math.max(end, Math.min(worker.lastEventMs, this.limitMs));
    return end;
  }

  protected override deadEnd(): never {
    const { records } = this.spec;
    // KV that is held for a transfer is no work an engine could do.
    const attempted = [...this.#prefill.workers, ...this.#decode.workers].some((worker) =>
      worker.made.some((rank) => rank.ready)
    );
    const left = records.admitted - records.ended;
    throw new SimulationError(
      "replay invariant violated: offline disagg replay " +
        (attempted ? "encountered an effect-free zero-duration pass" : "reached a dead end") +
        ` with ${left} in-flight requests remaining`,
    );
  }
}
