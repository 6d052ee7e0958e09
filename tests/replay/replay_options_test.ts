import "../without_user_cache.ts";
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import {
  runSyntheticTraceReplay,
  runTraceReplay,
  type SyntheticReplayOptions,
  type TraceReplayOptions,
} from "../../mod.ts";
import { folder, lines } from "../trace/support.ts";

/** What is given to JavaScript, where nobody checks names. */
type Loose = Record<string, unknown>;

const trace = (options: Loose, path = "x") => runTraceReplay([path], options as TraceReplayOptions);
const synthetic = (options: Loose, [input, output, count]: readonly number[] = [10, 10, 10]) =>
  runSyntheticTraceReplay(input, output, count, options as SyntheticReplayOptions);
const refused = (run: Promise<unknown>, message: string) => assert.rejects(run, { name: "ConfigError", message });

test("runTraceReplay refuses names that are no option", async () => {
  await refused(trace({ numWorker: 4 }), "unknown option 'numWorker' of runTraceReplay(), did you mean 'numWorkers'?");
  await refused(trace({ requestRate: 4 }), "unknown option 'requestRate' of runTraceReplay()");
  await refused(
    synthetic({ replayConcurency: 4 }),
    "unknown option 'replayConcurency' of runSyntheticTraceReplay(), did you mean 'replayConcurrency'?",
  );
});

test("runTraceReplay refuses counts with a fraction", async () => {
  for (
    const [name, told] of [
      ["numWorkers", "num_workers"],
      ["replayConcurrency", "replay_concurrency"],
      ["traceBlockSize", "trace_block_size"],
      ["agenticLanes", "agentic_lanes"],
    ]
  ) await refused(trace({ [name]: 1.5 }), `${told} must be a whole number, got 1.5`);
  const sizes: [number[], string][] = [
    [[10.5, 1, 1], "input_tokens must be a whole number, got 10.5"],
    [[1, 2.5, 1], "output_tokens must be a whole number, got 2.5"],
    [[1, 1, 3.5], "request_count must be a whole number, got 3.5"],
  ];
  for (const [given, message] of sizes) await refused(synthetic({ replayConcurrency: 1 }, given), message);
});

test("runTraceReplay refuses options without effect", async () => {
  await refused(
    trace({ traceSharedPrefixRatio: 0.5 }),
    "trace_shared_prefix_ratio has no effect with trace_format='mooncake'",
  );
  await refused(
    trace({ traceFormat: "dynamo", traceNumPrefixGroups: 2 }),
    "trace_num_prefix_groups has no effect with trace_format='dynamo'",
  );
  const speedup = { replayConcurrency: 1, arrivalSpeedupRatio: 2 };
  await refused(trace(speedup), "arrival_speedup_ratio has no effect with replay_concurrency");
  await refused(synthetic(speedup), "arrival_speedup_ratio has no effect with replay_concurrency");
  await refused(
    synthetic({ replayConcurrency: 1, arrivalSeed: 7 }),
    "arrival_seed has no effect without request_rate",
  );
});

const agentRow = (play: string, more: object = {}) => ({
  request_id: `${play}1`,
  play_id: play,
  session_id: play,
  model: "m",
  not_before_ms: 0,
  input_length: 100,
  output_length: 4,
  hash_ids: [1, 2],
  ...more,
});

test("runTraceReplay runs agentic traces: the model has to be named, lanes bound what runs at a time", async () => {
  const path = join(folder(), "agents.jsonl");
  const header = {
    schema: "dynamo.agentic_mooncake",
    version: 2,
    block_size: 64,
    hash_id_scope: "local",
    source: { format: "f", digest: "d" },
  };
  writeFileSync(path, lines([header, agentRow("a"), agentRow("b")]));
  const format = { traceFormat: "agentic_mooncake" };
  await refused(trace(format, path), "agentic execution requires a configured target model");
  const arrivals = async (options: Loose) => {
    const report = await trace({ ...format, executionModel: "m", capturePerRequest: true, ...options }, path);
    return Array.from(report.per_request!, (record) => record.arrival_time_ms as number);
  };
  assert.deepEqual(await arrivals({}), [0, 0]);
  const [first, second] = await arrivals({ agenticLanes: 1 });
  assert.equal(first, 0);
  assert.ok(second > 0);
});

test("runTraceReplay shares the prompts of applied_compute_agentic by group", async () => {
  const path = join(folder(), "sessions.jsonl");
  const row = {
    num_turns: 0,
    input_prompt_length: 2048,
    assistant_response_length: [],
    tool_call_output_length: [],
    tool_call_latency: [],
    final_assistant_response_length: 7,
  };
  writeFileSync(path, lines([row, row]));
  const reused = async (options: Loose) =>
    (await trace({ traceFormat: "applied_compute_agentic", replayConcurrency: 1, ...options }, path)).summary
      .prefix_cache_reused_ratio;
  assert.equal(await reused({}), 0);
  assert.equal(await reused({ traceSharedPrefixRatio: 0.5, traceNumPrefixGroups: 1 }), 0.25);
});
