import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { syntheticTraffic } from "../../lib/traffic/synthetic.ts";
import { visits } from "./idle_cluster.ts";

interface Golden {
  description: string;
  options: Record<string, number>;
  synthetic?: { input_tokens: number; output_tokens: number; request_count: number };
  expected: { requests: { arrival_time_ms: number; session_id?: string; turn_index?: number }[] };
  error: string | null;
}

const folder = new URL("../../fixtures/goldens/loadgen/", import.meta.url);
const read = (name: string) => JSON.parse(readFileSync(new URL(name, folder), "utf8"));

function traffic({ options, synthetic }: Golden) {
  return syntheticTraffic({
    inputTokens: synthetic!.input_tokens,
    outputTokens: synthetic!.output_tokens,
    count: synthetic!.request_count,
    concurrency: options.replay_concurrency,
    requestsPerSecond: typeof options.request_rate === "string" ? Infinity : options.request_rate,
    arrivalIntervalMs: options.arrival_interval_ms,
    seed: options.arrival_seed,
    speedup: options.arrival_speedup_ratio,
    turns: options.turns_per_session,
    sharedPrefixRatio: options.shared_prefix_ratio,
    prefixGroups: options.num_prefix_groups,
    interTurnDelayMs: options.inter_turn_delay_ms,
    blockTokens: 4,
  });
}

for (const name of readdirSync(folder).sort()) {
  if (!/^\d+-.*\.json$/.test(name) || name.startsWith("31")) continue;
  const golden = read(name) as Golden;
  if (golden.synthetic === undefined) continue;
  test(`syntheticTraffic gives the reference's arrivals: ${name}`, () => {
    const load = traffic(golden), { workload } = load;
    const got = visits(load, (r) => ({ ms: 10 + 2 * (workload.outputTokens[r] - 1) })).map((visit) => ({
      arrival: visit.arrivalMs,
      session: workload.session === null ? undefined : workload.sessionName(workload.session[visit.request]),
      turn: workload.turn?.[visit.request],
    }));
    const expected = golden.expected.requests.map((r) => ({
      arrival: r.arrival_time_ms,
      session: r.session_id,
      turn: r.turn_index,
    }));
    const sorted = (rows: typeof got) =>
      rows.sort((a, b) => a.arrival - b.arrival || (a.session ?? "").localeCompare(b.session ?? ""));
    assert.deepEqual(sorted(got), sorted(expected));
  });
}

for (const golden of read("31-errors.json").cases as Golden[]) {
  if (golden.synthetic === undefined) continue;
  test(`syntheticTraffic checks its options as the reference does: ${golden.description}`, () => {
    if (golden.error === null) traffic(golden);
    else assert.throws(() => traffic(golden), { name: "ConfigError", message: golden.error });
  });
}

test("syntheticTraffic shares nothing between independent requests", () => {
  const { workload } = syntheticTraffic({ inputTokens: 1000, outputTokens: 1, count: 50, concurrency: 1 });
  assert.equal(new Set(workload.blockIds).size, 100);
});

test("syntheticTraffic shares the prefix of a group and nothing else", () => {
  const { workload } = syntheticTraffic({
    inputTokens: 18,
    outputTokens: 2,
    count: 12,
    turns: 2,
    sharedPrefixRatio: 0.5,
    prefixGroups: 3,
    concurrency: 1,
    blockTokens: 4,
  });
  // of 5 blocks 2.5 are shared: halves go away from zero
  const groups = [0, 1, 0, 1, 2, 1, 2, 1, 2, 0, 1, 1];
  const prefixOf = new Map<number, string>();
  const own: number[] = [];
  for (let r = 0; r < 24; r++) {
    const ids = workload.blockIds.subarray(workload.blockStart[r], workload.blockStart[r + 1]);
    const group = groups[Math.floor(r / 2)], prefix = ids.subarray(0, 3).join();
    assert.equal(prefixOf.get(group) ?? prefix, prefix);
    prefixOf.set(group, prefix);
    own.push(...ids.subarray(3));
  }
  assert.equal(new Set(prefixOf.values()).size, 3);
  assert.equal(new Set(own).size, 48);
  assert.equal(new Set(workload.blockIds).size, 48 + 9);
});

test("syntheticTraffic with growing prompts gives each turn the conversation so far", () => {
  const shape = { inputTokens: 18, outputTokens: 3, count: 2, turns: 3, concurrency: 2, blockTokens: 4 };
  const source = syntheticTraffic({ ...shape, growingPrompts: true, sharedPrefixRatio: 0.5, prefixGroups: 1 }).start();
  const prompts: number[][] = [];
  for (let request = source.admit(0); request >= 0; request = source.admit(0)) {
    const { tokens, lengths, inputTokens } = source.promptRuns(request)!;
    prompts[request] = Array.from(tokens).flatMap((token, i) => Array(lengths[i]).fill(token));
    assert.equal(prompts[request].length, inputTokens);
    source.ended(request, 0, "completed", 3);
  }
  assert.deepEqual(prompts.map(({ length }) => length), [18, 39, 60, 18, 39, 60]);
  const common = (a: number[], b: number[]) => a.findIndex((token, i) => token !== b[i]);
  assert.equal(common(prompts[0], prompts[3]), 12); // half of five blocks, rounded
  assert.deepEqual(prompts[1].slice(0, 18), prompts[0]);
  assert.deepEqual(prompts[2].slice(0, 39), prompts[1]);
  assert.equal(new Set(prompts[2].slice(18, 21)).size, 1);
});
