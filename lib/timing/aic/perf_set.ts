/**
 * Measured operators of one (system, backend, version) in the project's own form: a header that says what it is and
 * where it comes from, then the tables (see `perf_member.ts`).
 *
 *     file    "dynoperf" · header bytes (u32) · header (JSON) · body
 *
 * Latencies are milliseconds. Powers that were measured with them are in a file of their own (see `power_file.ts`).
 *
 * @module
 */
import { isMapping } from "../../collections/mapping.ts";
import { FileError } from "../../errors.ts";
import type { Hardware } from "./hardware.ts";
import { Member, type MemberPowers, PieceReader } from "./perf_member.ts";

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
  readonly format: typeof FORMAT;
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
  /** Member name → [place of its list in the body, bytes of it]. */
  readonly members: Readonly<Record<string, readonly [number, number]>>;
}

/** First bytes of a set. */
export const MAGIC = "dynoperf";
/** Which form of sets is written and read. */
export const FORMAT = 3;
/** Before the name of a member that tells which measurements are the version's own. */
export const OWN = "own/";

/** Reads the header of a set and where its body begins; undefined when the bytes are no set of the known format. */
export function readPerfSetHeader(bytes: Uint8Array): { header: PerfSetHeader; bodyAt: number } | undefined {
  const { header, bodyAt } = parsedHeader(bytes);
  return isHeader(header, bytes.length - bodyAt) ? { header, bodyAt } : undefined;
}

/** What stands in the place of the header, and where the body begins. */
function parsedHeader(bytes: Uint8Array): { header: unknown; bodyAt: number } {
  const text = new TextDecoder();
  if (bytes.length < 12 || text.decode(bytes.subarray(0, 8)) !== MAGIC) return { header: undefined, bodyAt: 0 };
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(8, true), bodyAt = 12 + length;
  try {
    return { header: JSON.parse(text.decode(bytes.subarray(12, bodyAt))), bodyAt };
  } catch {
    return { header: undefined, bodyAt }; // what says how long it is, or the text itself, is damaged
  }
}

const isText = (value: unknown) => typeof value === "string";
const isTexts = (value: unknown) => Array.isArray(value) && value.every(isText);

/**
 * What is looked at of a header before it is believed; the rest came with it. By hand, because this is on the way of the
 * first estimate of every process, and a schema's checks take milliseconds there.
 */
function isHeader(header: unknown, bodyBytes: number): header is PerfSetHeader {
  if (!isMapping(header) || header.format !== FORMAT) return false;
  const { system, backend, version, hardware, lanes, own, members } = header;
  const inside = (place: unknown) =>
    Array.isArray(place) && place.length === 2 && place.every((part) => Number.isSafeInteger(part) && part >= 0) &&
    place[0] + place[1] + 4 <= bodyBytes;
  return isText(system) && isText(backend) && isText(version) && isMapping(hardware) &&
    isMapping(lanes) && isTexts(lanes.context) && isTexts(lanes.generation) &&
    (own === undefined ||
      isMapping(own) && Object.values(own).every((state) => ["none", "named", "apart"].includes(state as string))) &&
    isMapping(members) && Object.values(members).every(inside);
}

/** The tables of a set. */
export interface PerfTables {
  readonly header: PerfSetHeader;
  /** What they answer with: energies (watt-milliseconds), or where it is absent times. */
  readonly unit?: "W-ms";
  /** The member of that name (`gemm/bfloat16`), or undefined when there is none. */
  member(name: string): Member | undefined;
}

/** An opened set; a member's list of slices is read when it is first asked for. */
export class PerfSet implements PerfTables {
  readonly header: PerfSetHeader;
  readonly #pieces: PieceReader;
  readonly #members = new Map<string, Member>();
  readonly #path: string;

  /**
   * @param path how errors call the file
   * @throws {FileError} when the bytes are no set, or were cut or changed
   */
  constructor(bytes: Uint8Array, path = "performance set") {
    const read = readPerfSetHeader(bytes);
    if (!read) throw ofAnotherFormat(bytes, path) ?? damaged(path, "its header cannot be read");
    this.#path = path;
    this.header = read.header;
    this.#pieces = new PieceReader(bytes.subarray(read.bodyAt));
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
          filtered.set(name, member = this.member(name)!.only(new Set(this.member(OWN + name)!.names())));
        }
        return member;
      },
    };
  }

  /** The tables with energies in place of times, from the powers of members; those without have no power anywhere. */
  energies(powers: (member: string) => MemberPowers | undefined): PerfTables {
    const made = new Map<string, Member | undefined>();
    const member = (name: string) => {
      if (!made.has(name)) made.set(name, this.#open(name, powers(name) ?? "none"));
      return made.get(name);
    };
    return { header: this.header, unit: "W-ms", member };
  }

  /** The member of that name (`gemm/bfloat16`), or undefined when the set has none. */
  member(name: string): Member | undefined {
    const known = this.#members.get(name);
    if (known !== undefined) return known;
    const member = this.#open(name);
    if (member !== undefined) this.#members.set(name, member);
    return member;
  }

  #open(name: string, powers: MemberPowers | "none" | null = null): Member | undefined {
    if (!Object.hasOwn(this.header.members, name)) return undefined;
    const unreadable = (cause: unknown) => damaged(this.#path, `its member ${name} cannot be read`, cause);
    try {
      return new Member(this.#pieces.list(...this.header.members[name]), this.#pieces, unreadable, powers);
    } catch (cause) {
      throw unreadable(cause);
    }
  }
}

/** The error for a set that an earlier or later dynosim has written; undefined when the bytes are none. */
function ofAnotherFormat(bytes: Uint8Array, path: string): FileError | undefined {
  const { header } = parsedHeader(bytes);
  if (!isMapping(header) || !Number.isSafeInteger(header.format) || header.format === FORMAT) return undefined;
  const system = typeof header.system === "string" && /^[a-z0-9_]+$/.test(header.system) ? ` ${header.system}` : "";
  const message =
    `${path} was written by another release of dynosim (format ${header.format}, this one reads ${FORMAT}); ` +
    `install the measurements again (deno task perf-data install${system})`;
  return new FileError(message, { file: path });
}

function damaged(path: string, what: string, cause?: unknown): FileError {
  const advice = "remove the file and install the measurements again (deno task perf-data install)";
  return new FileError(`${path} is damaged: ${what}; ${advice}`, { file: path }, { cause });
}
