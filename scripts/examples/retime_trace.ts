/**
 * A trace cut and re-timed by a stage of one's own: only short prompts, with everything that came within ten seconds
 * arriving at once.
 *
 * Run: `deno run -A scripts/examples/retime_trace.ts [OUT.jsonl]`
 */
import process from "node:process";
import { readTrace, stage, type TraceRequest, traceTable, writeTrace } from "dynosim";

const out = process.argv[2] ?? "bursts.jsonl";
const bursts = stage<TraceRequest, TraceRequest>(async function* (requests) {
  for await (const request of requests) {
    if (request.inputTokens > 3000) continue;
    yield { ...request, timestampMs: Math.floor((request.timestampMs ?? 0) / 10_000) * 10_000 };
  }
});
await readTrace("fixtures/traces/chat.jsonl").pipeThrough(bursts).pipeTo(writeTrace(out));
const table = await traceTable(readTrace(out));
table.groupby("arrival_ms").count().orderby("arrival_ms").print(5);
console.log(`${table.numRows()} requests in ${out}`);
