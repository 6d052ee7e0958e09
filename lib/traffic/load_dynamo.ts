/**
 * A dynamo trace into a load: an open-loop one into columns ordered by time, one with agents into a graph.
 *
 * @module
 */
import { reaching } from "../collections/growing.ts";
import { ConfigError, TraceError } from "../errors.ts";
import { byteOrder } from "../trace/byte_order.ts";
import { DynamoTrace } from "../trace/dynamo.ts";
import type { DynamoRow } from "../trace/dynamo_row.ts";
import { agentRequests, dynamoOrder, type KeptDynamoRow } from "../trace/dynamo_agents.ts";
import { type ByteSource, feed, sourceName } from "../trace/feed.ts";
import type { Emit } from "../trace/row.ts";
import { loadGraph } from "./agent_graph.ts";
import type { LoadOptions } from "./load_trace.ts";
import { SessionRows } from "./session_rows.ts";
import type { Recording, Traffic } from "./workload.ts";
import { WorkloadBuilder } from "./workload_builder.ts";

/** @throws {TraceError} when the files are no dynamo trace that can be replayed. */
export async function loadDynamo(sources: readonly ByteSource[], options: LoadOptions): Promise<Traffic> {
  const trace = new DynamoTrace(options);
  const file = sources.map(sourceName).join(", ");
  const agents: KeptDynamoRow[] = [];
  const rows = new OpenLoopRows();
  const emit: Emit = (row) => {
    if (row.sessionId !== undefined) agents.push({ ...row as DynamoRow, hashIds: row.hashIds.slice(0, row.hashCount) });
    else rows.add(row as DynamoRow, trace.blockTokens!);
  };
  for (const source of sources) {
    for await (const _ of feed(source, trace.rows(sourceName(source)), emit));
  }
  trace.check();
  const blockTokens = trace.blockTokens!;
  if (trace.withContext > 0) {
    const requests = agentRequests(agents.sort(dynamoOrder), trace.tools, blockTokens, file);
    if (options.concurrency !== undefined) {
      throw new ConfigError("agentic Dynamo request traces are not supported with replay_concurrency");
    }
    const digest = `requests:${trace.requests};tools:${trace.tools.length}`;
    const graph = loadGraph(requests, { format: "dynamo.request.trace.v1", digest }, { ...options, blockTokens });
    return { ...graph, agents: true };
  }
  if (options.lanes !== undefined) throw new ConfigError("agentic_lanes requires an agentic Dynamo request trace");
  return rows.finish(options, file);
}

/** Rows without agents, as columns in the order of the files. */
class OpenLoopRows {
  readonly #requestIds: string[] = [];
  #builder: WorkloadBuilder | undefined;
  #startMs = new Float64Array(1024);
  #endMs = new Float64Array(1024);
  #durationMs = new Float64Array(1024);
  #outputMissing = false;

  add(row: DynamoRow, blockTokens: number): void {
    this.#builder ??= new WorkloadBuilder(Math.max(blockTokens, 1));
    const at = this.#builder.add(row, row.hashIds, row.hashCount);
    if (at === this.#startMs.length) {
      this.#startMs = reaching(this.#startMs, at);
      this.#endMs = reaching(this.#endMs, at);
      this.#durationMs = reaching(this.#durationMs, at);
    }
    this.#startMs[at] = row.timestampMs;
    this.#endMs[at] = row.endMs;
    this.#durationMs[at] = row.durationMs ?? NaN;
    this.#outputMissing ||= !row.outputKnown;
    this.#requestIds.push(row.requestId);
  }

  /** The load, with rows in the order of start, end and id. */
  finish(options: LoadOptions, file: string): Traffic {
    const builder = this.#builder!, startMs = this.#startMs, endMs = this.#endMs, ids = this.#requestIds;
    const order = Int32Array.from(ids, (_, i) => i).sort((a, b) =>
      startMs[a] - startMs[b] || endMs[a] - endMs[b] || byteOrder(ids[a], ids[b])
    );
    if (order.some((row, i) => row !== i)) builder.reorder(order);
    if (this.#outputMissing) throw new TraceError("missing output_tokens", { file });
    for (let i = 0; i < order.length; i++) {
      const input = builder.inputTokens(i), capacity = builder.blocks(i) * builder.blockTokens;
      if (input > capacity) {
        throw new TraceError(`trace line ${i + 1} input_length ${input} exceeds hash_ids capacity ${capacity}`, {
          file,
        });
      }
    }
    const times = Float64Array.from(order, (row) => startMs[row] - startMs[order[0]]);
    const lines = Int32Array.from(order, (_, i) => i + 1);
    const rows = new SessionRows({ ...options, blockTokens: builder.blockTokens }, { builder, times, lines, file });
    const recording = {
      originMs: startMs[order[0]],
      durationMs: Float64Array.from(order, (row) => this.#durationMs[row]),
    };
    return withRecording(rows.finish(), recording);
  }
}

function withRecording(traffic: Traffic, recording: Recording): Traffic {
  const { repaced } = traffic;
  return { ...traffic, recording, repaced: repaced && ((pace) => withRecording(repaced(pace), recording)) };
}
