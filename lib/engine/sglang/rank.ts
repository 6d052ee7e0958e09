/**
 * One SGLang rank: passes are either prefill or decode, waiting requests are admitted when their output is likely to
 * fit beside what runs (the new-token ratio), prompts are cut into chunks, prefixes are reused page by page through a
 * radix tree, and when pages run out the request with the least output is retracted.
 *
 * A decode pass in which nobody ends costs a handful of additions (`decode_batch.ts`, `page_holds.ts`); everything
 * else is literal.
 *
 * May import what lies beside `lib/engine`'s top and the timing interface.
 *
 * @module
 */
import { SimulationError } from "../../errors.ts";
import type { PassRow } from "../../planner/policy.ts";
import type { Timing } from "../../timing/timing.ts";
import { Acceptance } from "../acceptance.ts";
import { PassClock } from "../pass_clock.ts";
import { LengthSums, PassMetrics } from "../pass_metrics.ts";
import { type Rank, Retry } from "../rank.ts";
import type { RankContext } from "../rank_context.ts";
import { Outcome, Pool } from "../records.ts";
import type { RankSettings } from "../settings.ts";
import { TokenSequences } from "../token_sequences.ts";
import { TokenStream } from "../token_stream.ts";
import { WaitingQueue } from "../waiting_queue.ts";
import { DecodeBatch } from "./decode_batch.ts";
import { PageHolds } from "./page_holds.ts";
import { PrefixOrder } from "./prefix_order.ts";
import { Residency } from "./residency.ts";
import { Slots } from "./slots.ts";

/** What `finish` has to tell about a slot. */
const Signal = {
  /** It is over without a further token. */
  done: 0,
  /** First token after a prefill; it goes on. */
  first: 1,
  /** Token of a prefill, and the last. */
  only: 2,
  /** Token of a decode pass; it goes on. */
  token: 3,
  /** Token of a decode pass, and the last. */
  last: 4,
  rejected: 5,
} as const;

/** New-token ratio: where it starts, how low it falls, in how many decode passes, and what a retraction adds. */
const INITIAL_RATIO = 0.7;
const LOWEST_RATIO_FACTOR = 0.14;
const RATIO_STEPS = 600;
const RETRACTION_MARGIN = 20;
/** Attention data parallelism makes the scheduler less cautious. */
const GROUP_CONSERVATIVENESS = 0.3;

const NOBODY: readonly number[] = [];

/** Simulated SGLang scheduler and KV pool. */
export class SglangRank implements Rank {
  readonly id: number;
  collectPasses = false;
  tellFirstTokens = false;
  hadEffect = false;
  retry: Retry = Retry.later;
  committedPrefillTokens = 0;
  decodeForwards = 0;
  acceptedTokens = 0;
  preemptions = 0;

  readonly #context: RankContext;
  readonly #settings: RankSettings;
  readonly #role: RankSettings["role"];
  readonly #recordPool: Pool;
  readonly #page: number;
  readonly #grouped: boolean;
  readonly #chunkTokens: number;
  readonly #clip: number;
  readonly #clock: PassClock;
  readonly #sequences: TokenSequences;
  readonly #slots = new Slots();
  readonly #batch: DecodeBatch;
  readonly #holds: PageHolds;
  readonly #residency: Residency | null;
  readonly #order: PrefixOrder | null;
  readonly #stream: TokenStream;
  readonly #acceptance: Acceptance | null;
  readonly #waiting = new WaitingQueue();
  /** Waiting requests whose prompt is too long ever to run. */
  #overlong = 0;

  readonly #initialRatio: number;
  readonly #lowestRatio: number;
  readonly #ratioStep: number;
  #ratio: number;
  /** Passes that still must not prefill. */
  #countdown = 0;
  /** Idle deferred pass: the ratio starts anew unless another rank of the worker ran the model. */
  #idle = false;
  #computedPrefill = false;
  #ranModel = false;

  /** Tokens and output the head of the queue needs room for, while that alone keeps it out. */
  #headNeeds = NaN;
  #headVersion = 0;

