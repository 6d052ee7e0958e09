/**
 * One vLLM rank: running requests first, then waiting ones first come first served, chunked prefill under a token
 * budget, prefix caching, preemption by recomputation, multi-token prediction.
 *
 * A pass takes one of two ways. The regular one serves steadily decoding requests as counters and at most one prompt in
 * mid-prefill, after one check that the blocks suffice for everybody; it costs O(what changes). The literal one walks
 * the running list and handles any state. Both share admission and the commitment of results.
 *
 * May import what lies beside `lib/engine`'s top and the timing interface.
 *
 * @module
 */
import { SimulationError } from "../../errors.ts";
import type { PassRow } from "../../planner/policy.ts";
import type { Timing } from "../../timing/timing.ts";
import { Acceptance } from "../acceptance.ts";
import { BlockPool } from "../block_pool.ts";
import { LengthSums, PassMetrics } from "../pass_metrics.ts";
import { PassClock } from "../pass_clock.ts";
import { type Rank, Retry } from "../rank.ts";
import type { RankContext } from "../rank_context.ts";
import { Outcome, Pool } from "../records.ts";
import type { RankSettings } from "../settings.ts";
import { SteadySet } from "../steady_set.ts";
import { TokenStream } from "../token_stream.ts";
import type { CompletionPromises } from "../trtllm/completion_promises.ts";
import { WaitingQueue } from "../waiting_queue.ts";
import { Slots } from "./slots.ts";

/** What scheduling one request came to. */
const Scheduled = { yes: 0, blocked: 1, preemptedItself: 2 } as const;
/** What `finish` has to tell about a slot. */
const Signal = { done: 0, token: 1, last: 2, held: 3, rejected: 4 } as const;

/** Simulated vLLM scheduler and KV pool. */
export class VllmRank implements Rank {
  readonly id: number;
  collectPasses = false;
  tellFirstTokens = false;
  hadEffect = false;
  readonly retry = Retry.later;
  committedPrefillTokens = 0;
  decodeForwards = 0;
  acceptedTokens = 0;
  preemptions = 0;

  readonly #context: RankContext;
  readonly #settings: RankSettings;
  readonly #role: RankSettings["role"];
  readonly #recordPool: Pool;
  readonly #block: number;
  readonly #clock: PassClock;
  readonly #pool: BlockPool;
  readonly #stream: TokenStream;
  readonly #steady: SteadySet;
  /** TensorRT-LLM: requests are promised all their blocks at admission, and cached prompts are reused whole. */
  readonly #promises: CompletionPromises | null;
  readonly #acceptance: Acceptance | null;
  /** Some requests name their output tokens: generated blocks have content of their own and are completed one by one. */
  readonly #literalOutput: boolean;
  readonly #slots = new Slots();
  readonly #waiting = new WaitingQueue();
  #running = new Int32Array(64);
  #runningCount = 0;
  /** All running requests are steady, except perhaps the last. */
  #regular = true;
  /** The head of the queue cannot be admitted before somebody ends or is preempted. */
  #headBlocked = false;
  /** Prefill cadence: requests wait although the pool has room. */
  #capacityBound = false;
  #nextOrdinal = 0;
  #nextOrder = 0;

  // The pass being formed or in flight.
  #budget = 0;
  #prefills = 0;
  #reached = 0;
  #prior = 0;
  #scheduled = 0;
  #admissions = 0;
  #preempted = false;
  #deferring = false;
  #startMs = 0;
  #passCommitted = 0;
  #passForwards = 0;
  #passAccepted = 0;
  #signalSlot = new Int32Array(64);
  #signalKind = new Uint8Array(64);
  #signalBurst = new Int32Array(64);
  #signals = 0;
  #ready = new Int32Array(64);
  #readyCount = 0;
  #barren = 0;

  // Observed sums.
  readonly #queuedFresh = new LengthSums();
  readonly #queuedAgain = new LengthSums();
  readonly #pass = new PassMetrics();
  readonly #ended = new PassMetrics();

  // Roles.
  readonly #offers: number[] = [];
  readonly #held = new Map<number, number>();
  readonly #destinations = new Map<number, number>();
  #capacityChanged = true;

  constructor(
    id: number,
    settings: RankSettings,
    timing: Timing,
    context: RankContext,
    promises: CompletionPromises | null = null,
  ) {
    this.id = id;
    this.#context = context;
    this.#settings = settings;
    this.#role = settings.role;
    this.#recordPool = Pool[settings.role];
    this.#block = settings.blockTokens;
    this.#clock = new PassClock(timing, settings);
    this.#pool = new BlockPool(settings.blocks, context.prompts, settings.prefixCaching);
    if (context.cache !== null && settings.role !== "decode") this.#pool.changes = [];
    this.#stream = new TokenStream(context.sink, context.records);
    this.#steady = new SteadySet(settings.blockTokens);
    this.#promises = promises;
    this.#literalOutput = context.workload.outputTokenIds.size > 0;
    this.#acceptance = settings.acceptRates === null ? null : new Acceptance(settings.acceptRates, context.words(id));
  }

  get reshuffled(): boolean {
    return this.#admissions > 0 || this.#preempted;
  }

