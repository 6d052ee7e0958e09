/**
 * Bytes into lines, whatever the pieces they come in.
 *
 * @module
 */
import { longer } from "../collections/growing.ts";
import { TraceError } from "../errors.ts";

/** Most bytes of one line: what holds no line end for longer is no trace, and longer texts V8 cannot hold (2^29 - 24). */
export const MOST_LINE_BYTES = 500_000_000;

/** The line at hand: the bytes `start … end - 1` of `bytes`, without its line end. Valid until the next one. */
export interface Line {
  /** What the line is a part of. */
  bytes: Uint8Array;
  /** Its first byte. */
  start: number;
  /** The byte after its last. */
  end: number;
  /** Physical line number, from 1. */
  number: number;
  /** False for a last line that no line feed ends. */
  ended: boolean;
}

/**
 * Cuts pieces of bytes into lines at LF; a CR before it belongs to the line end, and a byte order mark at the very
 * start is dropped. Lines without anything but white space are counted and left out.
 *
 * @example
 * ```ts ignore
 * const cutter = new LineCutter();
 * for await (const piece of bytes) for (const line of cutter.cut(piece)) use(line);
 * for (const line of cutter.finish()) use(line);
 * ```
 */
export class LineCutter {
  readonly #file: string | undefined;
  readonly #line: Line = { bytes: new Uint8Array(0), start: 0, end: 0, number: 0, ended: true };
  #carry = new Uint8Array(1024);
  #carried = 0;

  /** @param file how errors call what is read */
  constructor(file?: string) {
    this.#file = file;
  }

  /** The number of the line that is being read: the last one given plus those that were blank. */
  get number(): number {
    return this.#line.number;
  }

  /**
   * The lines that end in this piece. The piece may be used again afterwards.
   *
   * @throws {TraceError} for a line of more than 500 MB
   */
  *cut(piece: Uint8Array): Generator<Line, void, void> {
    let start = 0;
    if (this.#carried > 0) {
      const feed = piece.indexOf(10);
      if (feed < 0) {
        this.#keep(piece);
        return;
      }
      this.#keep(piece.subarray(0, feed));
      start = feed + 1;
      const end = this.#carried;
      this.#carried = 0;
      if (this.#take(this.#carry, 0, end, true)) yield this.#line;
    }
    for (;;) {
      const feed = piece.indexOf(10, start);
      if (feed < 0) break;
      if (this.#take(piece, start, feed, true)) yield this.#line;
      start = feed + 1;
    }
    if (start < piece.length) this.#keep(piece.subarray(start));
  }

  /** The last line when no line feed ended it. */
  *finish(): Generator<Line, void, void> {
    if (this.#carried === 0) return;
    const end = this.#carried;
    this.#carried = 0;
    if (this.#take(this.#carry, 0, end, false)) yield this.#line;
  }

  #take(bytes: Uint8Array, start: number, end: number, ended: boolean): boolean {
    const line = this.#line;
    line.number++;
    if (line.number === 1 && bytes[start] === 0xef && bytes[start + 1] === 0xbb && bytes[start + 2] === 0xbf) {
      start += 3;
    }
    if (end > start && bytes[end - 1] === 13) end--;
    let first = start;
    while (first < end && (bytes[first] === 32 || (bytes[first] >= 9 && bytes[first] <= 13))) first++;
    if (first >= end) return false;
    line.bytes = bytes;
    line.start = start;
    line.end = end;
    line.ended = ended;
    return true;
  }

  #keep(part: Uint8Array): void {
    const needed = this.#carried + part.length;
    if (needed > MOST_LINE_BYTES) {
      const line = this.#line.number + 1;
      const where = this.#file === undefined ? "" : ` of ${this.#file}`;
      throw new TraceError(
        `line ${line}${where} has more than ${MOST_LINE_BYTES / 1e6} MB, the most a line may have`,
        { file: this.#file, line },
      );
    }
    if (needed > this.#carry.length) {
      this.#carry = longer(this.#carry, Math.max(needed, Math.min(this.#carry.length * 2, MOST_LINE_BYTES)));
    }
    this.#carry.set(part, this.#carried);
    this.#carried = needed;
  }
}
