/**
 * Forms the passes of a vLLM rank: who computes how many tokens. Running requests come first, then waiting ones first
 * come first served, all under one token budget; whoever lacks blocks takes them from a running request.
 *
 * Running requests are served in one of two ways. The regular one takes the steady ones as counters and at most one
 * prompt in mid-prefill, after one check that the blocks suffice for all of them; it costs O(what changes). The literal
 * one walks the list and handles any state.
 *
 * @module
 */
import type { SequenceLimit } from "../sequence_limit.ts";
import type { RankSettings } from "../settings.ts";
import type { PassBatch } from "./pass_batch.ts";
import type { PassResults } from "./pass_results.ts";
import type { Preemption } from "./preemption.ts";
import type { Requests } from "./requests.ts";

/** What scheduling one request came to. */
const Scheduled = { yes: 0, blocked: 1, preemptedItself: 2 } as const;
type Scheduled = (typeof Scheduled)[keyof typeof Scheduled];

/** Scheduler of one rank. */
export class Scheduler {
  readonly #requests: Requests;
  readonly #batch: PassBatch;
  readonly #preemption: Preemption;
  readonly #settings: RankSettings;
  readonly #sequences: SequenceLimit;
  /** Drafted tokens that a decoding request has verified in a pass. */
  readonly #drafts: number;
  readonly #results: PassResults;
  /** Prefill cadence: requests wait although the pool has room. */
  #capacityBound = false;
  /** Prompts wait for a later pass of the wave. */
  #deferring = false;

  constructor(
    requests: Requests,
    batch: PassBatch,
    preemption: Preemption,
    results: PassResults,
    settings: RankSettings,
    sequences: SequenceLimit,
  ) {
    this.#requests = requests;
    this.#batch = batch;
    this.#preemption = preemption;
    this.#results = results;
    this.#settings = settings;
    this.#sequences = sequences;
    this.#drafts = requests.tables.promises === null ? settings.acceptRates?.length ?? 0 : 0;
  }

  /**
   * Decides who takes part in pass `pass`.
   *
   * @param wave passes of the group since all its ranks were idle
   */
  form(pass: number, wave: number): void {
    const { running, steady, waiting } = this.#requests;
    this.#deferring = wave % this.#settings.prefillScheduleInterval !== 0 && !this.#capacityBound &&
      this.#anyHasPrompt();
    // A prompt in mid-prefill may have completed blocks that the head of the queue shares.
    if (running.count !== steady.count) waiting.headBlocked = false;
    const regular = this.#serveRegular(pass);
    if (!regular) this.#serveLiteral(pass);
    if (regular && waiting.headBlocked) this.#capacityBound = true;
    else this.#admitWaiting(pass);
  }

