/** Every trace format and every synthetic load against recorded runs of the reference. */
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { gunzipSync, gzipSync } from "node:zlib";
import { loadTrace } from "../../lib/traffic/load_trace.ts";
import { syntheticTraffic } from "../../lib/traffic/synthetic.ts";
import type { Traffic } from "../../lib/traffic/workload.ts";
import { type Case, differences, runCase } from "./replay_case.ts";

interface LoadCase extends Case {
  synthetic?: { input_tokens: number; output_tokens: number; request_count: number };
}

const folder = new URL("../../fixtures/goldens/loadgen/", import.meta.url);

const text = (rows: readonly (object | string)[]) =>
  rows.map((row) => `${typeof row === "string" ? row : JSON.stringify(row)}\n`).join("");

/** Writes the files of a case to a fresh folder. */
function written(given: LoadCase): string[] {
  const folder = mkdtempSync(join(tmpdir(), "dynosim-loadgen-"));
  const files = given.files ?? [{ name: "trace.jsonl", lines: given.trace as (object | string)[] }];
  return files.map(({ name, lines }) => {
    const path = join(folder, name);
    writeFileSync(path, name.endsWith(".gz") ? gzipSync(text(lines)) : text(lines));
    return path;
  });
}

async function trafficOf(given: LoadCase): Promise<Traffic> {
  const options = given.options as Record<string, number> & { trace_format?: string; execution_model?: string };
  if (given.synthetic === undefined) {
    return await loadTrace(written(given), {
      format: options.trace_format,
      blockTokens: options.trace_block_size,
      concurrency: options.replay_concurrency,
      speedup: options.arrival_speedup_ratio,
      lanes: options.agentic_lanes,
      model: options.execution_model,
      sharedPrefixRatio: options.trace_shared_prefix_ratio,
      prefixGroups: options.trace_num_prefix_groups,
    });
  }
  return syntheticTraffic({
    inputTokens: given.synthetic.input_tokens,
    outputTokens: given.synthetic.output_tokens,
    count: given.synthetic.request_count,
    concurrency: options.replay_concurrency,
    requestsPerSecond: options.request_rate,
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

/** Reads a case; integers beyond 2^53 stay as they are written. */
function read(name: string): LoadCase {
  const raw = JSON as unknown as { rawJSON(text: string): object };
  const keep = (_key: string, value: unknown, { source }: { source: string }) =>
    typeof value === "number" && Number.isInteger(value) && !Number.isSafeInteger(value) ? raw.rawJSON(source) : value;
  const text = readFileSync(new URL(name, folder), "utf8");
  return (JSON.parse as (text: string, reviver: unknown) => LoadCase)(text, keep);
}

for (const name of readdirSync(folder).sort()) {
  if (!/^\d\d-.*\.json$/.test(name) || name.startsWith("31-")) continue;
  test(`a replay of loadgen/${name} is the reference's`, async () => {
    const given = read(name);
    const result = await runCase(given, { traffic: await trafficOf(given) });
    assert.deepEqual(differences(given, result), []);
  });
}

test("replays of random traces of every format are the reference's", async () => {
  const pack = gunzipSync(readFileSync(new URL("random-replays.jsonl.gz", folder))).toString("utf8").trim().split("\n");
  for (const [i, line] of pack.entries()) {
    const { files, ...given } = JSON.parse(line) as Omit<LoadCase, "files"> & { files: (object | string)[][] };
    const shards = files.map((lines, k) => ({ name: `t${k}.jsonl`, lines }));
    const { error } = given.expected;
    const traffic = trafficOf({ ...given, files: shards });
    if (error !== undefined) {
      await assert.rejects(traffic, (problem: Error) => {
        const message = problem.message.replaceAll(/\/[^ ]*dynosim-loadgen-\w+/g, "{dir}");
        assert.ok(message === error || message.startsWith(`${error}: `), `case ${i}: ${message}`);
        return true;
      });
    } else {
      assert.deepEqual(differences(given, await runCase(given, { traffic: await traffic })), [], `case ${i}`);
    }
  }
});
