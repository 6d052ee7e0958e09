/**
 * The tables of a performance set and how they are stored: nothing is unpacked as a whole, a slice is decoded when it is
 * asked for, so that a run reads the few thousand numbers it needs and loads no decompressor.
 *
 * A set's body holds pieces, each followed by the check of its bytes (FNV-1a, u32); numbers are little-endian:
 *
 *     list    JSON `[shared, rest, step, …]`: for each slice how many characters its name shares with the one before,
 *             the rest of its name, and how far it lies behind the one before; for sites of matrix products
 *             `[n, k, step, …]`
 *     slice   place of its keys (u32) · coding (u8) · a code per value · values without a code (float64 each)
 *     keys    levels, then for each level and each entry above it the count of its keys and their differences (LEB128)
 *
 * A code is 4 to 10 half bytes, the lower half of a byte first: 5 bits of exponent, the rest mantissa; the coding says how
 * many half bytes, and by what the number is divided. Latencies were published as means of 3, 5, 9 … timings of 24 bits, or as decimals, so nearly all of them are
 * exactly such a number; the code of only ones stands for the next value without a code.
 *
 * @module
 */

/** A table with one axis: `values[i]` was measured at `keys[i]`, keys ascending. */
export interface CurveData {
  readonly keys: Uint32Array;
  readonly values: Float64Array;
  /** Watts at which each value was measured. With it, the table answers with energies (watt-milliseconds) instead of times. */
  readonly powers?: Float64Array;
}

/**
 * A table with three axes as nested sorted lists: head `h` owns the rows `rowStart[h] .. rowStart[h + 1])`, row `r` the
 * leaves `leafStart[r] .. leafStart[r + 1])`. Not every row has every leaf.
 */
export interface GridData {
  readonly heads: Uint32Array;
  readonly rowStart: Uint32Array;
  readonly rows: Uint32Array;
  readonly leafStart: Uint32Array;
  readonly leaves: Uint32Array;
  readonly values: Float64Array;
  /** As in {@linkcode CurveData}. */
  readonly powers?: Float64Array;
}

/**
 * A table with any number of axes as nested sorted lists: entry `i` of level `l` owns the entries
 * `starts[l][i] .. starts[l][i + 1])` of level `l + 1`; `values` belong to the last level.
 */
export interface Levels<List = Uint32Array> {
  readonly keys: readonly List[];
  readonly starts: readonly List[];
  readonly values: List extends Uint32Array ? Float64Array : List;
  /** As in {@linkcode CurveData}. */
  readonly powers?: List extends Uint32Array ? Float64Array : List;
}

/** Watts of the values of a member, by the place of a slice in its list. */
export interface MemberPowers {
  /** How many slices there are. */
  readonly slices: number;
  /** Watts of the values of a slice. */
  of(slice: number): Float64Array;
}

/** One measured matrix shape (k × n weights) and its curve over m. Sites come in the order they were first seen. */
export interface GemmSite extends CurveData {
  readonly n: number;
  readonly k: number;
}

/** The sites of a GEMM table; a curve is looked at only when its site is asked for. */
export interface GemmSites {
  readonly length: number;
  n(index: number): number;
  k(index: number): number;
  site(index: number): GemmSite;
}

/** Name in a list under which the sites of a GEMM table stand. */
export const SITES = "sites";

/** What values may have been divided by, in the order of the coding. */
export const DIVISORS: readonly number[] = [1, 3, 5, 9, 15, 25, 45, 1e3, 1e4, 1e5, 1e6];
/** Half bytes of the shortest code; the lowest three bits of a coding count from it. */
export const SHORTEST_CODE = 4;
/** Exponent of a value with the exponent field 0; that field itself stands for zero. */
export const LOWEST_EXPONENT = -20;

/** Bytes that so many codes of so many half bytes fill. */
export const bytesOfCodes = (count: number, width: number) => Math.ceil(count * width / 2);

const FIELDS = Array.from({ length: 32 }, (_, field) => field);

