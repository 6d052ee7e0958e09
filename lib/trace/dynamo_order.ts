/**
 * Rows of the files of a dynamo trace in the order of time, without holding the trace: recorders write a request when
 * it ends, so a row stands at most as far from its place as there were requests in flight.
 *
 * @module
 */
import { TraceError } from "../errors.ts";
import { dynamoOrder, type KeptDynamoRow } from "./dynamo_agents.ts";
import type { DynamoTrace } from "./dynamo.ts";
import { type ByteSource, type FeedOptions, requestBatches, sourceName } from "./feed.ts";
import { Heap } from "../collections/heap.ts";

/** Rows read ahead over all files. */
const WINDOW = 32_768;
const BATCH = 512;

/** One file, read ahead by a window of rows. */
class Shard {
  readonly file: string;
  readonly #batches: AsyncGenerator<readonly KeptDynamoRow[], void, void>;
  readonly #window: number;
  /** Rows read ahead, as a heap. */
  readonly #heap = new Heap<KeptDynamoRow>(dynamoOrder);
  #over = false;

  constructor(source: ByteSource, trace: DynamoTrace, window: number, feed: FeedOptions | undefined) {
    this.file = sourceName(source);
    this.#batches = requestBatches(source, trace.rows(this.file), feed) as AsyncGenerator<readonly KeptDynamoRow[]>;
    this.#window = window;
  }

  /** Reads on until the window is full or the file is over. */
  async fill(): Promise<void> {
    while (!this.#over && this.#heap.size < this.#window) {
      const next = await this.#batches.next();
      if (next.done) this.#over = true;
      else for (const row of next.value) this.#heap.push(row);
    }
  }

  get first(): KeptDynamoRow | undefined {
    return this.#heap.first;
  }

  /** True when the first row may be taken without reading on. */
  get ready(): boolean {
    return this.#over || this.#heap.size >= this.#window;
  }

  take(): KeptDynamoRow {
    return this.#heap.pop()!;
  }

  async close(): Promise<void> {
    await this.#batches.return();
  }
}

/**
 * The requests of all files by start, end and id. Requests of agents have their session and the time since the turn
 * before it ended.
 *
 * @throws {TraceError} also when a row stands further from its place than the window reaches.
 */
export async function* dynamoByTime(
  sources: readonly ByteSource[],
  trace: DynamoTrace,
  options: {
    /** Rows read ahead over all files. Default 32,768. */
    windowRows?: number;
    feed?: FeedOptions;
  } = {},
): AsyncGenerator<readonly KeptDynamoRow[], void, void> {
  const window = Math.max(Math.ceil((options.windowRows ?? WINDOW) / sources.length), 1);
  const shards = sources.map((source) => new Shard(source, trace, window, options.feed));
  const ends = new Map<string, number>();
  let last: KeptDynamoRow | undefined;
  let batch: KeptDynamoRow[] = [];
  try {
    for (const shard of shards) await shard.fill();
    for (;;) {
      let next: Shard | undefined;
      for (const shard of shards) {
        if (!shard.ready) await shard.fill();
        if (shard.first && (next === undefined || dynamoOrder(shard.first, next.first!) < 0)) next = shard;
      }
      if (next === undefined) break;
      const row = next.take();
      if (last !== undefined && dynamoOrder(row, last) < 0) throw tooFar(row, last, next.file, window);
      if (!row.outputKnown && options.feed?.badRows === "drop") {
        options.feed.ledger?.drop("no output tokens");
        continue;
      }
      if (!row.outputKnown) throw new TraceError("missing output_tokens", { file: next.file, line: row.line });
      last = row;
      if (row.sessionId !== undefined) {
        options.feed?.ledger?.note("rows of agents, of which only sessions are kept, not who spawned or joined whom");
        const ended = ends.get(row.sessionId);
        if (ended !== undefined) row.delayMs = Math.max(0, row.timestampMs - ended);
        ends.set(row.sessionId, row.endMs);
      }
      if (batch.push(row) === BATCH) {
        yield batch;
        batch = [];
      }
    }
    if (batch.length > 0) yield batch;
    trace.check();
  } finally {
    for (const shard of shards) await shard.close();
  }
}

function tooFar(row: KeptDynamoRow, last: KeptDynamoRow, file: string, window: number): TraceError {
  const early = last.timestampMs - row.timestampMs;
  return new TraceError(
    `${file}:${row.line}: request "${row.requestId}" begins ${early} ms before one that was passed on already; ` +
      `the rows are out of order by more than ${window} rows: sort the trace first`,
    { file, line: row.line },
  );
}
