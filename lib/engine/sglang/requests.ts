/**
 * The requests of an SGLang rank, wherever they are: waiting, running, or on their way from or to another rank; with
 * their slots, pages and tokens.
 *
 * @module
 */
import type { PassMetrics } from "../pass_metrics.ts";
import type { RankContext } from "../rank_context.ts";
import type { RankSettings, SglangSettings } from "../settings.ts";
import { TokenSequences } from "../token_sequences.ts";
import { TokenStream } from "../token_stream.ts";
import { DecodeBatch } from "./decode_batch.ts";
import { HandOffs } from "./hand_offs.ts";
import type { PassResults } from "./pass_results.ts";
import { PrefixOrder } from "./prefix_order.ts";
import { RequestPages } from "./request_pages.ts";
import { Residency } from "./residency.ts";
import { Slots } from "./slots.ts";
import { WaitList } from "./wait_list.ts";

/** Requests of one rank. */
export class Requests {
  readonly slots = new Slots();
  readonly running: DecodeBatch;
  readonly pages: RequestPages;
  readonly waiting: WaitList;
  readonly handOffs: HandOffs;
  readonly stream: TokenStream;
  readonly #rankId: number;
  readonly #context: RankContext;
  readonly #settings: RankSettings;
  readonly #sequences: TokenSequences;
  readonly #residency: Residency | null;
  readonly #bursts: boolean;

  /** @param bursts whether decode passes yield several tokens a request */
  constructor(rankId: number, settings: RankSettings, sglang: SglangSettings, context: RankContext, bursts: boolean) {
    const { slots } = this, { role, blockTokens: pageTokens, prefixCaching: caching, maxModelTokens } = settings;
    this.#rankId = rankId;
    this.#context = context;
    this.#settings = settings;
    this.#bursts = bursts;
    this.#sequences = new TokenSequences(context.workload, context.prompts);
    this.#residency = context.cache === null ? null : new Residency(context.prompts);
    this.running = new DecodeBatch(slots, pageTokens, sglang.clipMaxNewTokens, bursts);
    this.pages = new RequestPages(
      { pages: settings.blocks, pageTokens, caching, bursts },
      slots,
      this.running,
      this.#sequences,
      this.#residency,
    );
    const order = sglang.schedulePolicy === "lpm" && caching
      ? new PrefixOrder(this.pages, slots, this.#sequences, pageTokens)
      : null;
    this.waiting = new WaitList(slots, order, { decodes: role === "decode", maxModelTokens });
    this.handOffs = new HandOffs(slots, this.pages);
    this.stream = new TokenStream(context.sink, context.records);
  }

  get owned(): number {
    return this.running.count + this.waiting.size + this.handOffs.size;
  }

  /** Takes a slot for a request that comes here. */
  open(request: number): number {
    const { workload, records } = this.#context, { role, maxModelTokens } = this.#settings;
    const prompt = records.inputTokens[request], wanted = workload.outputTokens[request];
    const output = Math.min(role === "prefill" ? Math.min(wanted, 1) : wanted, Math.max(0, maxModelTokens - prompt));
    const slot = this.slots.open(request, prompt, output);
    this.stream.reserve(slot + 1);
    this.running.reserve(slot + 1);
    return slot;
  }

  /** A request that has its prompt's KV runs from here on. */
  join(slot: number): void {
    if (this.running.orderExhausted) {
      this.pages.noteUse();
      this.running.renumber();
    }
    this.running.join(slot);
    this.pages.startTail(slot);
  }

  /**
   * Whether nobody can be admitted for sure, without looking at the cache again.
   *
   * @param ratio share of their open output that running requests are expected to need
   */
  headBlocked(ratio: number): boolean {
    const { waiting, running } = this, { tree } = this.pages;
    if (waiting.size === 0 || (waiting.fifo && !this.#context.sequences.admits(running.count))) return true;
    const needs = waiting.headNeeds;
    // Comparisons with NaN are false: nothing is known about the head.
    if (!(needs > 0) || !tree.undisturbed || !waiting.sorted || !this.#sequences.plain) return false;
    if (this.#bursts) return false;
    const room = tree.obtainable * this.#settings.blockTokens, open = running.openOutputEstimate(ratio);
    const gap = needs - (room - open), doubt = 1e-6 + open * 1e-9;
    if (gap > doubt || gap < -doubt) return gap > 0;
    return needs >= room - running.openOutput(ratio);
  }

  /** Requests that end with a pass give up their pages, in the order noted. */
  giveUpEnded({ ending, endings }: PassResults): void {
    const { slots, pages, handOffs } = this;
    for (let i = 0; i < endings; i++) {
      const slot = ending[i];
      pages.endTail(slot);
      if (this.#settings.role === "prefill") handOffs.keep(slot);
      else pages.finish(slot, slots.length[slot], slots.computed[slot]);
      handOffs.freed();
    }
  }

  /** Takes a request that does not run out of its queue; returns its slot, -1 when it is in none. */
  takeWaiting(request: number): number {
    const slot = this.handOffs.remove(request);
    if (slot >= 0) return slot;
    const at = this.waiting.find(request);
    return at >= 0 ? this.waiting.remove(at) : -1;
  }

  /** A slot gave up its pages between passes. */
  forget(slot: number, nowMs: number): void {
    this.slots.close(slot);
    this.handOffs.freed();
    this.waiting.headNeeds = NaN;
    this.reportResidency(nowMs);
  }

  /** Whether pages came or went that nobody was told of yet. */
  get reports(): boolean {
    return this.#residency !== null && this.#residency.log.length > 0;
  }

  /** Tells who follows the cache which prompt pages came and went. */
  reportResidency(atMs: number): void {
    const log = this.#residency?.log;
    if (log === undefined || log.length === 0) return;
    for (let i = 0; i < log.length; i += 2) this.#context.cache!.resident(this.#rankId, log[i], log[i + 1], atMs);
    log.length = 0;
  }

  /** Requests that decode now, before any is retracted. */
  describeDecode({ decode }: PassMetrics): void {
    decode.count = this.running.count;
    decode.sum = this.running.tokens;
    decode.squares = this.running.tokensSquared;
  }

  /** Requests that wait while the pass runs. */
  describeQueue({ queuedPrefill, queuedDecode }: PassMetrics): void {
    queuedPrefill.copy(this.waiting.prefill);
    queuedDecode.copy(this.waiting.decode);
    queuedDecode.include(this.handOffs.queued);
  }
}
