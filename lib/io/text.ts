/**
 * Whole files as text, for files that a person or a program of ours wrote: configurations, reports, notes of runs.
 *
 * @module
 */
import { ByteSourceError, readBytes, type ReadBytesOptions } from "./bytes.ts";

/** Options of {@linkcode readText}. */
export interface ReadTextOptions extends Pick<ReadBytesOptions, "raw" | "signal"> {
  /** Most bytes, unpacked. */
  mostBytes: number;
}

/**
 * The text of a file (UTF-8; `-` is standard input).
 *
 * @throws {ByteSourceError} when it cannot be opened or read, is larger than it may be, or is no UTF-8
 */
export async function readText(path: string, { mostBytes, ...options }: ReadTextOptions): Promise<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let text = "", bytes = 0;
  const decoded = (piece?: Uint8Array) => {
    try {
      return piece === undefined ? decoder.decode() : decoder.decode(piece, { stream: true });
    } catch (cause) {
      throw new ByteSourceError("read", "it is not UTF-8 text", { cause });
    }
  };
  for await (const piece of readBytes(path, options)) {
    bytes += piece.length;
    if (bytes > mostBytes) {
      throw new ByteSourceError("read", `it is larger than ${sizeText(mostBytes)}, the most for such a file`);
    }
    text += decoded(piece);
  }
  return text + decoded();
}

/** `1 MiB` */
const sizeText = (bytes: number): string =>
  bytes >= 2 ** 20 ? `${Math.round(bytes / 2 ** 20)} MiB` : `${Math.round(bytes / 2 ** 10)} KiB`;
