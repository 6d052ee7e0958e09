import "../without_user_cache.ts";
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  attainment,
  loadPrediction,
  polynomial,
  predict,
  replay,
  run,
  runTraceReplay,
  type TraceRequest,
  vllm,
} from "../../mod.ts";
import { moneyText } from "../../lib/report/price.ts";
import { verdictLines } from "../../lib/report/story/verdict.ts";

/** Requests at fixed times. */
async function* every(count: number, ms: number, outputTokens = 8): AsyncGenerator<TraceRequest> {
  for (let i = 0; i < count; i++) {
    yield { timestampMs: i * ms, inputTokens: 512, outputTokens, hashIds: [i], line: i + 1 };
  }
}
const cluster = { replicas: 1, engine: vllm({ blocks: 2000, maxSequences: 4 }), timing: polynomial() };

test("evaluation counts as goodput does, and every request that missed is behind a bound", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 60 }),
      fc.integer({ min: 1, max: 300 }),
      fc.double({ min: 5, max: 400, noNaN: true }),
      fc.double({ min: 2, max: 40, noNaN: true }),
      async (count, gap, ttftMs, itlMs) => {
        const { report } = replay(every(count, gap), { cluster, sla: { ttftMs, itlMs } });
        const { summary, evaluation, per_request } = await report;
        const { within, requests, missed, attainment: share } = evaluation!.sla!;
        assert.equal(requests, count);
        assert.equal(within, summary.goodput_completed_requests);
        assert.equal(share, attainment(summary));
        const records = [...per_request!];
        assert.equal(missed.ttft, records.filter((one) => one.ttft_ms! > ttftMs).length);
        assert.equal(missed.unserved, 0);
        assert.ok(missed.ttft + missed.tpot >= requests - within);
        assert.ok(Math.max(missed.ttft, missed.tpot) <= requests - within);
      },
    ),
    { numRuns: 20 },
  );
});

test("evaluation counts what a cutoff kept out or left unfinished as unserved", async () => {
  const { evaluation, summary } = await replay(every(100, 20, 50), {
    cluster,
    sla: { ttftMs: 1e9 },
    maxVirtualMs: 1000,
  }).report;
  const { requests, within, missed } = evaluation!.sla!;
  assert.equal(requests, 100);
  assert.equal(missed.unserved, 100 - summary.completed_requests);
  assert.equal(within, summary.completed_requests);
  assert.ok(missed.unserved > 50);
});

test("evaluation prices all GPU hours", async () => {
  const { evaluation, summary } = await replay(every(20, 100), { cluster, price: { perGpuHour: 2.5 } }).report;
  const cost = evaluation!.cost!;
  assert.equal(cost.total, summary.gpu_hours * 2.5);
  assert.equal(cost.per_million_output_tokens, cost.total / 160 * 1e6);
  assert.equal(cost.per_thousand_good_requests, null);
  assert.equal(cost.currency, "$");
  assert.equal(evaluation!.sla, undefined);
});

test("runTraceReplay prices a run too", async () => {
  const price = { perGpuHour: 4, currency: "EUR" };
  const { evaluation, summary } = await runTraceReplay(["fixtures/traces/chat.jsonl"], { numWorkers: 2, price });
  assert.equal(evaluation!.cost!.total, summary.gpu_hours * 4);
});

test("run refuses a price that is none", async () => {
  for (const price of [{ perGpuHour: 0 }, { perGpuHour: NaN }, { perGpuHour: 1, currency: " " }]) {
    await assert.rejects(
      () => run({ roles: [{ role: "aggregated", replicas: 1, launch: {} }], price }).report,
      /price/,
    );
  }
});

