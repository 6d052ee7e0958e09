import assert from "node:assert/strict";
import { test } from "node:test";
import { admit, budgetOf, estimateOf, type HostFacts, ResourceWatch } from "../../cli/resources.ts";
import { ResourceLimitError } from "../../lib/errors.ts";
import { BASE, planOf, read } from "../config/support.ts";

const HOST: HostFacts = { memory: { totalBytes: 32e9, availableBytes: 20e9 }, cpus: 8, containerBytes: () => Infinity };
const NOTHING = { textBytes: 0, rows: 0, listed: 0 };
const LIMITS = {
  initialization_timeout_seconds: 60,
  shutdown_timeout_seconds: 5,
  memory_limit_gb: "auto",
  cpu_limit: "auto",
  reserve_memory_gb: 1,
  reserve_memory_fraction: 0,
  available_memory_fraction: 0.9,
} as const;

test("budgetOf takes the smaller of a share and what the reserve leaves", () => {
  assert.deepEqual(budgetOf(LIMITS, HOST), { memoryBytes: 18e9, cpus: 7, reservedBytes: 1e9 });
  assert.deepEqual(budgetOf({ ...LIMITS, reserve_memory_fraction: 0.25 }, HOST), {
    memoryBytes: 12e9,
    cpus: 7,
    reservedBytes: 8e9,
  });
  assert.deepEqual(budgetOf({ ...LIMITS, memory_limit_gb: 1.5, cpu_limit: 8 }, HOST), {
    memoryBytes: 1.5e9,
    cpus: 8,
    reservedBytes: 1e9,
  });
});

test("budgetOf keeps one CPU where there is one, and no limit where the host tells nothing", () => {
  assert.deepEqual(budgetOf(LIMITS, { ...HOST, memory: undefined, cpus: 1 }), {
    memoryBytes: Infinity,
    cpus: 1,
    reservedBytes: 0,
  });
});

test("budgetOf refuses what the host does not have", () => {
  const refusal = (changes: object) => budgetOf({ ...LIMITS, ...changes }, HOST);
  assert.equal(
    refusal({ memory_limit_gb: 19.5 }),
    "requested host memory budget 19.50 GB exceeds available headroom 19.00 GB",
  );
  assert.equal(refusal({ cpu_limit: 9 }), "requested CPU budget exceeds the host/container CPU allowance");
  assert.equal(refusal({ reserve_memory_gb: 20 }), "no host memory remains for an execution process");
});

test("budgetOf takes a share of the container, of which nothing is reserved, where much is needed", () => {
  const host = { ...HOST, containerBytes: () => 1e9 };
  assert.deepEqual(budgetOf(LIMITS, host, 3e8), { memoryBytes: 9e8, cpus: 7, reservedBytes: 1e9 });
  assert.deepEqual(budgetOf({ ...LIMITS, memory_limit_gb: 5 }, host, 3e8), {
    memoryBytes: 9e8,
    cpus: 7,
    reservedBytes: 1e9,
  });
  assert.deepEqual(budgetOf(LIMITS, { ...host, memory: undefined }, 3e8), {
    memoryBytes: 9e8,
    cpus: 7,
    reservedBytes: 0,
  });
  assert.deepEqual(budgetOf(LIMITS, host, 2e8), { memoryBytes: 18e9, cpus: 7, reservedBytes: 1e9 });
});

test("admit refuses what a container cannot hold", async () => {
  const size = { textBytes: 4e9, rows: 2e7, listed: 1e8 };
  const refused = admit(await planOf(BASE), { ...HOST, containerBytes: () => 1e9 }, size, false);
  assert.ok("error" in refused);
  assert.match(refused.error.message, /^the workload needs more memory than the budget; .* host budget=0\.90 GB\./);
});

test("admit refuses with the plan it made", async () => {
  const plan = await planOf(BASE, ["execution.resources.memory_limit_gb=1"]);
  const refused = admit(plan, HOST, { textBytes: 4e9, rows: 2e7, listed: 1e8 }, false);
  assert.ok("error" in refused && refused.error instanceof ResourceLimitError);
  assert.equal(
    refused.error.message,
    "the workload needs more memory than the budget; allocation model=dynosim-trace-v2, requests=20000000, " +
      "estimated peak=2.54 GB, lower bound=1.65 GB, host budget=1.00 GB. " +
      "Choose an explicit smaller workload or an execution host with sufficient resources.",
  );
  assert.deepEqual(Object.keys(refused.plan), [
    "schema_version",
    "status",
    "stack",
    "host",
    "budget",
    "estimate",
    "requested_parallelism",
    "effective_parallelism",
    "reason",
  ]);
  const admitted = admit(plan, HOST, NOTHING, false);
  assert.ok("budget" in admitted);
  assert.equal(admitted.plan.status, "admitted");
  assert.deepEqual(admitted.budget, { memoryBytes: 1e9, cpus: 7, reservedBytes: 1e9 });
});