/** Check of the bytes `from .. to)`: FNV-1a of 32 bits. */
export function checkOf(bytes: Uint8Array, from: number, to: number): number {
  let hash = 0x811c9dc5;
  for (let i = from; i < to; i++) hash = Math.imul(hash ^ bytes[i], 0x01000193);
  return hash >>> 0;
}
// What follows the loop is known before the loop is compiled in the middle of a first, long call: else that code is left
// by way of the interpreter at the end of each of 40 slices.
checkOf(new Uint8Array(1), 0, 1);

/** Largest power of two that is not above the divisor, as an exponent: a quotient's exponent is lower by about it. */
export const exponentOf = (divisor: number) => Math.floor(Math.log2(divisor));

/** Reads the pieces of a set's body; whatever does not fit its check throws. */
export class PieceReader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #keys = new Map<number, Pick<Levels, "keys" | "starts">>();
  readonly #slices = new Map<number, Levels>();

  constructor(readonly body: Uint8Array) {
    this.#bytes = body;
    this.#view = new DataView(body.buffer, body.byteOffset, body.length);
  }

  /** A list of slices or sites. */
  list(at: number, length: number): (string | number)[] {
    this.#confirm(at, at + length);
    return JSON.parse(new TextDecoder().decode(this.#bytes.subarray(at, at + length)));
  }

  /** The slice at a place; the same place gives the same object. */
  slice(at: number): Levels {
    let slice = this.#slices.get(at);
    if (slice === undefined) this.#slices.set(at, slice = this.#decode(at));
    return slice;
  }

  /** The keys of the slice at a place, without its values. */
  keysOf(at: number): Pick<Levels, "keys" | "starts"> {
    const place = this.#view.getUint32(at, true);
    let keys = this.#keys.get(place);
    if (keys === undefined) this.#keys.set(place, keys = this.#decodeKeys(place));
    return keys;
  }

  #decode(at: number): Levels {
    const { keys, starts } = this.keysOf(at);
    const count = keys[keys.length - 1].length, coding = this.#bytes[at + 4];
    const divisor = DIVISORS[coding >> 3], width = SHORTEST_CODE + (coding & 7);
    const span = 2 ** (4 * width - 5), none = 32 * span - 1;
    const lowest = LOWEST_EXPONENT + exponentOf(divisor),
      units = Float64Array.from(FIELDS, (f) => 2 ** (lowest + f) / span);
    const values = new Float64Array(count);
    const codesAt = at + 5;
    let beside = codesAt + bytesOfCodes(count, width);
    for (let i = 0; i < count; i++) {
      let code = 0;
      for (let half = (i + 1) * width - 1; half >= i * width; half--) {
        code = code * 16 + (this.#bytes[codesAt + (half >> 1)] >> 4 * (half & 1) & 15);
      }
      if (code === none) {
        values[i] = this.#view.getFloat64(beside, true);
        beside += 8;
      } else if (code !== 0) {
        const field = Math.floor(code / span);
        values[i] = (code - field * span + span) * units[field] / divisor;
      }
    }
    this.#confirm(at, beside);
    return { keys, starts, values };
  }

  #decodeKeys(at: number): Pick<Levels, "keys" | "starts"> {
    let place = at;
    const next = () => {
      let number = 0;
      for (let unit = 1;; unit *= 128) {
        const byte = this.#view.getUint8(place++);
        number += (byte & 127) * unit;
        if (byte < 128) return number;
      }
    };
    const keys: Uint32Array[] = [], starts: Uint32Array[] = [];
    for (let levels = next(), above = 1; keys.length < levels; above = keys[keys.length - 1].length) {
      const list: number[] = [], start = new Uint32Array(above + 1);
      for (let entry = 0; entry < above; entry++) {
        for (let left = next(), key = 0; left > 0; left--) list.push(key += next());
        start[entry + 1] = list.length;
      }
      if (keys.length > 0) starts.push(start);
      keys.push(Uint32Array.from(list));
    }
    this.#confirm(at, place);
    return { keys, starts };
  }

  #confirm(from: number, to: number): void {
    if (this.#view.getUint32(to, true) !== checkOf(this.#bytes, from, to)) throw new Error("the check does not fit");
  }
}

