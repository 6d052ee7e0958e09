/**
 * The GPU systems that are known, their version slots, and the performance sets that are on this machine.
 *
 * @module
 */
import * as v from "valibot";
import { checkOptions, ConfigError, FileError, nearName, type OptionNames } from "../../errors.ts";
import {
  namesIn,
  pathText,
  readFileIfThere,
  readTextIfThere,
  SHIPPED_DATA,
  userDataFolder,
} from "../../io/data_files.ts";
import { sha256 } from "../../io/digest.ts";
import type { Hardware } from "./hardware.ts";
import { type Origin, PerfSet, type PerfTables } from "./perf_set.ts";
import { PowerFile } from "./power_file.ts";

/** Versions of a backend for which a system has measurements. */
export interface VersionSlots {
  /** The version that is meant where none is named. */
  readonly current: string;
  /** An older version. */
  readonly previous?: string;
  /** A newer version. */
  readonly next?: string;
}

/** A known GPU system. */
export interface SystemEntry {
  /** Its GPUs and links. */
  readonly hardware: Hardware;
  /** Backends with measurements; empty when only the hardware is known. */
  readonly backends: Readonly<Partial<Record<string, VersionSlots>>>;
}

/** `systems.json`: the systems of one data release. */
export interface CatalogFile {
  readonly origin: Origin;
  readonly systems: Readonly<Record<string, SystemEntry>>;
}

/** Options of {@linkcode PerfCatalog}. */
export interface PerfCatalogOptions {
  /** Data release whose measurements count. Default: the one that ships with the project. */
  release?: string;
}

/**
 * Rules of `perf-data check` that much of a table breaks: points that break it, points looked at, and of a doubtful table
 * the slices that are doubtful themselves.
 */
export type FlaggedTable = Readonly<Record<string, readonly [points: number, of: number, slices?: readonly string[]]>>;

/** Share of points that break a rule from which a table, or a slice of it, is doubtful. */
export const DOUBTFUL = 0.2;

/** Identity of a performance set. */
export interface SetName {
  /** Name of the GPU system. */
  readonly system: string;
  /** Name of the engine. */
  readonly backend: string;
  /** Its version. */
  readonly version: string;
}

/**
 * Systems and sets, read when first asked for; keep one for a run so that roles share what they load.
 *
 * @example
 * ```ts
 * import { PerfCatalog } from "dynosim";
 *
 * const catalog = new PerfCatalog();
 * console.log(catalog.system("h200_sxm").hardware.gpusPerNode); // 8
 * console.log(catalog.version("h200_sxm", "vllm", "current")); // 0.24.0
 * ```
 */
export class PerfCatalog {
  readonly #release: string | undefined;
  #file: CatalogFile | undefined;
  readonly #sets = new Map<string, PerfSet>();
  readonly #energies = new Map<string, PerfTables>();

  /** The sets on this machine: those shipped and those in the user's cache. Nothing is read yet. */
  constructor(options: PerfCatalogOptions = {}) {
    checkOptions("PerfCatalog", options, { release: true } satisfies OptionNames<PerfCatalogOptions>);
    this.#release = options.release;
  }

  /**
   * Where the measurements are from.
   *
   * @throws {ConfigError} when nothing of the release asked for is on this machine.
   */
  get origin(): Origin {
    return this.#catalog().origin;
  }

  /** Names of all known systems. */
  systemNames(): string[] {
    return Object.keys(this.#entries());
  }

  /**
   * A system by name.
   *
   * @throws {ConfigError} when it is not known, with the nearest name.
   */
  system(name: string): SystemEntry {
    const entries = this.#entries();
    if (Object.hasOwn(entries, name)) return entries[name];
    const message = unknown("hardware", name, Object.keys(entries));
    throw new ConfigError(message, [{ path: "hardware", message }]);
  }

  /**
   * The version that a request means: a slot (`current`, `previous`, `next`), one of the slots' versions, or none for
   * `current`.
   *
   * @throws {ConfigError} when the system has no measurements of the backend, or no such version.
   */
  version(system: string, backend: string, requested: string | null = null): string {
    const { backends } = this.system(system);
    const slots = Object.hasOwn(backends, backend) ? backends[backend] : undefined;
    if (slots === undefined) {
      const known = Object.keys(backends);
      const message = `no measurements of backend '${backend}' on '${system}' ` +
        (known.length > 0 ? `(measured: ${known.join(", ")})` : "(only its hardware is known)");
      throw new ConfigError(message, [{ path: "backend", message }]);
    }
    const byName: Readonly<Record<string, string>> = { ...slots };
    const wanted = requested ?? "current";
    if (Object.hasOwn(byName, wanted)) return byName[wanted];
    if (Object.values(byName).includes(wanted)) return wanted;
    const near = nearName(wanted, [...Object.keys(byName), ...Object.values(byName)]);
    const message = `unknown version '${wanted}' of backend '${backend}' on '${system}'` +
      (near ? `, did you mean '${near}'?` : "") +
      ` (known: ${Object.entries(byName).map(([slot, version]) => `${slot} = ${version}`).join(", ")})`;
    throw new ConfigError(message, [{ path: "backend_version", message }]);
  }

  /**
   * A set, from what ships with the project or from the user's folder.
   *
   * @throws {ConfigError} when it is in neither, with the command that installs it.
   * @internal
   */
  load(name: SetName): PerfSet {
    const file = setFile(name);
    const known = this.#sets.get(file);
    if (known) return known;
    const found = this.#bytes(file);
    if (found === undefined) {
      const { system, backend, version } = name;
      const slots = this.system(system).backends[backend];
      const which = slots?.current === version ? "" : ` --backend-version ${version}`;
      const message = `the measurements of '${system}' with ${backend} ${version} are not installed; run: ` +
        `deno task perf-data install ${system} --backend ${backend}${which}${this.#releaseOption()}`;
      throw new ConfigError(message, [{ path: "hardware", message }]);
    }
    const set = new PerfSet(found.bytes, found.path);
    this.#sets.set(file, set);
    return set;
  }

  /**
   * The tables of a set with energies in place of times; undefined when no power was measured.
   *
   * @throws {ConfigError} as {@linkcode PerfCatalog.load}
   * @internal
   */
  energies(name: SetName): PerfTables | undefined {
    const file = powersFile(name);
    let tables = this.#energies.get(file);
    if (tables === undefined) {
      const found = this.#bytes(file);
      if (found !== undefined) {
        const powers = new PowerFile(found.bytes, found.path);
        this.#energies.set(file, tables = this.load(name).energies((member) => powers.member(member)));
      }
    }
    return tables;
  }

  /**
   * Tables of a set with measurements that cannot be right, by name; known only of the sets that ship with the project.
   *
   * @internal
   */
  flaggedTables({ system, backend, version }: SetName): Readonly<Record<string, FlaggedTable>> {
    if (this.origin.release !== shippedCatalog().origin.release) return {};
    const text = readTextIfThere(new URL(`${system}/findings.json`, SHIPPED_PERF));
    const sets: Record<string, Record<string, FlaggedTable>> = text ? JSON.parse(text) : {};
    const name = `${backend}-${version}`;
    return Object.hasOwn(sets, name) ? sets[name] : {};
  }

  /** SHA-256 of a set's file; null when it is not on this machine. */
  digest(name: SetName): string | null {
    const found = this.#bytes(setFile(name));
    return found === undefined ? null : sha256(found.bytes);
  }

  #bytes(file: string): { bytes: Uint8Array; path: string } | undefined {
    for (const { folder } of this.#folders()) {
      const place = inFolder(folder, file), bytes = readFileIfThere(place);
      if (bytes !== undefined) return { bytes, path: pathText(place) };
    }
  }

