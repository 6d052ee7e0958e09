import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import "../without_user_cache.ts";
import { loadTrace } from "../../mod.ts";

interface Row {
  input: number;
  ids: number[];
  /** Output tokens; null: not named. */
  output: number[] | null;
}

const BLOCK = 4;

/** The requests whose outputs the load keeps. */
async function kept(rows: readonly Row[]): Promise<Map<number, number[]>> {
  const lines = rows.map(({ input, ids, output }, i) =>
    JSON.stringify({
      timestamp: i,
      input_length: input,
      output_length: output?.length ?? 3,
      hash_ids: ids,
      ...(output ? { output_token_ids: output } : {}),
    })
  );
  const { workload } = await loadTrace(new Blob([lines.join("\n")]).stream(), { blockTokens: BLOCK });
  return new Map(workload.outputTokenIds.entries().map(([request, tokens]) => [request, [...tokens]]));
}

test("loadTrace drops named outputs that no other request's sequence can contain", async () => {
  const others: Row[] = [
    { input: 6, ids: [1, 2], output: [100, 101] },
    { input: 6, ids: [1, 2], output: [200, 101] },
    { input: 7, ids: [1, 2], output: [100, 101] },
    { input: 8, ids: [1, 2], output: [300, 301] },
    { input: 12, ids: [1, 2, 3], output: null },
  ];
  assert.deepEqual(await kept(others), new Map());
});

test("loadTrace keeps named outputs that begin like that of a request with the same prompt", async () => {
  const rows: Row[] = [
    { input: 6, ids: [1, 2], output: [100, 101] },
    { input: 6, ids: [1, 3], output: [100, 101] },
    { input: 6, ids: [1, 2], output: [100, 102, 103] },
    { input: 6, ids: [1, 2], output: null },
  ];
  assert.deepEqual(await kept(rows), new Map([[0, [100, 101]], [2, [100, 102, 103]]]));
});

test("loadTrace keeps all named outputs when a longer prompt may go on with one", async () => {
  const apart: Row = { input: 5, ids: [8, 9], output: [500] };
  // Ids are numbered as they appear: 8, 9, 1, 2, 3 are 0 to 4.
  const inBlock: Row[] = [apart, { input: 6, ids: [1, 2], output: [3, 101] }, { input: 8, ids: [1, 2], output: null }];
  assert.deepEqual([...(await kept(inBlock)).keys()], [0, 1]);
  const behindBlock: Row[] = [apart, { input: 8, ids: [1, 2], output: [4, 101] }, {
    input: 9,
    ids: [1, 2, 3],
    output: null,
  }];
  assert.deepEqual([...(await kept(behindBlock)).keys()], [0, 1]);
});

test("loadTrace keeps every named output that another sequence shares", async () => {
  const small = fc.integer({ min: 0, max: 3 });
  const row = fc.record({
    input: fc.integer({ min: 1, max: 12 }),
    ids: fc.array(small, { minLength: 3, maxLength: 3 }),
    output: fc.option(fc.array(small, { minLength: 1, maxLength: 6 })),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(row, { minLength: 2, maxLength: 6 }), async (rows) => {
      const found = await kept(rows), numbers = new Map<number, number>();
      for (const { ids } of rows) for (const id of ids) if (!numbers.has(id)) numbers.set(id, numbers.size);
      const sequences = rows.map(({ input, ids, output }) => [
        ...Array.from({ length: input }, (_, at) => numbers.get(ids[Math.floor(at / BLOCK)])!),
        ...output ?? [],
      ]);
      rows.forEach(({ input, output }, r) => {
        if (output === null) return;
        for (let other = 0; other < rows.length; other++) {
          if (other === r) continue;
          if (sequences[r].slice(0, input + 1).every((token, at) => sequences[other][at] === token)) {
            assert(found.has(r), `request ${r} shares tokens with ${other}`);
          }
        }
      });
      for (const [request, tokens] of found) assert.deepEqual(tokens, rows[request].output);
    }),
    { numRuns: 300 },
  );
});
