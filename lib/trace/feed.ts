/**
 * Bytes through lines and rows to requests: the one loop that every line format runs in.
 *
 * @module
 */
import { ConfigError, TraceError } from "../errors.ts";
import { ByteSourceError, gunzipped, readBytes, reason } from "../io/bytes.ts";
import type { Ledger } from "./ledger.ts";
import { type Line, LineCutter } from "./lines.ts";
import type { TraceRequest } from "./request.ts";
import { type Emit, keepRequest, RefusedRow, type RowReader } from "./row.ts";

/** Where bytes come from: a path (`-` is standard input), or a stream of bytes. */
export type ByteSource = string | AsyncIterable<Uint8Array>;

/** How a source is called in messages. */
export function sourceName(source: ByteSource): string {
  return typeof source !== "string" ? "<stream>" : source === "-" ? "<standard input>" : source;
}

/**
 * The bytes of a source, unpacked when they are gzip.
 *
 * @throws {ConfigError} when it is neither a path nor a stream
 */
export function sourceBytes(source: ByteSource): AsyncIterable<Uint8Array> {
  if (typeof source === "string") return readBytes(source);
  if (typeof source !== "object" || source === null || !(Symbol.asyncIterator in source)) {
    const found = source === null ? "null" : typeof source;
    throw new ConfigError(`a trace must be a path or a stream of bytes (like blob.stream()), got ${found}`);
  }
  return gunzipped(source);
}

/** Options of {@linkcode feed}. */
export interface FeedOptions {
  /** Counts what is read and refused. */
  ledger?: Ledger;
  /** What to do with rows that cannot be used. Default `fail`. */
  badRows?: "fail" | "drop";
}

/**
 * Reads a source to its end, giving every request to `emit` as soon as its line is complete. Yields after each piece of
 * bytes, so that a caller can hand on what it collected. The requests may be used again: copy what is kept.
 *
 * @throws {TraceError} when the source cannot be opened or read, or a line is wrong.
 */
export async function* feed(
  source: ByteSource,
  reader: RowReader,
  emit: Emit,
  options: FeedOptions = {},
): AsyncGenerator<void, void, void> {
  const file = sourceName(source);
  const cutter = new LineCutter(file);
  const read = options.badRows === "drop" ? dropping(reader, file, options.ledger) : failing(reader, file);
  const bytes = sourceBytes(source)[Symbol.asyncIterator]();
  try {
    for (;;) {
      let piece: IteratorResult<Uint8Array>;
      try {
        piece = await bytes.next();
      } catch (cause) {
        const opening = cause instanceof ByteSourceError && cause.stage === "open";
        const what = opening ? reader.wording.open : reader.wording.read(cutter.number + 1);
        throw new TraceError(`${what}: ${reason(cause)}`, opening ? { file } : { file, line: cutter.number + 1 }, {
          cause,
        });
      }
      if (piece.done) break;
      for (const line of cutter.cut(piece.value)) read(line, emit);
      yield;
    }
    for (const line of cutter.finish()) read(line, emit);
    reader.finish?.(emit);
    yield;
  } finally {
    await bytes.return?.();
  }
}

type ReadLine = (line: Line, emit: Emit) => void;

/** Reads lines; a refused row is a mistake. */
function failing(reader: RowReader, file: string): ReadLine {
  return (line, emit) => {
    try {
      reader.read(line, emit);
    } catch (problem) {
      if (!(problem instanceof RefusedRow)) throw problem;
      const what = `${reader.wording.parse(line.number)}: ${problem.reason}: ${problem.message}`;
      throw new TraceError(what, { file, line: line.number });
    }
  };
}

/** Reads lines; rows that cannot be used are counted and left out. */
function dropping(reader: RowReader, file: string, ledger: Ledger | undefined): ReadLine {
  return (line, emit) => {
    try {
      reader.read(line, emit);
    } catch (problem) {
      if (reader.atHeader) throw problem;
      if (problem instanceof RefusedRow) {
        ledger?.refuse(problem.reason, `${file}:${line.number}: ${problem.message}`);
      } else if (problem instanceof TraceError && problem.place.line === line.number) {
        ledger?.refuse("unreadable row", problem.message);
      } else throw problem;
    }
  };
}

/** The requests of a source in batches. What was read before a mistake is handed on before the mistake is thrown. */
export async function* requestBatches(
  source: ByteSource,
  reader: RowReader,
  options: FeedOptions = {},
): AsyncGenerator<readonly TraceRequest[], void, void> {
  const { ledger } = options;
  let batch: TraceRequest[] = [];
  const emit: Emit = reader.keep
    ? (request) => batch.push(reader.keep!(request))
    : (request) => batch.push(keepRequest(request));
  const take = () => {
    const taken = batch;
    if (ledger) ledger.read += taken.length;
    batch = [];
    return taken;
  };
  const feeding = feed(source, reader, emit, options);
  try {
    for (;;) {
      let done: boolean | undefined;
      try {
        done = (await feeding.next()).done;
      } catch (problem) {
        if (batch.length > 0) yield take();
        throw problem;
      }
      if (batch.length > 0) yield take();
      if (done) return;
    }
  } finally {
    await feeding.return();
  }
}
