import "../without_user_cache.ts";
import assert from "node:assert/strict";
import { test } from "node:test";
import { fixed, planner, replay, runTraceReplay, type TraceRequest, vllm } from "../../mod.ts";

async function* requests(count: number): AsyncGenerator<TraceRequest> {
  for (let i = 0; i < count; i++) {
    yield { timestampMs: i * 100, inputTokens: 700, outputTokens: 5, hashIds: [i % 7, 1000 + i], line: i + 1 };
  }
}
const cluster = { replicas: 2, engine: vllm({ blocks: 4096 }), timing: fixed({ prefillMs: 10, decodeMs: 2 }) };

test("replay gives a report without anybody reading a stream", async () => {
  const { summary, per_request } = await replay(requests(50), { cluster }).report;
  assert.equal(summary.completed_requests, 50);
  assert.equal(per_request!.length, 50);
  assert.equal((await replay(requests(50), { cluster, capturePerRequest: false }).report).per_request, null);
});

test("replay streams every request exactly once, in the order in which they end", async () => {
  const run = replay(requests(3000), { cluster });
  const ends: number[] = [];
  for await (const record of run.requests) ends.push(record.terminal_time_ms as number);
  assert.equal(ends.length, 3000);
  assert.equal((await run.report).per_request!.length, 3000);
});

test("replay streams the ticks that the report lists", async () => {
  const run = replay(requests(400), { cluster, planner: planner({ target: "throughput", maxGpus: 4 }) });
  let ticks = 0;
  for await (const tick of run.ticks) {
    assert.equal(tick.ordinal, ticks++);
    assert.equal(tick.atMs, tick.at_ms);
    const { target_prefill: prefill, target_decode: decode } = tick.runtime_decision;
    assert.deepEqual(tick.targets, { prefill, decode });
  }
  const report = await run.report;
  assert.ok(ticks > 0);
  assert.equal(report.planner!.total_ticks, ticks);
});

test("replay and runTraceReplay say before the run which Planner options are in vain", async () => {
  const sla = { target: "sla", ttftMs: 0.001, itlMs: 500, maxGpus: 2, scalingDownSensitivity: 70 } as const;
  const said: string[] = [];
  const onWarning = (message: string) => said.push(message);
  await replay(requests(20), { cluster, planner: planner(sla), onWarning }).report;
  const expected = [
    /^the Planner's ttft_ms 0.001 is out of reach: /,
    /^the Planner's max_gpu_budget \(2\) is used up by the starting replicas \(2 GPUs\): every scale-up will be held$/,
    /^the Planner's load_scaling_down_sensitivity has no effect: load scaling is off$/,
    /without a performance model: throughput-based scaling falls back to load-based scaling$/,
  ];
  assert.equal(said.length, expected.length, said.join("\n"));
  expected.forEach((pattern, i) => assert.match(said[i], pattern));
  said.length = 0;
  const plannerConfig = { ...planner(sla), mode: "agg" };
  await runTraceReplay(["fixtures/traces/chat.jsonl"], { plannerConfig, numWorkers: 2, onWarning });
  assert.equal(said.length, expected.length, said.join("\n"));
  expected.forEach((pattern, i) => assert.match(said[i], pattern));
});

test("an advisory Planner says so before the run", async () => {
  const said: string[] = [];
  const advisory = planner({ target: "throughput", advisory: true });
  await replay(requests(5), { cluster, planner: advisory, onWarning: (message) => said.push(message) }).report;
  assert.deepEqual(said, ["[ADVISORY] the Planner makes every decision and changes nothing"]);
});

test("replay takes a scaling policy of the caller", async () => {
  const seen: number[] = [];
  const policy = {
    initialTickMs: () => 1000,
    onTick(snapshot: { nowMs: number; decode: { active: readonly number[] } }) {
      seen.push(snapshot.decode.active.length);
      return { targetPrefill: null, targetDecode: 3, nextTickMs: snapshot.nowMs < 3000 ? snapshot.nowMs + 1000 : null };
    },
  };
  await replay(requests(60), { cluster, planner: policy }).report;
  assert.deepEqual(seen, [2, 3, 3]);
});

test("replay refuses an SLA that means nothing", async () => {
  await assert.rejects(replay(requests(1), { sla: { ttftMs: 0 } }).report, /sla.ttft_ms must be finite and positive/);
});

test("runTraceReplay refuses options that exclude each other, in the reference's words", async () => {
  await assert.rejects(runTraceReplay([], {}), /trace replay requires at least one trace file/);
  await assert.rejects(
    runTraceReplay(["x"], { extraEngineArgs: {}, prefillEngineArgs: {}, decodeEngineArgs: {} }),
    /extra_engine_args cannot be combined with prefill_engine_args\/decode_engine_args/,
  );
  await assert.rejects(runTraceReplay(["x"], { numWorkers: 0 }), /pool must start with at least one worker/);
  await assert.rejects(
    runTraceReplay(["x"], { numPrefillWorkers: 2 }),
    /num_prefill_workers and num_decode_workers are only used for disagg replay; use num_workers/,
  );
  await assert.rejects(runTraceReplay(["x"], { routerMode: "rr" }), /router_mode|round_robin/);
  await assert.rejects(runTraceReplay(["x"], { routerConfig: {} }), /no effect/);
});
