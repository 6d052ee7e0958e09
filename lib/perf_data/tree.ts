/**
 * The tree of measured tables: which systems, backends and versions it has, which version slots they offer, and which
 * files make up one logical table of a version (its own, declared reuse, older versions, other backends).
 *
 * @module
 */
import { parse } from "@std/yaml";
import { compareKeys, comparePythonVersions, isPythonVersion, slotKey } from "./versions.ts";
import type { FileTree } from "../io/zip_file.ts";

/** Version slots of a backend on a system. */
export interface Slots {
  current: string;
  previous?: string;
  next?: string;
}

/** One file that contributes rows to a table. */
export interface Source {
  /** Folder below the system's data. */
  readonly folder: string;
  readonly channel: "primary" | "declared_reuse" | "fallback" | "cross_backend";
  /** Kernels whose rows are taken; null for all. */
  readonly kernels: readonly string[] | null;
}

interface ManifestGroup {
  op_file: string;
  kernel_source: string;
  tier: string;
  frameworks: string[];
}

interface SlotEntry {
  current: string;
  previous: string | null;
}

const METADATA = new Set(["collection_meta.yaml", "reuse.yaml", "INCOMPLETE.txt"]);
export const BACKENDS = ["vllm", "sglang", "trtllm"] as const;

/** Version → names of its files, by folder. */
type Versions = Map<string, { folder: string; files: Set<string> }[]>;

