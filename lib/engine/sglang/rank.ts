/**
 * One SGLang rank: passes are either prefill or decode, waiting requests are admitted when their output is likely to
 * fit beside what runs (the new-token ratio), prompts are cut into chunks, prefixes are reused page by page through a
 * radix tree, and when pages run out the request with the least output is retracted.
 *
 * A decode pass in which nobody ends costs a handful of additions (`decode_batch.ts`, `page_holds.ts`); everything
 * else is literal.
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
import { Outcome, Pool } from "../records.ts";
import type { RankSettings } from "../settings.ts";
import { TokenSequences } from "../token_sequences.ts";
import { TokenStream } from "../token_stream.ts";
import { DecodeBatch } from "./decode_batch.ts";
import { DecodePass } from "./decode_pass.ts";
import { HandOffs } from "./hand_offs.ts";
import { NewTokenRatio } from "./new_token_ratio.ts";
import { RequestPages } from "./request_pages.ts";
import { PassResults, Signal } from "./pass_results.ts";
import { PrefillBatch } from "./prefill_batch.ts";
import { PrefixOrder } from "./prefix_order.ts";
import { Residency } from "./residency.ts";
import { Slots } from "./slots.ts";
import { WaitList } from "./wait_list.ts";

const NOBODY: readonly number[] = [];

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
  preemptions = 0;

  readonly #context: RankContext;
  readonly #settings: RankSettings;
  readonly #role: RankSettings["role"];
  readonly #recordPool: Pool;
  readonly #page: number;
  readonly #grouped: boolean;
  readonly #clock: PassClock;
  readonly #sequences: TokenSequences;
  readonly #slots = new Slots();
  readonly #running: DecodeBatch;
  readonly #pages: RequestPages;
  readonly #residency: Residency | null;
  readonly #waiting: WaitList;
  readonly #batch: PrefillBatch;
  readonly #handOffs: HandOffs;
  readonly #stream: TokenStream;
  readonly #ratio: NewTokenRatio;
  readonly #results: PassResults;
  readonly #decode: DecodePass;
  readonly #bursts: boolean;
  readonly #admitted: (slot: number, reusedTokens: number) => void;

  /** Passes that still must not prefill. */
  #countdown = 0;
  /** The pass had to defer prefill and had nothing to decode. */
  #idle = false;
  /** The pass computed prompt tokens; it ran the model for whatever purpose. */
  #computedPrefill = false;
  #ranModel = false;

  // The pass being formed or in flight.
  #startMs = 0;
  #admissions = 0;
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
    const slots = this.#slots, role = settings.role, pageTokens = settings.blockTokens;
    // Prefill ranks emit one token, which no prediction precedes.
    const bursts = settings.acceptRates !== null && role !== "prefill", caching = settings.prefixCaching;
    this.id = id;
    this.#context = context;
    this.#settings = settings;
    this.#role = role;
    this.#recordPool = Pool[role];
    this.#page = pageTokens;
    this.#grouped = ranks > 1;
    this.#clock = new PassClock(timing, settings);
    this.#sequences = new TokenSequences(context.workload, context.prompts);
    this.#residency = context.cache === null ? null : new Residency(context.prompts);
    this.#running = new DecodeBatch(slots, pageTokens, sglang.clipMaxNewTokens, bursts);
    this.#pages = new RequestPages(
      { pages: settings.blocks, pageTokens, caching, bursts },
      slots,
      this.#running,
      this.#sequences,
      this.#residency,
    );
    const order = sglang.schedulePolicy === "lpm" && caching
      ? new PrefixOrder(this.#pages, slots, this.#sequences, pageTokens)
      : null;
    this.#waiting = new WaitList(slots, order, { decodes: role === "decode", maxModelTokens: settings.maxModelTokens });
    this.#batch = new PrefillBatch(
      { slots, pages: this.#pages, waiting: this.#waiting, running: this.#running },
      pageTokens,
      sglang,
    );
    this.#handOffs = new HandOffs(slots, this.#pages);
    this.#stream = new TokenStream(context.sink, context.records);
    this.#ratio = new NewTokenRatio(sglang.scheduleConservativeness, this.#grouped);
    this.#results = new PassResults(slots);
    this.#bursts = bursts;
    this.#decode = new DecodePass({
      slots,
      running: this.#running,
      pages: this.#pages,
      stream: this.#stream,
      ratio: this.#ratio,
      clock: this.#clock,
      results: this.#results,
      acceptance: bursts ? new Acceptance(settings.acceptRates!, context.words(id)) : null,
    });
    this.#admitted = (slot, reusedTokens) => {
      this.cacheTotalTokens += slots.length[slot];
      this.cacheHitTokens += reusedTokens;
      context.records.admit(slots.request[slot], this.#startMs, reusedTokens, this.#recordPool);
      this.#admissions++;
    };
  }

  get ready(): boolean {
    return this.#running.count > 0 || this.#waiting.size > 0 || this.#handOffs.activated > 0 || this.#countdown > 0;
  }

  get owned(): number {
    return this.#running.count + this.#waiting.size + this.#handOffs.size;
  }

  get reshuffled(): boolean {
    return this.#admissions > 0 || this.#decode.retracted.length > 0;
  }

  get passStartMs(): number {
    return this.#startMs;
  }

  submit(request: number, _nowMs: number): void {
    this.#waiting.add(this.#open(request));
  }

  start(nowMs: number): number {
    this.#begin(nowMs);
    const deferred = this.#countdown > 0, ratio = this.#ratio.value;
    const rejected = this.#waiting.overlong > 0 ? this.#waiting.takeOverlong() : NOBODY;
    if (this.#handOffs.activated > 0) this.#promote();
    if (!this.#headBlocked()) {
      this.#waiting.sort();
      const room = this.#settings.maxSequences - this.#running.count;
      if (room > 0 && !deferred && this.#handOffs.activated === 0 && this.#handOffs.pending === 0) {
        this.#batch.form(room, ratio, this.#admitted);
      }
    }
    const prefill = this.#batch.count > 0;
    this.#idle = deferred && !prefill && this.#running.count === this.#running.spent;
    const end = prefill ? this.#prefillPass(nowMs) : this.#decodePass(nowMs);
    for (const slot of rejected) this.#results.signals.add(slot, Signal.rejected);
    for (const slot of this.#decode.retracted) this.#waiting.add(slot);
    this.preemptions += this.#decode.retracted.length;

    this.#computedPrefill = this.#batch.computedTokens > 0;
    this.#ranModel = this.#computedPrefill || this.#decode.emits;
    this.hadEffect = end > nowMs || this.#results.signals.count > 0 || this.#ranModel || this.reshuffled;
    this.retry = this.#whatNext(deferred, this.#ratio.value !== ratio);
    if (!this.#grouped) this.#settle(this.#computedPrefill, this.#ranModel);
    if (this.collectPasses) this.#notePass();
    return end;
  }

  settleGroup(ranks: readonly Rank[], tookPart: ArrayLike<number>): void {
    let prefill = false, model = false;
    for (let i = 0; i < ranks.length; i++) {
      const rank = ranks[i] as SglangRank;
      if (tookPart[i] === 0) {
        rank.#idle = false;
        continue;
      }
      prefill ||= rank.#computedPrefill;
      model ||= rank.#ranModel;
    }
    for (const rank of ranks as readonly SglangRank[]) rank.#settle(prefill, model);
  }

  steadyDecodeRun(nowMs: number, untilMs: number): number {
    let start = nowMs;
    for (;;) {
      if (this.#steady) {
        this.#startMs = start;
        const end = this.#runSteadyPasses(start, untilMs);
        if (end >= 0) return end;
        start = this.#startMs;
      }
      const end = this.start(start);
      if (this.#results.signals.count > 0 || !this.#decode.emits || end === start || end >= untilMs) return end;
      this.finish(end);
      start = end;
    }
  }

  /** Nothing but a decode pass that moves counters can be next. */
  get #steady(): boolean {
    const running = this.#running;
    return running.count > 0 && !this.#bursts && running.spent === 0 && this.#results.late.length === 0 &&
      this.#handOffs.activated === 0 && this.#waiting.overlong === 0;
  }

  /**
   * Runs decode passes that only move counters, each but the last to its end.
   *
   * @returns the end of the pass left in flight, `untilMs` or later; -1 when the pass at `#startMs` takes more
   */
  #runSteadyPasses(nowMs: number, untilMs: number): number {
    const running = this.#running, tree = this.#pages.tree, log = this.#stream.log, requests = running.count;
    const lastStep = Math.min(running.nextEnd, this.#pages.nextInsertion - 1);
    for (let start = nowMs; running.steps < lastStep; this.#startMs = start) {
      if (this.#countdown > 0) this.#waiting.sort();
      else if (this.#waiting.size > 0 && !this.#headBlocked()) return -1;
      const growth = running.growth(1);
      if (growth > tree.available) {
        if (growth > tree.obtainable) return -1;
        tree.evict(growth - tree.available);
      }
      tree.available -= growth;
      if (this.#countdown > 0) this.#countdown--;
      if (log.room === 0) this.#stream.fold(running.list, requests);
      const end = start + this.#clock.decodeMs(requests, running.tokens);
      this.#ratio.decay();
      if (end >= untilMs || this.collectPasses) {
        this.#begin(start);
        this.#decode.emits = this.hadEffect = true;
        this.#decode.forwards = this.#decode.accepted = requests;
        if (this.collectPasses) {
          this.#noteDecode();
          this.#notePass();
        }
      }
      running.stepAll();
      if (end >= untilMs) return end;
      if (this.collectPasses) {
        this.finish(end);
      } else {
        log.push(end);
        this.decodeForwards += requests;
        this.acceptedTokens += requests;
        if (this.#residency !== null) this.#reportResidency(end);
      }
      start = end;
    }
    return -1;
  }

  finish(endMs: number): void {
    const stream = this.#stream,
      slots = this.#slots,
      { signals } = this.#results,
      { observer, records } = this.#context;
    if (this.#decode.emits) stream.log.push(endMs);
    this.committedPrefillTokens += this.#batch.computedTokens;
    this.decodeForwards += this.#decode.forwards;
    this.acceptedTokens += this.#decode.accepted;
    if (this.collectPasses) {
      this.#pass.endMs = endMs;
      this.#ended.copy(this.#pass);
    }
    this.#reportResidency(endMs);
    for (let i = 0; i < signals.count; i++) {
      const slot = signals.slot[i], request = slots.request[slot], kind = signals.kind[i];
      if (kind === Signal.rejected) {
        records.emit(request, 0, NaN, NaN, NaN);
        slots.close(slot);
        observer.ended(this, request, endMs, Outcome.rejected);
        continue;
      }
      const first = Number.isNaN(stream.firstMs(slot));
      if (kind === Signal.first || kind === Signal.only) {
        stream.beginBetween(slot, endMs);
      } else if (kind === Signal.token || kind === Signal.last) {
        if (!stream.running(slot)) stream.begin(slot);
        stream.burst(slot, signals.burst[i] - 1);
      }
      if (kind === Signal.first || kind === Signal.token) {
        if (first && this.tellFirstTokens) observer.firstToken(this, request, endMs);
      } else if (this.#role === "prefill") {
        stream.drop(slot);
        observer.sourceHeld(this, request, endMs);
      } else {
        stream.complete(slot, request, slots.length[slot] - slots.prompt[slot]);
        slots.close(slot);
        observer.ended(this, request, endMs, Outcome.completed);
      }
    }
    signals.clear();
  }

  close(): void {
    this.#stream.log.fold(Infinity);
  }

  // Forming a pass.

  #begin(nowMs: number): void {
    const stream = this.#stream, running = this.#running;
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
    const slots = this.#slots;
    while (this.#handOffs.activated > 0 && this.#running.count < this.#settings.maxSequences) {
      const slot = this.#handOffs.next();
      this.#admitted(slot, 0);
      this.#join(slot);
      if (slots.stop[slot] > slots.length[slot]) this.#results.late.push(slot);
    }
  }

  /** Whether nobody can be admitted for sure, without looking at the cache again. */
  #headBlocked(): boolean {
    const waiting = this.#waiting, running = this.#running, tree = this.#pages.tree;
    if (waiting.size === 0 || (running.count >= this.#settings.maxSequences && waiting.fifo)) return true;
    const needs = waiting.headNeeds;
    // Comparisons with NaN are false: nothing is known about the head.
    if (!(needs > 0) || !tree.undisturbed || !waiting.sorted || !this.#sequences.plain) return false;
    if (this.#bursts) return false;
    const room = tree.obtainable * this.#page, open = running.openOutputEstimate(this.#ratio.value);
    const gap = needs - (room - open), doubt = 1e-6 + open * 1e-9;
    if (gap > doubt || gap < -doubt) return gap > 0;
    return needs >= room - running.openOutput(this.#ratio.value);
  }

  /** The batch is computed; prompts that are complete now yield their first token without further time. */
  #prefillPass(nowMs: number): number {
    const { stop, length, computed } = this.#slots, pages = this.#pages, batch = this.#batch, slots = batch.slot;
    const duration = this.#role === "decode"
      ? 0
      : this.#clock.prefillMs(batch.count, batch.reachedTokens, batch.priorTokens);
    if (this.collectPasses) this.#notePrefill();
    let complete = 0, growth = 0;
    for (let i = 0; i < batch.count; i++) {
      const slot = slots[i];
      if (computed[slot] < length[slot]) {
        pages.cache(slot, computed[slot]);
        this.#waiting.add(slot, true);
        continue;
      }
      slots[complete++] = slot;
      if (stop[slot] === length[slot]) this.#results.end(slot, Signal.done);
      else if (stop[slot] > length[slot] + 1 && length[slot] % this.#page === 0) growth++;
    }
    for (let i = 0; i < complete; i++) {
      if (stop[slots[i]] === length[slots[i]] + 1) this.#results.end(slots[i], Signal.only);
    }
    const emits = pages.takeGrowth(growth);
    for (let i = 0; i < complete; i++) {
      const slot = slots[i];
      if (stop[slot] <= length[slot] + 1) continue;
      if (emits) {
        computed[slot] = ++length[slot];
        pages.cache(slot, length[slot]);
        this.#results.signals.add(slot, Signal.first);
      } else {
        this.#results.late.push(slot);
      }
      this.#join(slot);
    }
    this.#giveUpEnded();
    return nowMs + duration;
  }

  #decodePass(nowMs: number): number {
    this.#decode.endSpent();
    if (this.collectPasses) this.#noteDecode();
    const end = this.#decode.run(nowMs);
    if (this.#decode.retracted.length > 0) this.#handOffs.freed();
    else if (!this.#idle) this.#ratio.decay();
    this.#giveUpEnded();
    return end;
  }

  #giveUpEnded(): void {
    const slots = this.#slots, { ending, endings } = this.#results;
    for (let i = 0; i < endings; i++) {
      const slot = ending[i];
      this.#pages.endTail(slot);
      if (this.#role === "prefill") this.#handOffs.keep(slot);
      else this.#pages.finish(slot, slots.length[slot], slots.computed[slot]);
      this.#handOffs.freed();
    }
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
    if (this.#idle && !model) this.#ratio.reset();
    if (prefill) this.#countdown = this.#settings.prefillDecodeInterval;
    else if (this.#countdown > 0) this.#countdown--;
  }

  #join(slot: number): void {
    if (this.#running.orderExhausted) {
      this.#pages.noteUse();
      this.#running.renumber();
    }
    this.#running.join(slot);
    this.#pages.startTail(slot);
  }

  // Roles.

  offer(request: number, _nowMs: number): string | null {
    const prompt = this.#context.records.inputTokens[request];
    if (prompt >= this.#settings.maxModelTokens) return "destination prompt must be shorter than max_model_len";
    if (this.#pages.pages(prompt) > this.#settings.blocks) return "destination prompt exceeds the KV pool capacity";
    this.#handOffs.offer(this.#open(request));
    return null;
  }

  get pendingDestinations(): number {
    return this.#handOffs.pending;
  }

  tryReserve(nowMs: number): boolean {
    const slot = this.#handOffs.reserve(this.#page);
    if (slot < 0) return false;
    const missing = this.#handOffs.missingPages * this.#page;
    this.#context.observer.reserved(this, this.#slots.request[slot], nowMs, missing);
    return true;
  }

  activate(request: number, nowMs: number): void {
    this.#handOffs.activate(request);
    this.#reportResidency(nowMs);
  }

  release(request: number, nowMs: number): void {
    const slot = this.#handOffs.takeHeld(request), slots = this.#slots;
    if (slot < 0) return;
    this.#pages.finish(slot, slots.length[slot], slots.computed[slot]);
    this.#forget(slot, nowMs);
  }

  cancel(request: number, nowMs: number): boolean {
    const slots = this.#slots, running = this.#running;
    let slot = this.#handOffs.remove(request);
    if (slot < 0) {
      const waiting = this.#waiting.find(request);
      if (waiting >= 0) slot = this.#waiting.remove(waiting);
    }
    for (let i = 0; i < running.count && slot < 0; i++) {
      if (slots.request[running.list[i]] !== request) continue;
      slot = this.#decode.leave(i);
      slots.computed[slot] = slots.length[slot];
    }
    if (slot < 0) return false;
    this.#pages.drop(slot, slots.computed[slot]);
    this.#stream.drop(slot);
    this.#forget(slot, nowMs);
    return true;
  }

  /** A slot gave up its pages between passes. */
  #forget(slot: number, nowMs: number): void {
    this.#slots.close(slot);
    this.#handOffs.freed();
    this.#waiting.headNeeds = NaN;
    this.#reportResidency(nowMs);
  }

  // Telemetry.

  describePass(row: PassRow): void {
    this.#ended.describe(row);
  }

  get activeBlocks(): number {
    return this.#settings.blocks - this.#pages.tree.available;
  }

  /** Pages in the tree count as in use, evictable or not. */
  get inactiveBlocks(): number {
    return 0;
  }

  get heldBlocks(): number {
    return this.#settings.blocks - this.#pages.tree.obtainable;
  }

  get totalBlocks(): number {
    return this.#settings.blocks;
  }

  get runningRequests(): number {
    return this.#running.count;
  }

  get waitingRequests(): number {
    return this.#waiting.size + this.#handOffs.waiting;
  }

  #notePrefill(): void {
    const { count, slot, computed, prior } = this.#batch, pass = this.#pass;
    for (let i = 0; i < count; i++) {
      if (computed[i] === 0) continue;
      pass.prefill.add(this.#slots.prompt[slot[i]]);
      pass.prefillTokens += computed[i];
      pass.prefillKvTokens += prior[i];
    }
  }

  /** Requests that decode now, before any is retracted. */
  #noteDecode(): void {
    const running = this.#running, decode = this.#pass.decode;
    decode.count = running.count;
    decode.sum = running.tokens;
    decode.squares = running.tokensSquared;
  }

  #notePass(): void {
    const pass = this.#pass;
    pass.queuedPrefill.copy(this.#waiting.prefill);
    pass.queuedDecode.copy(this.#waiting.decode);
    pass.queuedDecode.include(this.#handOffs.queued);
  }

  #reportResidency(atMs: number): void {
    const log = this.#residency?.log;
    if (log === undefined || log.length === 0) return;
    for (let i = 0; i < log.length; i += 2) this.#context.cache!.resident(this.id, log[i], log[i + 1], atMs);
    log.length = 0;
  }

  /** Takes a slot for a request that comes here. */
  #open(request: number): number {
    const { workload, records } = this.#context, prompt = records.inputTokens[request];
    const wanted = this.#role === "prefill"
      ? Math.min(workload.outputTokens[request], 1)
      : workload.outputTokens[request];
    const output = Math.min(wanted, Math.max(0, this.#settings.maxModelTokens - prompt));
    const slot = this.#slots.open(request, prompt, output);
    this.#stream.reserve(slot + 1);
    this.#running.reserve(slot + 1);
    return slot;
  }
}
