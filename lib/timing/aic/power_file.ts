/**
 * Powers that were measured with the times of a performance set, in a file of their own, so that nobody who asks for
 * times reads them.
 *
 *     file    "dynowatt" · header bytes (u32) · header (JSON) · members (gzip each)
 *     member  slices, values beside (u32 each) · values of each slice (u32 each) · values beside (float64 each) ·
 *             readings of each value (u8) · four planes of the lowest to the highest byte of each value's sum
 *
 * All numbers are little-endian. Slices stand in the order of the set's member of the same name. A power is the mean of some
 * readings of whole milliwatts: their sum and their number are kept. 0 readings: no power was measured; 255: the next value
 * beside is the power in watts.
 *
 * @module
 */
import { FileError } from "../../errors.ts";
import { gunzip } from "../../io/gzip.ts";
import type { MemberPowers } from "./perf_member.ts";

/** First bytes of a file of powers. */
export const POWER_MAGIC = "dynowatt";

/** Number of readings that stands for a power that is no mean of readings. */
export const BESIDE = 255;

/** What a file of powers says about itself. */
export interface PowerHeader {
  readonly format: 1;
  readonly system: string;
  readonly backend: string;
  readonly version: string;
  readonly origin: { readonly package: string; readonly release: string; readonly licence: string };
  /** Member name → [offset after the header, packed bytes]. */
  readonly members: Readonly<Record<string, readonly [number, number]>>;
}

/** An opened file; members are unpacked when they are first asked for. */
export class PowerFile {
  readonly #bytes: Uint8Array;
  readonly #path: string;
  readonly #membersAt: number;
  readonly #members: PowerHeader["members"];

  /**
   * @param path how errors call the file
   * @throws {FileError} when the bytes are no such file
   */
  constructor(bytes: Uint8Array, path: string) {
    this.#bytes = bytes;
    this.#path = path;
    try {
      const text = new TextDecoder(), length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(8, true);
      const header: PowerHeader = JSON.parse(text.decode(bytes.subarray(12, 12 + length)));
      if (text.decode(bytes.subarray(0, 8)) !== POWER_MAGIC || header.format !== 1) throw new Error("unknown form");
      this.#membersAt = 12 + length;
      this.#members = header.members;
      for (const [offset, packed] of Object.values(header.members)) {
        if (!(offset >= 0 && packed >= 0 && this.#membersAt + offset + packed <= bytes.length)) {
          throw new Error("cut off");
        }
      }
    } catch (cause) {
      throw this.#damaged("its header cannot be read", cause);
    }
  }

  /** The powers of a member, or undefined when none were measured. */
  member(name: string): MemberPowers | undefined {
    if (!Object.hasOwn(this.#members, name)) return undefined;
    const [offset, length] = this.#members[name], at = this.#membersAt + offset;
    try {
      return readPowers(gunzip(this.#bytes.subarray(at, at + length)));
    } catch (cause) {
      throw this.#damaged(`its member ${name} cannot be unpacked`, cause);
    }
  }

  #damaged(what: string, cause?: unknown): FileError {
    const advice = "remove the file and install the measurements again (deno task perf-data install)";
    return new FileError(`${this.#path} is damaged: ${what}; ${advice}`, { file: this.#path }, { cause });
  }
}

function readPowers(plain: Uint8Array): MemberPowers {
  const view = new DataView(plain.buffer, plain.byteOffset, plain.length);
  const slices = view.getUint32(0, true), beside = view.getUint32(4, true), starts = new Float64Array(slices + 1);
  for (let i = 0; i < slices; i++) starts[i + 1] = starts[i] + view.getUint32(8 + 4 * i, true);
  const count = starts[slices],
    besideAt = 8 + 4 * slices,
    readingsAt = besideAt + 8 * beside,
    sumsAt = readingsAt + count;
  if (plain.length !== sumsAt + 4 * count) throw new Error("its length does not fit");
  const watts = new Float64Array(count);
  for (let i = 0, next = besideAt; i < count; i++) {
    const readings = plain[readingsAt + i];
    if (readings === BESIDE) {
      watts[i] = view.getFloat64(next, true);
      next += 8;
    } else if (readings > 0) {
      let sum = 0;
      for (let plane = 3; plane >= 0; plane--) sum = sum * 256 + plain[sumsAt + plane * count + i];
      watts[i] = sum / (1000 * readings);
    }
  }
  return { slices, of: (slice) => watts.subarray(starts[slice], starts[slice + 1]) };
}
