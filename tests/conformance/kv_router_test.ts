/** The kv_router against recorded runs of the reference, with the reference's choices imposed. */
import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { test } from "node:test";
import { readPolicyFile } from "../../lib/router/policy_file.ts";
import { Playback, settingsOf } from "./playback_router.ts";
import { type RecordedCase, recordedDifferences } from "./recorded_case.ts";
import { type Case, differences, readCase, readPack, runCase } from "./replay_case.ts";

interface Decision {
  pool: string;
  worker: number;
  selected_cost: number;
  effective_cached_blocks: number;
}

type GoldenCase = Case & { expected: { decisions?: Decision[] } };
type PackCase = Case & { picks: [number, number, number][] };

const folder = new URL("../../fixtures/goldens/kv-router/", import.meta.url);

for (const file of readdirSync(folder).filter((name) => name.endsWith(".json")).sort()) {
  test(`kv_router does what kv-router/${file} records`, async () => {
    const given = readCase(`kv-router/${file}`) as GoldenCase;
    if (given.options.router_mode === "round_robin") {
      assert.deepEqual(differences(given, await runCase(given)), []);
      return;
    }
    const decisions = Object.groupBy(given.expected.decisions ?? [], ({ pool }) => pool);
    const playback = new Playback(settingsOf(given.options), (arrival, pool) => {
      const decision = decisions[pool]?.[arrival];
      return decision &&
        { rank: decision.worker, cost: decision.selected_cost, overlap: decision.effective_cached_blocks };
    });
    const result = await runCase(given, { router: playback.router });
    assert.deepEqual(playback.problems, []);
    assert.equal(playback.imposed, given.expected.decisions!.length);
    assert.deepEqual(differences(given, result), []);
  });
}

for (const pack of ["vllm", "sglang", "trtllm", "disagg"].flatMap((name) => [name, `scaled-${name}`])) {
  test(`kv_router agrees with every random trace of fuzz/kv-router-${pack}`, async () => {
    for (const given of readPack(`kv-router-${pack}`) as RecordedCase[]) {
      assert.deepEqual(await recordedDifferences(given), [], `seed ${given.seed}`);
    }
  });
}

const synthetic = new URL("../../../shared/traces/synthetic_trace.jsonl", import.meta.url);

test("kv_router agrees with 1,500 recorded placements on a real trace", { skip: !existsSync(synthetic) }, async () => {
  const given = readCase("real-traces/kv-router-synthetic-4-workers-picks.json") as PackCase;
  const playback = Playback.inOrder(settingsOf(given.options), given.picks);
  const result = await runCase(given, { router: playback.router, capturePerRequest: false });
  assert.deepEqual(playback.problems, []);
  assert.equal(playback.imposed, 1500);
  assert.deepEqual(differences(given, result), []);
});

interface ClassesCase extends Omit<Case, "expected"> {
  policy: any;
  expected: {
    error?: string;
    /** arrival, input, output, cost, resident blocks, in the order of the placements */
    picks?: [number, number, number, number, number][];
    /** arrival, input, output, release, end, reused tokens */
    requests?: [number, number, number, number | null, number, number][];
  };
}

test("kv_router serves the classes of policy files as 200 recorded random runs do", async () => {
  for (const recorded of readPack("kv-router-classes") as unknown as ClassesCase[]) {
    const { policy, expected, ...given } = recorded;
    const { profile } = readPolicyFile(policy);
    const settings = { ...settingsOf(given.options), profile };
    const placed: number[][] = [];
    const playback = new Playback(
      settings,
      () => undefined,
      ({ arrivalMs, inputTokens, outputTokens }, cost, overlap) => {
        placed.push([arrivalMs, inputTokens, outputTokens, cost, overlap]);
      },
    );
    const { report, error } = await runCase({ ...given, expected: {} }, { router: playback.router });
    const about = `seed ${given.seed}`;
    if (expected.error !== undefined) {
      assert.equal(error, expected.error, about);
      continue;
    }
    assert.deepEqual(placed, expected.picks, about);
    const requests = [...report!.per_request!].map((record) => [
      record.arrival_time_ms,
      record.input_length,
      record.requested_output_length,
      record.routing_history![0].released_at_ms,
      record.terminal_time_ms,
      record.reused_input_tokens,
    ]);
    const sorted = (rows: unknown[][]) => rows.map((row) => JSON.stringify(row)).sort();
    assert.deepEqual(sorted(requests), sorted(expected.requests!), about);
  }
});