/** A view of the `systems` folder of the package. */
export class DataTree {
  readonly #files: FileTree;
  readonly #root: string;
  readonly #donors: boolean;
  /** System → framework → versions. */
  readonly #versions = new Map<string, Map<string, Versions>>();
  readonly #slots: {
    defaults: Record<string, SlotEntry>;
    overrides?: Record<string, Record<string, SlotEntry>>;
  };
  readonly #manifest: readonly ManifestGroup[];

  /**
   * @param root folder in `files` that holds the systems, without a slash at the end
   * @param donors whether tables are completed from other versions and backends
   */
  constructor(files: FileTree, root: string, donors = true) {
    this.#files = files;
    this.#root = root;
    this.#donors = donors;
    this.#slots = parse(this.#text("query_versions.yaml"));
    this.#manifest = (parse(this.#text("perf_data_reuse_manifest.yaml")) as { groups: ManifestGroup[] }).groups;
    for (const path of files.paths) this.#note(path);
    for (const frameworks of this.#versions.values()) {
      for (const versions of frameworks.values()) dropIncomplete(versions);
    }
  }

  /** The same files, every table from its own version alone. */
  withoutDonors(): DataTree {
    return new DataTree(this.#files, this.#root, false);
  }

  /** Names of all systems that have a specification, sorted. */
  systems(): string[] {
    const specification = new RegExp(`^${this.#root}/([^/]+)\\.yaml$`);
    return this.#files.paths.flatMap((path) => specification.exec(path)?.[1] ?? [])
      .filter((name) => "gpu" in this.specification(name));
  }

  /** The parsed specification of a system. */
  specification(system: string): any {
    return parse(this.#text(`${system}.yaml`)) ?? {};
  }

  /** Bytes of a table's file. */
  read(system: string, folder: string, table: string): Uint8Array {
    return this.#files.read(`${this.#root}/data/${system}/${folder}/${table}.parquet`);
  }

  /** Version slots, or undefined when the system has no data of that backend. */
  slots(system: string, backend: string): Slots | undefined {
    if (!this.#frameworkVersions(system, backend).size) return undefined;
    const override = this.#slots.overrides?.[system]?.[backend];
    const entry = override ?? this.#slots.defaults[backend];
    if (!entry) return undefined;
    const next = override ? undefined : this.#nextVersion(backend, entry.current);
    return { current: entry.current, ...entry.previous && { previous: entry.previous }, ...next && { next } };
  }

  /** The kernel that a framework picks by default; null when none is recorded for this version and GPU. */
  defaultKernel(backend: string, version: string, smVersion: number): string | null {
    const kernels = parse(this.#text("attention_lane_defaults.yaml")) as Record<string, Record<string, any>>;
    const listed = Object.keys(kernels[backend] ?? {})
      .filter((known) => comparePythonVersions(known, version) <= 0)
      .sort(comparePythonVersions);
    return kernels[backend]?.[listed.at(-1) ?? ""]?.[smVersion] ?? null;
  }

  /** The files that make up `table` (no extension) of a version, in the order in which their rows count. */
  sources(system: string, backend: string, version: string, table: string): Source[] {
    const file = `${table}.parquet`;
    const versions = this.#frameworkVersions(system, backend);
    const folderOf = (of: Versions, name: string) => of.get(name)?.find((place) => place.files.has(file))?.folder;
    const found: Source[] = [];
    const used = new Set<string>();
    const add = (name: string, channel: Source["channel"]) => {
      const folder = folderOf(versions, name);
      if (folder === undefined || used.has(name)) return;
      used.add(name);
      found.push({ folder, channel, kernels: null });
    };
    add(version, "primary");
    if (!this.#donors) return found;
    const collective = table === "custom_allreduce_perf";
    if (!collective) {
      for (const from of this.#declaredReuse(system, versions.get(version) ?? [], table)) add(from, "declared_reuse");
    }
    const older = [...versions.keys()].filter((name) =>
      isPythonVersion(name) && isPythonVersion(version) && comparePythonVersions(name, version) < 0
    ).sort((a, b) => comparePythonVersions(b, a));
    for (const name of older) add(name, "fallback");
    if (!collective) found.push(...this.#crossBackend(system, backend, file, folderOf));
    return found;
  }

  /** The one file of the collectives library's table, or undefined. */
  collectivesFolder(system: string): string | undefined {
    const version = this.specification(system).misc?.nccl_version;
    const folder = `comm/nccl/${version}`;
    return this.#frameworkVersions(system, "nccl").get(String(version))?.some((place) =>
        place.files.has("nccl_perf.parquet")
      )
      ? folder
      : undefined;
  }

  #text(name: string): string {
    return new TextDecoder().decode(this.#files.read(`${this.#root}/${name}`));
  }

  #note(path: string): void {
    if (!path.startsWith(`${this.#root}/data/`)) return;
    const parts = path.slice(this.#root.length + 6).split("/");
    if (parts.length !== 5) return;
    const [system, family, framework, version, file] = parts;
    const frameworks = getOrAdd(this.#versions, system, () => new Map<string, Versions>());
    const versions = getOrAdd(frameworks, framework, (): Versions => new Map());
    const places = getOrAdd(versions, version, () => []);
    const folder = `${family}/${framework}/${version}`;
    let place = places.find((known) => known.folder === folder);
    if (!place) places.push(place = { folder, files: new Set() });
    place.files.add(file);
  }

  #frameworkVersions(system: string, framework: string): Versions {
    return this.#versions.get(system)?.get(framework) ?? new Map();
  }

  #nextVersion(backend: string, current: string): string | undefined {
    let best: string | undefined;
    for (const [system, frameworks] of this.#versions) {
      if (this.#slots.overrides?.[system]?.[backend]) continue;
      for (const [version, places] of frameworks.get(backend) ?? []) {
        const holdsData = places.some((place) => [...place.files].some((file) => !METADATA.has(file)));
        if (holdsData && compareKeys(slotKey(version), slotKey(best ?? current)) > 0) best = version;
      }
    }
    return best;
  }

  #declaredReuse(system: string, places: { folder: string; files: Set<string> }[], table: string): string[] {
    return places.filter((place) => place.files.has("reuse.yaml")).flatMap((place) => {
      const path = `${this.#root}/data/${system}/${place.folder}/reuse.yaml`;
      const declared = parse(new TextDecoder().decode(this.#files.read(path))) as {
        reuse?: { table: string; from_version: string | number }[];
      };
      return (declared.reuse ?? []).filter((entry) => entry.table === table).map((entry) => String(entry.from_version));
    });
  }

  #crossBackend(
    system: string,
    backend: string,
    file: string,
    folderOf: (of: Versions, name: string) => string | undefined,
  ): Source[] {
    const groups = this.#manifest.filter((group) =>
      group.op_file === file && ["shared", "shared_fallback"].includes(group.tier) &&
      group.frameworks.includes(backend)
    );
    const others = new Set(groups.flatMap((group) => group.frameworks));
    others.delete(backend);
    return [...others].sort().flatMap((other) => {
      const kernels = [
        ...new Set(groups.filter((group) => group.frameworks.includes(other)).map((group) => group.kernel_source)),
      ];
      const versions = this.#frameworkVersions(system, other);
      return [...versions.keys()].filter(isPythonVersion).sort((a, b) => comparePythonVersions(b, a))
        .flatMap((name): Source[] => {
          const folder = folderOf(versions, name);
          return folder === undefined ? [] : [{ folder, channel: "cross_backend", kernels }];
        });
    });
  }
}

/** Folders marked as incomplete do not count unless their collection was recorded all the same. */
function dropIncomplete(versions: Versions): void {
  for (const [version, places] of versions) {
    const kept = places.filter((place) =>
      !place.files.has("INCOMPLETE.txt") || place.files.has("collection_meta.yaml")
    );
    if (kept.length === 0) versions.delete(version);
    else versions.set(version, kept);
  }
}

function getOrAdd<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  let value = map.get(key);
  if (value === undefined) map.set(key, value = make());
  return value;
}
