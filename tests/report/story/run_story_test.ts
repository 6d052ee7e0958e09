import assert from "node:assert/strict";
import { test } from "node:test";
import { parsePlannerConfig } from "../../../lib/planner/config.ts";
import { explainRun, storyText } from "../../../lib/report/story/run_story.ts";
import { RecordedPlanner } from "../../../lib/report/planner_recorder.ts";
import type { RoleSnapshot, Snapshot } from "../../../lib/planner/policy.ts";
import type { LifecycleOperation } from "../../../lib/report/planner_section.ts";
import { passRow, sha256 } from "../../planner/helpers.ts";

const engine = {
  gpus: 1,
  maxBatchedTokens: 8192,
  maxSequences: 256,
  contextTokens: 32768,
  maxKvTokens: 100_000,
  speculationDepth: null,
};
const nobody: RoleSnapshot = { active: [], starting: [], draining: [], passes: [] };
const window = {
  durationS: 5,
  requests: 4,
  shapeCount: 0,
  meanInputTokens: 0,
  meanOutputTokens: 0,
  meanTtftMs: 0,
  ttftCount: 0,
  meanItlMs: 0,
  itlCount: 0,
  meanAcceptLength: null,
  acceptLengthForwards: 0,
  meanKvHitRate: 0,
  kvHitRateCount: 0,
};

function snapshot(ordinal: number, kvTokens: number[], starting: number[] = []): Snapshot {
  const passes = kvTokens.map((decodeKvTokens, workerId) =>
    passRow({ workerId, decodeRequests: 3, decodeKvTokens, wallTimeS: 0.02, queuedPrefillRequests: workerId })
  );
  const active = kvTokens.map((_, id) => id);
  return {
    tickOrdinal: ordinal,
    nowMs: (ordinal + 1) * 5000,
    prefill: nobody,
    decode: { ...nobody, active, starting, passes },
    traffic: window,
  };
}

function run(config: Record<string, unknown> = {}, captureDetails = true): RecordedPlanner {
  const planner = new RecordedPlanner({
    config: parsePlannerConfig({ mode: "agg", max_gpu_budget: 4, ...config }),
    engines: { prefill: null, decode: engine },
    sha256,
    captureDetails,
  });
  planner.onTick(snapshot(0, [120_000]));
  for (let ordinal = 1; ordinal < 7; ordinal++) planner.onTick(snapshot(ordinal, [90_000], [1]));
  for (let ordinal = 7; ordinal < 15; ordinal++) planner.onTick(snapshot(ordinal, [80_000, 70_000]));
  planner.onTick(snapshot(15, [20_000, 10_000]));
  return planner;
}

const operation = (given: Partial<LifecycleOperation>): LifecycleOperation => ({
  operation_ordinal: 0,
  at_ms: 5000,
  pool: "agg",
  cause: "planner_scale",
  planner_tick_ordinal: 0,
  origin_operation_ordinal: null,
  transitions: [],
  state_after_batch: { active: [0], starting: [1], draining: [] },
  topology_released_request_uuids: [],
  ...given,
});
const lifecycle = [
  operation({
    transitions: [{
      worker_id: 1,
      transition: "worker_starting",
      prior_state: null,
      state: "starting",
      origin_operation_ordinal: 0,
    }],
  }),
  operation({
    operation_ordinal: 1,
    at_ms: 36_000,
    cause: "worker_ready_event",
    planner_tick_ordinal: null,
    transitions: [{
      worker_id: 1,
      transition: "worker_ready",
      prior_state: "starting",
      state: "active",
      origin_operation_ordinal: 0,
    }],
  }),
];
const summary = {
  num_requests: 64,
  completed_requests: 64,
  goodput_completed_requests: 60,
  duration_ms: 82_500,
  gpu_hours: 0.035,
};

test("explainRun tells each change with its rule, each long hold with its reasons, and the end", () => {
  const story = storyText(explainRun({ summary, planner: run().recorder.section(lifecycle) }));
  assert.equal(
    story,
    `Planner in the loop. 16 ticks, 64 requests.
  target throughput, load loop every 5 s, at most 4 GPUs
  starts with 1 worker

     0:05  agg 1 → 2
             load loop: a rank is over its upper threshold
             1 rank, 3 decoding on 120,000 KV tokens, 0 prompts waiting
             worker 1: starting, ready at 0:36
0:05–1:20  holds 2 workers
             the load is between the thresholds (8 ticks)
             a worker is starting (6 ticks)
     1:20  agg 2 → 1
             load loop: every rank is under its lower threshold
             2 ranks, 6 decoding on 30,000 KV tokens, 1 prompt (0 tokens) waiting

64 of 64 requests completed in 1:22; the SLA was met by 93.75 % and missed by 4 of them; 0.035 GPU hours.
  1 change up, 1 down`,
  );
});

test("explainRun tells an advisory run as recommendations", () => {
  const entries = explainRun({ summary, planner: run({ advisory: true }).recorder.section() });
  const recommended = entries.filter(({ kind }) => kind === "recommendation");
  assert.deepEqual(recommended.map(({ fromS, text }) => [fromS, text]), [
    [5, "would scale agg 1 → 2"],
    [80, "would scale agg 2 → 1"],
  ]);
  assert.match(entries[0].text, /^Advisory Planner/);
});

test("explainRun tells changes without reasons when ticks were not captured", () => {
  const entries = explainRun({ summary, planner: run({}, false).recorder.section() });
  assert.deepEqual(entries.map(({ kind }) => kind), ["start", "change", "change", "end"]);
  assert.ok(entries[0].details.includes("ticks were not captured: changes are told without their reasons"));
  assert.deepEqual(entries[1].details, []);
});

test("explainRun tells holds of the length asked for", () => {
  const planner = run().recorder.section();
  const holds = (holdSeconds: number) =>
    explainRun({ summary, planner }, { holdSeconds }).filter(({ kind }) => kind === "hold").length;
  assert.deepEqual([holds(10), holds(75), holds(76)], [1, 1, 0]);
});

test("explainRun says by how much an SLA nobody could keep was missed", () => {
  const planner = run({ optimization_target: "sla", enable_load_scaling: true, ttft_ms: 500 }).recorder.section();
  const missed = { ...summary, goodput_completed_requests: 0, p95_ttft_ms: 1730.5, p95_tpot_ms: 20 };
  const end = explainRun({ summary: missed, planner }).at(-1)!;
  assert.match(end.text, /the SLA was met by 0 % and missed by 64 of them/);
  assert.deepEqual(end.details.slice(0, 2), [
    "p95 TTFT 1,731 ms: 1,231 ms over its bound of 500 ms",
    "p95 TPOT (a request's mean) 20 ms: within its bound of 50 ms",
  ]);
});

test("explainRun has an end for a run without a Planner", () => {
  const met = { ...summary, goodput_completed_requests: 64 };
  const [start, end] = explainRun({ summary: met, planner: null });
  assert.equal(start.text, "No Planner ran: the replicas were fixed.");
  assert.match(end.text, /the SLA was met by every one of them; 0\.035 GPU hours\.$/);
});