/** One table of a set: slices by name, decoded when they are asked for. */
export class Member {
  readonly #pieces: PieceReader;
  /** Slice → place in the body. */
  readonly #places = new Map<string, number>();
  readonly #sites: readonly number[] = [];
  readonly #damaged: (cause: unknown) => Error;
  readonly #powers: MemberPowers | "none" | null;

  /**
   * @param list of its slices, or of its sites
   * @param damaged the error to throw when a slice cannot be read
   * @param powers of its slices; with them, or where none were measured, its tables are those of energies
   */
  constructor(
    list: readonly (string | number)[],
    pieces: PieceReader,
    damaged: (cause: unknown) => Error,
    powers: MemberPowers | "none" | null = null,
  ) {
    this.#pieces = pieces;
    this.#damaged = damaged;
    this.#powers = powers;
    if (powers !== null && powers !== "none" && powers.slices !== list.length / 3) {
      throw new Error("the powers are of other measurements");
    }
    let place = 0;
    if (typeof list[1] === "number") {
      this.#sites = list.map((number, i) => i % 3 === 2 ? place += number as number : number as number);
      return;
    }
    for (let i = 0, name = ""; i < list.length; i += 3) {
      name = name.slice(0, list[i] as number) + list[i + 1];
      this.#places.set(name, place += list[i + 2] as number);
    }
  }

  /** The member with only some of its slices. */
  only(names: ReadonlySet<string>): Member {
    const shown = new Member([], this.#pieces, this.#damaged);
    for (const [name, place] of this.#places) if (names.has(name)) shown.#places.set(name, place);
    return shown;
  }

  /** Names of the slices. */
  names(): string[] {
    return this.#sites.length > 0 ? [SITES] : [...this.#places.keys()];
  }

  has(name: string): boolean {
    return this.#places.has(name);
  }

  /** The curve of that name, or undefined. */
  curve(name: string): CurveData | undefined {
    const levels = this.levels(name);
    return levels && { keys: levels.keys[0], values: levels.values, powers: levels.powers };
  }

  /** The grid of that name, which has three axes, or undefined. */
  grid(name: string): GridData | undefined {
    const levels = this.levels(name);
    if (levels === undefined) return undefined;
    const [[heads, rows, leaves], [rowStart, leafStart]] = [levels.keys, levels.starts];
    return { heads, rowStart, rows, leafStart, leaves, values: levels.values, powers: levels.powers };
  }

  /** The grid of that name with all its axes, or undefined. */
  levels(name: string): Levels | undefined {
    const place = this.#places.get(name);
    if (place === undefined) return undefined;
    const levels = this.#read(() => this.#pieces.slice(place));
    if (this.#powers === null) return levels;
    return { ...levels, powers: this.#wattsOf([...this.#places.keys()].indexOf(name), levels.values.length) };
  }

  #wattsOf(slice: number, values: number): Float64Array | undefined {
    if (this.#powers === null) return undefined;
    const watts = this.#powers === "none" ? new Float64Array(values) : this.#powers.of(slice);
    if (watts.length !== values) throw this.#damaged(new Error("the powers are of other measurements"));
    return watts;
  }

  /** The sites of a GEMM member, in order. */
  sites(): GemmSites {
    const sites = this.#sites;
    return {
      length: sites.length / 3,
      n: (index) => sites[3 * index],
      k: (index) => sites[3 * index + 1],
      site: (index) => this.#site(sites[3 * index], sites[3 * index + 1], sites[3 * index + 2], index),
    };
  }

  /** A site whose latencies are decoded when they are looked at: most sites are only asked what they cover. */
  #site(n: number, k: number, place: number, index: number): GemmSite {
    const read = <T>(what: () => T) => this.#read(what), pieces = this.#pieces;
    const [keys] = read(() => pieces.keysOf(place).keys);
    return {
      n,
      k,
      keys,
      get values() {
        return read(() => pieces.slice(place).values);
      },
      powers: this.#wattsOf(index, keys.length),
    };
  }

  #read<T>(what: () => T): T {
    try {
      return what();
    } catch (cause) {
      throw this.#damaged(cause);
    }
  }
}
