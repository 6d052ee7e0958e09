/**
 * Finding out what format a file has, by its first lines.
 *
 * @module
 */
import { TraceError } from "../errors.ts";
import { ByteSourceError, reason } from "../io/bytes.ts";
import { host } from "../io/host.ts";
import { otherSeparator, splitCsv } from "./csv.ts";
import { type ByteSource, sourceBytes, sourceName } from "./feed.ts";
import type { Sample, TraceFormat } from "./format.ts";
import { traceFormat, traceFormats } from "./formats.ts";
import { JsonCursor } from "./json_cursor.ts";
import { JsonProblem } from "./number_cursor.ts";
import { LineCutter } from "./lines.ts";
import { RefusedRow } from "./row.ts";

const SAMPLE_LINES = 20;
const SAMPLE_BYTES = 1 << 20;

/** A format, why it is the one, and the source from its beginning again. */
export interface Detection {
  format: TraceFormat;
  why: string;
  source: ByteSource;
}

/**
 * Looks at the first lines of a source. A stream is read once: what was looked at comes again in the source returned.
 *
 * @throws {TraceError} when no format knows the lines.
 */
export async function detectFormat(source: ByteSource): Promise<Detection> {
  const file = sourceName(source);
  const iterator = sourceBytes(source)[Symbol.asyncIterator]();
  const cutter = new LineCutter(file), samples: (Sample & { text: string })[] = [], seen: Uint8Array[] = [];
  let bytes = 0, over = false;
  const again = typeof source === "string" && source !== "-" && host().kind(source) === "file";
  try {
    // the first line is read whole, however long it is
    while (!over && samples.length < SAMPLE_LINES && (samples.length === 0 || bytes < SAMPLE_BYTES)) {
      const piece = await iterator.next();
      if (piece.done) {
        over = true;
        for (const line of cutter.finish()) samples.push(sampleOf(line.bytes.subarray(line.start, line.end)));
      } else {
        if (!again) seen.push(piece.value.slice());
        bytes += piece.value.length;
        for (const line of cutter.cut(piece.value)) {
          if (samples.push(sampleOf(line.bytes.subarray(line.start, line.end))) >= SAMPLE_LINES) break;
        }
      }
    }
  } catch (cause) {
    await iterator.return?.();
    if (!(cause instanceof ByteSourceError)) throw cause;
    const what = cause.stage === "open" ? `failed to open trace file ${file}` : `failed to read line 1 from ${file}`;
    throw new TraceError(`${what}: ${reason(cause)}`, { file }, { cause });
  }
  const whole = again ? source : replayed(seen, iterator);
  if (again) await iterator.return?.();
  if (samples.length === 0) throw new TraceError(`trace file ${file} did not contain any requests`, { file });
  const someIds = samples.some(({ object }) => object !== undefined && "hash_ids" in object);
  for (const sample of samples) {
    for (const name of traceFormats) {
      // a first row that lacks its ids does not make the others lengths
      if (name === "lengths" && someIds) continue;
      const format = await traceFormat(name);
      const why = format.recognise(sample);
      if (why !== undefined) return { format, why, source: whole };
    }
  }
  // a row with a mistake in it is better explained by the format's own reader
  if (/"(hash_ids|timestamp)"\s*:/.test(samples[0].text)) {
    return {
      format: await traceFormat("mooncake"),
      why: "its first line mentions hash_ids or timestamp",
      source: whole,
    };
  }
  throw new TraceError(`cannot tell the format of ${file}: ${description(samples[0])}; name it with --from`, {
    file,
    line: 1,
  });
}

function sampleOf(line: Uint8Array): Sample & { text: string } {
  const text = new TextDecoder().decode(line);
  const cursor = new JsonCursor();
  cursor.open(line, 0, line.length);
  try {
    if (cursor.peek() === 123) {
      const object = cursor.value();
      cursor.finish();
      return { text, object: object as Sample["object"] };
    }
    return { text, columns: splitCsv(text).map((cell) => cell.trim()) };
  } catch (problem) {
    if (problem instanceof JsonProblem || problem instanceof RefusedRow || problem instanceof TypeError) {
      return { text };
    }
    throw problem;
  }
}

function description({ object, columns }: Sample): string {
  if (object) return `its first row has the keys ${readable(Object.keys(object))}`;
  if (columns?.length === 1 && otherSeparator(columns[0])) {
    return `its cells seem to be separated by ${
      otherSeparator(columns[0])
    }, but CSV cells are read by commas: convert it first`;
  }
  if (columns) return `its first line has the cells ${readable(columns)}`;
  return "its first line is neither a JSON object nor a CSV header";
}

/** The first few names, short enough for a line and without what would upset a terminal. */
function readable(names: readonly string[]): string {
  const text = names.slice(0, 12).join(", ").replace(/[^\p{L}\p{N}\p{P}\p{S} ]|\ufffd/gu, "·");
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}

async function* replayed(seen: Uint8Array[], rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* seen;
    yield* { [Symbol.asyncIterator]: () => rest };
  } finally {
    await rest.return?.();
  }
}
