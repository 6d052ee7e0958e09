/** Names of KV blocks against the tokens they hold. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { PromptIndex } from "../../lib/engine/prompt_index.ts";
import { blockNames, pathOf, type Row, workloadOf } from "./workloads.ts";

const rows = fc.array(
  fc.record({
    input: fc.integer({ min: 1, max: 70 }),
    output: fc.constant(0),
    ids: fc.array(fc.integer({ min: 0, max: 2 }), { minLength: 70, maxLength: 70, size: "max" }),
    // Planned outputs are tokens of the same number space.
    outputIds: fc.option(fc.array(fc.integer({ min: 0, max: 5 }), { maxLength: 12 }), { nil: undefined }),
  }),
  { minLength: 2, maxLength: 7 },
);

function tokensOf({ input, ids, outputIds = [] }: Row, traceBlock: number): number[] {
  return [...Array.from({ length: input }, (_, p) => ids[Math.floor(p / traceBlock)]), ...outputIds];
}

/** KV blocks at the start of two token lists that hold the same. */
function commonBlocks(a: readonly number[], b: readonly number[], size: number): number {
  let tokens = 0;
  while (tokens < Math.min(a.length, b.length) && a[tokens] === b[tokens]) tokens++;
  return Math.floor(tokens / size);
}

function assertNamesTellContent(index: PromptIndex, tokens: readonly number[][], blockTokens: number): void {
  const names = tokens.map((_, request) => blockNames(index, request));
  tokens.forEach((a, i) => {
    assert.equal(names[i].length, Math.floor(a.length / blockTokens), "every full block has a name");
    tokens.forEach((b, j) => {
      const common = commonBlocks(a, b, blockTokens), length = Math.min(names[i].length, names[j].length);
      for (let k = 0; k < length; k++) {
        assert.equal(names[i][k] === names[j][k], k < common, `block ${k} of requests ${i} and ${j}`);
      }
    });
  });
}

for (const planned of [false, true]) {
  test(`PromptIndex lets two prompts ${planned ? "with planned outputs " : ""}share exactly their common blocks`, () => {
    fc.assert(
      fc.property(
        rows,
        fc.constantFrom(1, 3, 4, 8, 16),
        fc.constantFrom(1, 2, 4, 5),
        (rows, traceBlock, blockTokens) => {
          const given: Row[] = planned ? rows : rows.map(({ input, output, ids }) => ({ input, output, ids }));
          const index = new PromptIndex(workloadOf(given, traceBlock), blockTokens);
          assertNamesTellContent(index, given.map((row) => tokensOf(row, traceBlock)), blockTokens);
        },
      ),
      { seed: 6, numRuns: 300 },
    );
  });
}

test("PromptIndex names prompts that come later, made of runs, like those it had", () => {
  const runs = fc.array(fc.tuple(fc.integer({ min: 0, max: 4 }), fc.integer({ min: 1, max: 9 })), {
    minLength: 1,
    maxLength: 12,
  });
  fc.assert(
    fc.property(rows, fc.array(runs, { minLength: 1, maxLength: 7 }), fc.constantFrom(2, 4, 5), (rows, late, size) => {
      const given: Row[] = rows.map((row) => ({ ...row, outputIds: [] }));
      const index = new PromptIndex(workloadOf(given, 3), size);
      const tokens = given.map((row) => tokensOf(row, 3));
      late.slice(0, rows.length).forEach((runs, request) => {
        tokens[request] = runs.flatMap(([token, length]) => Array<number>(length).fill(token));
        index.addRuns(request, {
          tokens: Uint32Array.from(runs, ([token]) => token),
          lengths: Int32Array.from(runs, ([, length]) => length),
          inputTokens: tokens[request].length,
        });
      });
      assertNamesTellContent(index, tokens, size);
    }),
    { seed: 7, numRuns: 300 },
  );
});

test("PromptIndex.locate finds the edge of every block", () => {
  fc.assert(
    fc.property(rows, fc.constantFrom(4, 8, 16), fc.constantFrom(1, 2, 4), (rows, traceBlock, blockTokens) => {
      const index = new PromptIndex(workloadOf(rows, traceBlock), blockTokens);
      for (let request = 0; request < rows.length; request++) {
        for (const [step, { first, blocks }] of pathOf(index, request).entries()) {
          for (let block = first; block < Math.min(first + blocks, index.knownBlocks(request)); block++) {
            assert.equal(index.locate(request, block), index.start[request] + step);
            assert.equal(index.firstBlock, first);
          }
        }
      }
    }),
    { seed: 8, numRuns: 100 },
  );
});

test("PromptIndex makes one edge of what prompts have in common, and of what only one of them has", () => {
  const row = (ids: number[]): Row => ({ input: ids.length * 8, output: 0, ids });
  const index = new PromptIndex(workloadOf([row([1, 2, 3, 4]), row([1, 2, 5, 6, 7]), row([1, 2])], 8), 4);
  assert.deepEqual(pathOf(index, 0), [{ edge: 0, first: 0, blocks: 4 }, { edge: 1, first: 4, blocks: 4 }]);
  assert.deepEqual(pathOf(index, 1), [{ edge: 0, first: 0, blocks: 4 }, { edge: 2, first: 4, blocks: 6 }]);
  assert.deepEqual(pathOf(index, 2), [{ edge: 0, first: 0, blocks: 4 }]);
});

test("PromptIndex limits edges that go on for long", () => {
  const ids = Array.from({ length: 100 }, (_, i) => i);
  const index = new PromptIndex(workloadOf([{ input: 6400, output: 0, ids }], 64), 2);
  const path = pathOf(index, 0);
  assert.ok(path.every(({ blocks }) => blocks <= 512));
  assert.equal(path.length, Math.ceil(3200 / 512));
  assert.equal(index.mostBlocks, 512);
});
