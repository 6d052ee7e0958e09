import {
  SCHEMA
} from "./traces.js";
import "./core.js";
import "./shared.js";
import "./config.js";
import "./timing.js";
import {
  TraceError
} from "./base.js";

// lib/trace/dynamo_writer.ts
var EPOCH_MS = 17356896e5;
var DynamoRowWriter = class {
  #blockTokens;
  #keepIds;
  #identity;
  #epochMs;
  #count = 0;
  #rounded = 0;
  #withSession = 0;
  constructor(options = {}) {
    this.#blockTokens = options.blockTokens ?? 512;
    this.#keepIds = options.keepIds ?? false;
    const { identity = "recorded" } = options;
    this.#identity = identity === "recorded" ? "" : `"prefix_identity":"${identity}",`;
    this.#epochMs = options.epochMs;
  }
  /** @throws {TraceError} for a request without a time. */
  row(request) {
    const { timestampMs, durationMs } = request;
    if (timestampMs === void 0) {
      throw new TraceError(`trace line ${request.line} has no timestamp, which a dynamo trace needs`, {
        line: request.line
      });
    }
    this.#epochMs ??= timestampMs >= 1e11 ? 0 : EPOCH_MS;
    const startMs = Math.round(this.#epochMs + timestampMs);
    if (startMs !== this.#epochMs + timestampMs) this.#rounded++;
    if (request.sessionId !== void 0) this.#withSession++;
    const number = String(++this.#count).padStart(9, "0");
    const id = this.#keepIds && request.requestId !== void 0 ? JSON.stringify(request.requestId) : `"r${number}"`;
    const endMs = startMs + Math.round(durationMs ?? 0);
    const total = durationMs === void 0 ? "" : `,"total_time_ms":${durationMs}`;
    return `{"schema":"${SCHEMA}","event_type":"request_end","event_time_unix_ms":${endMs},${this.#identity}"request":{"request_id":${id},"request_received_ms":${startMs},"output_tokens":${request.outputTokens}${total},"replay":{"trace_block_size":${this.#blockTokens},"input_length":${request.inputTokens},"input_sequence_hashes":[${request.hashIds.join(",")}]}}}
`;
  }
  remarks(ledger) {
    ledger.note("times rounded to whole milliseconds", this.#rounded);
    ledger.note("rows of sessions written without them: a dynamo row has an arrival, not a turn", this.#withSession);
  }
};
export {
  DynamoRowWriter
};