test("estimateOf counts the requests of synthetic loads", async () => {
  const session = { type: "synthetic-session", session: { turns: 5 } };
  const plan = await planOf(BASE, [`traffic=${JSON.stringify({ source: session, load: {}, stop: { sessions: 20 } })}`]);
  assert.equal(estimateOf(plan, NOTHING, false).requests, 100);
});

test("estimateOf counts few blocks of generated prompts that share nothing, whatever the engine's are", async () => {
  const source = { type: "synthetic", input_tokens: 8192, output_tokens: 16 };
  const traffic = { source, load: { type: "concurrency", concurrency: 8 }, stop: { requests: 1_000_000 } };
  const { leastBytes, peakBytes } = estimateOf(
    await planOf(BASE, [`traffic=${JSON.stringify(traffic)}`, "engine.backend=sglang"]),
    NOTHING,
    false,
  );
  // such a run was seen to take 0.64 GB, and was taken for 66 GB when its blocks were those of the engine, of one token
  assert.ok(leastBytes < 3e8 && peakBytes > 6.4e8 && peakBytes < 1e9, `${leastBytes} ${peakBytes}`);
});

test("estimateOf counts the outputs that a session's next prompts repeat", async () => {
  const source = {
    type: "synthetic-session",
    session: { turns: 5 },
    new_input_tokens_per_turn: 256,
    output_tokens_per_turn: 1024,
  };
  const traffic = { source, load: { type: "concurrency", concurrency: 64 }, stop: { sessions: 20_000 } };
  const { plan } = await read(BASE, [`traffic=${JSON.stringify(traffic)}`], { stack: "engine" });
  const { leastBytes, peakBytes } = estimateOf(plan, NOTHING, false);
  // such a run was seen to take 0.73 GB
  assert.ok(leastBytes > 3.5e8 && leastBytes < 7.3e8 && peakBytes > 7.3e8, `${leastBytes} ${peakBytes}`);
});

test("estimateOf tells more where records are kept, and nothing of traces that it cannot look at", async () => {
  const plan = await planOf(BASE), size = { textBytes: 1e9, rows: 1e7, listed: 2e7 };
  const [plain, kept] = [false, true].map((perRequest) => estimateOf(plan, size, perRequest));
  assert.deepEqual([plain.requests, plain.leastBytes, plain.peakBytes], [1e7, 658331648, 1054606336]);
  assert.ok(kept.leastBytes > 2 * plain.leastBytes);
  assert.equal(estimateOf(plan, NOTHING, false).requests, null);
});

test("ResourceWatch stops a run over its budget", () => {
  const watch = new ResourceWatch({ memoryBytes: 1e7, cpus: 1, reservedBytes: 0 }, LIMITS, () => Infinity);
  assert.throws(() => watch.look(), (error) => {
    assert.ok(error instanceof ResourceLimitError);
    return /^owned process tree exceeded the memory budget \(\d\.\d\d GB of 0\.01 GB\)$/.test(error.message);
  });
  const reserve = new ResourceWatch({ memoryBytes: Infinity, cpus: 1, reservedBytes: 1e15 }, LIMITS, () => Infinity);
  assert.throws(() => reserve.look(), /available host memory fell below reserved headroom/);
  const runtime = watch.record("resource_limited", "why", 3);
  assert.deepEqual([runtime.status, runtime.reason, runtime.exit_code], ["resource_limited", "why", 3]);
});

test("ResourceWatch stops a run that its container would kill, when it has grown", () => {
  const room = new Uint8Array(300e6).fill(1); // resident, unlike what was only asked for
  const budget = { memoryBytes: Infinity, cpus: 1, reservedBytes: 0 };
  const contained = new ResourceWatch(budget, LIMITS, () => 2e8);
  assert.throws(() => contained.look(), /exceeded the memory budget \(\d\.\d\d GB of 0\.18 GB\)/);
  new ResourceWatch(budget, LIMITS, () => 1e12).look();
  assert.equal(room.at(-1), 1);
});