  get passStartMs(): number {
    return this.#startMs;
  }

  get ready(): boolean {
    return this.#runningCount > 0 || this.#waiting.size > 0;
  }

  get owned(): number {
    return this.#runningCount + this.#waiting.size + this.#held.size + this.#destinations.size;
  }

  submit(request: number, _nowMs: number): void {
    const { workload, records } = this.#context;
    const wanted = workload.outputTokens[request];
    const output = this.#role === "prefill" ? Math.min(wanted, 1) : wanted;
    const slot = this.#open(request, records.inputTokens[request], output);
    this.#waiting.pushBack(slot);
    this.#queuedFresh.add(this.#slots.prompt[slot]);
    this.#barren = 0;
  }

  start(nowMs: number, wave = 0): number {
    const pass = this.#begin(nowMs, wave);
    const regular = this.#regular && !this.#deferring && this.#acceptance === null && this.#serveRegular(pass);
    if (!regular) this.#serveLiteral(pass);
    if (!(regular && this.#headBlocked)) this.#admitWaiting(pass);
    else this.#capacityBound = true;
    const end = this.#acceptance === null
      ? this.#emitTokens(pass, regular ? this.#steady.count : 0)
      : this.#emitBursts(pass);
    // Rejections were noted first but are told last.
    if (this.#rejections > 0) this.#moveRejectionsLast();
    this.#settle();
    this.hadEffect = end > nowMs || this.#signals > 0 || this.#scheduled > 0 || this.#admissions > 0 || this.#preempted;
    if (this.collectPasses) this.#notePass();
    return end;
  }

  cruise(nowMs: number, untilMs: number): number {
    if (!this.#regular || this.#acceptance !== null || (this.#waiting.size > 0 && !this.#headBlocked)) {
      return this.start(nowMs);
    }
    const steady = this.#steady, log = this.#stream.log, pool = this.#pool, requests = steady.count;
    if (requests !== this.#runningCount || requests === 0 || requests > this.#settings.maxBatchedTokens) {
      return this.start(nowMs);
    }
    const lastPass = steady.nextEnd, decodes = this.#role !== "prefill", telling = pool.changes !== null;
    const growths = steady.growth, block = this.#block, firstTokens = steady.tokens;
    let pass = log.next, phase = pass % block, room = log.room, tokens = firstTokens, passes = 0;
    let before = nowMs, start = nowMs;
    for (; pass < lastPass; pass++) {
      const growth = growths[phase];
      if (growth > 0) {
        if (growth > pool.available) break;
        pool.take(growth);
        this.#promises?.redeem(growth);
      }
      if (--room < 0) {
        log.fold(this.#stream.oldest(this.#running, this.#runningCount) - 1);
        room = log.room - 1;
      }
      const end = start + (decodes ? this.#clock.decodeMs(requests, tokens) : 0);
      if (end >= untilMs) {
        this.#noteCruise(passes, before, start);
        this.#clear(start);
        this.#passForwards = this.#passAccepted = requests;
        this.#scheduled = requests;
        this.hadEffect = true;
        if (this.collectPasses) {
          this.#pass.decode.set(requests, steady.tokens, steady.tokensSquared);
          this.#notePass();
        }
        steady.advance(1);
        return end;
      }
      log.push(end);
      if (telling) this.#tellCache(end);
      tokens += requests;
      if (++phase === block) phase = 0;
      passes++;
      before = start;
      start = end;
    }
    this.#noteCruise(passes, before, start);
    return this.start(start);
  }

  /** Accounts for `passes` decode passes that ended in a cruise, the last one from `startMs` to `endMs`. */
  #noteCruise(passes: number, startMs: number, endMs: number): void {
    if (passes === 0) return;
    const steady = this.#steady;
    this.decodeForwards += steady.count * passes;
    this.acceptedTokens += steady.count * passes;
    steady.advance(passes - 1);
    if (this.collectPasses) {
      this.#ended.clear();
      this.#ended.decode.set(steady.count, steady.tokens, steady.tokensSquared);
      this.#ended.queuedPrefill.copy(this.#queuedFresh);
      this.#ended.queuedDecode.copy(this.#queuedAgain);
      this.#ended.startMs = startMs;
      this.#ended.endMs = endMs;
    }
    steady.advance(1);
  }

  finish(endMs: number): void {
    const { records, observer } = this.#context;
    const stream = this.#stream, slots = this.#slots;
    stream.log.push(endMs);
    this.committedPrefillTokens += this.#passCommitted;
    this.decodeForwards += this.#passForwards;
    this.acceptedTokens += this.#passAccepted;
    if (this.collectPasses) {
      this.#pass.endMs = endMs;
      this.#ended.copy(this.#pass);
    }
    this.#tellCache(endMs);
    for (let i = 0; i < this.#signals; i++) {
      const slot = this.#signalSlot[i], request = slots.request[slot], kind = this.#signalKind[i];
      if (kind === Signal.token || kind === Signal.last) {
        const first = Number.isNaN(stream.firstMs(slot));
        if (!stream.running(slot)) stream.begin(slot);
        if (this.#acceptance !== null) stream.burst(slot, this.#signalBurst[i] - 1);
        if (kind === Signal.token) {
          if (first && this.tellFirstTokens) observer.firstToken(this, request, endMs);
          continue;
        }
        stream.complete(slot, request, slots.stop[slot] - slots.prompt[slot]);
        this.#forget(slot);
        observer.ended(this, request, endMs, Outcome.completed);
      } else if (kind === Signal.held) {
        stream.drop(slot);
        observer.sourceHeld(this, request, endMs);
      } else if (kind === Signal.done) {
        stream.complete(slot, request, slots.length[slot] - slots.prompt[slot]);
        this.#forget(slot);
        observer.ended(this, request, endMs, Outcome.completed);
      } else {
        records.emit(request, 0, NaN, NaN, NaN);
        this.#forget(slot);
        observer.ended(this, request, endMs, Outcome.rejected);
      }
    }
    this.#signals = 0;
  }

  close(): void {
    this.#stream.log.fold(Infinity);
  }

  /** Tells what the pass that ends at `endMs` changed in the cache. */
  #tellCache(endMs: number): void {
    const changes = this.#pool.changes;
    if (changes === null || changes.length === 0) return;
    const cache = this.#context.cache!;
    for (let i = 0; i < changes.length; i += 2) cache.resident(this.id, changes[i], changes[i + 1], endMs);
    changes.length = 0;
  }

  // Forming a pass.

  #begin(nowMs: number, wave: number): number {
    const log = this.#stream.log;
    if (log.room === 0) log.fold(this.#stream.oldest(this.#running, this.#runningCount) - 1);
    this.#clear(nowMs);
    this.#budget = this.#settings.maxBatchedTokens;
    this.#deferring = wave % this.#settings.prefillScheduleInterval !== 0 && !this.#capacityBound &&
      this.#anyPrebuilt();
    return log.next;
  }

  #clear(nowMs: number): void {
    this.#startMs = nowMs;
    this.#prefills =
      this.#reached =
      this.#prior =
      this.#scheduled =
      this.#admissions =
      this.#passCommitted =
        0;
    this.#passForwards =
      this.#passAccepted =
      this.#signals =
      this.#rejections =
      this.#readyCount =
        0;
    this.#preempted = false;
    if (this.collectPasses) {
      this.#pass.clear();
      this.#pass.startMs = nowMs;
    }
  }

  /** Bulk service of the steady requests and the one prompt in mid-prefill; false when it needs the literal way. */
  #serveRegular(pass: number): boolean {
    const steady = this.#steady, slots = this.#slots, pool = this.#pool, count = steady.count;
    if (count > this.#budget) return false;
    const budget = this.#budget - count, growth = steady.growthAt(pass);
    let need = growth, after = 0;
    const last = this.#runningCount > count ? this.#running[count] : -1;
    if (last >= 0) {
      if (!this.#settings.chunkedPrefill || slots.computed[last] === 0) return false;
      after = slots.computed[last] + Math.min(slots.length[last] - slots.computed[last], budget);
      need += this.#blocks(after) - this.#blocks(slots.allocated[last]);
    }
    if (need > pool.available) return false;
    if (growth > 0) pool.take(growth);
    this.#promises?.redeem(need);
    this.#budget = budget;
    this.#scheduled += count;
    if (this.collectPasses) {
      this.#pass.decode.set(count, steady.tokens, steady.tokensSquared);
    }
    if (last >= 0 && after > slots.computed[last]) {
      pool.take(need - growth);
      slots.allocated[last] = after;
      this.#advance(last, slots.computed[last], after, pass);
    }
    return true;
  }

  /** Serves the running list one by one, in any state. */
  #serveLiteral(pass: number): void {
    this.#unsteady(pass);
    const slots = this.#slots;
    for (let i = 0; i < this.#runningCount && this.#budget > 0;) {
      const slot = this.#running[i];
      if (this.#deferring && !this.#prebuilt(slot)) {
        i++;
        continue;
      }
      let cached = 0;
      if (slots.computed[slot] === 0) {
        this.#lookup(slot);
        cached = this.#cached;
      }
      const outcome = this.#schedule(slot, cached, pass);
      if (outcome === Scheduled.blocked) break;
      if (outcome === Scheduled.yes) i++;
    }
  }

  /** Writes out what the steady requests' counters stand for. */
  #unsteady(pass: number): void {
    const steady = this.#steady, slots = this.#slots;
    if (steady.count === 0) return;
    for (let i = 0; i < this.#runningCount; i++) {
      const slot = this.#running[i];
      if (slots.steady[slot] === 0) continue;
      slots.steady[slot] = 0;
      const length = steady.length(slot, pass);
      slots.length[slot] = length;
      slots.computed[slot] = slots.allocated[slot] = length - 1;
    }
    steady.clear();
  }

  #admitWaiting(pass: number): void {
    const { records } = this.#context;
    const slots = this.#slots, pool = this.#pool, waiting = this.#waiting, settings = this.#settings;
    this.#headBlocked = false;
    while (!this.#preempted) {
      const at = this.#offers.length > 0 ? this.#firstPrebuilt() : 0;
      if (at >= waiting.size) break;
      if (this.#runningCount >= settings.maxSequences) {
        this.#headBlocked = true;
        break;
      }
      const slot = waiting.at(at), length = slots.length[slot], fresh = slots.preempted[slot] === 0;
      if (slots.prompt[slot] >= settings.maxModelTokens || (fresh && !this.#possible(slot))) {
        this.#unqueue(at);
        this.#signal(slot, Signal.rejected);
        this.#rejections++;
        this.#barren = 0;
        continue;
      }
      let cached = 0;
      if (!this.#prebuilt(slot)) {
        this.#lookup(slot);
        cached = this.#cached;
        if (!this.#fits(slot)) {
          // Under promises, only the eviction of a block with a further copy that is held can change that.
          this.#headBlocked = this.#promises === null || !pool.hasCopies;
          break;
        }
        if (this.#deferring && length - cached > 1) break;
      }
      const budget = this.#budget, promises = this.#prebuilt(slot) ? null : this.#promises;
      promises?.give(slots.outputEnd[slot], 0);
      if (this.#schedule(slot, cached, pass) !== Scheduled.yes) {
        promises?.takeBack(slots.outputEnd[slot], 0);
        // Where the budget went to steady requests alone, it will be no larger while they run.
        this.#headBlocked = this.#scheduled === this.#steady.count;
        break;
      }
      // Whoever was preempted for it stands in front of it now.
      let position = at;
      while (waiting.at(position) !== slot) position++;
      this.#unqueue(position);
      slots.preempted[slot] = 0;
      slots.order[slot] = this.#nextOrder++;
      if (this.#runningCount === this.#running.length) this.#running = grown(this.#running);
      this.#running[this.#runningCount++] = slot;
      this.#admissions++;
      records.admit(slots.request[slot], this.#startMs, cached, this.#recordPool);
      if (budget === this.#budget && budget === 0) break;
    }
    if (!this.#deferring && !this.#preempted) this.#capacityBound = waiting.size > 0;
  }

  /** Whether a waiting request could be admitted if it were alone. */
  #possible(slot: number): boolean {
    const { length, outputEnd } = this.#slots;
    return this.#promises?.possible(outputEnd[slot]) ?? this.#blocks(length[slot]) <= this.#settings.blocks;
  }

  /** Whether a waiting request fits, `#lookup` having been asked. */
  #fits(slot: number): boolean {
    const { length, outputEnd } = this.#slots, available = this.#pool.available;
    const shared = Math.floor(this.#activeCached / this.#block);
    return this.#promises?.fits(outputEnd[slot], shared, available) ?? this.#blocks(length[slot]) - shared <= available;
  }

  /** Gives one request its share of the pass. */
  #schedule(slot: number, cached: number, pass: number): 0 | 1 | 2 {
    const slots = this.#slots;
    const before = slots.computed[slot] + cached, length = slots.length[slot], prompt = slots.prompt[slot];
    const rest = length - before;
    if (!this.#settings.chunkedPrefill && prompt - before > this.#budget) return Scheduled.blocked;
    const wanted = Math.min(rest, this.#budget);
    if (wanted === 0 && rest > 0) return Scheduled.blocked;
    let after = before + wanted;
    while (after > slots.allocated[slot]) {
      if (this.#grow(slot, after, cached)) break;
      const victim = this.#preempt(pass);
      if (victim === slot) return Scheduled.preemptedItself;
      if (victim < 0) {
        after = before;
        break;
      }
    }
    if (after === before && after < length) return Scheduled.blocked;
    this.#advance(slot, before, after, pass);
    return Scheduled.yes;
  }

  /** Blocks for a slot through `target` tokens, all or nothing. */
  #grow(slot: number, target: number, cached: number): boolean {
    const held = this.#blocks(this.#slots.allocated[slot]), hits = Math.floor(cached / this.#block);
    const more = this.#blocks(target) - held;
    if (more > 0 && !this.#pool.allocate(slot, hits, more - hits)) return false;
    this.#promises?.redeem(more);
    this.#slots.allocated[slot] = target;
    return true;
  }

  /** Books tokens `before .. after - 1` of a slot as computed in this pass. */
  #advance(slot: number, before: number, after: number, pass: number): void {
    const slots = this.#slots, prompt = slots.prompt[slot], block = this.#block;
    slots.computed[slot] = after;
    const from = Math.floor(before / block), to = Math.floor(after / block);
    if (to > from) this.#pool.finalise(slot, from, to);
    const prior = Math.min(before, prompt), promptTokens = Math.min(after, prompt) - prior, used = after - before;
    slots.passOf[slot] = pass;
    slots.passTokens[slot] = used;
    slots.passPrompt[slot] = promptTokens;
    slots.passPrior[slot] = prior;
    this.#budget -= used;
    this.#scheduled++;
    if (promptTokens > 0) {
      this.#passCommitted += used;
      if (this.#role !== "decode") {
        this.#prefills++;
        this.#reached += prior + promptTokens;
        this.#prior += prior;
      }
    }
    if (!this.collectPasses) return;
    if (promptTokens > 0) {
      this.#pass.prefill.add(prompt);
      this.#pass.prefillTokens += used;
      this.#pass.prefillKvTokens += prior;
    } else if (slots.length[slot] < slots.stop[slot]) {
      this.#pass.decode.add(slots.length[slot]);
    }
  }

  /** Takes everything from one running request and puts it in front of the queue; returns its slot, or -1. */
  #preempt(pass: number): number {
    if (this.#runningCount === 0) return -1;
    if (this.#promises !== null) throw new SimulationError(`rank ${this.id} lacks blocks it has promised`);
    const slots = this.#slots;
    const at = this.#settings.preemption === "lifo" ? this.#runningCount - 1 : 0;
    const slot = this.#running[at];
    this.#removeRunning(at);
    if (slots.passOf[slot] === pass) this.#unschedule(slot);
    this.#stream.pause(slot);
    const complete = Math.floor(slots.computed[slot] / this.#block);
    slots.identified[slot] = Math.max(slots.identified[slot], complete);
    this.#pool.rememberGenerated(slot, complete);
    this.#pool.release(slot, this.#blocks(slots.allocated[slot]), complete);
    slots.computed[slot] = slots.allocated[slot] = 0;
    slots.preempted[slot] = 1;
    this.#waiting.pushFront(slot);
    this.#queuedAgain.add(this.#role === "decode" ? slots.prompt[slot] : slots.length[slot]);
    this.#preempted = true;
    this.#headBlocked = false;
    this.#capacityChanged = true;
    this.preemptions++;
    if (++this.#barren > 1000 + 4 * (this.#runningCount + this.#waiting.size)) {
      throw new SimulationError(
        `offline replay makes no progress: rank ${this.id} preempted ${this.#barren} times without emitting a token ` +
          `(${this.owned} requests in flight); its KV pool of ${this.#settings.blocks} blocks is too small`,
      );
    }
    return slot;
  }

  #unschedule(slot: number): void {
    const slots = this.#slots, prompt = slots.passPrompt[slot], used = slots.passTokens[slot];
    slots.passOf[slot] = -1;
    this.#budget += used;
    if (prompt > 0) {
      this.#passCommitted -= used;
      if (this.#role !== "decode") {
        this.#prefills--;
        this.#reached -= slots.passPrior[slot] + prompt;
        this.#prior -= slots.passPrior[slot];
      }
    }
    if (!this.collectPasses) return;
    if (prompt > 0) {
      this.#pass.prefill.remove(slots.prompt[slot]);
      this.#pass.prefillTokens -= used;
      this.#pass.prefillKvTokens -= slots.passPrior[slot];
    } else if (slots.length[slot] < slots.stop[slot]) {
      this.#pass.decode.remove(slots.length[slot]);
    }
  }

  #cached = 0;
  #activeCached = 0;

  /** Prefix of a slot that need not be computed, in tokens: sets `#cached` and `#activeCached`. */
  #lookup(slot: number): void {
    const slots = this.#slots, block = this.#block, length = slots.length[slot];
    this.#pool.lookup(slot, slots.identified[slot]);
    let cached = Math.min(this.#pool.overlap * block, length);
    let active = Math.min(this.#pool.activeHits * block, length);
    if (length < slots.outputEnd[slot] && this.#promises === null) {
      const limit = Math.floor((length - 1) / block) * block;
      cached = Math.min(cached, limit);
      active = Math.min(active, limit);
      if (this.#acceptance !== null && cached >= block) {
        cached -= block;
        active = Math.min(active, cached);
      }
    }
    this.#cached = cached;
    this.#activeCached = active;
  }

  // Results of a pass.

  /** Ends zero-output requests, emits one token for everybody whose tokens are all computed; returns the pass end. */
  #emitTokens(pass: number, from: number): number {
    const slots = this.#slots, steady = this.#steady, steadyCount = from;
    let decodes = steadyCount, context = steadyCount > 0 ? steady.tokens : 0;
    this.#readyCount = 0;
    let done = 0;
    for (let i = from; i < this.#runningCount; i++) {
      const slot = this.#running[i];
      if (slots.computed[slot] < slots.length[slot]) {
        if (this.#stream.running(slot)) this.#stream.pause(slot);
        continue;
      }
      if (slots.length[slot] >= slots.stop[slot]) {
        this.#signal(slot, this.#role === "prefill" ? Signal.held : Signal.done);
        done++;
        continue;
      }
      this.#pushReady(slot);
      const isPrompt = slots.passOf[slot] === pass && slots.passPrompt[slot] > 0;
      if (!isPrompt) this.#passForwards++;
      if (this.#role === "aggregated" && isPrompt && slots.length[slot] === slots.prompt[slot]) continue;
      decodes++;
      context += slots.length[slot];
    }
    if (this.#role === "prefill") {
      this.#passForwards = 0;
    } else {
      this.#passForwards += steadyCount;
    }
    this.#passAccepted = this.#passForwards;
    const decodeMs = this.#role === "prefill" ? 0 : this.#clock.decodeMs(decodes, context);
    const end = (this.#startMs + this.#clock.prefillMs(this.#prefills, this.#reached, this.#prior)) + decodeMs;
    if (done > 0) this.#leaveSignalled();
    for (let slot = steady.popEnding(pass); slot >= 0; slot = steady.popEnding(pass)) {
      slots.steady[slot] = 0;
      slots.computed[slot] = slots.allocated[slot] = slots.stop[slot] - 1;
      slots.length[slot] = slots.stop[slot];
      this.#endSlot(slot);
    }
    steady.advance(1);
    for (let i = 0; i < this.#readyCount; i++) {
      const slot = this.#ready[i], length = ++slots.length[slot];
      if (length >= slots.stop[slot]) {
        this.#endSlot(slot);
        continue;
      }
      if (!this.#literalOutput) {
        slots.steady[slot] = 1;
        steady.add(slot, length, slots.stop[slot], slots.order[slot], pass + 1);
      }
      if (!this.#stream.running(slot)) this.#signal(slot, Signal.token);
    }
    if (steadyCount + this.#readyCount + done > 0) this.#barren = 0;
    return end;
  }

  /** Multi-token prediction: reserves room for everybody's longest burst, then draws and emits. */
  #emitBursts(pass: number): number {
    const slots = this.#slots, acceptance = this.#acceptance!, prefillOnly = this.#role === "prefill";
    const limit = prefillOnly ? 1 : acceptance.limit;
    let done = 0;
    for (let i = 0; i < this.#runningCount; i++) {
      const slot = this.#running[i];
      if (slots.computed[slot] >= slots.length[slot] && slots.length[slot] >= slots.stop[slot]) {
        this.#signal(slot, prefillOnly ? Signal.held : Signal.done);
        done++;
      }
    }
    if (done > 0) this.#leaveSignalled();
    let reserved = 0;
    for (;;) {
      this.#readyCount = 0;
      reserved = 0;
      for (let i = 0; i < this.#runningCount; i++) {
        const slot = this.#running[i], length = slots.length[slot];
        if (slots.computed[slot] < length) continue;
        this.#pushReady(slot);
        reserved += this.#blocks(length + Math.min(limit, slots.stop[slot] - length)) - this.#blocks(length);
      }
      if (this.#readyCount === 0) break;
      if (reserved <= this.#pool.available) {
        this.#pool.take(reserved);
        this.#promises?.redeem(reserved);
        break;
      }
      if (this.#preempt(-2) < 0) {
        this.#readyCount = 0;
        break;
      }
    }
    let context = 0;
    for (let i = 0; i < this.#readyCount; i++) context += slots.length[this.#ready[i]];
    const decodeMs = prefillOnly ? 0 : this.#clock.decodeMs(this.#readyCount, context);
    const end = (this.#startMs + this.#clock.prefillMs(this.#prefills, this.#reached, this.#prior)) + decodeMs;
    for (let i = 0; i < this.#runningCount; i++) {
      const slot = this.#running[i];
      if (slots.computed[slot] < slots.length[slot] && this.#stream.running(slot)) this.#stream.pause(slot);
    }
    if (this.#readyCount === 0) return end;
    this.#barren = 0;
    const from = this.#signals;
    for (let i = 0; i < this.#readyCount; i++) {
      const slot = this.#ready[i];
      const accepted = prefillOnly ? 1 : acceptance.draw();
      this.#signal(slot, Signal.token);
      this.#signalBurst[this.#signals - 1] = Math.min(accepted, slots.stop[slot] - slots.length[slot]);
      if (!prefillOnly && !(slots.passOf[slot] === pass && slots.passPrompt[slot] > 0)) {
        this.#passForwards++;
        this.#passAccepted += accepted;
      }
    }
    for (let i = 0; i < this.#readyCount; i++) {
      const slot = this.#ready[i];
      for (let left = this.#signalBurst[from + i]; left > 0; left--) {
        const length = slots.length[slot];
        // What the pass itself computed is final already; the tokens of this burst are not.
        if (length % this.#block === 0 && length > slots.computed[slot]) {
          this.#pool.finalise(slot, length / this.#block - 1, length / this.#block);
        }
        slots.length[slot] = length + 1;
        if (slots.allocated[slot] < length + 1) {
          reserved -= this.#blocks(length + 1) - this.#blocks(slots.allocated[slot]);
          slots.allocated[slot] = length + 1;
        }
      }
      slots.computed[slot] = slots.length[slot] - 1;
      if (slots.length[slot] >= slots.stop[slot]) {
        this.#signalKind[from + i] = prefillOnly ? Signal.held : Signal.last;
        this.#removeRunning(this.#findRunning(slot));
        this.#leave(slot);
      }
    }
    this.#pool.free += reserved;
    this.#promises?.redeem(-reserved);
    return end;
  }

  /** The slot emitted its last token in this pass. */
  #endSlot(slot: number): void {
    this.#signal(slot, this.#role === "prefill" ? Signal.held : Signal.last);
    this.#removeRunning(this.#findRunning(slot));
    this.#leave(slot);
  }

  /** Zero-output requests just signalled leave the running list. */
  #leaveSignalled(): void {
    for (let i = this.#rejections; i < this.#signals; i++) {
      const slot = this.#signalSlot[i];
      this.#removeRunning(this.#findRunning(slot));
      this.#leave(slot);
    }
  }

  /** Frees what a finished slot holds, or keeps it for the transfer. */
  #leave(slot: number): void {
    this.#headBlocked = false;
    this.#capacityChanged = true;
    this.#takeBack(slot);
    if (this.#role === "prefill") {
      this.#held.set(this.#slots.request[slot], slot);
      return;
    }
    this.#releaseBlocks(slot);
  }

  /** The slot needs no more blocks than it holds. */
  #takeBack(slot: number): void {
    this.#promises?.takeBack(this.#slots.outputEnd[slot], this.#blocks(this.#slots.allocated[slot]));
  }

  #releaseBlocks(slot: number): void {
    const slots = this.#slots;
    this.#pool.release(slot, this.#blocks(slots.allocated[slot]), Math.floor(slots.computed[slot] / this.#block));
  }

  #settle(): void {
    const count = this.#runningCount, rest = count - this.#steady.count;
    this.#regular = rest === 0 || (rest === 1 && this.#slots.steady[this.#running[count - 1]] === 0);
    // A prompt in mid-prefill may complete blocks that the head of the queue shares.
    if (rest !== 0) this.#headBlocked = false;
  }

  #rejections = 0;

  #moveRejectionsLast(): void {
    const rejections = this.#rejections, slots = this.#signalSlot, kinds = this.#signalKind, bursts = this.#signalBurst;
    const rejected = slots.slice(0, rejections);
    slots.copyWithin(0, rejections, this.#signals);
    kinds.copyWithin(0, rejections, this.#signals);
    bursts.copyWithin(0, rejections, this.#signals);
    for (let i = 0; i < rejections; i++) {
      slots[this.#signals - rejections + i] = rejected[i];
      kinds[this.#signals - rejections + i] = Signal.rejected;
    }
  }

  #notePass(): void {
    this.#pass.queuedPrefill.copy(this.#queuedFresh);
    this.#pass.queuedDecode.copy(this.#queuedAgain);
  }

  // Roles.

  offer(request: number, _nowMs: number): string | null {
    const { workload, records } = this.#context;
    const prompt = records.inputTokens[request];
    if (prompt >= this.#settings.maxModelTokens) return "destination prompt must be shorter than max_model_len";
    if (this.#promises === null && this.#blocks(prompt) > this.#settings.blocks) {
      return "destination prompt exceeds the KV pool capacity";
    }
    const slot = this.#open(request, prompt, workload.outputTokens[request]);
    if (this.#promises?.possible(this.#slots.outputEnd[slot]) === false) {
      this.#forget(slot);
      return "TRT-LLM destination request exceeds the to-completion KV pool capacity";
    }
    this.#offers.push(slot);
    this.#destinations.set(request, slot);
    this.#queuedAgain.add(prompt);
    if (this.#offers.length === 1) this.#capacityChanged = true;
    this.#headBlocked = false;
    return null;
  }

  get pendingDestinations(): number {
    return this.#offers.length;
  }

  tryReserve(nowMs: number): boolean {
    if (this.#offers.length === 0 || !this.#capacityChanged) return false;
    this.#capacityChanged = false;
    if (this.#runningCount >= this.#settings.maxSequences) return false;
    const slot = this.#offers[0], slots = this.#slots, prompt = slots.prompt[slot];
    const promises = this.#promises;
    if (promises?.fits(slots.outputEnd[slot], 0, this.#pool.available) === false) return false;
    // Promised destinations are all fresh.
    this.#pool.lookup(slot, promises === null ? slots.identified[slot] : 0);
    const hits = this.#pool.overlap, fresh = this.#blocks(prompt) - hits;
    if (!this.#pool.allocate(slot, hits, fresh)) return false;
    promises?.give(slots.outputEnd[slot], fresh);
    this.#offers.shift();
    this.#capacityChanged = true;
    this.#headBlocked = false;
    slots.hits[slot] = hits;
    slots.allocated[slot] = prompt;
    slots.computed[slot] = hits * this.#block;
    this.#context.observer.reserved(this, slots.request[slot], nowMs, fresh * this.#block);
    return true;
  }

  activate(request: number, _nowMs: number): void {
    const slot = this.#destinations.get(request)!, slots = this.#slots, prompt = slots.prompt[slot];
    this.#destinations.delete(request);
    this.#pool.finalise(slot, slots.hits[slot], Math.floor(prompt / this.#block));
    slots.computed[slot] = prompt;
    let at = 0;
    while (at < this.#waiting.size && slots.ordinal[this.#waiting.at(at)] < slots.ordinal[slot]) at++;
    this.#waiting.insert(at, slot);
    this.#headBlocked = false;
    this.#barren = 0;
  }

  release(request: number, _nowMs: number): void {
    const slot = this.#held.get(request);
    if (slot === undefined) return;
    this.#held.delete(request);
    this.#releaseBlocks(slot);
    this.#forget(slot);
    this.#headBlocked = false;
    this.#capacityChanged = true;
  }

  cancel(request: number, nowMs: number): boolean {
    if (this.#held.has(request)) {
      this.release(request, nowMs);
      return true;
    }
    const slots = this.#slots;
    const destination = this.#destinations.get(request);
    if (destination !== undefined) {
      this.#destinations.delete(request);
      const pending = this.#offers.indexOf(destination);
      if (pending >= 0) this.#offers.splice(pending, 1);
      else this.#takeBack(destination);
      this.#queuedAgain.remove(slots.prompt[destination]);
      this.#releaseBlocks(destination);
      this.#forget(destination);
      this.#capacityChanged = true;
      this.#headBlocked = false;
      return true;
    }
    for (let i = 0; i < this.#waiting.size; i++) {
      const slot = this.#waiting.at(i);
      if (slots.request[slot] !== request) continue;
      this.#unqueue(i);
      if (this.#prebuilt(slot)) this.#takeBack(slot);
      this.#releaseBlocks(slot);
      this.#dropCancelled(slot);
      return true;
    }
    for (let i = 0; i < this.#runningCount; i++) {
      const slot = this.#running[i];
      if (slots.request[slot] !== request) continue;
      this.#unsteady(this.#stream.log.next);
      this.#removeRunning(i);
      this.#takeBack(slot);
      this.#releaseBlocks(slot);
      this.#dropCancelled(slot);
      this.#regular = false;
      return true;
    }
    return false;
  }

  #dropCancelled(slot: number): void {
    for (let i = 0; i < this.#signals; i++) {
      if (this.#signalSlot[i] !== slot) continue;
      this.#signals--;
      this.#signalSlot.copyWithin(i, i + 1, this.#signals + 1);
      this.#signalKind.copyWithin(i, i + 1, this.#signals + 1);
      this.#signalBurst.copyWithin(i, i + 1, this.#signals + 1);
      break;
    }
    this.#stream.drop(slot);
    this.#forget(slot);
    this.#headBlocked = false;
    this.#capacityChanged = true;
  }

  // Telemetry.

  describePass(row: PassRow): void {
    this.#ended.describe(row);
  }

  get activeBlocks(): number {
    return this.#pool.active;
  }

  get inactiveBlocks(): number {
    return this.#pool.inactive;
  }

  get heldBlocks(): number {
    return this.#pool.active;
  }

  get totalBlocks(): number {
    return this.#settings.blocks;
  }

  get runningRequests(): number {
    return this.#runningCount;
  }

  get waitingRequests(): number {
    return this.#waiting.size + this.#destinations.size;
  }

  // Small things.

  #open(request: number, prompt: number, output: number): number {
    const limited = this.#promises?.outputLimit(prompt, output) ?? output;
    const slot = this.#slots.open(request, prompt, limited, this.#settings.maxModelTokens, this.#nextOrdinal++);
    this.#slots.identified[slot] = Math.floor(prompt / this.#block);
    this.#stream.reserve(slot + 1);
    this.#steady.reserve(slot + 1);
    this.#pool.open(slot, request);
    return slot;
  }

  #forget(slot: number): void {
    this.#pool.close(slot);
    this.#slots.close(slot);
  }

  #unqueue(at: number): void {
    const slot = at === 0 ? this.#waiting.popFront() : this.#waiting.remove(at), slots = this.#slots;
    if (slots.preempted[slot] === 1) {
      this.#queuedAgain.remove(this.#role === "decode" ? slots.prompt[slot] : slots.length[slot]);
    } else if (this.#role === "decode") {
      this.#queuedAgain.remove(slots.prompt[slot]);
    } else {
      this.#queuedFresh.remove(slots.prompt[slot]);
    }
  }

  #prebuilt(slot: number): boolean {
    const slots = this.#slots, prompt = slots.prompt[slot];
    return slots.steady[slot] === 1 || (slots.computed[slot] >= prompt && slots.allocated[slot] >= prompt);
  }

  #anyPrebuilt(): boolean {
    for (let i = 0; i < this.#runningCount; i++) if (this.#prebuilt(this.#running[i])) return true;
    return false;
  }

  #firstPrebuilt(): number {
    let at = 0;
    while (at < this.#waiting.size && !this.#prebuilt(this.#waiting.at(at))) at++;
    return at;
  }

  #blocks(tokens: number): number {
    return Math.ceil(tokens / this.#block);
  }

  #pushReady(slot: number): void {
    if (this.#readyCount === this.#ready.length) this.#ready = grown(this.#ready);
    this.#ready[this.#readyCount++] = slot;
  }

  #signal(slot: number, kind: number): void {
    const at = this.#signals++;
    if (at === this.#signalSlot.length) {
      this.#signalSlot = grown(this.#signalSlot);
      this.#signalBurst = grown(this.#signalBurst);
      const kinds = new Uint8Array(at * 2);
      kinds.set(this.#signalKind);
      this.#signalKind = kinds;
    }
    this.#signalSlot[at] = slot;
    this.#signalKind[at] = kind;
    this.#signalBurst[at] = 1;
  }

  #findRunning(slot: number): number {
    let at = this.#runningCount - 1;
    while (this.#running[at] !== slot) at--;
    return at;
  }

  #removeRunning(at: number): void {
    this.#running.copyWithin(at, at + 1, this.#runningCount--);
  }
}

function grown(array: Int32Array): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(array.length * 2);
  larger.set(array);
  return larger;
}
