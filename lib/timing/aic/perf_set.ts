/**
 * Measured operators of one (system, backend, version) in the project's own form: a header that says what it is and
 * where it comes from, then one packed member per table and number format, so that a run unpacks only what it asks for.
 *
 *     file    "dynoperf" · header bytes (u32) · header (JSON) · members (gzip each)
 *     member  index bytes, floats, ints (u32 each) · 0 · index (JSON, padded to 8) · float64 pool · uint32 pool
 *
 * All numbers are little-endian. The index of a member says where in the pools each slice lies:
 * a curve `[floatAt, intAt, points]`, a grid `[floatAt, intAt, entries of each level…]`, the sites of a GEMM table
 * `[intAt, sites]`. Latencies are milliseconds.
 *
 * @module
 */
import * as v from "valibot";
import { FileError } from "../../errors.ts";
import { gunzip } from "../../io/data_files.ts";
import type { Hardware } from "./hardware.ts";

/** A table with one axis: `values[i]` was measured at `keys[i]`, keys ascending. */
export interface CurveData {
  readonly keys: Uint32Array;
  readonly values: Float64Array;
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
}

/**
 * A table with any number of axes as nested sorted lists: entry `i` of level `l` owns the entries
 * `starts[l][i] .. starts[l][i + 1])` of level `l + 1`; `values` belong to the last level.
 */
export interface Levels<List = Uint32Array> {
  readonly keys: readonly List[];
  readonly starts: readonly List[];
  readonly values: List extends Uint32Array ? Float64Array : List;
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

/** Where measurements were taken from. */
export interface Origin {
  /** The package that published them. */
  readonly package: string;
  /** Version of the package: the data version. */
  readonly release: string;
  /** SPDX name. */
  readonly licence: string;
}

/** What a set says about itself. */
export interface PerfSetHeader {
  readonly format: 1;
  readonly system: string;
  readonly backend: string;
  readonly version: string;
  readonly origin: Origin;
  readonly hardware: Hardware;
  /** Order in which attention kernels were asked for a slice. */
  readonly lanes: { readonly context: readonly string[]; readonly generation: readonly string[] };
  /** Folders each table was merged from, in order: [folder, channel, kernels taken or null for all]. */
  readonly sources: Readonly<Record<string, readonly (readonly [string, string, readonly string[] | null])[]>>;
  /**
   * Members that hold more than the version's own measurements, and where those are: `none` (all is borrowed), `named`
   * (the slices that the member `own/…` names), `apart` (the member `own/…` itself). Absent members are the version's own.
   */
  readonly own?: Readonly<Record<string, "none" | "named" | "apart">>;
  /** Member name → [offset after the header, packed bytes]. */
  readonly members: Readonly<Record<string, readonly [number, number]>>;
}

const MAGIC = "dynoperf";
/** Before the name of a member that tells which measurements are the version's own. */
export const OWN = "own/";

/** Reads the header of a set and where its members begin; undefined when the bytes are no set of a known format. */
export function readPerfSetHeader(bytes: Uint8Array): { header: PerfSetHeader; membersAt: number } | undefined {
  const text = new TextDecoder();
  if (bytes.length < 12 || text.decode(bytes.subarray(0, 8)) !== MAGIC) return undefined;
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(8, true), membersAt = 12 + length;
  let header: unknown;
  try {
    header = JSON.parse(text.decode(bytes.subarray(12, membersAt)));
  } catch {
    return undefined; // what says how long it is, or the text itself, is damaged
  }
  if (!v.is(HEADER, header)) return undefined;
  const inside = ([offset, packed]: readonly number[]) => membersAt + offset + packed <= bytes.length;
  if (!Object.values(header.members).every(inside)) return undefined;
  return { header: header as unknown as PerfSetHeader, membersAt };
}

const natural = v.pipe(v.number(), v.safeInteger(), v.minValue(0));

/** What is looked at of a header before it is believed; the rest came with it. */
const HEADER = v.looseObject({
  format: v.literal(1),
  system: v.string(),
  backend: v.string(),
  version: v.string(),
  hardware: v.looseObject({}),
  lanes: v.looseObject({ context: v.array(v.string()), generation: v.array(v.string()) }),
  own: v.optional(v.record(v.string(), v.picklist(["none", "named", "apart"]))),
  members: v.record(v.string(), v.tuple([natural, natural])),
});

/** Puts a set together from packed members (see {@linkcode MemberWriter}). */
export function writePerfSet(
  about: Omit<PerfSetHeader, "members" | "format">,
  packed: ReadonlyMap<string, Uint8Array>,
): Uint8Array {
  const members: Record<string, [number, number]> = {};
  let at = 0;
  for (const [name, bytes] of packed) {
    members[name] = [at, bytes.length];
    at += bytes.length;
  }
  const header = new TextEncoder().encode(JSON.stringify({ format: 1, ...about, members }));
  const set = new Uint8Array(12 + header.length + at);
  set.set(new TextEncoder().encode(MAGIC));
  new DataView(set.buffer).setUint32(8, header.length, true);
  set.set(header, 12);
  at = 12 + header.length;
  for (const bytes of packed.values()) {
    set.set(bytes, at);
    at += bytes.length;
  }
  return set;
}

/** One unpacked member: slices by name, each a view into the member's pools. */
export class Member {
  readonly #index: Readonly<Record<string, readonly number[]>>;
  readonly #floats: Float64Array;
  readonly #ints: Uint32Array;

