/**
 * The row counts of a conversion: every row read was passed on or dropped for a reason.
 *
 * @module
 */
import { TraceError } from "../errors.ts";
import type { PrefixIdentity } from "./format.ts";

const EXAMPLES = 3;

/**
 * Counts what happens to the rows of a trace on their way. Readers count what they read and refuse, stages what they
 * drop, the last one what is passed on.
 *
 * @example
 * ```ts
 * import { Ledger, readTrace } from "dynosim";
 *
 * const ledger = new Ledger();
 * for await (const _ of readTrace("fixtures/traces/chat.jsonl", { ledger }));
 * console.log(ledger.format, ledger.read, ledger.droppedTotal); // mooncake 2000 0
 * ```
 */
export class Ledger {
  /** Rows that tell of requests, refused ones included. */
  read = 0;
  /** Requests passed on. */
  emitted = 0;
  /** Dropped rows by reason. */
  readonly dropped: Map<string, number> = new Map();
  /** The first few refusals in words. */
  readonly examples: string[] = [];
  /** What else a reader of the result should know: counted remarks. */
  readonly notes: Map<string, number> = new Map();
  /** Name of the format that was read. */
  format = "";
  /** How the format was recognised, when it was. */
  why = "";
  /** What prefixes are known by; undefined before the format is known. */
  identity: PrefixIdentity | undefined;
  /** Tokens of a block in the result. */
  blockTokens: number | undefined;
  /** First and last time among the rows passed on, `NaN` when they have none. */
  firstMs: number = NaN;
  /** See `firstMs`. */
  lastMs: number = NaN;
  /** Rows passed on that are earlier than the one before. */
  inversions = 0;

  /** A reader could not use a row. */
  refuse(reason: string, example?: string): void {
    this.read++;
    this.drop(reason);
    if (example !== undefined && this.examples.length < EXAMPLES) this.examples.push(example);
  }

  /** A row that was read goes no further. */
  drop(reason: string, count = 1): void {
    if (count > 0) this.dropped.set(reason, (this.dropped.get(reason) ?? 0) + count);
  }

  /** Counts a remark about rows that were passed on. */
  note(remark: string, count = 1): void {
    if (count > 0) this.notes.set(remark, (this.notes.get(remark) ?? 0) + count);
  }

  /** Rows dropped for any reason. */
  get droppedTotal(): number {
    let total = 0;
    for (const count of this.dropped.values()) total += count;
    return total;
  }

  /**
   * Fails unless every row read was passed on or dropped for a reason.
   *
   * @throws {TraceError} when rows were lost or invented on the way.
   */
  check(): void {
    if (this.read === this.emitted + this.droppedTotal) return;
    throw new TraceError(
      `the row counts do not add up: ${this.read} rows read, but ${this.emitted} passed on and ${this.droppedTotal} dropped`,
    );
  }

  /** The counts as a plain object, for JSON. */
  toJSON(): Record<string, unknown> {
    return {
      format: this.format,
      recognised_by: this.why || null,
      rows_read: this.read,
      rows_emitted: this.emitted,
      rows_dropped: Object.fromEntries(this.dropped),
      first_ms: Number.isNaN(this.firstMs) ? null : this.firstMs,
      last_ms: Number.isNaN(this.lastMs) ? null : this.lastMs,
      inversions: this.inversions,
      block_tokens: this.blockTokens ?? null,
      prefix_identity: this.identity ?? null,
      notes: Object.fromEntries(this.notes),
      examples: this.examples,
    };
  }
}
