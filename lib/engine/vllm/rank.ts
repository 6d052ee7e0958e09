/**
 * One vLLM rank: running requests first, then waiting ones first come first served, chunked prefill under a token
 * budget, prefix caching, preemption by recomputation, multi-token prediction. With promises it is a TensorRT-LLM rank.
 *
 * A pass is formed (`scheduler.ts`), decides what it emits (`token_output.ts`, `burst_output.ts`) and is told when it
 * ends (`finish`). While nothing but steady decoding happens, `steadyDecodeRun` goes from pass to pass without any of this.
 *
 * @module
 */
import type { PassRow } from "../../planner/policy.ts";
import type { Timing } from "../../timing/timing.ts";
import { Acceptance } from "../acceptance.ts";
import { PassClock } from "../pass_clock.ts";
import { PassMetrics } from "../pass_metrics.ts";
import { type Rank, Retry } from "../rank.ts";
import type { RankContext } from "../rank_context.ts";
import { Outcome } from "../records.ts";
import type { RankSettings } from "../settings.ts";
import type { CompletionPromises } from "../trtllm/completion_promises.ts";
import { BurstOutput } from "./burst_output.ts";
import { PassBatch } from "./pass_batch.ts";
import { PassResults, Signal } from "./pass_results.ts";
import { Preemption } from "./preemption.ts";
import { Requests } from "./requests.ts";
import { Scheduler } from "./scheduler.ts";
import { TokenOutput } from "./token_output.ts";

/**
 * Times of a run of steady passes: its next pass starts; the one before it started; since when the blocks are held that are
 * held now.
 */
const START = 0, BEFORE = 1, HELD_SINCE = 2;

/** Most passes that a rank looks ahead. */
const MOST_AHEAD = 64;

/** Simulated vLLM scheduler and KV pool. */
export class VllmRank implements Rank {
  readonly id: number;
  tellFirstTokens = false;
  hadEffect = false;
  readonly retry = Retry.later;
  committedPrefillTokens = 0;
  decodeForwards = 0;
  acceptedTokens = 0;
  ranHeldBlockMs = 0;
  ranPeakBlocks = 0;
  ranActiveBlocks = -1;
  ranInactiveBlocks = -1;

  readonly #context: RankContext;
  readonly #settings: RankSettings;
  readonly #role: RankSettings["role"];
  readonly #clock: PassClock;
  readonly #requests: Requests;
  readonly #batch: PassBatch;
  readonly #results: PassResults;
  readonly #preemption: Preemption;
  readonly #scheduler: Scheduler;
  readonly #output: TokenOutput | BurstOutput;
  readonly #bursts: boolean;
  /** The pass in flight is one of steady decoding alone, which `steadyDecodeRun` started. */
  #inSteadyRun = false;
  /** In an array, for V8 would make an object of each number that one pass of a loop leaves to the next. */
  readonly #times = new Float64Array(3);
  /** Sums of the last pass that ended. */
  readonly #ended = new PassMetrics();

  constructor(
    id: number,
    settings: RankSettings,
    timing: Timing,
    context: RankContext,
    promises: CompletionPromises | null = null,
  ) {
    const { role } = settings, clock = new PassClock(timing, settings);
    const requests = new Requests(settings, context, promises);
    const batch = new PassBatch(requests.slots, role === "decode");
    const results = new PassResults(requests, role === "prefill");
    const preemption = new Preemption(id, requests, batch, settings);
    const parts = { requests, batch, results, preemption, clock, role };
    this.id = id;
    this.#context = context;
    this.#settings = settings;
    this.#role = role;
    this.#clock = clock;
    this.#requests = requests;
    this.#batch = batch;
    this.#results = results;
    this.#preemption = preemption;
    this.#scheduler = new Scheduler(requests, batch, preemption, results, settings, context.sequences);
    this.#bursts = settings.acceptRates !== null;
    this.#output = settings.acceptRates === null
      ? new TokenOutput(parts)
      : new BurstOutput(parts, new Acceptance(settings.acceptRates, context.words(id)));
  }

  get reshuffled(): boolean {
    return this.#batch.admissions > 0 || this.#batch.preempted;
  }

  get passStartMs(): number {
    return this.#batch.startMs;
  }