  /** Sets of a system that are on this machine, with the place each comes from. */
  setsOnThisMachine(system: string): { file: string; place: "shipped" | "installed" }[] {
    return this.#folders().flatMap(({ folder, place }) =>
      namesIn(inFolder(folder, system)).filter((name) => name.endsWith(".perf")).map((file) => ({ file, place }))
    );
  }

  #entries(): Readonly<Record<string, SystemEntry>> {
    return this.#catalog().systems;
  }

  #catalog(): CatalogFile {
    if (this.#file) return this.#file;
    const shipped = shippedCatalog();
    if (this.#release === undefined || this.#release === shipped.origin.release) return this.#file = shipped;
    const own = userDataFolder();
    const text = own && readTextIfThere(`${releaseFolder(own, this.#release)}/systems.json`);
    if (!text) {
      const message = `data release ${this.#release} is not on this machine; run: ` +
        `deno task perf-data install SYSTEM --release ${this.#release}`;
      throw new ConfigError(message, [{ path: "data_release", message }]);
    }
    return this.#file = readCatalog(text, `${releaseFolder(own!, this.#release)}/systems.json`);
  }

  #releaseOption(): string {
    const { release } = this.origin;
    return release === shippedCatalog().origin.release ? "" : ` --release ${release}`;
  }

  /** Folders in which sets may lie, in the order in which they are looked for. */
  #folders(): { folder: string | URL; place: "shipped" | "installed" }[] {
    const { release } = this.origin;
    const own = userDataFolder();
    return [
      ...release === shippedCatalog().origin.release ? [{ folder: SHIPPED_PERF, place: "shipped" as const }] : [],
      ...own === undefined ? [] : [{ folder: releaseFolder(own, release), place: "installed" as const }],
    ];
  }
}

const SHIPPED_PERF = new URL("perf/", SHIPPED_DATA);

const inFolder = (folder: string | URL, name: string): string | URL =>
  typeof folder === "string" ? `${folder}/${name}` : new URL(name, folder);

const SLOTS = v.record(v.string(), v.string());
const CATALOG = v.looseObject({
  origin: v.looseObject({ package: v.string(), release: v.string(), licence: v.string() }),
  systems: v.record(v.string(), v.looseObject({ hardware: v.looseObject({}), backends: v.record(v.string(), SLOTS) })),
});

function readCatalog(text: string, path: string): CatalogFile {
  try {
    return v.parse(CATALOG, JSON.parse(text)) as unknown as CatalogFile;
  } catch (cause) {
    const advice = "remove it and install the data release again (deno task perf-data install)";
    throw new FileError(`${path} is damaged: it lists no systems; ${advice}`, { file: path }, { cause });
  }
}

let shippedFile: CatalogFile | undefined;

/** The catalogue that comes with the project, read once. */
function shippedCatalog(): CatalogFile {
  return shippedFile ??= JSON.parse(readTextIfThere(new URL("systems.json", SHIPPED_PERF))!);
}

/** Folder of a data release in a user's data folder. */
export function releaseFolder(own: string, release: string): string {
  return `${own}/perf/${release}`;
}

/** Path of a set below a data folder's `perf/`. */
export function setFile({ system, backend, version }: SetName): string {
  return `${system}/${backend}-${version}.perf`;
}

/** Path of a set's powers below a data folder's `perf/`; most sets have none. */
export const powersFile = ({ system, backend, version }: SetName): string => `${system}/${backend}-${version}.power`;

function unknown(what: string, name: string, known: readonly string[]): string {
  const near = nearName(name, known);
  return `unknown ${what} '${name}'${near ? `, did you mean '${near}'?` : ""} (known: ${known.join(", ")})`;
}
