/**
 * The requests of a vLLM rank and where each stands: a destination whose KV is awaited, waiting, running (steadily or
 * not), held for a transfer. What happens to a request as a whole happens here, so that lists, blocks and token stamps
 * agree.
 *
 * @module
 */
import { BlockPool } from "../blocks/block_pool.ts";
import { Destinations } from "../destinations.ts";
import type { RankContext } from "../rank_context.ts";
import { Pool, type RequestRecords } from "../records.ts";
import type { RankSettings } from "../settings.ts";
import { IntList } from "../../collections/int_list.ts";
import { SteadySet } from "../steady_set.ts";
import { TokenStream } from "../token_stream.ts";
import type { CompletionPromises } from "../trtllm/completion_promises.ts";
import { BlockTables } from "./block_tables.ts";
import { Slots } from "./slots.ts";
import { WaitList } from "./wait_list.ts";

/** Everything one rank owns. */
export class Requests {
  readonly slots = new Slots();
  readonly waiting: WaitList;
  /** In the order of admission. */
  readonly running = new IntList();
  /** Those of the running requests that emit in every pass. */
  readonly steady: SteadySet;
  readonly destinations = new Destinations();
  readonly tables: BlockTables;
  readonly stream: TokenStream;
  /** Blocks of generated tokens may have content that others share; a pass that completes one serves each request. */
  readonly namedOutputs: boolean;
  /** Slots of requests whose KV waits to be fetched, by request (prefill role). */
  readonly #held = new Map<number, number>();
  readonly #records: RequestRecords;
  readonly #pool: Pool;
  readonly #maxModelTokens: number;
  #admissions = 0;

  constructor(settings: RankSettings, context: RankContext, promises: CompletionPromises | null) {
    const pool = new BlockPool(settings.blocks, context.prompts, settings.prefixCaching);
    if (context.cache !== null && settings.role !== "decode") pool.changes = new IntList();
    this.waiting = new WaitList(this.slots, settings.role === "decode");
    this.steady = new SteadySet(settings.blockTokens);
    this.tables = new BlockTables(settings, this.slots, pool, promises);
    this.stream = new TokenStream(context.sink, context.records);
    this.namedOutputs = settings.prefixCaching && context.workload.outputTokenIds.size > 0;
    this.#records = context.records;
    this.#pool = Pool[settings.role];
    this.#maxModelTokens = settings.maxModelTokens;
  }

  /** All of them, in whatever state. */
  get owned(): number {
    return this.running.count + this.waiting.size + this.#held.size + this.destinations.size;
  }

  /** Takes a slot for a request that comes here. */
  open(request: number, prompt: number, output: number): number {
    const { slots, tables } = this, limited = tables.promises?.outputLimit(prompt, output) ?? output;
    const slot = slots.open(request, prompt, limited, this.#maxModelTokens);
    slots.identified[slot] = tables.fullBlocks(prompt);
    this.stream.reserve(slot + 1);
    this.steady.reserve(slot + 1);
    tables.pool.open(slot, request);
    return slot;
  }

  /** Forgets a request that holds nothing. */
  close(slot: number): void {
    this.tables.pool.close(slot);
    this.slots.close(slot);
  }

  /** The waiting request at `position` runs from `nowMs` on; `cachedTokens` of its prompt are not computed. */
  admit(position: number, cachedTokens: number, nowMs: number): void {
    const slot = this.waiting.at(position);
    this.waiting.remove(position);
    this.#records.admit(this.slots.request[slot], nowMs, cachedTokens, this.#pool);
    this.slots.preempted[slot] = 0;
    this.slots.order[slot] = this.#admissions++;
    this.running.add(slot);
  }

  /** The running request at `index` starts over when there is room again. */
  preempt(index: number): void {
    const slot = this.running.slots[index];
    this.running.removeAt(index);
    this.stream.pause(slot);
    this.tables.preempt(slot);
    this.slots.preempted[slot] = this.slots.again[slot] = 1;
    this.waiting.addPreempted(slot);
    this.#freed();
  }

  /** The running request at `index` has all its tokens; its KV is kept where another worker fetches it. */
  end(index: number): void {
    const slot = this.running.slots[index];
    this.running.removeAt(index);
    this.tables.takeBackPromise(slot);
    if (this.#pool === Pool.prefill) this.#held.set(this.slots.request[slot], slot);
    else this.tables.release(slot);
    this.#freed();
  }

  /** Gives up KV that was held for a transfer; false when there is none. */
  releaseHeld(request: number): boolean {
    const slot = this.#held.get(request);
    if (slot === undefined) return false;
    this.#held.delete(request);
    this.#drop(slot);
    return true;
  }

  /** Between passes: forgets a request in any state; false when it is not here. */
  cancel(request: number): boolean {
    return this.releaseHeld(request) || this.#cancelDestination(request) || this.#cancelWaiting(request) ||
      this.#cancelRunning(request);
  }

  /** Writes out what the counters of the steady requests stand for, before pass `pass`: none is steady then. */
  unsteady(pass: number): void {
    const { steady, slots, running } = this;
    if (steady.count === 0) return;
    for (let i = 0; i < running.count; i++) {
      const slot = running.slots[i];
      if (slots.steady[slot] === 0) continue;
      slots.steady[slot] = 0;
      const length = steady.length(slot, pass);
      slots.length[slot] = length;
      slots.computed[slot] = slots.allocated[slot] = length - 1;
    }
    steady.clear();
  }

  #cancelDestination(request: number): boolean {
    const { destinations } = this, slot = destinations.slotOf(request);
    if (slot < 0) return false;
    if (!destinations.isPending(slot)) this.tables.takeBackPromise(slot);
    destinations.remove(request);
    this.waiting.forgetDestination(slot);
    this.#drop(slot);
    return true;
  }

  #cancelWaiting(request: number): boolean {
    const position = this.waiting.find(request);
    if (position < 0) return false;
    const slot = this.waiting.at(position);
    this.waiting.remove(position);
    if (this.slots.hasPrompt(slot)) this.tables.takeBackPromise(slot);
    this.stream.drop(slot);
    this.#drop(slot);
    return true;
  }

  #cancelRunning(request: number): boolean {
    const { running, slots } = this;
    for (let i = 0; i < running.count; i++) {
      const slot = running.slots[i];
      if (slots.request[slot] !== request) continue;
      this.unsteady(this.stream.log.next);
      running.removeAt(i);
      this.tables.takeBackPromise(slot);
      this.stream.drop(slot);
      this.#drop(slot);
      return true;
    }
    return false;
  }

  #drop(slot: number): void {
    this.tables.release(slot);
    this.close(slot);
    this.#freed();
  }

  /** Blocks or places became free: who was turned away may be asked again. */
  #freed(): void {
    this.waiting.headBlocked = false;
    this.destinations.freed();
  }
}
