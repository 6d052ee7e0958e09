import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { TokenSequences } from "../../lib/engine/token_sequences.ts";
import type { PromptRuns } from "../../lib/traffic/workload.ts";
import { type Row, workloadOf } from "./workloads.ts";

const BLOCK = 4;

const rows = fc.array(
  fc.record({
    input: fc.integer({ min: 1, max: 30 }),
    output: fc.constant(6),
    ids: fc.array(fc.integer({ min: 0, max: 2 }), { minLength: 8, maxLength: 8 }),
    outputIds: fc.option(fc.array(fc.integer({ min: 0, max: 2 }), { minLength: 6, maxLength: 6 }), { nil: undefined }),
  }),
  { minLength: 2, maxLength: 4 },
);

/** The tokens of a sequence one by one; unnamed output is unique. */
function spelled(row: Row, request: number): number[] {
  const prompt = Array.from({ length: row.input }, (_, p) => row.ids[Math.floor(p / BLOCK)]);
  return [...prompt, ...row.outputIds ?? Array.from({ length: 6 }, (_, i) => -1000 * (request + 1) - i)];
}

function firstDifference(a: number[], b: number[], from: number, to: number): number {
  let at = from;
  while (at < to && a[at] === b[at]) at++;
  return at;
}

test("TokenSequences.common finds the first token in which two sequences differ", () => {
  fc.assert(fc.property(rows, (rows) => {
    const sequences = new TokenSequences(workloadOf(rows, BLOCK), { runs: new Map() });
    for (let a = 0; a < rows.length; a++) {
      for (let b = 0; b < rows.length; b++) {
        const left = spelled(rows[a], a), right = spelled(rows[b], b), to = Math.min(left.length, right.length);
        const common = firstDifference(left, right, 0, to);
        for (let from = 0; from <= common; from++) assert.equal(sequences.common(a, b, from, to), common);
      }
    }
  }));
});

test("TokenSequences.token is equal exactly where tokens are", () => {
  fc.assert(fc.property(rows, (rows) => {
    const sequences = new TokenSequences(workloadOf(rows, BLOCK), { runs: new Map() });
    for (let a = 0; a < rows.length; a++) {
      for (let b = 0; b < rows.length; b++) {
        const left = spelled(rows[a], a), right = spelled(rows[b], b);
        for (let at = 0; at < Math.min(left.length, right.length); at++) {
          assert.equal(sequences.token(a, at) === sequences.token(b, at), left[at] === right[at]);
        }
      }
    }
  }));
});

test("TokenSequences reads prompts given as runs, and output after them", () => {
  const workload = workloadOf([
    { input: 6, output: 2, ids: [7, 7] },
    { input: 1, output: 2, ids: [0], outputIds: [5, 5] },
    { input: 9, output: 0, ids: [7, 7, 5] },
  ], BLOCK);
  const runs = new Map<number, PromptRuns>();
  const sequences = new TokenSequences(workload, { runs });
  assert.equal(sequences.plain, false, "outputs are named");
  runs.set(1, { tokens: Uint32Array.of(7, 9), lengths: Int32Array.of(6, 1), inputTokens: 7 });
  assert.deepEqual([0, 5, 6, 7, 8].map((at) => sequences.token(1, at)), [7, 7, 9, 5, 5]);
  assert.equal(sequences.common(0, 1, 0, 8), 6);
  assert.equal(sequences.common(1, 2, 0, 9), 6);
  assert.equal(sequences.common(1, 1, 3, 9), 9);
});
