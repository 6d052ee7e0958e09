import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { DecodeBatch } from "../../../lib/engine/sglang/decode_batch.ts";
import { PageHolds } from "../../../lib/engine/sglang/page_holds.ts";
import { Slots } from "../../../lib/engine/sglang/slots.ts";
import { TokenSequences } from "../../../lib/engine/token_sequences.ts";
import { type Row, workloadOf } from "../workloads.ts";

/** The paging side of a rank, without scheduling and time. */
class Pager {
  readonly slots = new Slots();
  readonly batch: DecodeBatch;
  readonly holds: PageHolds;
  readonly #rows: readonly Row[];
  readonly #page: number;
  readonly #leaving = new Int32Array(64);

  constructor(rows: readonly Row[], page: number, options: { literal?: boolean; few?: boolean } = {}) {
    // A request that names its output, though it never comes, keeps tails from growing unseen.
    const all = options.literal ? [...rows, { input: 1, output: 1, ids: [0], outputIds: [0] }] : rows;
    const sequences = new TokenSequences(workloadOf(all, 4), { runs: new Map() });
    this.batch = new DecodeBatch(this.slots, page, 4096, false, options.few ? 2 : undefined);
    this.holds = new PageHolds(
      { pages: 80, pageTokens: page, caching: true, bursts: false, stampsBetween: options.few ? 2 : undefined },
      this.slots,
      this.batch,
      sequences,
      null,
    );
    this.#rows = rows;
    this.#page = page;
  }

  admit(request: number): void {
    const { slots, holds } = this, { input, output } = this.#rows[request];
    const slot = slots.open(request, input, output), found = holds.match(slot, Math.floor((input - 1) / this.#page));
    this.batch.reserve(slot + 1);
    if (holds.take(slot, found, input) >= 0) {
      if (holds.takeGrowth(input % this.#page === 0 ? 1 : 0)) {
        slots.computed[slot] = ++slots.length[slot];
        holds.cache(slot, slots.length[slot]);
        if (this.batch.orderExhausted) {
          holds.noteUse();
          this.batch.renumber();
        }
        this.batch.join(slot);
        holds.startTail(slot);
        return;
      }
      holds.drop(slot, input);
    }
    slots.close(slot);
  }

  step(): void {
    const { batch, slots, holds } = this;
    if (batch.count === 0 || !holds.takeGrowth(batch.growth(1))) return;
    const ended = batch.step(this.#leaving);
    if (batch.steps >= holds.nextInsertion) holds.insertLoose();
    for (let i = 0; i < ended; i++) {
      const slot = this.#leaving[i];
      holds.endTail(slot);
      holds.finish(slot, slots.length[slot], slots.length[slot]);
      slots.close(slot);
    }
  }

  retract(index: number): void {
    if (this.batch.count === 0) return;
    const at = index % this.batch.count, slot = this.batch.list[at];
    this.holds.endTail(slot);
    this.batch.leave(at);
    this.holds.drop(slot, this.slots.length[slot]);
    this.slots.close(slot);
  }

  /** What can be seen from outside. */
  get view(): unknown {
    const { tree } = this.holds, size = this.#page;
    const matches = this.#rows.map(({ input, output }, request) =>
      tree.matchLength(request, Math.floor((input + output) / size))
    );
    return { available: tree.available, evictable: tree.evictable, matches, steps: this.batch.steps };
  }
}

const rows = fc.array(
  fc.record({
    input: fc.integer({ min: 1, max: 24 }),
    output: fc.integer({ min: 2, max: 60 }),
    ids: fc.array(fc.integer({ min: 0, max: 1 }), { minLength: 6, maxLength: 6 }),
  }),
  { minLength: 4, maxLength: 8 },
);
const script = fc.array(
  fc.tuple(fc.constantFrom("admit", "admit", "step", "step", "step", "retract", "evict", "evict"), fc.nat(40)),
  { maxLength: 60 },
);

for (const page of [1, 2, 4]) {
  test(`PageHolds with pages of ${page} tokens does the same whether tails grow unseen or token by token`, () => {
    fc.assert(
      fc.property(rows, script, (rows, script) => {
        const lazy = new Pager(rows, page), few = new Pager(rows, page, { few: true });
        const literal = new Pager(rows, page, { literal: true }), pagers = [lazy, few, literal];
        for (const [what, number] of script) {
          for (const pager of pagers) {
            if (what === "admit") pager.admit(number % rows.length);
            else if (what === "step") { for (let i = 0; i <= number % 8; i++) pager.step(); }
            else if (what === "retract") pager.retract(number);
            else pager.holds.tree.evict(number % 12);
          }
          assert.deepEqual(lazy.view, literal.view);
          assert.deepEqual(few.view, literal.view, "numbering anew changes nothing");
        }
      }),
      { numRuns: 500 },
    );
  });
}