  get ready(): boolean {
    return this.#requests.running.count > 0 || this.#requests.waiting.size > 0;
  }

  get owned(): number {
    return this.#requests.owned;
  }

  submit(request: number, _nowMs: number): void {
    const { workload, records } = this.#context, wanted = workload.outputTokens[request];
    const output = this.#role === "prefill" ? Math.min(wanted, 1) : wanted;
    this.#requests.waiting.add(this.#requests.open(request, records.inputTokens[request], output));
    this.#preemption.progressed();
  }

  start(nowMs: number, wave = 0): number {
    const { stream, running } = this.#requests, batch = this.#batch, results = this.#results;
    if (stream.log.room === 0) stream.fold(running.slots, running.count);
    const pass = stream.log.next;
    this.#begin(nowMs);
    this.#inSteadyRun = false;
    this.#scheduler.form(pass, wave);
    const end = this.#output.emit(pass);
    results.close();
    this.hadEffect = end > nowMs || results.signals.count > 0 || batch.scheduled > 0 || batch.admissions > 0 ||
      batch.preempted;
    if (batch.collecting) this.#noteQueue(batch.metrics);
    return end;
  }

  startInGroup(nowMs: number, wave: number): number {
    // Under a prefill cadence the scheduler looks at every pass.
    return this.#settings.prefillScheduleInterval > 1 ? this.start(nowMs, wave) : this.steadyDecodeRun(nowMs, nowMs);
  }

