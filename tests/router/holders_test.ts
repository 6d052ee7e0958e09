import { test } from "node:test";
import assert from "node:assert/strict";
import fc from "fast-check";
import { ActiveBlocks } from "../../lib/router/active_blocks.ts";
import { Holders } from "../../lib/router/holders.ts";
import { pathOf } from "../engine/workloads.ts";
import { context, type Prompt } from "./support.ts";

const TRACE_BLOCK = 8;

/** Prompts over few contents, so that prefixes are shared; lengths end anywhere in the last trace block. */
const prompts: fc.Arbitrary<Prompt[]> = fc.array(
  fc.tuple(fc.array(fc.nat(2), { minLength: 1, maxLength: 5 }), fc.integer({ min: 1, max: TRACE_BLOCK }))
    .map(([blocks, last]) => ({ blocks, tokens: (blocks.length - 1) * TRACE_BLOCK + last })),
  { minLength: 1, maxLength: 12 },
);

/** KV blocks of a prompt as text, each naming its whole prefix. */
function names(prompt: Prompt, blockTokens: number): string[] {
  return Array.from({ length: Math.floor(prompt.tokens / blockTokens) }, (_, i) => {
    const upTo = prompt.blocks.slice(0, Math.floor((i + 1) * blockTokens / TRACE_BLOCK + 0.999));
    return `${i}:${upTo.join(",")}`;
  });
}

const leading = (chain: string[], held: ReadonlySet<string>) => {
  const gap = chain.findIndex((name) => !held.has(name));
  return gap < 0 ? chain.length : gap;
};

test("Holders.count equals a walk over sets of block names", () => {
  fc.assert(fc.property(
    prompts,
    fc.constantFrom(2, 4, 8),
    fc.array(fc.record({ request: fc.nat(), rank: fc.nat(40), edge: fc.nat(), blocks: fc.nat(9) }), { maxLength: 60 }),
    (load, blockTokens, changes) => {
      const { prompts: index } = context(load, { blockTokens, traceBlockTokens: TRACE_BLOCK });
      const holders = new Holders(), held = new Map<number, Set<string>>();
      for (const change of changes) {
        const request = change.request % load.length, chain = names(load[request], blockTokens);
        if (chain.length === 0) continue;
        const path = pathOf(index, request), at = change.edge % path.length, { edge, first } = path[at];
        const blocks = Math.min(change.blocks, path[at].blocks);
        holders.set(edge, change.rank, blocks);
        // All prompts through this edge agree on the names of its blocks; name them by the longest one.
        const set = held.get(change.rank) ?? held.set(change.rank, new Set()).get(change.rank)!;
        for (let r = 0; r < load.length; r++) {
          if (pathOf(index, r)[at]?.edge !== edge) continue;
          names(load[r], blockTokens).slice(first, first + path[at].blocks)
            .forEach((name, i) => i < blocks ? set.add(name) : set.delete(name));
        }
      }
      const counts = new Int32Array(41);
      for (let r = 0; r < load.length; r++) {
        const chain = names(load[r], blockTokens);
        holders.count(index, r, chain.length, counts);
        for (let rank = 0; rank < counts.length; rank++) {
          assert.equal(counts[rank], leading(chain, held.get(rank) ?? new Set()));
        }
      }
    },
  ));
});

test("Holders.forget drops one rank and leaves the others", () => {
  // prompts that end at every block make an edge of each
  const { prompts: index } = context(
    [4, 8, 12, 16].toReversed().map((tokens) => ({
      tokens,
      blocks: [1, 2, 3, 4].slice(0, tokens / 4),
    })),
  );
  const holders = new Holders(), counts = new Int32Array(3);
  for (let at = 0; at < 4; at++) for (let rank = 0; rank < 3; rank++) holders.set(index.edges[at], rank, 1);
  holders.forget(1);
  holders.count(index, 0, 4, counts);
  assert.deepEqual([...counts], [4, 0, 4]);
  holders.set(index.edges[0], 1, 1);
  holders.count(index, 0, 4, counts);
  assert.deepEqual([...counts], [4, 1, 4]);
});

test("Holders.count serves thousands of ranks", () => {
  const { prompts: index } = context([{ tokens: 12, blocks: [1, 2, 3] }, { tokens: 8, blocks: [1, 2] }, {
    tokens: 4,
    blocks: [1],
  }]);
  const holders = new Holders(), counts = new Int32Array(5000);
  for (let rank = 0; rank < 5000; rank++) for (let at = 0; at < rank % 4; at++) holders.set(index.edges[at], rank, 1);
  holders.count(index, 0, 3, counts);
  assert.ok(counts.every((count, rank) => count === rank % 4));
});

test("ActiveBlocks counts shared prefixes once, whatever comes and goes", () => {
  fc.assert(fc.property(
    prompts,
    fc.constantFrom(2, 4, 8),
    fc.array(fc.record({ request: fc.nat(), rank: fc.nat(3) }), { maxLength: 60 }),
    (load, blockTokens, toggles) => {
      const { prompts: index } = context(load, { blockTokens, traceBlockTokens: TRACE_BLOCK });
      const active = new ActiveBlocks(index), ranks = new Map<number, number>();
      const blocks = (r: number) => Math.floor(load[r].tokens / blockTokens), counts = new Int32Array(4);
      for (const toggle of toggles) {
        const request = toggle.request % load.length, rank = ranks.get(request);
        if (rank === undefined) {
          active.add(request, toggle.rank, blocks(request));
          ranks.set(request, toggle.rank);
        } else {
          active.remove(request, rank, blocks(request));
          ranks.delete(request);
        }
        const under = Array.from({ length: 4 }, () => new Set<string>());
        for (const [r, on] of ranks) names(load[r], blockTokens).forEach((name) => under[on].add(name));
        under.forEach((set, on) => assert.equal(active.on(on), set.size));
        for (let r = 0; r < load.length; r++) {
          active.count(r, blocks(r), counts);
          under.forEach((set, on) => assert.equal(counts[on], leading(names(load[r], blockTokens), set)));
        }
      }
    },
  ));
});
