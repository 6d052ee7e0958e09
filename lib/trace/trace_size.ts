/**
 * How much a trace holds, told from the sizes of its files and their first lines, before anything else is read of it.
 *
 * @module
 */
import { ByteSourceError, gunzipped, readBytes } from "../io/bytes.ts";
import { host } from "../io/host.ts";

/** About how much a trace holds. */
export interface TraceSize {
  /** Bytes of its text, unpacked. */
  textBytes: number;
  /** Lines. */
  rows: number;
  /** Numbers in lists: ids of prompt blocks, where a format has them. */
  listed: number;
}

/** Files smaller than this are not looked at: their requests fit everywhere. */
const SMALL_BYTES = 1 << 19;
/** Bytes of a file that are looked at. */
const SAMPLE_BYTES = 1 << 16;
const [LINE_FEED, COMMA, OPEN, CLOSE] = new TextEncoder().encode("\n,[]");

/**
 * Estimates what trace files hold. Nothing is told of small files, and of what cannot be looked at before it is read:
 * pipes, standard input, and what cannot be opened or unpacked.
 */
export async function traceSize(paths: readonly string[]): Promise<TraceSize> {
  const size = { textBytes: 0, rows: 0, listed: 0 };
  for (const path of paths) {
    const fileBytes = path === "-" ? 0 : host().fileBytes(path);
    if (fileBytes < SMALL_BYTES) continue;
    const sample = await sampleOf(path);
    if (sample === undefined) continue;
    const times = fileBytes / sample.packedBytes;
    size.textBytes += Math.round(sample.textBytes * times);
    size.rows += Math.round(sample.rows * times);
    size.listed += Math.round(sample.listed * times);
  }
  return size;
}

async function sampleOf(path: string): Promise<TraceSize & { packedBytes: number } | undefined> {
  const sample = { packedBytes: 0, textBytes: 0, rows: 0, listed: 0 };
  let depth = 0, last = LINE_FEED;
  try {
    const packed = start(path, (bytes) => sample.packedBytes = bytes);
    for await (const piece of gunzipped(packed, undefined, true)) {
      for (let i = 0; i < piece.length; last = piece[i++]) {
        const byte = piece[i];
        if (last === LINE_FEED) sample.rows++;
        if (byte === OPEN) depth++;
        else if (byte === CLOSE && depth > 0) depth--;
        if (depth > 0 && (byte === COMMA || byte === OPEN)) sample.listed++;
      }
      sample.textBytes += piece.length;
    }
  } catch (problem) {
    // what came before is enough
    if (!(problem instanceof ByteSourceError)) throw problem;
  }
  return sample.textBytes === 0 ? undefined : sample;
}

/** The first bytes of a file, and how many those are. */
async function* start(path: string, tell: (bytes: number) => void): AsyncGenerator<Uint8Array, void, void> {
  for await (const piece of readBytes(path, { raw: true, chunkBytes: SAMPLE_BYTES })) {
    tell(piece.length);
    yield piece;
    return;
  }
}
