import assert from "node:assert/strict";
import { test } from "node:test";
import { loadTrace } from "../../lib/traffic/load_trace.ts";

function row(id: string, receivedMs: number, totalTimeMs?: number): string {
  return JSON.stringify({
    schema: "dynamo.request.trace.v1",
    event_type: "request_end",
    event_time_unix_ms: receivedMs + 500,
    request: {
      request_id: id,
      request_received_ms: receivedMs,
      output_tokens: 3,
      ...(totalTimeMs === undefined ? {} : { total_time_ms: totalTimeMs }),
      replay: { trace_block_size: 16, input_length: 20, input_sequence_hashes: [1, 2] },
    },
  }) + "\n";
}

async function* bytes(...rows: string[]) {
  yield new TextEncoder().encode(rows.join(""));
}

test("loadTrace of a dynamo trace keeps the recorder's clock and the recorded durations, in order of time", async () => {
  const rows = [row("b", 1_700_000_002_000, 12.5), row("a", 1_700_000_000_000), row("c", 1_700_000_002_500, 7)];
  const { recording } = await loadTrace(bytes(...rows), { format: "dynamo" });
  assert.equal(recording!.originMs, 1_700_000_000_000);
  assert.deepEqual([...recording!.durationMs], [NaN, 12.5, 7]);
});