  /** Serves everybody at once; false when that takes the literal way. */
  #serveRegular(pass: number): boolean {
    const { running, steady, slots, tables } = this.#requests, batch = this.#batch, count = steady.count;
    if (this.#deferring || count > batch.budget || this.#settings.acceptRates !== null) return false;
    if (this.#requests.namedOutputs && steady.completesIn(pass)) return false;
    const growth = steady.growthAt(pass);
    let need = growth, before = 0, after = 0;
    const prompt = running.count > count ? running.slots[count] : -1;
    if (prompt >= 0) {
      before = slots.computed[prompt];
      if (running.count > count + 1 || slots.steady[prompt] === 1) return false;
      if (before === 0 || !this.#settings.chunkedPrefill) return false;
      after = before + Math.min(slots.length[prompt] - before, batch.budget - count);
      need += tables.blocks(after) - tables.blocks(slots.allocated[prompt]);
    }
    if (need > tables.pool.available) return false;
    if (need > 0) tables.take(need);
    batch.addSteady(steady);
    if (after > before) {
      slots.allocated[prompt] = after;
      this.#advance(prompt, before, after, pass);
    }
    return true;
  }

  /** Serves the running list one by one, in any state. */
  #serveLiteral(pass: number): void {
    this.#requests.unsteady(pass);
    const { running, slots, tables } = this.#requests;
    for (let i = 0; i < running.count && this.#batch.budget > 0;) {
      const slot = running.slots[i];
      if (this.#deferring && !slots.hasPrompt(slot)) {
        i++;
        continue;
      }
      let cached = 0;
      if (slots.computed[slot] === 0) {
        tables.lookup(slot);
        cached = tables.cachedTokens;
      }
      const outcome = this.#schedule(slot, cached, pass);
      if (outcome === Scheduled.blocked) break;
      if (outcome === Scheduled.yes) i++;
    }
  }

  /** Admits waiting requests while places, tokens and blocks last. */
  #admitWaiting(pass: number): void {
    const { running, steady, waiting, slots, tables, destinations } = this.#requests;
    const batch = this.#batch, settings = this.#settings;
    waiting.headBlocked = false;
    while (!batch.preempted) {
      const at = destinations.pending > 0 ? waiting.firstComputed() : 0;
      if (at >= waiting.size) break;
      if (!this.#sequences.admits(running.count)) {
        waiting.headBlocked = true;
        break;
      }
      const slot = waiting.at(at);
      if (slots.prompt[slot] >= settings.maxModelTokens || (slots.preempted[slot] === 0 && !tables.possible(slot))) {
        waiting.remove(at);
        this.#results.reject(slot);
        this.#preemption.progressed();
        continue;
      }
      const computed = slots.hasPrompt(slot);
      let cached = 0;
      if (!computed) {
        tables.lookup(slot);
        cached = tables.cachedTokens;
        if (!tables.fits(slot)) {
          // Under promises, only the eviction of a block with a further copy that is held can change that.
          waiting.headBlocked = tables.promises === null || !tables.pool.hasCopies;
          break;
        }
        if (this.#deferring && slots.length[slot] - cached > 1) break;
      }
      const budget = batch.budget, promises = computed ? null : tables.promises;
      promises?.give(slots.outputEnd[slot], 0);
      if (this.#schedule(slot, cached, pass) !== Scheduled.yes) {
        promises?.takeBack(slots.outputEnd[slot], 0);
        // Where the budget went to steady requests alone, it will be no larger while they run.
        waiting.headBlocked = batch.scheduled === steady.count;
        break;
      }
      // Whoever was preempted for it stands in front of it now.
      let position = at;
      while (waiting.at(position) !== slot) position++;
      this.#requests.admit(position, cached, batch.startMs);
      batch.admissions++;
      if (budget === batch.budget && budget === 0) break;
    }
    if (!this.#deferring && !batch.preempted) this.#capacityBound = waiting.size > 0;
  }

  /** Gives one request its share of the pass. */
  #schedule(slot: number, cached: number, pass: number): Scheduled {
    const { slots, tables } = this.#requests, { budget } = this.#batch;
    const before = slots.computed[slot] + cached, length = slots.length[slot];
    const rest = length + this.#draftsOf(slot) - before;
    if (!this.#settings.chunkedPrefill && slots.prompt[slot] - before > budget) return Scheduled.blocked;
    const wanted = Math.min(rest, budget);
    if (wanted === 0 && rest > 0) return Scheduled.blocked;
    let after = before + wanted;
    // Drafts take a share of the budget, and blocks only when tokens are emitted.
    const known = Math.min(after, length);
    while (known > slots.allocated[slot] && !tables.grow(slot, known, cached)) {
      const victim = this.#preemption.preempt();
      if (victim >= 0 && slots.passOf[victim] === pass) this.#batch.remove(victim);
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

  /** Tokens `before .. after - 1` of a slot are computed in this pass. */
  #advance(slot: number, before: number, after: number, pass: number): void {
    const { slots, tables } = this.#requests, known = Math.min(after, slots.length[slot]);
    slots.drafts[slot] = after - known;
    slots.computed[slot] = known;
    tables.complete(slot, before, known);
    this.#batch.add(slot, before, after, pass);
  }

  /** Drafted tokens of a request that a pass may verify after its known ones. */
  #draftsOf(slot: number): number {
    const { slots } = this.#requests, length = slots.length[slot];
    if (this.#drafts === 0 || length === slots.prompt[slot] || slots.again[slot] === 1) return 0;
    return Math.max(0, Math.min(this.#drafts, this.#settings.maxModelTokens - 1 - length));
  }

  #anyHasPrompt(): boolean {
    const { running, slots } = this.#requests;
    for (let i = 0; i < running.count; i++) if (slots.hasPrompt(running.slots[i])) return true;
    return false;
  }
}
