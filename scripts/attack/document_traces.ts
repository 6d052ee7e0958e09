/** Small traces that the documents of the attack name, written where temporary files go. */
import { writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const EPOCH_MS = 1_735_689_600_000;
/** Writes a trace of some rows; returns its path. */
function traceFile(name: string, list: readonly unknown[]): string {
  const path = join(tmpdir(), `dynosim-attack-${name}.jsonl`);
  writeFileSync(path, list.map((row) => JSON.stringify(row)).join("\n"));
  return path;
}

const rows = Array.from({ length: 60 }, (_, i) => ({
  timestamp: 3000 * i + 37 * (i % 7),
  input_length: 600 + 300 * (i % 5),
  output_length: 5 + 7 * (i % 9),
  hash_ids: [i % 4, 100 + i % 11, 1000 + i, 2000 + i].slice(0, Math.ceil((600 + 300 * (i % 5)) / 512)),
}));

/** Of Mooncake. */
export const MOONCAKE = traceFile("mooncake", rows);

const request = (row: typeof rows[number], i: number) => ({
  schema: "dynamo.request.trace.v1",
  event_type: "request_end",
  event_time_unix_ms: EPOCH_MS + row.timestamp,
  request: {
    request_id: `r${i}`,
    request_received_ms: EPOCH_MS + row.timestamp,
    output_tokens: row.output_length,
    total_time_ms: 800,
    replay: { trace_block_size: 512, input_length: row.input_length, input_sequence_hashes: row.hash_ids },
  },
});

/** Of Dynamo. */
export const DYNAMO = traceFile("dynamo", rows.map(request));

/** Of agents, with what each request waits for. */
export const AGENTIC = traceFile("agentic", [
  {
    schema: "dynamo.agentic_mooncake",
    version: 2,
    block_size: 512,
    hash_id_scope: "local",
    source: { format: "f", digest: "d" },
  },
  ...Array.from({ length: 12 }, (_, i) => ({
    request_id: `r${i}`,
    play_id: `p${i % 4}`,
    session_id: `s${i % 4}`,
    model: "m",
    input_length: 700,
    output_length: 5,
    hash_ids: [i % 4, 100 + i],
    not_before_ms: i < 4 ? 50 * i : 0,
    dependencies: i < 4 ? [] : [{ request_id: `r${i - 4}`, delay_ms: 10, trigger: "completion", relation: "sequence" }],
  })),
]);

/** Of agents by their turns. */
export const APPLIED = traceFile(
  "applied",
  Array.from({ length: 8 }, () => ({
    num_turns: 2,
    input_prompt_length: 600,
    assistant_response_length: [5, 6],
    tool_call_output_length: [9, 9],
    tool_call_latency: [0.25, 0.1],
    final_assistant_response_length: 2,
  })),
);
