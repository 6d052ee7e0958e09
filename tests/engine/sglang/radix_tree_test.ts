import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { RadixTree } from "../../../lib/engine/sglang/radix_tree.ts";
import { TokenSequences } from "../../../lib/engine/token_sequences.ts";
import { workloadOf } from "../workloads.ts";

const NO_TAILS = {
  tailEnd(): number {
    throw new Error("no tail was set");
  },
  tailShared() {},
};

/** Four prompts of 24 tokens over three contents, so that they share beginnings. */
const prompts = fc.array(fc.array(fc.integer({ min: 0, max: 2 }), { minLength: 12, maxLength: 12 }), {
  minLength: 4,
  maxLength: 4,
});

const operation = fc.oneof(
  fc.record({ type: fc.constant("enter" as const), request: fc.nat(3), to: fc.integer({ min: 1, max: 24 }) }),
  fc.record({ type: fc.constant("grow" as const), which: fc.nat(7), pages: fc.integer({ min: 1, max: 8 }) }),
  fc.record({ type: fc.constant("leave" as const), which: fc.nat(7) }),
  fc.record({ type: fc.constant("evict" as const), pages: fc.integer({ min: 1, max: 30 }) }),
);

interface Holder {
  request: number;
  anchor: number;
  cached: number;
  stamp: number;
}

for (const pageTokens of [1, 2, 3]) {
  test(`RadixTree with pages of ${pageTokens} holds exactly the pages put in, until they are evicted`, () => {
    fc.assert(
      fc.property(prompts, fc.array(operation, { maxLength: 40 }), (ids, operations) => {
        const workload = workloadOf(ids.map((ids) => ({ input: 24, output: 0, ids })), 2);
        const total = 200, pages = 24 / pageTokens;
        const tree = new RadixTree(total, pageTokens, new TokenSequences(workload, { runs: new Map() }), NO_TAILS);
        const key = (request: number, page: number) =>
          Array.from({ length: (page + 1) * pageTokens }, (_, p) => ids[request][Math.floor(p / 2)]).join();
        const resident = new Set<string>();
        const holders: Holder[] = [];
        let clock = 0;
        const depth = (request: number) => {
          let page = 0;
          while (page < pages && resident.has(key(request, page))) page++;
          return page;
        };
        const locked = () =>
          new Set(
            holders.flatMap(({ request, cached }) => Array.from({ length: cached }, (_, page) => key(request, page))),
          );
        const insert = (holder: Holder, to: number) => {
          let present = 0;
          for (let page = holder.cached; page < to; page++) {
            if (resident.has(key(holder.request, page))) present++;
            else resident.add(key(holder.request, page));
          }
          tree.available -= to - holder.cached;
          holder.stamp = clock += 2;
          const end = tree.insert(holder.anchor, holder.request, holder.cached, to, clock);
          assert.equal(tree.matched, present, "pages that were there already");
          tree.available += tree.matched;
          if (end !== holder.anchor) tree.lock(end, holder.anchor);
          holder.anchor = end;
          holder.cached = to;
        };
        for (const step of operations) {
          if (step.type === "enter") {
            const limit = Math.min(step.to, pages), expected = Math.min(depth(step.request), limit);
            assert.equal(tree.matchLength(step.request, limit), expected);
            const anchor = tree.matchAndLock(step.request, limit, clock += 2);
            assert.equal(tree.matched, expected);
            holders.push({ request: step.request, anchor, cached: expected, stamp: 0 });
          } else if (step.type === "evict") {
            const before = resident.size, held = locked();
            const expected = Math.min(step.pages, before - held.size), available = tree.available;
            tree.evict(step.pages);
            assert.equal(tree.available - available, expected);
            // What went is told by what is left: always the ends of paths, never what somebody holds.
            const depths = ids.map((_, request) => tree.matchLength(request, pages));
            resident.clear();
            depths.forEach((depth, request) => {
              for (let page = 0; page < depth; page++) resident.add(key(request, page));
            });
            assert.equal(before - resident.size, expected);
            for (const page of held) assert.ok(resident.has(page));
          } else if (holders.length > 0) {
            const index = step.which % holders.length, holder = holders[index];
            if (step.type === "grow") {
              if (holder.cached < pages) insert(holder, Math.min(holder.cached + step.pages, pages));
            } else {
              tree.unlock(holder.anchor, holder.stamp);
              holders.splice(index, 1);
            }
          }
          assert.equal(tree.available + resident.size, total, "no page is lost or counted twice");
          assert.equal(tree.evictable, resident.size - locked().size);
        }
      }),
      { numRuns: 300 },
    );
  });
}

test("RadixTree evicts the least recently used leaf first, from its tail", () => {
  const workload = workloadOf([{ input: 4, output: 0, ids: [0, 1] }, { input: 6, output: 0, ids: [0, 2, 2] }], 2);
  const tree = new RadixTree(100, 1, new TokenSequences(workload, { runs: new Map() }), NO_TAILS);
  tree.available -= 10;
  tree.insert(RadixTree.root, 0, 0, 4, 2);
  const second = tree.matchAndLock(1, 6, 4);
  assert.equal(tree.matched, 2);
  tree.insert(second, 1, 2, 6, 6);
  tree.unlock(second, 6);
  tree.evict(3);
  assert.deepEqual([tree.matchLength(0, 4), tree.matchLength(1, 6)], [2, 5]);
  tree.evict(10);
  assert.deepEqual([tree.matchLength(0, 4), tree.matchLength(1, 6)], [0, 0]);
  assert.equal(tree.evictable, 0);
});