  steadyDecodeRun(nowMs: number, untilMs: number): number {
    const { steady, running, waiting, tables, stream, namedOutputs } = this.#requests, requests = steady.count;
    this.ranHeldBlockMs = this.ranPeakBlocks = 0;
    this.ranActiveBlocks = -1;
    if (requests === 0 || requests !== running.count || requests > this.#settings.maxBatchedTokens) {
      return this.start(nowMs);
    }
    if (this.#bursts || (waiting.size > 0 && !waiting.headBlocked)) return this.start(nowMs);
    const log = stream.log, { pool, promises } = tables;
    const lastPass = steady.nextEnd, decodes = this.#role !== "prefill", telling = pool.changes !== null;
    const growths = steady.growth, block = this.#settings.blockTokens;
    const { tokens, tokensSquared: squares } = steady, times = this.#times;
    let pass = log.next, phase = pass % block, room = log.room, passes = 0;
    let { active, inactive } = pool;
    times[START] = times[BEFORE] = times[HELD_SINCE] = nowMs;
    for (; pass < lastPass; pass++) {
      if (namedOutputs && steady.completesIn(pass)) break;
      const growth = growths[phase];
      if (growth > 0) {
        if (growth > pool.available) break;
        this.#noteHeld(times[START] - times[HELD_SINCE]);
        times[HELD_SINCE] = times[START];
        active = pool.active;
        inactive = pool.inactive;
        pool.take(growth);
        promises?.redeem(growth);
      }
      if (--room < 0) {
        stream.fold(running.slots, running.count);
        room = log.room - 1;
      }
      const grown = requests * passes;
      const end = times[START] +
        (decodes ? this.#clock.decodeMs(requests, tokens + grown, squares + passes * (2 * tokens + grown)) : 0);
      if (end >= untilMs) {
        this.#noteHeld(times[START] - times[HELD_SINCE]);
        if (growth === 0) ({ active, inactive } = pool);
        this.#noteDecodeRun(passes, times[BEFORE], times[START], active, inactive);
        this.#startSteady(times[START]);
        return end;
      }
      log.push(end);
      if (telling) this.#reportCache(end);
      if (++phase === block) phase = 0;
      passes++;
      times[BEFORE] = times[START];
      times[START] = end;
    }
    this.#noteHeld(times[START] - times[HELD_SINCE]);
    this.#noteDecodeRun(passes, times[BEFORE], times[START], pool.active, pool.inactive);
    return this.start(times[START]);
  }

  /** The blocks that are held now were held for so long in passes that have ended. */
  #noteHeld(durationMs: number): void {
    if (durationMs === 0) return;
    const { active } = this.#requests.tables.pool;
    this.ranHeldBlockMs += active * durationMs;
    if (active > this.ranPeakBlocks) this.ranPeakBlocks = active;
  }

  /**
   * Goes through the passes that would follow by their durations alone, up to where a request ends, a block is evicted
   * or completed with content, what is evicted is told, or the pass log is folded: all that happens at the same event as without looking ahead.
   */
  quietUntilMs(endMs: number): number {
    const { steady, waiting, stream, tables, namedOutputs } = this.#requests;
    const { changes, free } = tables.pool, { log } = stream;
    if (!this.#inSteadyRun || !this.#clock.looksAhead) return -Infinity;
    if ((waiting.size > 0 && !waiting.headBlocked) || (changes !== null && changes.count > 0)) return -Infinity;
    const block = this.#settings.blockTokens, growths = steady.growth, requests = steady.count;
    const decodes = this.#role !== "prefill", first = log.next + 1;
    const last = Math.min(steady.nextEnd, first + MOST_AHEAD, first + log.room - 1);
    let phase = first % block, left = free, { tokens, tokensSquared: squares } = steady, quietMs = endMs + 0;
    for (let pass = first; pass < last; pass++) {
      if (namedOutputs && steady.completesIn(pass)) break;
      left -= growths[phase];
      if (left < 0) break;
      if (decodes) quietMs += this.#clock.decodeMs(requests, tokens, squares);
      squares += 2 * tokens + requests;
      tokens += requests;
      if (++phase === block) phase = 0;
    }
    return quietMs;
  }

  finish(endMs: number): void {
    const { stream, slots } = this.#requests, batch = this.#batch, { signals } = this.#results;
    const { records, observer } = this.#context;
    stream.log.push(endMs);
    this.committedPrefillTokens += batch.computedTokens;
    this.decodeForwards += batch.forwards;
    this.acceptedTokens += batch.accepted;
    if (batch.collecting) {
      batch.metrics.endMs = endMs;
      this.#ended.copy(batch.metrics);
    }
    this.#reportCache(endMs);
    for (let i = 0; i < signals.count; i++) {
      const slot = signals.slot[i], request = slots.request[slot], kind = signals.kind[i];
      if (kind === Signal.token || kind === Signal.last) {
        const first = Number.isNaN(stream.firstMs(slot));
        if (!stream.running(slot)) stream.begin(slot);
        if (this.#bursts) stream.burst(slot, signals.burst[i] - 1);
        // With drafts the first token may leave together with the last: both are told, in their order.
        if (first && this.tellFirstTokens && (kind === Signal.token || signals.burst[i] > 1)) {
          observer.firstToken(this, request, endMs);
        }
        if (kind === Signal.token) continue;
        stream.complete(slot, request, slots.stop[slot] - slots.prompt[slot]);
        this.#requests.close(slot);
        observer.ended(this, request, endMs, Outcome.completed);
      } else if (kind === Signal.held) {
        stream.drop(slot);
        observer.sourceHeld(this, request, endMs);
      } else if (kind === Signal.done) {
        stream.complete(slot, request, slots.length[slot] - slots.prompt[slot]);
        this.#requests.close(slot);
        observer.ended(this, request, endMs, Outcome.completed);
      } else {
        records.emit(request, 0, NaN, NaN, NaN);
        this.#requests.close(slot);
        observer.ended(this, request, endMs, Outcome.rejected);
      }
    }
    signals.clear();
  }

  close(): void {
    this.#requests.stream.log.fold(Infinity);
  }

  #begin(nowMs: number): void {
    this.#batch.begin(nowMs, this.#settings.maxBatchedTokens);
    this.#results.clear();
  }

  /** The steady requests, whose blocks are taken, decode in a pass that stays in flight. */
  #startSteady(nowMs: number): void {
    const { steady } = this.#requests, batch = this.#batch;
    this.#begin(nowMs);
    this.#inSteadyRun = true;
    batch.addSteady(steady);
    batch.forwards = batch.accepted = steady.count;
    this.hadEffect = true;
    if (batch.collecting) this.#noteQueue(batch.metrics);
    steady.advance(1);
  }

  /**
   * Accounts for `passes` decode passes that ended in a steadyDecodeRun, the last one from `startMs` to `endMs` with so
   * many blocks active and inactive at its end.
   */
  #noteDecodeRun(passes: number, startMs: number, endMs: number, active: number, inactive: number): void {
    if (passes === 0) return;
    this.ranActiveBlocks = active;
    this.ranInactiveBlocks = inactive;
    const { steady } = this.#requests;
    this.decodeForwards += steady.count * passes;
    this.acceptedTokens += steady.count * passes;
    steady.advance(passes - 1);
    if (this.#batch.collecting) {
      this.#ended.clear();
      this.#ended.decode.set(steady.count, steady.tokens, steady.tokensSquared);
      this.#noteQueue(this.#ended);
      this.#ended.startMs = startMs;
      this.#ended.endMs = endMs;
    }
    steady.advance(1);
  }