  /**
   * @param plain an unpacked member, at offset 0 of its buffer
   * @param only names of the slices to show; absent: all
   */
  constructor(readonly plain: Uint8Array, only?: ReadonlySet<string>) {
    const [indexBytes, floats, ints] = new Uint32Array(plain.buffer, 0, 3);
    const index: Record<string, readonly number[]> = JSON.parse(
      new TextDecoder().decode(plain.subarray(16, 16 + indexBytes)),
    );
    this.#index = only === undefined
      ? index
      : Object.fromEntries(Object.entries(index).filter(([name]) => only.has(name)));
    const poolAt = 16 + Math.ceil(indexBytes / 8) * 8;
    this.#floats = new Float64Array(plain.buffer, poolAt, floats);
    this.#ints = new Uint32Array(plain.buffer, poolAt + floats * 8, ints);
  }

  /** Names of the slices. */
  names(): string[] {
    return Object.keys(this.#index);
  }

  has(name: string): boolean {
    return Object.hasOwn(this.#index, name);
  }

  /** The curve of that name, or undefined. */
  curve(name: string): CurveData | undefined {
    if (!this.has(name)) return undefined;
    const [floatAt, intAt, points] = this.#index[name];
    return this.#curve(floatAt, intAt, points);
  }

  /** The grid of that name, which has three axes, or undefined. */
  grid(name: string): GridData | undefined {
    const levels = this.levels(name);
    if (levels === undefined) return undefined;
    const [[heads, rows, leaves], [rowStart, leafStart]] = [levels.keys, levels.starts];
    return { heads, rowStart, rows, leafStart, leaves, values: levels.values };
  }

  /** The grid of that name with all its axes, or undefined. */
  levels(name: string): Levels | undefined {
    if (!this.has(name)) return undefined;
    const [floatAt, intAt, ...counts] = this.#index[name];
    let at = intAt;
    const take = (count: number) => this.#ints.subarray(at, at += count);
    const keys: Uint32Array[] = [], starts: Uint32Array[] = [];
    counts.forEach((count, level) => {
      keys.push(take(count));
      if (level < counts.length - 1) starts.push(take(count + 1));
    });
    return { keys, starts, values: this.#floats.subarray(floatAt, floatAt + counts[counts.length - 1]) };
  }

  /** The sites of a GEMM member, in order. */
  sites(): GemmSites {
    const [intAt, length] = this.#index.sites;
    const field = (index: number, offset: number) => this.#ints[intAt + 5 * index + offset];
    return {
      length,
      n: (index) => field(index, 0),
      k: (index) => field(index, 1),
      site: (index) => ({
        n: field(index, 0),
        k: field(index, 1),
        ...this.#curve(field(index, 2), field(index, 3), field(index, 4)),
      }),
    };
  }

  #curve(floatAt: number, intAt: number, points: number): CurveData {
    return {
      keys: this.#ints.subarray(intAt, intAt + points),
      values: this.#floats.subarray(floatAt, floatAt + points),
    };
  }
}

/** Collects the slices of one member. Equal key lists of curves are stored once. */
export class MemberWriter {
  readonly #index: Record<string, number[]> = {};
  readonly #floats: number[] = [];
  readonly #ints: number[] = [];
  readonly #shared = new Map<string, number>();
  readonly #sites: number[] = [];

  addCurve(name: string, keys: readonly number[], values: readonly number[]): void {
    this.#index[name] = [this.#addFloats(values), this.#addSharedKeys(keys), keys.length];
  }

  addGrid(name: string, { keys, starts, values }: Levels<number[]>): void {
    const floatAt = this.#addFloats(values);
    const intAt = this.#ints.length;
    keys.forEach((list, level) => {
      for (const part of [list, starts[level] ?? []]) {
        for (const value of part) this.#ints.push(value);
      }
    });
    this.#index[name] = [floatAt, intAt, ...keys.map((list) => list.length)];
  }

  addSite(n: number, k: number, keys: readonly number[], values: readonly number[]): void {
    this.#sites.push(n, k, this.#addFloats(values), this.#addSharedKeys(keys), keys.length);
  }

  get empty(): boolean {
    return this.#floats.length === 0;
  }

  /** The member as plain bytes, to be packed with gzip. */
  plain(): Uint8Array {
    if (this.#sites.length > 0) {
      this.#index.sites = [this.#ints.length, this.#sites.length / 5];
      this.#ints.push(...this.#sites.splice(0));
    }
    const index = new TextEncoder().encode(JSON.stringify(this.#index));
    const poolAt = 16 + Math.ceil(index.length / 8) * 8;
    const plain = new Uint8Array(poolAt + this.#floats.length * 8 + this.#ints.length * 4);
    new Uint32Array(plain.buffer, 0, 3).set([index.length, this.#floats.length, this.#ints.length]);
    plain.set(index, 16);
    new Float64Array(plain.buffer, poolAt, this.#floats.length).set(this.#floats);
    new Uint32Array(plain.buffer, poolAt + this.#floats.length * 8).set(this.#ints);
    return plain;
  }

  #addFloats(values: readonly number[]): number {
    const at = this.#floats.length;
    for (const value of values) this.#floats.push(value);
    return at;
  }

  #addSharedKeys(keys: readonly number[]): number {
    const text = keys.join();
    const known = this.#shared.get(text);
    if (known !== undefined) return known;
    const at = this.#ints.length;
    for (const key of keys) this.#ints.push(key);
    this.#shared.set(text, at);
    return at;
  }
}

/** The tables of a set. */
export interface PerfTables {
  readonly header: PerfSetHeader;
  /** The member of that name (`gemm/bfloat16`), or undefined when there is none. */
  member(name: string): Member | undefined;
}

/** An opened set; members are unpacked when first asked for. */
export class PerfSet implements PerfTables {
  readonly header: PerfSetHeader;
  readonly #bytes: Uint8Array;
  readonly #membersAt: number;
  readonly #members = new Map<string, Member>();
  readonly #path: string;

  /**
   * @param path how errors call the file
   * @throws {FileError} when the bytes are no set, or were cut or changed
   */
  constructor(bytes: Uint8Array, path = "performance set") {
    const read = readPerfSetHeader(bytes);
    if (!read) throw damaged(path, "its header cannot be read");
    this.#path = path;
    this.header = read.header;
    this.#bytes = bytes;
    this.#membersAt = read.membersAt;
  }

  /** What was measured with this version itself: without declared donors, older versions and other backends. */
  ownTables(): PerfTables {
    const { own = {}, members } = this.header;
    const shown = Object.entries(members).filter(([name]) => !name.startsWith(OWN) && own[name] !== "none");
    const filtered = new Map<string, Member>();
    return {
      header: { ...this.header, members: Object.fromEntries(shown) },
      member: (name) => {
        const state = Object.hasOwn(own, name) ? own[name] : undefined;
        if (state === "none") return undefined;
        if (state === "apart") return this.member(OWN + name);
        if (state === undefined) return this.member(name);
        let member = filtered.get(name);
        if (member === undefined) {
          const names = new Set(this.member(OWN + name)!.names());
          filtered.set(name, member = new Member(this.member(name)!.plain, names));
        }
        return member;
      },
    };
  }

  /** The member of that name (`gemm/bfloat16`), or undefined when the set has none. */
  member(name: string): Member | undefined {
    const known = this.#members.get(name);
    if (known || !Object.hasOwn(this.header.members, name)) return known;
    const [offset, length] = this.header.members[name];
    const at = this.#membersAt + offset;
    let member: Member;
    try {
      member = new Member(gunzip(this.#bytes.subarray(at, at + length)));
    } catch (cause) {
      throw damaged(this.#path, `its member ${name} cannot be unpacked`, cause);
    }
    this.#members.set(name, member);
    return member;
  }
}

function damaged(path: string, what: string, cause?: unknown): FileError {
  const advice = "remove the file and install the measurements again (deno task perf-data install)";
  return new FileError(`${path} is damaged: ${what}; ${advice}`, { file: path }, { cause });
}