  // The pass being formed or in flight.
  #startMs = 0;
  #admissions = 0;
  #fresh = new Int32Array(64);
  #freshCount = 0;
  #reached = 0;
  #prior = 0;
  #computed = 0;
  #computedAny = false;
  #emits = false;
  #forwards = 0;
  #accepted = 0;
  #stuck = false;
  #retracted: readonly number[] = NOBODY;
  #ending = new Int32Array(64);
  #endings = 0;
  #leaving = new Int32Array(64);
  /** Tokens one decode pass yields for a request at most. */
  readonly #burst: number;
  /** Running requests that have not emitted yet, or not since they were retracted; oldest first. */
  #late: number[] = [];
  #signalSlot = new Int32Array(64);
  #signalKind = new Uint8Array(64);
  #signalBurst = new Int32Array(64);
  #signals = 0;

  // Observed sums.
  readonly #queuedPrefill = new LengthSums();
  readonly #queuedDecode = new LengthSums();
  readonly #pass = new PassMetrics();
  readonly #ended = new PassMetrics();

  // Roles.
  readonly #activated = new WaitingQueue();
  readonly #held = new Map<number, number>();
  readonly #offers: number[] = [];
  readonly #destinations = new Map<number, number>();
  /** The oldest offer was tried and nothing has changed since. */
  #offerTried = false;

