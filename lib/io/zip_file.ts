/**
 * A zip archive read entry by entry, without unpacking it to disk: stored and deflated entries, no zip64, no
 * encryption. That is all that Python packages ("wheels") use.
 *
 * @module
 */
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { inflateRawSync } from "node:zlib";

interface Entry {
  readonly method: number;
  readonly packed: number;
  readonly at: number;
}

/** Files by path. */
export interface FileTree {
  /** Paths of all files, sorted. */
  readonly paths: readonly string[];
  /** Bytes of a file; throws when there is none of that path. */
  read(path: string): Uint8Array;
}

const END_OF_DIRECTORY = 0x06054b50;
/** The end record and the longest comment that may follow it. */
const LONGEST_END = 22 + 65_535;

/** A zip archive, open for reading until {@linkcode close}. */
export class ZipFile implements FileTree {
  readonly paths: readonly string[];
  readonly #descriptor: number;
  readonly #entries = new Map<string, Entry>();

  /** @throws {Error} when the file cannot be read or is no zip archive. */
  constructor(readonly file: string) {
    this.#descriptor = openSync(file, "r");
    const size = fstatSync(this.#descriptor).size;
    const tail = this.#bytes(Math.max(0, size - LONGEST_END), Math.min(size, LONGEST_END));
    const view = new DataView(tail.buffer, tail.byteOffset);
    let end = tail.length - 22;
    while (end >= 0 && view.getUint32(end, true) !== END_OF_DIRECTORY) end--;
    if (end < 0) {
      this.close();
      throw new Error(`${file} is no zip archive`);
    }
    this.#readDirectory(this.#bytes(view.getUint32(end + 16, true), view.getUint32(end + 12, true)));
    this.paths = [...this.#entries.keys()].sort();
  }

  read(path: string): Uint8Array {
    const entry = this.#entries.get(path);
    if (!entry) throw new Error(`${this.file} holds no ${path}`);
    const head = new DataView(this.#bytes(entry.at, 30).buffer);
    const start = entry.at + 30 + head.getUint16(26, true) + head.getUint16(28, true);
    const packed = this.#bytes(start, entry.packed);
    if (entry.method === 0) return packed;
    if (entry.method === 8) return new Uint8Array(inflateRawSync(packed));
    throw new Error(`${path} in ${this.file} is packed with method ${entry.method}; expected deflate`);
  }

  close(): void {
    closeSync(this.#descriptor);
  }

  #readDirectory(directory: Uint8Array): void {
    const view = new DataView(directory.buffer, directory.byteOffset);
    const text = new TextDecoder();
    for (let at = 0; at < directory.length;) {
      const [nameBytes, extraBytes, noteBytes] = [28, 30, 32].map((offset) => view.getUint16(at + offset, true));
      const name = text.decode(directory.subarray(at + 46, at + 46 + nameBytes));
      this.#entries.set(name, {
        method: view.getUint16(at + 10, true),
        packed: view.getUint32(at + 20, true),
        at: view.getUint32(at + 42, true),
      });
      at += 46 + nameBytes + extraBytes + noteBytes;
    }
  }

  #bytes(at: number, length: number): Uint8Array {
    const bytes = new Uint8Array(length);
    for (let done = 0; done < length;) {
      const count = readSync(this.#descriptor, bytes, done, length - done, at + done);
      if (count === 0) throw new Error(`${this.file} ends early`);
      done += count;
    }
    return bytes;
  }
}