  #noteQueue(metrics: PassMetrics): void {
    metrics.queuedPrefill.copy(this.#requests.waiting.fresh);
    metrics.queuedDecode.copy(this.#requests.waiting.begun);
  }

  /** Tells what the pass that ends at `endMs` changed in the cache. */
  #reportCache(endMs: number): void {
    const { changes } = this.#requests.tables.pool;
    if (changes === null || changes.count === 0) return;
    const cache = this.#context.cache!, { slots, count } = changes;
    for (let i = 0; i < count; i += 2) cache.resident(this.id, slots[i], slots[i + 1], endMs);
    changes.clear();
  }

  // Roles.

  offer(request: number, _nowMs: number): string | null {
    const { workload, records } = this.#context, { tables, waiting, slots, destinations } = this.#requests;
    const prompt = records.inputTokens[request], { promises } = tables;
    if (prompt >= this.#settings.maxModelTokens) return "destination prompt must be shorter than max_model_len";
    if (promises === null && tables.blocks(prompt) > this.#settings.blocks) {
      return "destination prompt exceeds the KV pool capacity";
    }
    const slot = this.#requests.open(request, prompt, workload.outputTokens[request]);
    if (promises?.possible(slots.outputEnd[slot]) === false) {
      this.#requests.close(slot);
      return "TRT-LLM destination request exceeds the to-completion KV pool capacity";
    }
    destinations.offer(request, slot);
    waiting.countDestination(slot);
    return null;
  }

  get pendingDestinations(): number {
    return this.#requests.destinations.pending;
  }

  tryReserve(nowMs: number): boolean {
    const { destinations, running, tables, waiting, slots } = this.#requests, slot = destinations.tryNext();
    if (slot < 0 || !this.#context.sequences.admits(running.count)) return false;
    const missing = tables.reserve(slot);
    if (missing < 0) return false;
    destinations.granted();
    waiting.headBlocked = false;
    this.#context.observer.reserved(this, slots.request[slot], nowMs, missing * this.#settings.blockTokens);
    return true;
  }

  activate(request: number, _nowMs: number): void {
    const { destinations, slots, tables, waiting } = this.#requests, slot = destinations.activate(request);
    tables.complete(slot, slots.computed[slot], slots.prompt[slot]);
    slots.computed[slot] = slots.prompt[slot];
    waiting.addActivated(slot);
    this.#preemption.progressed();
  }

  release(request: number, _nowMs: number): void {
    this.#requests.releaseHeld(request);
  }

  cancel(request: number, _nowMs: number): boolean {
    return this.#requests.cancel(request);
  }

  // Telemetry.

  get collectPasses(): boolean {
    return this.#batch.collecting;
  }

  set collectPasses(collecting: boolean) {
    this.#batch.collecting = collecting;
  }

  describePass(row: PassRow): void {
    this.#ended.describe(row);
  }

  get preemptions(): number {
    return this.#preemption.count;
  }

  get activeBlocks(): number {
    return this.#requests.tables.pool.active;
  }

  get inactiveBlocks(): number {
    return this.#requests.tables.pool.inactive;
  }

  get heldBlocks(): number {
    return this.#requests.tables.pool.active;
  }

  get totalBlocks(): number {
    return this.#settings.blocks;
  }

  get runningRequests(): number {
    return this.#requests.running.count;
  }

  get waitingRequests(): number {
    return this.#requests.waiting.size + this.#requests.destinations.size;
  }
}