test("a report says that a run was saturated only when its queues grew to the end", async () => {
  const overloadAt = async (ms: number) =>
    (await replay(every(400, ms, 40), { cluster }).report).evaluation?.overload ?? null;
  assert.equal(await overloadAt(1000), null);
  const overload = await overloadAt(20);
  assert.equal(overload?.queues_growing, true);
  const [first, second, third, last] = overload!.waiting;
  assert.ok(first < second && second < third && third < last, String(overload!.waiting));
  assert.equal(overload!.never_ran, 0);
  const closed = await replay(every(400, 20, 40), { cluster, concurrency: 50 }).report;
  assert.equal(closed.evaluation, undefined);
});

test("a report counts requests that never ran", async () => {
  const { evaluation } = await replay(every(400, 5, 40), { cluster, maxVirtualMs: 2000 }).report;
  const { never_ran } = evaluation!.overload!;
  assert.ok(never_ran > 100, String(never_ran));
  assert.match(verdictLines({ summary: {}, evaluation }).at(-1)!, new RegExp(`${never_ran} requests never ran`));
});

test("verdictLines say which bound was missed although every percentile of ITL keeps it", () => {
  const missed = { ttft: 2, tpot: 330, e2e: 0, unserved: 10 };
  const bounds = { ttft_ms: 500, itl_ms: 20, e2e_ms: null };
  const sla = { bounds, requests: 2000, within: 1660, attainment: 0.83, missed };
  const told = (itl: number) => verdictLines({ summary: { p95_itl_ms: itl }, evaluation: { sla } })[1];
  assert.doesNotMatch(told(25), /pools/);
  assert.deepEqual(verdictLines({ summary: { p95_itl_ms: 14 }, evaluation: { sla } }), [
    "83 % of 2,000 requests within the SLA (TTFT 500 ms, TPOT 20 ms)",
    "340 requests missed it: TTFT over 500 ms: 2 (0.1 %), TPOT over 20 ms: 330 (16.5 %), rejected, failed, kept " +
    "out, unfinished or without a token: 10 (0.5 %), some more than one; p95 ITL is 14 ms all the same: it pools the " +
    "gaps of all tokens, TPOT is a request's mean",
  ]);
});

test("verdictLines never round a miss away", () => {
  const sla = {
    bounds: { ttft_ms: 1, itl_ms: null, e2e_ms: null },
    requests: 1_000_000,
    within: 999_999,
    attainment: 0.999999,
    missed: { ttft: 1, tpot: 0, e2e: 0, unserved: 0 },
  };
  assert.match(verdictLines({ summary: {}, evaluation: { sla } })[0], /^over 99\.99 % of/);
});

test("moneyText writes symbols in front and codes behind", () => {
  assert.deepEqual(
    [moneyText(1234.5), moneyText(0.01234), moneyText(0), moneyText(12, "EUR"), moneyText(3, "€")],
    ["$1,234.50", "$0.0123", "$0.00", "12.00 EUR", "€3.00"],
  );
});

const YAML = `
traffic: {source: {type: synthetic}, load: {concurrency: 4}, stop: {requests: 20}}
engine: {model: Qwen/Qwen3-32B, hardware: h200_sxm, workers: {aggregated: {parallelism: {tensor: 2}}}}
`;

test("evaluation.price_per_gpu_hour reaches the report, and is checked", async () => {
  const { plan } = await loadPrediction(`${YAML}evaluation: {price_per_gpu_hour: 2, currency: EUR}`);
  const { evaluation, summary } = await predict(plan);
  assert.equal(evaluation!.cost!.total, summary.gpu_hours * 2);
  assert.equal(evaluation!.cost!.currency, "EUR");
  for (
    const [written, message] of [
      ["{price_per_gpu_hour: 0}", /greater than 0/],
      ["{price_per_gpu_hour: cheap}", /valid number/],
      ["{currency: EUR}", /currency has no effect without price_per_gpu_hour/],
      ["{price_per_gpu_hours: 2}", /price_per_gpu_hour/],
    ] as const
  ) {
    await assert.rejects(() => loadPrediction(`${YAML}evaluation: ${written}`), message);
  }
});
