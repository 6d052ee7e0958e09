/**
 * What `perf-data` does: building sets from a release's package, into the user's folder or into the project.
 *
 * @module
 */
import { ConfigError } from "../errors.ts";
import { writeFileAtomically } from "../io/atomic.ts";
import { readFileIfThere } from "../io/data_files.ts";
import { ZipFile } from "../io/zip_file.ts";
import {
  type CatalogFile,
  PerfCatalog,
  powersFile,
  releaseFolder,
  setFile,
  type SystemEntry,
} from "../timing/aic/catalog.ts";
import { PerfSet } from "../timing/aic/perf_set.ts";
import { buildSet, catalogue, originOf } from "./build.ts";
import { findingsText } from "./findings.ts";
import { modelTable, modelTableText } from "./models.ts";
import { findPackage } from "./package.ts";
import type { Release } from "./releases.ts";
import { DataTree } from "./tree.ts";

/** What to build, from where to where. */
export interface BuildRequest {
  readonly release: Release;
  readonly systems: readonly string[];
  /** Only this backend; absent: all that were measured. */
  readonly backend?: string;
  /** A version slot or one of the slots' versions. Default `current`. */
  readonly backendVersion?: string;
  /** The release's package on this machine; absent: it is downloaded. */
  readonly packageFile?: string;
  /** Folder that keeps downloads. */
  readonly downloads: string;
  /** Folder to write to. */
  readonly folder: string;
  /** Called with a line about each step. */
  readonly note: (line: string) => void;
}

/**
 * Builds sets and puts them into a user's data folder, with the catalogue of their release.
 *
 * @throws {ConfigError} when a name is not known.
 */
export async function installSets(request: BuildRequest): Promise<void> {
  const shipped = new PerfCatalog();
  // misspelt names are found before anything is downloaded
  if (shipped.origin.release === request.release.version) check(request, (system) => shipped.system(system));
  const below = releaseFolder(request.folder, request.release.version);
  await withPackage(request, async (tree) => {
    const systems = catalogue(tree);
    check(request, (system) => entryOf(systems, system));
    await writeFileAtomically(`${below}/systems.json`, catalogText(request.release, systems));
    await writeSets(request, tree, systems, below);
  });
}

/** Builds what ships with the project: sets of the systems named, the catalogue of systems, the facts of models. */
export async function buildShipped(request: BuildRequest): Promise<void> {
  const { release, folder, note } = request;
  await withPackage(request, async (tree, archive) => {
    const systems = catalogue(tree);
    check(request, (system) => entryOf(systems, system));
    await writeSets(request, tree, systems, `${folder}/perf`);
    await writeFileAtomically(`${folder}/perf/systems.json`, catalogText(release, systems));
    await writeFileAtomically(`${folder}/models.json`, modelTableText(modelTable(archive, release.root)));
    for (const system of request.systems) {
      const sets = currentSets(`${folder}/perf`, system, systems[system]);
      await writeFileAtomically(`${folder}/perf/${system}/findings.json`, await findingsText(sets));
    }
    note(`systems, findings and model facts → ${folder}`);
  });
}

async function withPackage(
  request: BuildRequest,
  use: (tree: DataTree, archive: ZipFile) => Promise<void>,
): Promise<void> {
  const { release, packageFile, downloads, note } = request;
  const archive = new ZipFile(await findPackage({ release, file: packageFile, folder: downloads, note }));
  try {
    await use(new DataTree(archive, `${release.root}/systems`), archive);
  } finally {
    archive.close();
  }
}

async function writeSets(
  request: BuildRequest,
  tree: DataTree,
  systems: Readonly<Record<string, SystemEntry>>,
  folder: string,
): Promise<void> {
  for (const system of request.systems) {
    for (const [backend, version] of versionsOf(request, system, systems[system])) {
      const { set, powers } = await buildSet({ release: request.release, tree, system, backend, version });
      const write = async (path: string, bytes: Uint8Array, what = "") => {
        await writeFileAtomically(path, bytes);
        request.note(`${system} ${backend} ${version}${what}: ${(bytes.length / 1e6).toFixed(2)} MB → ${path}`);
      };
      await write(`${folder}/${setFile({ system, backend, version })}`, set);
      if (powers !== null) await write(`${folder}/${powersFile({ system, backend, version })}`, powers, ", powers");
    }
  }
}

/** The current sets of a system that lie in a folder, whether they were built now or before. */
function currentSets(folder: string, system: string, { backends }: SystemEntry): PerfSet[] {
  return Object.entries(backends).flatMap(([backend, slots]) => {
    const path = `${folder}/${setFile({ system, backend, version: slots!.current })}`;
    const bytes = readFileIfThere(path);
    return bytes === undefined ? [] : [new PerfSet(bytes, path)];
  });
}

function check(request: BuildRequest, entry: (system: string) => SystemEntry): void {
  for (const system of request.systems) versionsOf(request, system, entry(system));
}

function entryOf(systems: Readonly<Record<string, SystemEntry>>, system: string): SystemEntry {
  if (Object.hasOwn(systems, system)) return systems[system];
  throw new ConfigError(`the package knows no system '${system}' (known: ${Object.keys(systems).join(", ")})`);
}

/** Versions to build: pairs of backend and version. */
function versionsOf({ backend: only, backendVersion }: BuildRequest, system: string, entry: SystemEntry) {
  const measured = Object.entries(entry.backends);
  if (measured.length === 0) throw new ConfigError(`nothing was measured on '${system}'`);
  const chosen = measured.filter(([backend]) => only === undefined || backend === only);
  if (chosen.length === 0) {
    const names = measured.map(([backend]) => backend).join(", ");
    throw new ConfigError(`no measurements of backend '${only}' on '${system}' (measured: ${names})`);
  }
  return chosen.map(([backend, slots]): [string, string] => {
    const byName: Readonly<Record<string, string>> = { ...slots };
    const wanted = backendVersion ?? "current";
    const version = Object.hasOwn(byName, wanted)
      ? byName[wanted]
      : Object.values(byName).find((known) => known === wanted);
    if (version !== undefined) return [backend, version];
    const known = Object.entries(byName).map(([slot, version]) => `${slot} = ${version}`).join(", ");
    throw new ConfigError(`unknown version '${wanted}' of backend '${backend}' on '${system}' (known: ${known})`);
  });
}

/** The catalogue as text, a line per system. */
function catalogText(release: Release, systems: Readonly<Record<string, SystemEntry>>): string {
  const file: CatalogFile = { origin: originOf(release), systems };
  const lines = Object.entries(file.systems).map(([name, entry]) =>
    `${JSON.stringify(name)}: ${JSON.stringify(entry)}`
  );
  return `{\n"origin": ${JSON.stringify(file.origin)},\n"systems": {\n${lines.join(",\n")}\n}\n}\n`;
}
