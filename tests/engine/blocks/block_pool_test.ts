/** The block pool against a naive one that names every physical block and every identity. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { BlockPool } from "../../../lib/engine/blocks/block_pool.ts";
import { IntList } from "../../../lib/collections/int_list.ts";
import { PromptIndex } from "../../../lib/engine/prompt_index.ts";
import { blockNames, type Row, workloadOf } from "../workloads.ts";

const TRACE_BLOCK = 8;

/** One physical block with content. */
interface Copy {
  identity: string;
  refs: number;
}

/** What is known of an open slot. */
interface Slot {
  request: number;
  /** Blocks it holds; null for those without content. */
  table: (Copy | null)[];
  /** Leading blocks that are complete. */
  complete: number;
  /** Leading blocks whose content has a name. */
  identified: number;
  /** Names the blocks that no prompt describes. */
  name: string;
}

/** Every block counted and named one by one, in no hurry. */
class NaivePool {
  readonly copies = new Map<string, Copy[]>();
  /** Evictable blocks, oldest first. */
  readonly inactive: Copy[] = [];
  free: number;

  constructor(readonly capacity: number, readonly caching: boolean) {
    this.free = capacity;
  }

  get active(): number {
    return this.capacity - this.free - this.inactive.length;
  }

  overlap(identities: readonly string[]): number {
    let overlap = 0;
    while (overlap < identities.length && this.copies.has(identities[overlap])) overlap++;
    return this.caching ? overlap : 0;
  }

  activeHits(identities: readonly string[]): number {
    return identities.slice(0, this.overlap(identities)).filter((identity) => this.copies.get(identity)![0].refs > 0)
      .length;
  }

  allocate(hits: readonly string[], fresh: number): (Copy | null)[] | null {
    const held = hits.map((identity) => this.copies.get(identity)![0]);
    const evictions = Math.max(0, fresh - this.free);
    if (evictions > this.inactive.length - held.filter((copy) => copy.refs === 0).length) return null;
    for (const copy of held) {
      if (copy.refs++ === 0) this.inactive.splice(this.inactive.indexOf(copy), 1);
    }
    for (let i = 0; i < evictions; i++) {
      const gone = this.inactive.shift()!, others = this.copies.get(gone.identity)!;
      others.splice(others.indexOf(gone), 1);
      if (others.length === 0) this.copies.delete(gone.identity);
    }
    this.free -= fresh - evictions;
    return [...held, ...Array(fresh).fill(null)];
  }

  complete(identity: string): Copy | null {
    if (!this.caching) return null;
    const copy = { identity, refs: 1 }, others = this.copies.get(identity);
    if (others === undefined) this.copies.set(identity, [copy]);
    else others.push(copy);
    return copy;
  }

  release(table: readonly (Copy | null)[]): void {
    for (const copy of table.toReversed()) {
      if (copy === null) this.free++;
      else if (--copy.refs === 0) this.inactive.push(copy);
    }
  }
}

/** Both pools under the operations of a scheduler that works with one of them. */
class Twins {
  readonly slots: (Slot | null)[] = Array(6).fill(null);
  readonly pool: BlockPool;
  readonly naive: NaivePool;
  readonly #told = new Map<number, number>();
  #names = 0;

  constructor(
    readonly index: PromptIndex,
    readonly rows: readonly Row[],
    readonly capacity: number,
    readonly caching: boolean,
  ) {
    this.pool = new BlockPool(capacity, index, caching);
    this.pool.changes = new IntList();
    this.naive = new NaivePool(capacity, caching);
  }

  /** Names of a slot's first `blocks` blocks. */
  identities(slot: Slot, blocks: number): string[] {
    const names = blockNames(this.index, slot.request), known = names.length;
    return Array.from({ length: blocks }, (_, b) => b < known ? names[b] : `${slot.name}.${b - known}`);
  }

  open(at: number, request: number): void {
    const blocks = Math.floor(this.rows[request].input / this.index.blockTokens);
    this.slots[at] = { request, table: [], complete: 0, identified: blocks, name: `generated ${this.#names++}` };
    this.pool.open(at, request);
  }

  /** Admits an open slot: `recomputed` of the resident blocks are not used, `chunk` blocks are taken and completed. */
  admit(at: number, recomputed: number, chunk: number): void {
    const slot = this.slots[at]!, names = this.identities(slot, slot.identified);
    this.pool.lookup(at, slot.identified);
    assert.equal(this.pool.overlap, this.naive.overlap(names), "resident blocks of a prompt");
    assert.equal(this.pool.activeHits, this.naive.activeHits(names), "resident blocks that are held");
    const hits = Math.max(0, this.pool.overlap - recomputed);
    const fresh = Math.max(1, Math.min(chunk, slot.identified - hits));
    const table = this.naive.allocate(names.slice(0, hits), fresh);
    assert.equal(this.pool.allocate(at, hits, fresh), table !== null, "whether there is room");
    if (table === null) return;
    slot.table = table;
    slot.complete = hits;
    this.complete(at, hits + Math.min(chunk, slot.identified - hits));
  }

  /** One more block for a slot that holds some. */
  grow(at: number): boolean {
    const slot = this.slots[at]!;
    if (this.pool.available === 0) return false;
    slot.table.push(...this.naive.allocate([], 1)!);
    this.pool.take(1);
    return true;
  }

  /** The slot's blocks below `to` are complete. */
  complete(at: number, to: number): void {
    const slot = this.slots[at]!;
    if (to <= slot.complete) return;
    this.pool.finalise(at, slot.complete, to);
    this.#name(slot, to);
  }

