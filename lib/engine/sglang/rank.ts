/**
 * One SGLang rank: passes are either prefill or decode, waiting requests are admitted when their output is likely to
 * fit beside what runs (the new-token ratio), prompts are cut into chunks, prefixes are reused page by page through a
 * radix tree, and when pages run out the request with the least output is retracted.
 *
 * A pass is formed (`prefill_batch.ts`), decides what it emits (`prefill_pass.ts`, `decode_pass.ts`) and is told when it
 * ends (`delivery.ts`). A decode pass in which nobody ends costs a handful of additions (`decode_batch.ts`,
 * `request_pages.ts`); everything else is literal.
 *
 * @module
 */
import { SimulationError } from "../../errors.ts";
import type { PassRow } from "../../planner/policy.ts";
import type { Timing } from "../../timing/timing.ts";
import { Acceptance } from "../acceptance.ts";
import { PassClock } from "../pass_clock.ts";
import { PassMetrics } from "../pass_metrics.ts";
import { type Rank, Retry } from "../rank.ts";
import type { RankContext } from "../rank_context.ts";
import { Pool } from "../records.ts";
import type { RankSettings } from "../settings.ts";
import { DecodePass } from "./decode_pass.ts";
import { deliver } from "./delivery.ts";
import { NewTokenRatio } from "./new_token_ratio.ts";
import { PassResults, Signal } from "./pass_results.ts";
import { PrefillBatch } from "./prefill_batch.ts";
import { PrefillDelay } from "./prefill_delay.ts";
import { PrefillPass } from "./prefill_pass.ts";
import { Requests } from "./requests.ts";

const NOBODY: readonly number[] = [];

/** Most passes that a rank looks ahead. */
const MOST_AHEAD = 64;

/** Simulated SGLang scheduler and KV pool. */
export class SglangRank implements Rank {
  readonly id: number;
  collectPasses = false;
  tellFirstTokens = false;
  hadEffect = false;
  retry: Retry = Retry.later;
  committedPrefillTokens = 0;
  cacheTotalTokens = 0;
  cacheHitTokens = 0;
  decodeForwards = 0;
  acceptedTokens = 0;
  /** Retractions are not counted as preemptions. */
  readonly preemptions = 0;
  ranHeldBlockMs = 0;
  ranPeakBlocks = 0;

  readonly #context: RankContext;
  readonly #settings: RankSettings;
  readonly #role: RankSettings["role"];
  readonly #grouped: boolean;
  readonly #clock: PassClock;
  readonly #requests: Requests;
  readonly #batch: PrefillBatch;
  readonly #ratio: NewTokenRatio;
  readonly #delay: PrefillDelay;
  readonly #results: PassResults;
  readonly #prefill: PrefillPass;
  readonly #decode: DecodePass;
  readonly #bursts: boolean;
  /** What the pass found in the cache. */
  #reusedTokens = 0;
  readonly #admitted: (slot: number, reusedTokens: number) => void;

  // The pass being formed or in flight.
  #startMs = 0;
  #admissions = 0;
  /** The pass in flight is one of decoding alone, which `#runSteadyPasses` started. */
  #inSteadyRun = false;
  readonly #pass = new PassMetrics();
  readonly #ended = new PassMetrics();

  /** @param ranks attention data-parallel ranks of the worker, which share a chunk */
  constructor(id: number, settings: RankSettings, timing: Timing, context: RankContext, ranks = 1) {
    const sglang = { ...settings.sglang };
    sglang.chunkedPrefillTokens = Math.floor(sglang.chunkedPrefillTokens / ranks);
    if (sglang.chunkedPrefillTokens === 0) {
      throw new SimulationError(
        `engine error: constructing attention-DP rank ${id % ranks}: SGLang attention DP size ${ranks} reduces ` +
          `chunked_prefill_size=${settings.sglang.chunkedPrefillTokens} to zero`,
      );
    }
    const { role, blockTokens: pageTokens } = settings;
    // Prefill ranks emit one token, which no prediction precedes.
    const bursts = settings.acceptRates !== null && role !== "prefill";
    const requests = new Requests(id, settings, sglang, context, bursts), { slots } = requests;
    const clock = new PassClock(timing, settings), results = new PassResults(slots);
    const batch = new PrefillBatch(requests, pageTokens, sglang);
    const ratio = new NewTokenRatio(sglang.scheduleConservativeness, ranks > 1);
    const acceptance = bursts ? new Acceptance(settings.acceptRates!, context.words(id)) : null;
    this.id = id;
    this.#context = context;
    this.#settings = settings;
    this.#role = role;
    this.#grouped = ranks > 1;
    this.#clock = clock;
    this.#requests = requests;
    this.#batch = batch;
    this.#ratio = ratio;
    this.#delay = new PrefillDelay(settings.prefillDecodeInterval);
    this.#results = results;
    this.#prefill = new PrefillPass({ requests, batch, results, clock }, { pageTokens, takesTime: role !== "decode" });
    this.#decode = new DecodePass({ requests, ratio, clock, results, acceptance });
    this.#bursts = bursts;
    const recordPool = Pool[role];
    this.#admitted = (slot, reusedTokens) => {
      this.#reusedTokens += reusedTokens;
      context.records.admit(slots.request[slot], this.#startMs, reusedTokens, recordPool);
      this.#admissions++;
    };
  }

