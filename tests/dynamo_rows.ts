/** Rows of Mooncake traces as rows of a Dynamo request trace, split in two by time. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const EPOCH_MS = 1_735_689_600_000;
const BLOCK_TOKENS = 512;

interface MooncakeRow {
  timestamp: number;
  input_length: number;
  output_length: number;
  hash_ids: number[];
}

function dynamoRow(row: MooncakeRow, index: number, totalTimeMs?: number): string {
  return JSON.stringify({
    schema: "dynamo.request.trace.v1",
    event_type: "request_end",
    event_time_unix_ms: EPOCH_MS + row.timestamp,
    request: {
      request_id: `r${String(index).padStart(9, "0")}`,
      request_received_ms: EPOCH_MS + row.timestamp,
      output_tokens: row.output_length,
      ...(totalTimeMs === undefined ? {} : { total_time_ms: totalTimeMs }),
      replay: {
        trace_block_size: BLOCK_TOKENS,
        input_length: row.input_length,
        input_sequence_hashes: row.hash_ids,
      },
    },
  });
}

/**
 * Writes a Mooncake trace as two Dynamo traces: what arrived before `splitMs`, and the rest.
 *
 * @param totalTimeMs recorded duration of every request; none by default
 */
export function writeDynamoTraces(
  mooncake: string | URL,
  folder: string,
  splitMs: number,
  totalTimeMs?: number,
): { history: string; replayed: string } {
  const lines = readFileSync(mooncake, "utf8").trim().split("\n");
  const rows = lines.map((line, index) => ({ row: JSON.parse(line) as MooncakeRow, index }));
  const write = (name: string, keep: (row: MooncakeRow) => boolean) => {
    const path = join(folder, name);
    const kept = rows.filter(({ row }) => keep(row)).map(({ row, index }) => dynamoRow(row, index, totalTimeMs));
    writeFileSync(path, `${kept.join("\n")}\n`);
    return path;
  };
  return {
    history: write("history.jsonl", ({ timestamp }) => timestamp < splitMs),
    replayed: write("replay.jsonl", ({ timestamp }) => timestamp >= splitMs),
  };
}
