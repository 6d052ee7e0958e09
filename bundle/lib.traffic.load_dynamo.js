import {
  DynamoTrace,
  agentRequests,
  byteOrder,
  dynamoOrder,
  loadGraph
} from "./traces.js";
import {
  SessionRows,
  WorkloadBuilder,
  feed,
  sourceName
} from "./core.js";
import "./shared.js";
import "./config.js";
import "./timing.js";
import {
  ConfigError,
  TraceError,
  reaching
} from "./base.js";

// lib/traffic/load_dynamo.ts
async function loadDynamo(sources, options) {
  const trace = new DynamoTrace(options);
  const file = sources.map(sourceName).join(", ");
  const agents = [];
  const rows = new OpenLoopRows();
  const emit = (row) => {
    if (row.sessionId !== void 0) agents.push({
      ...row,
      hashIds: row.hashIds.slice(0, row.hashCount)
    });
    else rows.add(row, trace.blockTokens);
  };
  for (const source of sources) {
    for await (const _ of feed(source, trace.rows(sourceName(source)), emit)) ;
  }
  trace.check();
  const blockTokens = trace.blockTokens;
  if (trace.withContext > 0) {
    const requests = agentRequests(agents.sort(dynamoOrder), trace.tools, blockTokens, file);
    if (options.concurrency !== void 0) {
      throw new ConfigError("agentic Dynamo request traces are not supported with replay_concurrency");
    }
    const digest = `requests:${trace.requests};tools:${trace.tools.length}`;
    const graph = loadGraph(requests, {
      format: "dynamo.request.trace.v1",
      digest
    }, {
      ...options,
      blockTokens
    });
    return {
      ...graph,
      agents: true
    };
  }
  if (options.lanes !== void 0) throw new ConfigError("agentic_lanes requires an agentic Dynamo request trace");
  return rows.finish(options, file);
}
var OpenLoopRows = class {
  #requestIds = [];
  #builder;
  #startMs = new Float64Array(1024);
  #endMs = new Float64Array(1024);
  #durationMs = new Float64Array(1024);
  #outputMissing = false;
  add(row, blockTokens) {
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
  finish(options, file) {
    const builder = this.#builder, startMs = this.#startMs, endMs = this.#endMs, ids = this.#requestIds;
    const order = Int32Array.from(ids, (_, i) => i).sort((a, b) => startMs[a] - startMs[b] || endMs[a] - endMs[b] || byteOrder(ids[a], ids[b]));
    if (order.some((row, i) => row !== i)) builder.reorder(order);
    if (this.#outputMissing) throw new TraceError("missing output_tokens", {
      file
    });
    for (let i = 0; i < order.length; i++) {
      const input = builder.inputTokens(i), capacity = builder.blocks(i) * builder.blockTokens;
      if (input > capacity) {
        throw new TraceError(`trace line ${i + 1} input_length ${input} exceeds hash_ids capacity ${capacity}`, {
          file
        });
      }
    }
    const times = Float64Array.from(order, (row) => startMs[row] - startMs[order[0]]);
    const lines = Int32Array.from(order, (_, i) => i + 1);
    const rows = new SessionRows({
      ...options,
      blockTokens: builder.blockTokens
    }, {
      builder,
      times,
      lines,
      file
    });
    const recording = {
      originMs: startMs[order[0]],
      durationMs: Float64Array.from(order, (row) => this.#durationMs[row])
    };
    return withRecording(rows.finish(), recording);
  }
};
function withRecording(traffic, recording) {
  const { repaced } = traffic;
  return {
    ...traffic,
    recording,
    repaced: repaced && ((pace) => withRecording(repaced(pace), recording))
  };
}
export {
  loadDynamo
};
