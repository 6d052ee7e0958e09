/**
 * `dynamo.request.trace.v1`: what a running Dynamo records, in one or several files. The lines are read by
 * `dynamo_rows.ts`, put into the order of time by `dynamo_order.ts`, and become a graph of agents in
 * `dynamo_agents.ts`.
 *
 * @module
 */
import { ConfigError, TraceError } from "../errors.ts";
import { dynamoByTime } from "./dynamo_order.ts";
import { type DynamoTool, SCHEMA } from "./dynamo_row.ts";
import { DynamoRows } from "./dynamo_rows.ts";
import type { ByteSource, FeedOptions } from "./feed.ts";
import { type FormatOptions, identityTeller, type OpenTrace, type TraceFormat } from "./format.ts";
import type { TraceRequest } from "./request.ts";
import { TextSet } from "../collections/text_set.ts";

/** One trace of one or several files; what its readers share. */
export class DynamoTrace implements OpenTrace {
  /** Block size of the first request. */
  blockTokens: number | undefined;
  /** A block size that differs from the first one, when there is any. */
  otherBlockTokens: number | undefined;
  readonly tools: DynamoTool[] = [];
  readonly known: TextSet = new TextSet();
  requests = 0;
  withContext = 0;
  readonly #expected: number | undefined;
  readonly tellIdentity: (text: string) => void;

  constructor(options: FormatOptions) {
    this.#expected = options.blockTokens;
    this.tellIdentity = identityTeller(options.ledger);
  }

  rows(file: string): DynamoRows {
    return new DynamoRows(file, this);
  }

  byTime(
    sources: readonly ByteSource[],
    feed: FeedOptions,
  ): AsyncGenerator<readonly TraceRequest[], void, void> {
    return dynamoByTime(sources, this, { feed });
  }

  /** Checks what only all files together show. */
  check(): void {
    if (this.requests === 0) throw new TraceError("Dynamo trace contains no request_end records");
    if (this.withContext > 0 && this.withContext < this.requests) {
      throw new TraceError("Dynamo request trace cannot mix requests with and without agent_context");
    }
    if (this.blockTokens === 0) throw new TraceError("embedded trace block size must be positive");
    if (this.otherBlockTokens !== undefined) {
      throw new TraceError("mixed replay trace_block_size values are not supported");
    }
    if (this.#expected !== undefined && this.#expected !== this.blockTokens) {
      throw new ConfigError(
        `trace_block_size ${this.#expected} does not match embedded Dynamo request trace block size ${this.blockTokens}`,
      );
    }
  }
}

/** The dynamo format. */
export const dynamo: TraceFormat = {
  name: "dynamo",
  title: "Dynamo request trace, JSON Lines",
  identity: "recorded",
  shape: "rows",
  shards: true,
  recognise({ object }) {
    const record = object?.event ?? object;
    const schema = record && typeof record === "object" && !Array.isArray(record) ? record.schema : undefined;
    return schema === SCHEMA ? `its rows have the schema ${SCHEMA}` : undefined;
  },
  open: (options) => new DynamoTrace(options),
};
