/**
 * The one way in: files, pipes, devices and standard input as streams of bytes, which end when their process is told to
 * stop. Gzip is recognised by its first two bytes, whatever the name says.
 *
 * @module
 */
import { reason } from "./failures.ts";
import { host, type OpenFile } from "./host.ts";
import { tellReading } from "./reading.ts";
import { stopPoint, stopSignal, unlessStopped } from "./stop.ts";

export { reason } from "./failures.ts";

/** Why bytes could not be had: the file could not be opened, or reading or unpacking it failed half-way. */
export class ByteSourceError extends Error {
  override readonly name = "ByteSourceError";
  constructor(readonly stage: "open" | "read", message: string, options?: ErrorOptions) {
    super(message, options);
  }
}

/** Options of {@linkcode readBytes}. */
export interface ReadBytesOptions {
  /** Largest piece to read at once, in bytes. Default 262,144. */
  chunkBytes?: number;
  /** Leave gzip data packed. Default false. */
  raw?: boolean;
  /** Ends the reading with its reason. Default: the signal of the process, when a command has set one. */
  signal?: AbortSignal;
}

/**
 * The bytes of a file, or of standard input when the path is `-`. Data that begins with the two bytes of gzip is
 * unpacked, all members of it. Nothing is opened before the first piece is asked for; leaving the loop closes the file.
 *
 * A piece is valid until the next one is asked for: its memory is used again.
 *
 * @throws {ByteSourceError} when the file cannot be opened, read or unpacked.
 */
export function readBytes(path: string, options: ReadBytesOptions = {}): AsyncGenerator<Uint8Array, void, void> {
  const signal = options.signal ?? stopSignal();
  const packed = readPacked(path, options.chunkBytes ?? 1 << 18, signal);
  return options.raw ? packed : gunzipped(packed, signal);
}

async function* readPacked(
  path: string,
  chunkBytes: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array, void, void> {
  const file = await open(path, signal);
  const buffer = new Uint8Array(chunkBytes);
  try {
    for (;;) {
      await stopPoint(signal);
      let count: number;
      try {
        count = await unlessStopped(file.read(buffer), signal);
      } catch (cause) {
        signal?.throwIfAborted();
        throw new ByteSourceError("read", reason(cause), { cause });
      }
      if (count === 0) return;
      tellReading(path, count);
      yield buffer.subarray(0, count);
    }
  } finally {
    if (path !== "-") file.close();
  }
}

/** Opens a file. A pipe without a writer is waited for until the signal ends it. */
async function open(path: string, signal: AbortSignal | undefined): Promise<OpenFile> {
  if (path === "-") return host().standardStream("stdin");
  if (path === "") throw new ByteSourceError("open", "the name of the file is empty");
  if (path.includes("\0")) throw new ByteSourceError("open", "the name of the file holds a zero byte");
  const opening = host().openForReading(path);
  try {
    return await unlessStopped(opening, signal);
  } catch (cause) {
    opening.then((file) => file.close(), () => {});
    signal?.throwIfAborted();
    throw new ByteSourceError("open", reason(cause), { cause });
  }
}

/**
 * Unpacks a stream of bytes when it is gzip, several members and trailing zero bytes included; any other stream passes
 * as it is.
 *
 * @param cut compressed data may end early: all that can be unpacked of it comes
 * @throws {ByteSourceError} when compressed data is damaged or ends early.
 */
export async function* gunzipped(
  source: AsyncIterable<Uint8Array>,
  signal: AbortSignal | undefined = stopSignal(),
  cut = false,
): AsyncGenerator<Uint8Array, void, void> {
  const input = source[Symbol.asyncIterator]();
  try {
    let first = await input.next();
    // a few bytes are not enough to tell: join them with what follows
    let head = first.done ? new Uint8Array(0) : first.value;
    while (!first.done && head.length < 6) {
      const start = head.slice();
      first = await input.next();
      if (!first.done) head = joined(start, first.value);
      else head = start;
    }
    const rest = { [Symbol.asyncIterator]: () => input };
    if (head.length >= 2 && head[0] === 0x1f && head[1] === 0x8b) {
      yield* unpack(head, rest, signal, cut);
    } else {
      const packed = packedAs(head);
      if (packed !== undefined) throw new ByteSourceError("read", packed);
      if (head.length > 0) yield head;
      yield* rest;
    }
  } finally {
    await input.return?.();
  }
}

async function* unpack(
  head: Uint8Array,
  rest: AsyncIterable<Uint8Array>,
  signal: AbortSignal | undefined,
  cut: boolean,
): AsyncGenerator<Uint8Array, void, void> {
  const { constants, createGunzip } = await import("node:zlib");
  const gunzip = createGunzip({ chunkSize: 1 << 17, ...cut && { finishFlush: constants.Z_SYNC_FLUSH } });
  let failure: unknown;
  let goOn = () => {};
  gunzip.on("drain", () => goOn());
  gunzip.on("close", () => goOn());
  const feed = (async () => {
    try {
      for await (const piece of prefixed(head, rest)) {
        if (gunzip.destroyed) return;
        // the reader's buffer is used again while zlib still holds this piece, so it gets a copy
        const taken = new Promise<void>((resolve) => goOn = resolve);
        if (!gunzip.write(piece.slice())) await taken;
      }
      gunzip.end();
    } catch (problem) {
      failure = problem;
      gunzip.destroy(problem as Error);
    }
  })();
  try {
    for await (const piece of gunzip) {
      await stopPoint(signal);
      yield piece as Uint8Array;
    }
  } catch (cause) {
    signal?.throwIfAborted();
    if (failure !== undefined) throw failure;
    throw new ByteSourceError("read", `the gzip data is damaged: ${reason(cause)}`, { cause });
  } finally {
    gunzip.destroy();
    await feed;
  }
}

const UNREAD: readonly (readonly [readonly number[], string])[] = [
  [[0x28, 0xb5, 0x2f, 0xfd], "it is compressed with Zstandard, and only gzip is unpacked: unpack it first (zstd -d)"],
  [
    [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00],
    "it is compressed with xz, and only gzip is unpacked: unpack it first (xz -d)",
  ],
  [[0x42, 0x5a, 0x68, 0x39, 0x31, 0x41], "it is compressed with bzip2, and only gzip is unpacked: unpack it first"],
  [[0x04, 0x22, 0x4d, 0x18], "it is compressed with LZ4, and only gzip is unpacked: unpack it first (lz4 -d)"],
  [[0x50, 0x4b, 0x03, 0x04], "it is a zip archive: unpack it first"],
  [
    [0x50, 0x41, 0x52, 0x31],
    "it is a Parquet file, and only lines of text are read: write its rows as JSON Lines or CSV",
  ],
  [[0xff, 0xfe], "it is UTF-16 text, and only UTF-8 is read: convert it first (iconv -f utf-16 -t utf-8)"],
  [[0xfe, 0xff], "it is UTF-16 text, and only UTF-8 is read: convert it first (iconv -f utf-16 -t utf-8)"],
];

/** What data that is no text is, by its first bytes. */
const packedAs = (head: Uint8Array): string | undefined =>
  UNREAD.find(([mark]) => mark.every((byte, i) => head[i] === byte))?.[1];

async function* prefixed(head: Uint8Array, rest: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield head;
  yield* rest;
}

function joined(a: Uint8Array, b: Uint8Array): Uint8Array {
  const both = new Uint8Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
}
