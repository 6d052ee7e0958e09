import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { DecodeBatch } from "../../../lib/engine/sglang/decode_batch.ts";
import { RequestPages } from "../../../lib/engine/sglang/request_pages.ts";
import { Slots } from "../../../lib/engine/sglang/slots.ts";
import { TokenSequences } from "../../../lib/engine/token_sequences.ts";
import { type Row, workloadOf } from "../workloads.ts";

/** The paging side of a rank, without scheduling and time. */
class Pager {
  readonly slots = new Slots();
  readonly batch: DecodeBatch;
  readonly pages: RequestPages;
  readonly #rows: readonly Row[];
  readonly #page: number;
  readonly #leaving = new Int32Array(64);

  constructor(rows: readonly Row[], page: number, options: { pages: number; literal?: boolean; few?: boolean }) {
    // A request that names its output, though it never comes, keeps tails from growing unseen.
    const all = options.literal ? [...rows, { input: 1, output: 1, ids: [0], outputIds: [0] }] : rows;
    const sequences = new TokenSequences(workloadOf(all, 4), { runs: new Map() });
    this.batch = new DecodeBatch(this.slots, page, 4096, false, options.few ? 2 : undefined);
    this.pages = new RequestPages(
      {
        pages: options.pages,
        pageTokens: page,
        caching: true,
        bursts: false,
        stampsBetween: options.few ? 2 : undefined,
      },
      this.slots,
      this.batch,
      sequences,
      null,
    );
    this.#rows = rows;
    this.#page = page;
  }

  admit(request: number): void {
    const { slots, pages } = this, { input, output } = this.#rows[request];
    const slot = slots.open(request, input, output), found = pages.match(slot, Math.floor((input - 1) / this.#page));
    this.batch.reserve(slot + 1);
    if (pages.take(slot, found, input) < 0) {
      slots.close(slot);
      return;
    }
    // Without a page for its first token a request runs all the same, its prompt not cached yet.
    if (pages.takeGrowth(input % this.#page === 0 ? 1 : 0)) {
      slots.computed[slot] = ++slots.length[slot];
      pages.cache(slot, slots.length[slot]);
    }
    if (this.batch.orderExhausted) {
      pages.noteUse();
      this.batch.renumber();
    }
    this.batch.join(slot);
    pages.startTail(slot);
  }

  step(): void {
    const { batch, slots, pages } = this;
    if (batch.count === 0 || !pages.takeGrowth(batch.growth(1))) return;
    const ended = batch.step(this.#leaving);
    if (batch.steps >= pages.nextInsertion) pages.insertLoose();
    for (let i = 0; i < ended; i++) {
      const slot = this.#leaving[i];
      pages.endTail(slot);
      pages.finish(slot, slots.length[slot], slots.length[slot]);
      slots.close(slot);
    }
  }

  retract(index: number): void {
    if (this.batch.count === 0) return;
    const at = index % this.batch.count, slot = this.batch.list[at];
    this.pages.endTail(slot);
    this.batch.leave(at);
    this.pages.drop(slot, this.slots.length[slot]);
    this.slots.close(slot);
  }

  /** What can be seen from outside. */
  get view(): unknown {
    const { tree } = this.pages, size = this.#page;
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
  fc.tuple(
    fc.constantFrom("admit", "admit", "admit", "step", "step", "retract", "retract", "evict", "evict"),
    fc.nat(40),
  ),
  { maxLength: 60 },
);

for (const page of [1, 2, 4]) {
  test(`RequestPages with pages of ${page} tokens does the same whether tails grow unseen or token by token`, () => {
    fc.assert(
      fc.property(rows, script, fc.constantFrom(30, 80, 400), (rows, script, pages) => {
        const lazy = new Pager(rows, page, { pages }), few = new Pager(rows, page, { pages, few: true });
        const literal = new Pager(rows, page, { pages, literal: true }), pagers = [lazy, few, literal];
        for (const [what, number] of script) {
          for (const pager of pagers) {
            if (what === "admit") pager.admit(number % rows.length);
            else if (what === "step") { for (let i = 0; i <= number % 8; i++) pager.step(); }
            else if (what === "retract") pager.retract(number);
            else pager.pages.tree.evict(number % 12);
          }
          assert.deepEqual(lazy.view, literal.view);
          assert.deepEqual(few.view, literal.view, "numbering anew changes nothing");
        }
      }),
      { numRuns: 2000 },
    );
  });
}

test("RequestPages evicts what was used longest ago when stamps are numbered anew in between", () => {
  const rows = [0, 1, 2, 3].map((id) => ({ input: 8, output: 40, ids: [id, id] }));
  const pager = new Pager(rows, 1, { pages: 400, few: true });
  pager.admit(0);
  for (let i = 0; i < 4; i++) pager.step();
  for (const request of [1, 2, 3]) pager.admit(request);
  // Request 0 was last used before the others came.
  pager.retract(0);
  pager.retract(0);
  pager.pages.tree.evict(3);
  const { tree } = pager.pages;
  assert.deepEqual([0, 1].map((request) => tree.matchLength(request, 48)), [13 - 3, 9]);
});
