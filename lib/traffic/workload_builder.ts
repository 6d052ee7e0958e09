/**
 * Collects requests one by one into the columns of a {@linkcode Workload}.
 *
 * @module
 */
import { reaching } from "../collections/growing.ts";
import type { HashId, TraceRequest } from "../trace/request.ts";
import { IdTable } from "../collections/id_table.ts";
import { NamedOutputs } from "./named_outputs.ts";
import type { Workload } from "./workload.ts";

/** What of a request the columns hold. */
export type BuilderRow = Pick<
  TraceRequest,
  "inputTokens" | "outputTokens" | "outputTokenIds" | "priority" | "strictPriority" | "policyClass"
>;

/** How sessions are told in the finished workload. */
export interface SessionColumns {
  session: Int32Array;
  /** Null when turns are not reported. */
  turn: Int32Array | null;
  sessionName(session: number): string;
  sessionMadeUp: Uint8Array | null;
}

/** Columns under construction; rows keep the order in which they are added until {@linkcode reorder}. */
export class WorkloadBuilder {
  readonly blockTokens: number;
  count = 0;
  #inputTokens = new Int32Array(1024);
  #outputTokens = new Int32Array(1024);
  #blockStart = new Int32Array(1025);
  /** Large from the start: what is not used takes no memory, and copies of arrays that grow take time. */
  #blockIds = new Int32Array(2 ** 19);
  readonly #named = new NamedOutputs();
  #priority: Int32Array | null = null;
  #strictPriority: Uint32Array | null = null;
  #policyClass: Map<number, string> | null = null;
  /** Dropped with the last row: nobody asks for a number any more. */
  #ids: IdTable | null;

  /** `ids` may be given when several loads must share their numbering. */
  constructor(blockTokens: number, ids: IdTable = new IdTable()) {
    this.blockTokens = blockTokens;
    this.#ids = ids;
  }

  /**
   * Adds a request with the first `given` of `hashIds`; ids beyond ceil(input / blockTokens) are numbered but not kept.
   * Returns its index.
   */
  add(row: BuilderRow, hashIds: readonly HashId[], given: number = hashIds.length): number {
    const index = this.count++;
    if (index === this.#inputTokens.length) this.#grow();
    this.#inputTokens[index] = row.inputTokens;
    this.#outputTokens[index] = row.outputTokens;
    const from = this.#blockStart[index];
    if (from + given > this.#blockIds.length) this.#blockIds = reaching(this.#blockIds, from + given - 1);
    this.#ids!.intern(hashIds, given, this.#blockIds, from);
    this.#blockStart[index + 1] = from + Math.min(given, Math.ceil(row.inputTokens / this.blockTokens));
    const named = row.outputTokenIds;
    if (named !== undefined) this.#named.add(index, named, Math.min(named.length, row.outputTokens));
    if (row.priority) (this.#priority ??= new Int32Array(this.#inputTokens.length))[index] = row.priority;
    if (row.strictPriority) {
      (this.#strictPriority ??= new Uint32Array(this.#inputTokens.length))[index] = row.strictPriority;
    }
    if (row.policyClass !== undefined) (this.#policyClass ??= new Map()).set(index, row.policyClass);
    return index;
  }

  #grow(): void {
    const length = this.#inputTokens.length * 2;
    this.#inputTokens = reaching(this.#inputTokens, length - 1);
    this.#outputTokens = reaching(this.#outputTokens, length - 1);
    this.#blockStart = reaching(this.#blockStart, length);
    if (this.#priority) this.#priority = reaching(this.#priority, length - 1);
    if (this.#strictPriority) this.#strictPriority = reaching(this.#strictPriority, length - 1);
  }

  inputTokens(index: number): number {
    return this.#inputTokens[index];
  }

  outputTokens(index: number): number {
    return this.#outputTokens[index];
  }

  /** Number of block ids kept of a row. */
  blocks(index: number): number {
    return this.#blockStart[index + 1] - this.#blockStart[index];
  }

  /** Puts the rows in a new order: row `order[i]` becomes row `i`. */
  reorder(order: Int32Array): void {
    const { count } = this;
    const pick = <T extends Int32Array | Uint32Array>(column: T): T => {
      const picked = new (column.constructor as new (length: number) => T)(column.length);
      for (let i = 0; i < count; i++) picked[i] = column[order[i]];
      return picked;
    };
    const blockStart = new Int32Array(this.#blockStart.length), blockIds = new Int32Array(this.#blockIds.length);
    for (let i = 0; i < count; i++) {
      const from = this.#blockStart[order[i]], to = this.#blockStart[order[i] + 1];
      blockIds.set(this.#blockIds.subarray(from, to), blockStart[i]);
      blockStart[i + 1] = blockStart[i] + to - from;
    }
    this.#blockStart = blockStart;
    this.#blockIds = blockIds;
    this.#inputTokens = pick(this.#inputTokens);
    this.#outputTokens = pick(this.#outputTokens);
    if (this.#priority) this.#priority = pick(this.#priority);
    if (this.#strictPriority) this.#strictPriority = pick(this.#strictPriority);
    const moved = <T>(map: Map<number, T>): Map<number, T> => {
      const result = new Map<number, T>();
      for (let i = 0; i < count; i++) if (map.has(order[i])) result.set(i, map.get(order[i])!);
      return result;
    };
    if (this.#named.count > 0) this.#named.reorder(order);
    if (this.#policyClass) this.#policyClass = moved(this.#policyClass);
  }

  /**
   * The finished workload. The builder must not be used any further.
   *
   * @param growingPrompts outputs become part of later prompts: all that are named are needed. Default false
   */
  finish(
    sessions: SessionColumns | null,
    names: { requestIds: readonly string[]; playIds: readonly string[] } | null = null,
    growingPrompts = false,
  ): Workload {
    const { count } = this;
    this.#ids = null;
    const prompts = {
      count,
      blockTokens: this.blockTokens,
      inputTokens: this.#inputTokens.subarray(0, count),
      outputTokens: this.#outputTokens.subarray(0, count),
      blockStart: this.#blockStart.subarray(0, count + 1),
      blockIds: this.#blockIds.subarray(0, this.#blockStart[count]),
    };
    return {
      ...prompts,
      outputTokenIds: growingPrompts ? this.#named.all() : this.#named.shared(prompts),
      priority: this.#priority && this.#priority.subarray(0, count),
      strictPriority: this.#strictPriority && this.#strictPriority.subarray(0, count),
      policyClass: this.#policyClass,
      session: sessions?.session ?? null,
      turn: sessions?.turn ?? null,
      sessionName: sessions ? (session) => sessions.sessionName(session) : () => "",
      sessionMadeUp: sessions?.sessionMadeUp ?? null,
      requestIds: names?.requestIds ?? null,
      playIds: names?.playIds ?? null,
    };
  }
}