  #name(slot: Slot, to: number): void {
    const names = this.identities(slot, to);
    for (; slot.complete < to; slot.complete++) slot.table[slot.complete] = this.naive.complete(names[slot.complete]);
  }

  /** Takes everything from a slot, of which `to` blocks are complete; it can come back when it is not `done`. */
  release(at: number, to: number, done: boolean): void {
    const slot = this.slots[at]!;
    // Prompt blocks are completed one by one, generated ones when they go.
    this.complete(at, Math.min(to, Math.max(slot.identified, this.index.knownBlocks(slot.request))));
    if (!done) {
      slot.identified = Math.max(slot.identified, to);
      this.pool.rememberGenerated(at, to);
    }
    this.#name(slot, to);
    this.pool.release(at, slot.table.length, to);
    this.naive.release(slot.table);
    slot.table = [];
    slot.complete = 0;
    if (!done) return;
    this.pool.close(at);
    this.slots[at] = null;
  }

  compare(): void {
    const { pool, naive } = this;
    assert.deepEqual(
      { free: pool.free, inactive: pool.inactive, active: pool.active },
      { free: naive.free, inactive: naive.inactive.length, active: naive.active },
    );
    assert.equal(pool.available, naive.free + naive.inactive.length);
    assert.equal(pool.hasCopies, [...naive.copies.values()].some((copies) => copies.length > 1), "further copies");
    const { slots, count } = pool.changes!;
    for (let i = 0; i < count; i += 2) this.#told.set(slots[i], slots[i + 1]);
    pool.changes!.clear();
    for (let edge = 0; edge < this.index.edgeCount; edge++) {
      let resident = 0;
      while (resident < this.index.edgeBlocks[edge] && naive.copies.has(`${edge}.${resident}`)) resident++;
      assert.equal(pool.residentOn(edge), resident, `resident blocks of edge ${edge}`);
      assert.equal(this.#told.get(edge) ?? 0, resident, `what was told of edge ${edge}`);
    }
  }
}

const rows = fc.array(
  fc.record({
    input: fc.integer({ min: 1, max: 70 }),
    output: fc.constant(0),
    ids: fc.array(fc.integer({ min: 0, max: 2 }), { minLength: 9, maxLength: 9 }),
  }),
  { minLength: 2, maxLength: 6 },
);

interface Operation {
  kind: "admit" | "grow" | "chunk" | "preempt" | "end";
  slot: number;
  pick: number;
  amount: number;
  /** Resident blocks that are computed again. */
  recomputed: number;
}

const operation: fc.Arbitrary<Operation> = fc.record({
  kind: fc.constantFrom("admit", "admit", "admit", "grow", "grow", "chunk", "preempt", "end", "end"),
  slot: fc.nat(5),
  pick: fc.nat(1000),
  amount: fc.nat(12),
  recomputed: fc.constantFrom(0, 0, 0, 1, 2),
});

/** Plays operations on both pools; what an operation means depends on the state of its slot. */
function play(
  rows: readonly Row[],
  blockTokens: number,
  capacity: number,
  caching: boolean,
  operations: readonly Operation[],
): void {
  const index = new PromptIndex(workloadOf(rows, TRACE_BLOCK), blockTokens);
  const twins = new Twins(index, rows, capacity, caching);
  for (const { kind, slot: at, pick, amount, recomputed } of operations) {
    const slot = twins.slots[at];
    if (slot === null) {
      twins.open(at, pick % rows.length);
    } else if (slot.table.length === 0) {
      if (kind === "end") twins.release(at, 0, true);
      else if (slot.identified <= capacity) twins.admit(at, recomputed, amount);
    } else if (kind === "grow" || kind === "admit") {
      for (let more = amount % 4 + 1; more > 0 && twins.grow(at);) more--;
    } else if (kind === "chunk") {
      twins.complete(at, Math.min(slot.table.length, Math.max(slot.complete, amount)));
    } else {
      const to = slot.complete + amount % (slot.table.length - slot.complete + 1);
      twins.release(at, to, kind === "end");
    }
    twins.compare();
  }
  twins.slots.forEach((slot, at) => slot && twins.release(at, slot.complete, true));
  twins.compare();
  assert.equal(twins.pool.active, 0, "nothing is held any more");
  assert.equal(twins.pool.available, capacity, "and nothing is lost");
}

const named = (rows: readonly Row[]): Row[] => rows.map((row) => ({ ...row, outputIds: [0, 0, 0, 0, 1, 1, 1, 1] }));

for (const caching of [true, false]) {
  test(`BlockPool counts like a pool of named blocks, ${caching ? "with" : "without"} prefix caching`, () => {
    fc.assert(
      fc.property(
        rows,
        fc.constantFrom(2, 4, 8, 3),
        fc.integer({ min: 3, max: 50 }),
        fc.boolean(),
        fc.array(operation, { minLength: 1, maxLength: 150, size: "max" }),
        (rows, blockTokens, capacity, literal, operations) =>
          play(literal ? named(rows) : rows, blockTokens, capacity, caching, operations),
      ),
      { seed: 20, numRuns: 500 },
    );
  });
}

test("BlockPool counts on when its eviction order has gone round many times", () => {
  fc.assert(
    fc.property(
      rows,
      fc.constantFrom(2, 4),
      fc.integer({ min: 200, max: 600 }),
      fc.array(operation, { minLength: 4000, maxLength: 4000, size: "max" }),
      (rows, blockTokens, capacity, operations) => play(rows, blockTokens, capacity, true, operations),
    ),
    { seed: 21, numRuns: 6, endOnFailure: true },
  );
});
