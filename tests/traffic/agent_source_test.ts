import assert from "node:assert/strict";
import { test } from "node:test";
import { loadTrace } from "../../lib/traffic/load_trace.ts";
import type { AdmissionSource } from "../../lib/traffic/workload.ts";

const HEADER = {
  "schema": "dynamo.agentic_mooncake",
  "version": 2,
  "block_size": 4,
  "hash_id_scope": "local",
  "source": { "format": "f", "digest": "d" },
};

/** Four plays of one request each, two of which run at a time. */
const rows = ["a", "b", "c", "d"].map((name) => ({
  request_id: name,
  play_id: name,
  session_id: name,
  model: "m",
  input_length: 8,
  output_length: 2,
  hash_ids: [1, 2],
  not_before_ms: 0,
  dependencies: [],
}));

/** Lanes of the plays, by request, where the first two end at one time: the second is told of first. */
async function lanes(between: (source: AdmissionSource) => void): Promise<string[]> {
  const text = [HEADER, ...rows].map((row) => JSON.stringify(row) + "\n").join("");
  const traffic = await loadTrace(new Blob([text]).stream(), { format: "agentic_mooncake", lanes: 2, model: "m" });
  const source = traffic.start();
  const running = [source.admit(0), source.admit(0)];
  for (const request of running) source.dispatched(request, 0);
  source.ended(running[1], 5, "completed", 2);
  between(source);
  source.ended(running[0], 5, "completed", 2);
  assert.equal(source.nextReadyMs(), 5);
  assert.deepEqual([source.admit(5), source.admit(5)].sort(), [2, 3]);
  return source.workload.agentic!.map(({ lane_id }) => lane_id);
}

test("nextReadyMs of agents gives no play a lane before all ends of a time are known", async () => {
  const unasked = await lanes(() => {});
  assert.deepEqual(unasked, ["lane:0", "lane:1", "lane:0", "lane:1"]);
  assert.deepEqual(await lanes((source) => assert.equal(source.nextReadyMs(), 5)), unasked);
});
