/** Whether what happened to requests that ended is kept does not change a report. */
import "../without_user_cache.ts";
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { TrafficWindow } from "../../lib/planner/policy.ts";
import { scriptedAutoscaler } from "../../lib/replay/autoscaler.ts";
import { run } from "../../lib/replay/run.ts";
import type { ReplaySpec } from "../../lib/replay/spec.ts";
import { loadTrace } from "../../lib/traffic/load_trace.ts";
import type { Traffic } from "../../lib/traffic/workload.ts";
import { SimulationError } from "../../mod.ts";

const MODES = ["aggregated", "prefill and decode"] as const;

const rows = fc.array(
  fc.record({
    gap: fc.constantFrom(0, 1, 40, 700),
    input_length: fc.integer({ min: 1, max: 900 }),
    output_length: fc.integer({ min: 1, max: 40 }),
    first: fc.integer({ min: 0, max: 3 }),
    session: fc.constantFrom(null, null, "a", "b"),
  }),
  { minLength: 1, maxLength: 60 },
);

const cluster = fc.record({
  backend: fc.constantFrom("vllm", "sglang", "trtllm"),
  mode: fc.constantFrom(...MODES),
  policy: fc.constantFrom("round_robin" as const, "kv_router" as const),
  replicas: fc.integer({ min: 1, max: 3 }),
  // some prompts fit in no cache, and some caches are so small that requests give way to each other
  blocks: fc.constantFrom(10, 30, 400),
  ticks: fc.boolean(),
  telemetry: fc.boolean(),
  cutoff: fc.constantFrom(null, "soft" as const, "hard" as const),
  sla: fc.constantFrom(null, { ttftMs: 30, itlMs: 8 }, { e2eMs: 90 }),
  concurrency: fc.constantFrom(undefined, undefined, 2),
  format: fc.constantFrom("mooncake", "mooncake-delta"),
});

type Rows = typeof rows extends fc.Arbitrary<infer T> ? T : never;
type Given = typeof cluster extends fc.Arbitrary<infer T> ? T : never;

async function trafficOf(rows: Rows, { concurrency, format }: Given): Promise<Traffic> {
  let timestamp = 0;
  const lines = rows.map(({ gap, first, session, ...lengths }, i) => {
    timestamp += gap;
    const hash_ids = Array.from(
      { length: Math.ceil(lengths.input_length / 64) },
      (_, b) => b === 0 ? first : 100 * i + b,
    );
    return JSON.stringify({ timestamp, ...lengths, hash_ids, ...(session ? { session_id: session } : {}) });
  });
  return await loadTrace(new Blob([lines.join("\n")]).stream(), { blockTokens: 64, concurrency, format });
}

/** The report of a run without what only captured records add, and the traffic its ticks saw; or why it could not go on. */
async function outcomeOf(traffic: Traffic, given: Given, perRequest: boolean): Promise<unknown> {
  const { backend, mode, policy, replicas, blocks, cutoff, sla } = given;
  const seen: TrafficWindow[] = [];
  const role = (role: "aggregated" | "prefill" | "decode") => ({
    role,
    replicas,
    launch: { engine: { backend, worker_type: role, num_gpu_blocks: blocks, block_size: 32, max_num_seqs: 4 } },
  });
  const spec: ReplaySpec = {
    roles: mode === "aggregated" ? [role("aggregated")] : [role("prefill"), role("decode")],
    router: policy === "kv_router" ? { policy, settings: { temperature: 0 } } : { policy },
    sla,
    ...(cutoff === null ? {} : { cutoff, maxVirtualMs: 400 }),
    capture: { perRequest, telemetryIntervalMs: given.telemetry ? 50 : null },
  };
  const autoscaler = given.ticks
    ? scriptedAutoscaler({
      initialTickMs: () => 30,
      onTick: ({ nowMs, traffic }) => {
        seen.push({ ...traffic });
        return { targetPrefill: null, targetDecode: null, nextTickMs: nowMs + 70 };
      },
    })
    : undefined;
  try {
    const { per_request, coverage: _, ...rest } = await run(spec, { ready: { traffic, autoscaler }, hostMs: () => 0 })
      .report;
    assert.equal(per_request !== null, perRequest);
    return { ...rest, seen };
  } catch (problem) {
    if (!(problem instanceof SimulationError)) throw problem;
    return { refused: problem.message, seen };
  }
}

for (const mode of MODES) {
  test(`a report of ${mode} workers is the same whether records of requests are captured or not`, async () => {
    const cases = fc.asyncProperty(rows, cluster, async (rows, given) => {
      const traffic = await trafficOf(rows, given);
      const asked = { ...given, mode };
      assert.deepEqual(await outcomeOf(traffic, asked, false), await outcomeOf(traffic, asked, true));
    });
    await fc.assert(cases, { numRuns: 60, seed: 19 });
  });
}