  /** @param ranks attention data-parallel ranks of the worker */
  constructor(id: number, settings: RankSettings, timing: Timing, context: RankContext, ranks = 1) {
    const { sglang } = settings;
    this.id = id;
    this.#context = context;
    this.#settings = settings;
    this.#role = settings.role;
    this.#recordPool = Pool[settings.role];
    this.#page = settings.blockTokens;
    this.#grouped = ranks > 1;
    this.#chunkTokens = Math.floor(sglang.chunkedPrefillTokens / ranks);
    if (this.#chunkTokens === 0) {
      throw new SimulationError(
        `engine error: constructing attention-DP rank ${id % ranks}: SGLang attention DP size ${ranks} reduces ` +
          `chunked_prefill_size=${sglang.chunkedPrefillTokens} to zero`,
      );
    }
    this.#clip = sglang.clipMaxNewTokens;
    this.#clock = new PassClock(timing, settings);
    this.#acceptance = settings.acceptRates === null ? null : new Acceptance(settings.acceptRates, context.words(id));
    this.#sequences = new TokenSequences(context.workload, context.prompts);
    const bursts = this.#acceptance !== null;
    this.#burst = this.#role === "prefill" ? 1 : this.#acceptance?.limit ?? 1;
    this.#batch = new DecodeBatch(this.#slots, this.#page, this.#clip, bursts);
    this.#residency = context.cache === null ? null : new Residency(context.prompts);
    this.#holds = new PageHolds(
      { pages: settings.blocks, pageTokens: this.#page, caching: settings.prefixCaching, bursts },
      this.#slots,
      this.#batch,
      this.#sequences,
      this.#residency,
    );
    this.#order = sglang.schedulePolicy === "lpm" && settings.prefixCaching
      ? new PrefixOrder(this.#holds, this.#slots, this.#sequences, this.#page)
      : null;
    this.#stream = new TokenStream(context.sink, context.records);
    const conservativeness = ranks > 1
      ? sglang.scheduleConservativeness * GROUP_CONSERVATIVENESS
      : sglang.scheduleConservativeness;
    this.#ratio = this.#initialRatio = INITIAL_RATIO * conservativeness;
    this.#lowestRatio = this.#initialRatio * LOWEST_RATIO_FACTOR;
    this.#ratioStep = (this.#initialRatio - this.#lowestRatio) / RATIO_STEPS;
  }

  get ready(): boolean {
    return this.#batch.count > 0 || this.#waiting.size > 0 || this.#activated.size > 0 || this.#countdown > 0;
  }

  get owned(): number {
    return this.#batch.count + this.#waiting.size + this.#activated.size + this.#held.size + this.#destinations.size;
  }

  get passStartMs(): number {
    return this.#startMs;
  }

  submit(request: number, _nowMs: number): void {
    const slot = this.#open(request);
    if (this.#slots.prompt[slot] >= this.#settings.maxModelTokens) this.#overlong++;
    this.#enqueue(slot, false);
  }

  start(nowMs: number): number {
    this.#clear(nowMs);
    const deferred = this.#countdown > 0, ratio = this.#ratio;
    const rejected = this.#overlong > 0 ? this.#takeOverlong() : NOBODY;
    if (this.#activated.size > 0) this.#promote(nowMs);
    if (!this.#headBlocked()) {
      this.#order?.sort(this.#waiting);
      if (!deferred && this.#activated.size === 0 && this.#offers.length === 0) this.#formBatch(nowMs);
    }
    const prefill = this.#freshCount > 0;
    this.#idle = deferred && !prefill && this.#batch.count === this.#batch.spent;
    const end = prefill ? this.#prefillPass(nowMs) : this.#decodePass(nowMs);
    for (const slot of rejected) this.#signal(slot, Signal.rejected);
    for (const slot of this.#retracted) this.#enqueue(slot, false);

    this.#computedPrefill = this.#computedAny;
    this.#ranModel = this.#computedAny || this.#emits;
    this.hadEffect = end > nowMs || this.#signals > 0 || this.#admissions > 0 || this.#retracted.length > 0 ||
      this.#computedAny;
    this.retry = this.#stuck
      ? Retry.fail
      : deferred
      ? Retry.countdown
      : this.#ratio !== ratio
      ? Retry.again
      : this.#role === "aggregated"
      ? Retry.fail
      : Retry.later;
    if (!this.#grouped) this.#settle(this.#computedPrefill, this.#ranModel);
    if (this.collectPasses) this.#noteQueue();
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
      if (rank.#computedPrefill) prefill = true;
      if (rank.#ranModel) model = true;
    }
    for (const rank of ranks as readonly SglangRank[]) rank.#settle(prefill, model);
  }

  cruise(nowMs: number, untilMs: number): number {
    let start = nowMs;
    for (;;) {
      let end = this.#steadyPass(start);
      if (end < 0) {
        end = this.start(start);
        if (this.#signals > 0 || !this.#emits || end === start) return end;
      }
      if (end >= untilMs) return end;
      if (this.collectPasses) {
        this.finish(end);
      } else {
        this.#stream.log.push(end);
        this.decodeForwards += this.#forwards;
        this.acceptedTokens += this.#accepted;
        this.#tellResidency(end);
      }
      start = end;
    }
  }

  /** A decode pass that only moves counters; -1 when there is more to do. */
  #steadyPass(nowMs: number): number {
    const batch = this.#batch, holds = this.#holds, requests = batch.count;
    if (
      requests === 0 || this.#acceptance !== null || batch.nextEnd === batch.steps || this.#late.length > 0 ||
      batch.spent > 0 || this.#activated.size > 0 || this.#overlong > 0 || holds.nextInsertion <= batch.steps + 1 ||
      (this.#waiting.size > 0 && this.#countdown === 0 && !this.#headBlocked())
    ) return -1;
    const growth = batch.growth(1);
    if (growth > holds.tree.obtainable) return -1;
    this.#clear(nowMs);
    if (this.collectPasses) this.#noteDecode();
    const end = nowMs + this.#clock.decodeMs(requests, batch.tokens);
    holds.takeGrowth(growth);
    batch.step(this.#ending);
    this.#ratio = Math.max(this.#ratio - this.#ratioStep, this.#lowestRatio);
    if (this.#countdown > 0) this.#countdown--;
    this.#emits = true;
    this.#forwards = this.#accepted = requests;
    this.hadEffect = true;
    if (this.collectPasses) this.#noteQueue();
    return end;
  }

  finish(endMs: number): void {
    const stream = this.#stream, slots = this.#slots, { observer, records } = this.#context;
    if (this.#emits) stream.log.push(endMs);
    this.committedPrefillTokens += this.#computed;
    this.decodeForwards += this.#forwards;
    this.acceptedTokens += this.#accepted;
    if (this.collectPasses) {
      this.#pass.endMs = endMs;
      this.#ended.copy(this.#pass);
    }
    this.#tellResidency(endMs);
    for (let i = 0; i < this.#signals; i++) {
      const slot = this.#signalSlot[i], request = slots.request[slot], kind = this.#signalKind[i];
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
        if (this.#acceptance !== null) stream.burst(slot, this.#signalBurst[i] - 1);
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
    this.#signals = 0;
  }

  close(): void {
    this.#stream.log.fold(Infinity);
  }

  // Forming a pass.

  #clear(nowMs: number): void {
    const log = this.#stream.log;
    if (log.full) log.fold(this.#stream.oldest(this.#batch.list, this.#batch.count) - 1);
    this.#startMs = nowMs;
    this.#admissions =
      this.#freshCount =
      this.#reached =
      this.#prior =
      this.#computed =
        0;
    this.#forwards =
      this.#accepted =
      this.#signals =
      this.#endings =
        0;
    this.#computedAny = this.#emits = this.#stuck = false;
    this.#retracted = NOBODY;
    if (this.collectPasses) {
      this.#pass.clear();
      this.#pass.startMs = nowMs;
    }
  }

  /** Takes requests that no pass can serve out of the queue. */
  #takeOverlong(): number[] {
    const queue = this.#waiting, taken: number[] = [];
    for (let i = 0; i < queue.size;) {
      if (this.#slots.prompt[queue.at(i)] < this.#settings.maxModelTokens) i++;
      else taken.push(this.#dequeue(i));
    }
    this.#overlong = 0;
    return taken;
  }

  /** Requests whose KV was transferred join the running ones while there is room. */
  #promote(nowMs: number): void {
    while (this.#activated.size > 0 && this.#batch.count < this.#settings.maxSequences) {
      const slot = this.#activated.popFront(), slots = this.#slots;
      this.#queuedDecode.remove(slots.length[slot]);
      this.#admit(slot, nowMs, 0);
      this.#join(slot);
      if (slots.stop[slot] > slots.length[slot]) this.#late.push(slot);
    }
  }

  /** Moves waiting requests, or the next chunks of their prompts, into a prefill batch. */
  #formBatch(nowMs: number): void {
    const queue = this.#waiting, slots = this.#slots, page = this.#page, tree = this.#holds.tree;
    let room = this.#settings.maxSequences - this.#batch.count;
    if (room <= 0 || queue.size === 0) return;
    let total = tree.obtainable * page - this.#batch.openOutput(this.#ratio);
    let input = this.#settings.sglang.maxPrefillTokens, chunk = this.#chunkTokens;
    for (; room > 0 && queue.size > 0; room--) {
      const slot = queue.at(0), length = slots.length[slot], computed = slots.computed[slot];
      let start = computed;
      if (computed === 0) {
        const usable = slots.stop[slot] === slots.prompt[slot] ? length : length - 1;
        start = this.#holds.match(slot, Math.floor(usable / page)) * page;
      }
      const todo = length - start;
      if (todo === 0 && computed > 0) return;
      let count = todo;
      if (Math.ceil(todo / page) * page > chunk) {
        count = Math.min(Math.floor(chunk / page) * page, todo);
        if (count === 0) return;
      }
      const charge = Math.ceil(count / page) * page;
      const reserve = count === todo ? Math.min(slots.stop[slot] - length, this.#clip) : 0;
      if (charge + reserve >= total) {
        if (this.#freshCount === 0) this.#rememberBlocked(charge + reserve, computed === 0);
        return;
      }
      if (charge > input || charge > chunk) return;
      const end = start + count;
      let prior = computed;
      if (computed > 0) {
        if (!this.#holds.extend(slot, end)) return;
      } else {
        const matched = this.#holds.take(slot, start / page, end);
        if (matched < 0) return;
        prior = matched * page;
        this.#admit(slot, nowMs, prior);
      }
      this.#holds.publish(slot, end);
      this.#dequeue(0);
      if (this.#freshCount === this.#fresh.length) this.#fresh = grown(this.#fresh);
      this.#fresh[this.#freshCount++] = slot;
      this.#reached += end;
      this.#prior += prior;
      this.#computed += end - prior;
      if (end > prior) this.#computedAny = true;
      if (this.collectPasses && end > prior) {
        this.#pass.prefill.add(slots.prompt[slot]);
        this.#pass.prefillTokens += end - prior;
        this.#pass.prefillKvTokens += prior;
      }
      total -= charge + reserve;
      input -= charge;
      chunk -= charge;
      if (chunk <= 0) return;
    }
  }

  /** The batch is computed; prompts that are complete now yield their first token without further time. */
  #prefillPass(nowMs: number): number {
    const { stop, length, computed } = this.#slots, holds = this.#holds, fresh = this.#fresh;
    const duration = this.#role === "decode" ? 0 : this.#clock.prefillMs(this.#freshCount, this.#reached, this.#prior);
    let complete = 0, growth = 0;
    for (let i = 0; i < this.#freshCount; i++) {
      const slot = fresh[i];
      if (computed[slot] < length[slot]) {
        holds.cache(slot, computed[slot]);
        this.#enqueue(slot, true);
      } else {
        fresh[complete++] = slot;
        if (stop[slot] === length[slot]) this.#end(slot, Signal.done);
        else if (stop[slot] > length[slot] + 1 && length[slot] % this.#page === 0) growth++;
      }
    }
    for (let i = 0; i < complete; i++) {
      const slot = fresh[i];
      if (stop[slot] !== length[slot] + 1) continue;
      // The last token of all needs no KV.
      this.#end(slot, Signal.only);
    }
    const emits = holds.takeGrowth(growth);
    for (let i = 0; i < complete; i++) {
      const slot = fresh[i];
      if (stop[slot] <= length[slot] + 1) continue;
      if (emits) {
        computed[slot] = ++length[slot];
        holds.cache(slot, length[slot]);
        this.#signal(slot, Signal.first);
      } else {
        this.#late.push(slot);
      }
      this.#join(slot);
    }
    this.#giveUpEnded();
    return nowMs + duration;
  }

  /** Every running request gets a token, after the one with least output was retracted as often as pages are short. */
  #decodePass(nowMs: number): number {
    const batch = this.#batch, holds = this.#holds, burst = this.#burst;
    if (batch.spent > 0) {
      const spent = batch.takeSpent(this.#leaving);
      for (let i = 0; i < spent; i++) this.#end(this.#leaving[i], Signal.done);
    }
    if (this.collectPasses) this.#noteDecode();
    let estimate = NaN, end = nowMs;
    if (batch.count > 0) {
      let growth = batch.growth(burst);
      while (growth > holds.tree.obtainable && batch.count > 1) {
        this.#retract();
        growth = batch.growth(burst);
      }
      if (this.#retracted.length > 0) estimate = this.#estimateRatio();
      if (holds.takeGrowth(growth)) {
        end = nowMs + this.#clock.decodeMs(batch.count, batch.tokens);
        this.#emits = true;
        this.#forwards = batch.count;
        if (this.#acceptance === null) this.#step();
        else this.#stepBursts(growth);
      } else {
        this.#stuck = true;
      }
    }
    this.#giveUpEnded();
    if (!Number.isNaN(estimate)) this.#ratio = estimate;
    else if (!this.#idle) this.#ratio = Math.max(this.#ratio - this.#ratioStep, this.#lowestRatio);
    return end;
  }

  #step(): void {
    const batch = this.#batch, slots = this.#slots, late = this.#late;
    this.#accepted = batch.count;
    const ended = this.#leaving, count = batch.step(ended);
    if (batch.steps >= this.#holds.nextInsertion) this.#holds.insertLoose();
    // Told in list order: who ends, and who emits for the first time.
    let next = 0;
    for (let i = 0; i < count; i++) {
      for (; next < late.length && slots.order[late[next]] <= slots.order[ended[i]]; next++) {
        if (late[next] !== ended[i]) this.#signal(late[next], Signal.token);
      }
      this.#end(ended[i], Signal.last);
    }
    for (; next < late.length; next++) this.#signal(late[next], Signal.token);
    late.length = 0;
  }

  #stepBursts(reserved: number): void {
    const batch = this.#batch, slots = this.#slots, holds = this.#holds, acceptance = this.#acceptance!;
    let used = 0;
    batch.steps++;
    this.#accepted = 0;
    for (let i = 0; i < batch.count; i++) {
      const slot = batch.list[i], before = holds.pages(slots.length[slot]);
      const drawn = this.#burst === 1 ? 1 : acceptance.draw();
      this.#accepted += drawn;
      const emitted = Math.min(drawn, slots.stop[slot] - slots.length[slot]);
      for (let token = 0; token < emitted; token++) {
        slots.length[slot]++;
        if (slots.length[slot] < slots.stop[slot]) holds.filled(slot);
      }
      used += holds.pages(slots.length[slot]) - before;
      const at = this.#signals;
      if (slots.length[slot] < slots.stop[slot]) this.#signal(slot, Signal.token);
      else this.#end(slot, Signal.last);
      this.#signalBurst[at] = emitted;
    }
    batch.takeSpent(this.#leaving);
    holds.tree.available += reserved - used;
    this.#late.length = 0;
  }

  /** Sends the running request with least output back to the queue. */
  #retract(): void {
    const batch = this.#batch, slots = this.#slots;
    let victim = 0, least = Infinity;
    for (let i = 0; i < batch.count; i++) {
      const slot = batch.list[i], generated = batch.length(slot) - slots.prompt[slot];
      if (generated < least) {
        least = generated;
        victim = i;
      }
    }
    const slot = batch.list[victim];
    this.#leave(victim);
    this.#holds.drop(slot, slots.length[slot]);
    this.#retracted = [...this.#retracted, slot];
    this.preemptions++;
    this.#offerTried = false;
  }

  /** What the retraction tells about how much output requests really have. */
  #estimateRatio(): number {
    const batch = this.#batch, slots = this.#slots;
    let generated = 0, most = 0;
    for (let i = 0; i < batch.count; i++) {
      const slot = batch.list[i];
      generated += batch.length(slot) - slots.prompt[slot];
      most += slots.stop[slot] - slots.prompt[slot];
    }
    return Math.min(1, (generated + RETRACTION_MARGIN * batch.count) / (most + 1));
  }

  /** A request ends with this pass. Its pages are given up when everybody has had their tokens. */
  #end(slot: number, kind: number): void {
    const slots = this.#slots;
    // The last token of a prefill needs no KV.
    if (kind === Signal.only) slots.length[slot]++;
    else slots.computed[slot] = slots.length[slot];
    this.#signal(slot, kind);
    if (this.#endings === this.#ending.length) this.#ending = grown(this.#ending);
    this.#ending[this.#endings++] = slot;
  }

  #giveUpEnded(): void {
    const slots = this.#slots;
    for (let i = 0; i < this.#endings; i++) {
      const slot = this.#ending[i];
      this.#holds.endTail(slot);
      if (this.#role === "prefill") this.#held.set(slots.request[slot], slot);
      else this.#holds.finish(slot, slots.length[slot], slots.computed[slot]);
      this.#offerTried = false;
    }
  }

  /** The pass is decided on all ranks of the worker: when may the next prefill be, and is the ratio worth keeping? */
  #settle(prefill: boolean, model: boolean): void {
    if (this.#idle && !model) this.#ratio = this.#initialRatio;
    if (prefill) this.#countdown = this.#settings.prefillDecodeInterval;
    else if (this.#countdown > 0) this.#countdown--;
  }

  // The queue.

  /** Whether the head of the queue is still kept out by what kept it out before: running requests' open output. */
  #headBlocked(): boolean {
    const tree = this.#holds.tree, needs = this.#headNeeds;
    if (this.#waiting.size === 0) return true;
    if (this.#batch.count >= this.#settings.maxSequences && this.#order === null) return true;
    if (Number.isNaN(needs)) return false;
    if (tree.version !== this.#headVersion || this.#acceptance !== null || !this.#sequences.plain) return false;
    if (this.#order !== null && this.#waiting.size > 1 && !this.#order.settled) return false;
    const open = this.#batch.openOutputEstimate(this.#ratio), margin = 1e-6 + open * 1e-9;
    const gap = needs - (tree.obtainable * this.#page - open);
    if (gap > margin) return true;
    if (gap < -margin) return false;
    return needs >= tree.obtainable * this.#page - this.#batch.openOutput(this.#ratio);
  }

  #rememberBlocked(needs: number, matched: boolean): void {
    const tree = this.#holds.tree;
    this.#headNeeds = needs;
    this.#headVersion = tree.version;
    tree.watched = matched ? tree.matchEnd : -1;
  }

  #enqueue(slot: number, front: boolean): void {
    const slots = this.#slots, { length, prompt } = slots;
    if (this.#role === "decode" || length[slot] > prompt[slot]) this.#queuedDecode.add(length[slot]);
    else this.#queuedPrefill.add(prompt[slot]);
    if (front || this.#waiting.size === 0) this.#headNeeds = NaN;
    if (front) this.#waiting.pushFront(slot);
    else this.#waiting.pushBack(slot);
    if (this.#order !== null) this.#order.stale = true;
  }

  #dequeue(position: number): number {
    const slot = position === 0 ? this.#waiting.popFront() : this.#waiting.remove(position);
    const { length, prompt } = this.#slots;
    if (this.#role === "decode" || length[slot] > prompt[slot]) this.#queuedDecode.remove(length[slot]);
    else this.#queuedPrefill.remove(prompt[slot]);
    this.#headNeeds = NaN;
    if (this.#order !== null) this.#order.stale = true;
    return slot;
  }

  #admit(slot: number, nowMs: number, reused: number): void {
    this.#context.records.admit(this.#slots.request[slot], nowMs, reused, this.#recordPool);
    this.#admissions++;
  }

  #join(slot: number): void {
    if (this.#batch.orderExhausted) {
      this.#holds.noteUse();
      this.#batch.renumber();
    }
    this.#batch.join(slot);
    this.#holds.startTail(slot);
  }

  /** A running request leaves, not at its end. */
  #leave(index: number): void {
    const slot = this.#batch.list[index];
    this.#holds.endTail(slot);
    this.#batch.leave(index);
    this.#stream.pause(slot);
    const late = this.#late.indexOf(slot);
    if (late >= 0) this.#late.splice(late, 1);
  }

  // Roles.

  offer(request: number, _nowMs: number): string | null {
    const prompt = this.#context.records.inputTokens[request];
    if (prompt >= this.#settings.maxModelTokens) return "destination prompt must be shorter than max_model_len";
    if (this.#holds.pages(prompt) > this.#settings.blocks) return "destination prompt exceeds the KV pool capacity";
    const slot = this.#open(request);
    this.#queuedDecode.add(prompt);
    this.#destinations.set(request, slot);
    this.#offers.push(slot);
    if (this.#offers.length === 1) this.#offerTried = false;
    return null;
  }

  get pendingDestinations(): number {
    return this.#offers.length;
  }

  tryReserve(nowMs: number): boolean {
    if (this.#offers.length === 0 || this.#offerTried) return false;
    const slot = this.#offers[0], prompt = this.#slots.prompt[slot];
    const matched = this.#holds.take(slot, Math.floor(prompt / this.#page), prompt);
    this.#offerTried = matched < 0;
    if (matched < 0) return false;
    this.#offers.shift();
    const missing = (this.#holds.pages(prompt) - matched) * this.#page;
    this.#context.observer.reserved(this, this.#slots.request[slot], nowMs, missing);
    return true;
  }

  activate(request: number, nowMs: number): void {
    const slot = this.#destinations.get(request);
    if (slot === undefined) return;
    const tree = this.#holds.tree, available = tree.available;
    this.#destinations.delete(request);
    this.#holds.publish(slot, this.#slots.prompt[slot]);
    this.#holds.cache(slot, this.#slots.prompt[slot]);
    if (tree.available > available) this.#offerTried = false;
    this.#activated.pushBack(slot);
    this.#tellResidency(nowMs);
  }

  release(request: number, nowMs: number): void {
    const slot = this.#held.get(request);
    if (slot === undefined) return;
    this.#held.delete(request);
    this.#holds.finish(slot, this.#slots.length[slot], this.#slots.computed[slot]);
    this.#freed(slot, nowMs);
  }

  cancel(request: number, nowMs: number): boolean {
    const slots = this.#slots;
    const held = this.#held.get(request), destination = this.#destinations.get(request);
    if (held !== undefined) {
      this.#held.delete(request);
      this.#drop(held, nowMs);
      return true;
    }
    if (destination !== undefined) {
      this.#destinations.delete(request);
      this.#queuedDecode.remove(slots.prompt[destination]);
      const pending = this.#offers.indexOf(destination);
      if (pending >= 0) this.#offers.splice(pending, 1);
      this.#drop(destination, nowMs);
      return true;
    }
    for (let i = 0; i < this.#activated.size; i++) {
      const slot = this.#activated.at(i);
      if (slots.request[slot] !== request) continue;
      this.#activated.remove(i);
      this.#queuedDecode.remove(slots.length[slot]);
      this.#drop(slot, nowMs);
      return true;
    }
    for (let i = 0; i < this.#waiting.size; i++) {
      const slot = this.#waiting.at(i);
      if (slots.request[slot] !== request) continue;
      if (slots.prompt[slot] >= this.#settings.maxModelTokens) this.#overlong--;
      this.#dequeue(i);
      this.#drop(slot, nowMs);
      return true;
    }
    for (let i = 0; i < this.#batch.count; i++) {
      const slot = this.#batch.list[i];
      if (slots.request[slot] !== request) continue;
      this.#leave(i);
      slots.computed[slot] = slots.length[slot];
      this.#drop(slot, nowMs);
      return true;
    }
    return false;
  }

  #drop(slot: number, nowMs: number): void {
    this.#holds.drop(slot, this.#slots.computed[slot]);
    this.#stream.drop(slot);
    this.#freed(slot, nowMs);
  }

  #freed(slot: number, nowMs: number): void {
    this.#slots.close(slot);
    this.#offerTried = false;
    this.#headNeeds = NaN;
    this.#tellResidency(nowMs);
  }

  // Telemetry.

  describePass(row: PassRow): void {
    this.#ended.describe(row);
  }

  get activeBlocks(): number {
    return this.#settings.blocks - this.#holds.tree.available;
  }

  /** Pages of the tree count as in use. */
  get inactiveBlocks(): number {
    return 0;
  }

  get totalBlocks(): number {
    return this.#settings.blocks;
  }

  get runningRequests(): number {
    return this.#batch.count;
  }

  get waitingRequests(): number {
    return this.#waiting.size + this.#activated.size + this.#destinations.size;
  }

  /** Requests that decode now, before any is retracted. */
  #noteDecode(): void {
    const batch = this.#batch;
    this.#pass.decode.count = batch.count;
    this.#pass.decode.sum = batch.tokens;
    this.#pass.decode.squares = batch.tokensSquared;
  }

  #noteQueue(): void {
    this.#pass.queuedPrefill.copy(this.#queuedPrefill);
    this.#pass.queuedDecode.copy(this.#queuedDecode);
  }

  #tellResidency(atMs: number): void {
    const log = this.#residency?.log;
    if (log === undefined || log.length === 0) return;
    for (let i = 0; i < log.length; i += 2) this.#context.cache!.resident(this.id, log[i], log[i + 1], atMs);
    log.length = 0;
  }

  // Small things.

  #open(request: number): number {
    const { workload, records } = this.#context, prompt = records.inputTokens[request];
    const wanted = this.#role === "prefill"
      ? Math.min(workload.outputTokens[request], 1)
      : workload.outputTokens[request];
    const output = Math.min(wanted, Math.max(0, this.#settings.maxModelTokens - prompt));
    const slot = this.#slots.open(request, prompt, output);
    this.#stream.reserve(slot + 1);
    this.#batch.reserve(slot + 1);
    if (this.#leaving.length < this.#batch.list.length) this.#leaving = new Int32Array(this.#batch.list.length);
    return slot;
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
}

function grown(array: Int32Array): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(array.length * 2);
  larger.set(array);
  return larger;
}
