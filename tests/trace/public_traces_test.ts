import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { convert } from "../../lib/trace/convert.ts";
import { inspect } from "../../lib/trace/inspect.ts";
import { readTrace } from "../../lib/trace/read_trace.ts";
import { loadTrace } from "../../lib/traffic/load_trace.ts";
import { folder, realTraces } from "./support.ts";

const traces = realTraces();
const skip = traces === null ? "real traces are not there" : false;

/** What is known of the published files: rows, last time, input and output tokens (least, mean, most). */
const PUBLISHED = [
  ["public/azure2023_AzureLLMInferenceTrace_code.csv", "azure", 8819, 3_435_948, [3, 2047.85, 7437], [6, 27.88, 1899]],
  ["public/azure2023_AzureLLMInferenceTrace_conv.csv", "azure", 19_366, 3_501_722, [2, 1154.7, 14_050], [
    7,
    211.13,
    1000,
  ]],
  ["public/inference-perf_trace-replay_trace.csv", "azure", 20, 13_025, null, null],
  ["public/ragpulse_0_trace.jsonl", "ragpulse", 7106, 604_603_000, [1052, 2943.58, 7712], null],
  ["public/splitwise-sim_test_trace.csv", "splitwise", 3, 4000, [2048, 2730.67, 4096], [8, 18.67, 32]],
  ["public/vidur_splitwise_conv.csv", "vidur", 19_366, 3_501_722, [2, 1154.7, 14_050], [7, 211.13, 1000]],
  ["public/vidur_splitwise_code.csv", "vidur", 8819, 3_435_948, [3, 2047.85, 7437], [6, 27.88, 1899]],
  ["public/vidur_arxiv_summarization_stats_llama2_tokenizer_filtered_v2.csv", "vidur", 28_257, null, null, null],
  ["public/llmservingsim_example_trace.jsonl", "llmservingsim", 10, 1027, null, null],
  ["public/llmservingsim_workload_me2_01_mixed.jsonl", "llmservingsim", 608, 61_000, null, null],
  ["conversation_trace.jsonl", "mooncake", 12_031, 3_536_999, [891, 12_035.06, 126_195], [1, 342.62, 2000]],
  ["synthetic_trace.jsonl", "mooncake", 3993, 1_022_025, [13, 15_325.48, 191_378], [1, 149.12, 893]],
] as const;

for (const [name, format, rows, lastMs, input, output] of PUBLISHED) {
  test(`${name} converts with the counts its publisher gives, and can be replayed`, { skip }, async () => {
    const path = join(traces!, name), out = join(folder(), "out.jsonl"), again = join(folder(), "again.jsonl");
    const ledger = await convert(path, out, { to: "mooncake" });
    assert.deepEqual([ledger.format, ledger.read, ledger.emitted], [format, rows, rows]);
    if (lastMs !== null) assert.equal(Math.round(ledger.lastMs), lastMs);
    const figures = await inspect(readTrace(out));
    const facts = (
      figures: { min: number; mean: number; max: number },
    ) => [figures.min, Math.round(figures.mean * 100) / 100, figures.max];
    if (input) assert.deepEqual(facts(figures.input), input);
    if (output) assert.deepEqual(facts(figures.output), output);
    await convert(out, again, { to: "mooncake" });
    assert.equal(readFileSync(again, "utf8"), readFileSync(out, "utf8"));
    const load = await loadTrace(out, lastMs === null ? { concurrency: 4 } : {});
    assert.equal(load.workload.count, rows);
    if (lastMs !== null) {
      await convert(path, out, { to: "dynamo" });
      assert.equal((await loadTrace(out, { format: "dynamo" })).workload.count, rows);
    }
  });
}

test("the Mooncake traces are what their publisher says", { skip }, async () => {
  const { time, blocks } = await inspect(readTrace(join(traces!, "conversation_trace.jsonl")));
  assert.deepEqual([time.inversions, time.equal_neighbours, blocks.total, blocks.distinct], [
    0,
    10_851,
    288_500,
    182_790,
  ]);
  const rag = await inspect(readTrace(join(traces!, "public/ragpulse_0_trace.jsonl"), { sessions: true }));
  assert.deepEqual([rag.time.inversions, rag.sessions.count], [1, 3990]);
});