  get ready(): boolean {
    const { running, waiting, handOffs } = this.#requests;
    return running.count > 0 || waiting.size > 0 || handOffs.activated > 0 || this.#delay.left > 0;
  }

  get owned(): number {
    return this.#requests.owned;
  }

  get reshuffled(): boolean {
    return this.#admissions > 0 || this.#decode.retracted.length > 0;
  }

  get passStartMs(): number {
    return this.#startMs;
  }

  submit(request: number, _nowMs: number): void {
    this.#requests.waiting.add(this.#requests.open(request));
  }

  start(nowMs: number): number {
    this.#begin(nowMs);
    this.#inSteadyRun = false;
    const { waiting, running, handOffs } = this.#requests, decode = this.#decode, delay = this.#delay;
    const deferred = delay.left > 0, ratio = this.#ratio.value, { sequences } = this.#context;
    const rejected = waiting.overlong > 0 ? waiting.takeOverlong() : NOBODY;
    if (handOffs.activated > 0) this.#promote();
    if (!this.#requests.headBlocked(ratio)) {
      waiting.sort();
      if (!deferred && handOffs.activated === 0 && handOffs.pending === 0 && sequences.admits(running.count)) {
        this.#batch.form(sequences, ratio, this.#admitted);
      }
    }
    const prefill = this.#batch.count > 0;
    delay.idle = deferred && !prefill && running.count === running.spent;
    if (prefill && this.collectPasses) this.#batch.describe(this.#pass);
    const end = prefill ? this.#prefill.run(nowMs) : this.#decodePass(nowMs);
    for (const slot of rejected) this.#results.signals.add(slot, Signal.rejected);
    for (const slot of decode.retracted) waiting.add(slot);

    delay.computedPrefill = this.#batch.computedTokens > 0;
    delay.ranModel = delay.computedPrefill || decode.emits;
    this.hadEffect = end > nowMs || this.#results.signals.count > 0 || delay.ranModel || this.reshuffled;
    this.retry = this.#whatNext(deferred, this.#ratio.value !== ratio);
    if (!this.#grouped) this.#settle(delay.computedPrefill, delay.ranModel);
    if (this.collectPasses) this.#requests.describeQueue(this.#pass);
    return end;
  }

  settleGroup(ranks: readonly Rank[], tookPart: ArrayLike<number>): void {
    let prefill = false, model = false;
    for (let i = 0; i < ranks.length; i++) {
      const rank = ranks[i] as SglangRank;
      if (tookPart[i] === 0) {
        rank.#delay.idle = false;
        continue;
      }
      prefill ||= rank.#delay.computedPrefill;
      model ||= rank.#delay.ranModel;
    }
    for (const rank of ranks as readonly SglangRank[]) rank.#settle(prefill, model);
  }

  steadyDecodeRun(nowMs: number, untilMs: number): number {
    let start = nowMs;
    this.ranHeldBlockMs = this.ranPeakBlocks = 0;
    for (;;) {
      if (this.#steady) {
        this.#startMs = start;
        const end = this.#runSteadyPasses(start, untilMs);
        this.#inSteadyRun = end >= 0;
        if (end >= 0) return end;
        start = this.#startMs;
      }
      const end = this.start(start);
      if (this.#results.signals.count > 0 || !this.#decode.emits || end === start || end >= untilMs) return end;
      this.#noteHeld(end - start);
      this.finish(end);
      start = end;
    }
  }

  /** The blocks that are held now are held for so long by a pass that ends within the run. */
  #noteHeld(durationMs: number): void {
    const held = this.heldBlocks;
    this.ranHeldBlockMs += held * durationMs;
    if (held > this.ranPeakBlocks) this.ranPeakBlocks = held;
  }

  /**
   * Goes through the passes that would follow by their durations alone, up to where a request ends, pages enter the tree
   * or are evicted, or the pass log is folded: all that happens at the same event as without looking ahead.
   */
  quietUntilMs(endMs: number): number {
    const { running, waiting, pages, stream, reports } = this.#requests;
    if (!this.#inSteadyRun || !this.#clock.looksAhead || !this.#steady) return -Infinity;
    if (waiting.size > 0 || this.#delay.left > 0 || reports) return -Infinity;
    const lastStep = Math.min(running.nextEnd, pages.nextInsertion - 1);
    const most = Math.min(lastStep - running.steps, MOST_AHEAD, stream.log.room - 1), requests = running.count;
    let left = pages.tree.available, { tokens, tokensSquared: squares } = running, quietMs = endMs + 0;
    for (let pass = 0; pass < most; pass++) {
      left -= running.growthAfter(pass);
      if (left < 0) break;
      quietMs += this.#clock.decodeMs(requests, tokens, squares);
      squares += 2 * tokens + requests;
      tokens += requests;
    }
    return quietMs;
  }

  /** Nothing but a decode pass that moves counters can be next. */
  get #steady(): boolean {
    const { running, waiting, handOffs } = this.#requests;
    return running.count > 0 && !this.#bursts && running.spent === 0 && this.#results.late.length === 0 &&
      handOffs.activated === 0 && waiting.overlong === 0;
  }

  /**
   * Runs decode passes that only move counters, each but the last to its end.
   *
   * @returns the end of the pass left in flight, `untilMs` or later; -1 when the pass at `#startMs` takes more
   */
  #runSteadyPasses(nowMs: number, untilMs: number): number {
    const { running, waiting, pages, stream } = this.#requests, { tree } = pages, { log } = stream;
    const requests = running.count, lastStep = Math.min(running.nextEnd, pages.nextInsertion - 1);
    const delay = this.#delay, reports = this.#context.cache !== null;
    // The sum tells V8 that it is a number; it would make a new object of it in every pass otherwise.
    for (let start = nowMs + 0; running.steps < lastStep; this.#startMs = start) {
      if (delay.left > 0) waiting.sort();
      else if (waiting.size > 0 && !this.#requests.headBlocked(this.#ratio.value)) return -1;
      const growth = running.growth(1);
      if (growth > tree.available) {
        if (growth > tree.obtainable) return -1;
        tree.evict(growth - tree.available);
      }
      tree.available -= growth;
      delay.step();
      if (log.room === 0) stream.fold(running.list, requests);
      const end = start + this.#clock.decodeMs(requests, running.tokens, running.tokensSquared);
      this.#ratio.decay();
      if (end >= untilMs || this.collectPasses) {
        this.#begin(start);
        this.#decode.emits = this.hadEffect = true;
        this.#decode.forwards = this.#decode.accepted = requests;
        if (this.collectPasses) {
          this.#requests.describeDecode(this.#pass);
          this.#requests.describeQueue(this.#pass);
        }
      }
      running.stepAll();
      if (end >= untilMs) return end;
      this.#noteHeld(end - start);
      if (this.collectPasses) {
        this.finish(end);
      } else {
        log.push(end);
        this.decodeForwards += requests;
        this.acceptedTokens += requests;
        if (reports) this.#requests.reportResidency(end);
      }
      start = end;
    }
    return -1;
  }

  finish(endMs: number): void {
    if (this.#decode.emits) this.#requests.stream.log.push(endMs);
    this.committedPrefillTokens += this.#batch.computedTokens;
    // A prompt counts as it is computed, what it finds in the cache at its admission.
    this.cacheHitTokens += this.#reusedTokens;
    this.cacheTotalTokens += this.#reusedTokens + this.#batch.computedTokens;
    this.#reusedTokens = 0;
    this.decodeForwards += this.#decode.forwards;
    this.acceptedTokens += this.#decode.accepted;
    if (this.collectPasses) {
      this.#pass.endMs = endMs;
      this.#ended.copy(this.#pass);
    }
    this.#requests.reportResidency(endMs);
    deliver(this, this.#results, this.#requests, this.#context, endMs, this.#role === "prefill");
  }

  close(): void {
    this.#requests.stream.log.fold(Infinity);
  }

  // Forming a pass.

  #begin(nowMs: number): void {
    const { stream, running } = this.#requests;
    if (stream.log.room === 0) stream.fold(running.list, running.count);
    this.#startMs = nowMs;
    this.#batch.clear();
    this.#results.clear();
    this.#decode.clear();
    this.#admissions = 0;
    if (this.collectPasses) {
      this.#pass.clear();
      this.#pass.startMs = nowMs;
    }
  }

  /** Requests whose KV was transferred join the running ones while there is room. */
  #promote(): void {
    const { slots, running, handOffs } = this.#requests;
    while (handOffs.activated > 0 && this.#context.sequences.admits(running.count)) {
      const slot = handOffs.next();
      this.#admitted(slot, 0);
      this.#requests.join(slot);
      if (slots.stop[slot] > slots.length[slot]) this.#results.late.push(slot);
    }
  }

  #decodePass(nowMs: number): number {
    const decode = this.#decode;
    decode.endSpent();
    if (this.collectPasses) this.#requests.describeDecode(this.#pass);
    const end = decode.run(nowMs);
    if (decode.retracted.length > 0) this.#requests.handOffs.freed();
    else if (!this.#delay.idle) this.#ratio.decay();
    this.#requests.giveUpEnded(this.#results);
    return end;
  }

  #whatNext(deferred: boolean, ratioChanged: boolean): Retry {
    // A decode that lacks pages will lack them for ever: nobody else can give any up.
    if (this.#decode.stuck) return Retry.fail;
    if (deferred) return Retry.countdown;
    if (ratioChanged) return Retry.again;
    return this.#role === "aggregated" ? Retry.fail : Retry.later;
  }

  /** The pass is decided on all ranks of the worker: when may the next prefill be, and does the ratio start anew? */
  #settle(prefill: boolean, model: boolean): void {
    if (this.#delay.idle && !model) this.#ratio.reset();
    this.#delay.settle(prefill);
  }

  // Roles.

  offer(request: number, _nowMs: number): string | null {
    const prompt = this.#context.records.inputTokens[request];
    if (prompt >= this.#settings.maxModelTokens) return "destination prompt must be shorter than max_model_len";
    if (this.#requests.pages.pages(prompt) > this.#settings.blocks) {
      return "destination prompt exceeds the KV pool capacity";
    }
    this.#requests.handOffs.offer(this.#requests.open(request));
    return null;
  }

  get pendingDestinations(): number {
    return this.#requests.handOffs.pending;
  }

  tryReserve(nowMs: number): boolean {
    const { handOffs, slots } = this.#requests, pageTokens = this.#settings.blockTokens;
    const slot = handOffs.reserve(pageTokens);
    if (slot < 0) return false;
    this.#context.observer.reserved(this, slots.request[slot], nowMs, handOffs.missingPages * pageTokens);
    return true;
  }

  activate(request: number, nowMs: number): void {
    this.#requests.handOffs.activate(request);
    this.#requests.reportResidency(nowMs);
  }

  release(request: number, nowMs: number): void {
    const { handOffs, pages, slots } = this.#requests, slot = handOffs.takeKept(request);
    if (slot < 0) return;
    pages.finish(slot, slots.length[slot], slots.computed[slot]);
    this.#requests.forget(slot, nowMs);
  }

  cancel(request: number, nowMs: number): boolean {
    const { slots, running, pages, stream } = this.#requests;
    let slot = this.#requests.takeWaiting(request);
    for (let i = 0; i < running.count && slot < 0; i++) {
      if (slots.request[running.list[i]] !== request) continue;
      slot = this.#decode.leave(i);
      slots.computed[slot] = slots.length[slot];
    }
    if (slot < 0) return false;
    pages.drop(slot, slots.computed[slot]);
    stream.drop(slot);
    this.#requests.forget(slot, nowMs);
    return true;
  }

  // Telemetry.

  describePass(row: PassRow): void {
    this.#ended.describe(row);
  }

  get activeBlocks(): number {
    return this.#settings.blocks - this.#requests.pages.tree.available;
  }

  /** Pages in the tree count as in use, evictable or not. */
  get inactiveBlocks(): number {
    return 0;
  }

  get heldBlocks(): number {
    return this.#settings.blocks - this.#requests.pages.tree.obtainable;
  }

  get totalBlocks(): number {
    return this.#settings.blocks;
  }

  get runningRequests(): number {
    return this.#requests.running.count;
  }

  get waitingRequests(): number {
    return this.#requests.waiting.size + this.#requests.handOffs.waiting;
  }
}
