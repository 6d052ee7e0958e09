/**
 * Requests as rows of a `dynamo.request.trace.v1` trace.
 *
 * @module
 */
import { TraceError } from "../errors.ts";
import { SCHEMA } from "./dynamo_row.ts";
import type { PrefixIdentity } from "./format.ts";
import type { Ledger } from "./ledger.ts";
import type { TraceRequest } from "./request.ts";
import type { RowWriter } from "./write_trace.ts";

/** Options of {@linkcode DynamoRowWriter}. */
export interface DynamoWriterOptions {
  /** Tokens a block id stands for. Default 512. */
  blockTokens?: number;
  /**
   * Added to the times, so that they are a wall clock. Default: 0 for times that are one already (from 1973 on), else
   * 2025-01-01. Files that belong together must share it.
   */
  epochMs?: number;
  /** Keep the requests' own ids instead of numbering them. Equal times are then ordered by id. Default false. */
  keepIds?: boolean;
  /** How the ids are known; what was not recorded is told in every row. Default `recorded`. */
  identity?: PrefixIdentity;
}

const EPOCH_MS = 1_735_689_600_000;

/** Writes requests as rows of an open-loop trace: sessions and their delays have no place in it. */
export class DynamoRowWriter implements RowWriter {
  readonly #blockTokens: number;
  readonly #keepIds: boolean;
  readonly #identity: string;
  #epochMs: number | undefined;
  #count = 0;
  #rounded = 0;
  #withSession = 0;

  constructor(options: DynamoWriterOptions = {}) {
    this.#blockTokens = options.blockTokens ?? 512;
    this.#keepIds = options.keepIds ?? false;
    const { identity = "recorded" } = options;
    this.#identity = identity === "recorded" ? "" : `"prefix_identity":"${identity}",`;
    this.#epochMs = options.epochMs;
  }

  /** @throws {TraceError} for a request without a time. */
  row(request: TraceRequest): string {
    const { timestampMs, durationMs } = request;
    if (timestampMs === undefined) {
      throw new TraceError(`trace line ${request.line} has no timestamp, which a dynamo trace needs`, {
        line: request.line,
      });
    }
    this.#epochMs ??= timestampMs >= 1e11 ? 0 : EPOCH_MS;
    const startMs = Math.round(this.#epochMs + timestampMs);
    if (startMs !== this.#epochMs + timestampMs) this.#rounded++;
    if (request.sessionId !== undefined) this.#withSession++;
    const number = String(++this.#count).padStart(9, "0");
    const id = this.#keepIds && request.requestId !== undefined ? JSON.stringify(request.requestId) : `"r${number}"`;
    const endMs = startMs + Math.round(durationMs ?? 0);
    const total = durationMs === undefined ? "" : `,"total_time_ms":${durationMs}`;
    return `{"schema":"${SCHEMA}","event_type":"request_end","event_time_unix_ms":${endMs},${this.#identity}"request":{"request_id":${id},` +
      `"request_received_ms":${startMs},"output_tokens":${request.outputTokens}${total},"replay":{"trace_block_size":` +
      `${this.#blockTokens},"input_length":${request.inputTokens},"input_sequence_hashes":[${
        request.hashIds.join(",")
      }]}}}\n`;
  }

  remarks(ledger: Ledger): void {
    ledger.note("times rounded to whole milliseconds", this.#rounded);
    ledger.note("rows of sessions written without them: a dynamo row has an arrival, not a turn", this.#withSession);
  }
}
