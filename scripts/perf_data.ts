/**
 * Measured operators: what is on this machine, building what ships with the project, installing another system.
 *
 *     deno task perf-data list
 *     deno task perf-data install gb200 --backend vllm
 *     deno task perf-data build h200_sxm h100_sxm b200_sxm
 *
 * @module
 */
import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { ConfigError, nearName } from "../lib/errors.ts";
import { SHIPPED_DATA, userDataFolder } from "../lib/io/data_files.ts";
import { PerfCatalog, setFile, setsOnThisMachine } from "../lib/timing/aic/catalog.ts";
import { buildSet, catalogue } from "./perf_data/build.ts";
import { findWheel } from "./perf_data/fetch.ts";
import { modelTable, modelTableText } from "./perf_data/models.ts";
import { BACKENDS, DataTree, type Slots } from "./perf_data/tree.ts";
import { Wheel } from "./perf_data/wheel.ts";

const HELP = `Usage: perf-data list
       perf-data install SYSTEM... [--backend B] [--backend-version V] [--wheel FILE] [--folder DIR]
       perf-data build SYSTEM... [--wheel FILE] [--folder DIR]

list      systems that are known, with the versions that are on this machine
install   builds the measurements of systems and puts them into the user's folder
build     builds what ships with the project: measurements of the current versions, systems, model facts

  --backend B           only this backend (${BACKENDS.join(", ")}); default: all that were measured
  --backend-version V   current, previous, next or one of those versions; default: current
  --wheel FILE          take the package from this file instead of downloading it with pip
  --folder DIR          write here instead (install: $DYNOSIM_CACHE, $XDG_CACHE_HOME/dynosim or ~/.cache/dynosim;
                        build: the project's data folder)
  -h, --help            this text
`;

const OPTIONS = {
  backend: { type: "string" },
  "backend-version": { type: "string" },
  wheel: { type: "string" },
  folder: { type: "string" },
  help: { type: "boolean", short: "h" },
} as const;

const note = (line: string) => console.error(line);

/** Writes a file in one step, so that nobody sees half of it. */
function write(path: string, content: string | Uint8Array): void {
  mkdirSync(dirname(path), { recursive: true });
  const temporary = `${path}.${process.pid}.tmp`;
  writeFileSync(temporary, content);
  renameSync(temporary, path);
}

function list(): void {
  const catalog = new PerfCatalog();
  const rows = catalog.systemNames().flatMap((system) => {
    const { backends } = catalog.system(system);
    const here = setsOnThisMachine(system);
    const names = Object.keys(backends);
    if (names.length === 0) return [[system, "-", "-", "hardware only"]];
    return names.flatMap((backend) =>
      Object.entries(backends[backend]!).map(([slot, version]) => {
        const places = here.filter(({ file }) => file === `${backend}-${version}.perf`).map(({ place }) => place);
        return [system, backend, `${version} (${slot})`, places.join(", ") || "not installed"];
      })
    );
  });
  const table = [["system", "backend", "version", "measurements"], ...rows];
  const widths = table[0].map((_, column) => Math.max(...table.map((row) => row[column].length)));
  for (const row of table) console.log(row.map((cell, i) => cell.padEnd(widths[i])).join("  ").trimEnd());
}

/** Versions to build: backend → version. */
function wantedVersions(
  system: string,
  backends: Partial<Record<string, Slots>>,
  only: string | undefined,
  requested: string | undefined,
): [string, string][] {
  if (only !== undefined && !(only in backends)) {
    throw new ConfigError(
      `no measurements of backend '${only}' on '${system}' (measured: ${Object.keys(backends).join(", ") || "none"})`,
    );
  }
  return Object.entries(backends).filter(([backend]) => only === undefined || backend === only)
    .map(([backend, slots]): [string, string] => {
      const byName: Record<string, string> = { ...slots };
      const wanted = requested ?? "current";
      const version = byName[wanted] ?? Object.values(byName).find((known) => known === wanted);
      if (version !== undefined) return [backend, version];
      throw new ConfigError(
        `unknown version '${wanted}' of backend '${backend}' on '${system}' (known: ${
          Object.entries(byName).map(([slot, known]) => `${slot} = ${known}`).join(", ")
        })`,
      );
    });
}

/** Finds misspelt names before anything is downloaded. */
function checkNames(systems: readonly string[], values: Record<string, string | undefined>): void {
  const catalog = new PerfCatalog();
  for (const system of systems) {
    const { backends } = catalog.system(system);
    if (Object.keys(backends).length === 0) throw new ConfigError(`nothing was measured on '${system}'`);
    wantedVersions(system, { ...backends }, values.backend, values["backend-version"]);
  }
}

async function build(command: "install" | "build", systems: string[], values: Record<string, any>): Promise<void> {
  const own = userDataFolder();
  const folder = values.folder ?? (command === "build" ? fileURLToPath(SHIPPED_DATA) : own);
  if (folder === undefined) throw new ConfigError("no folder to install into; set DYNOSIM_CACHE or pass --folder");
  if (systems.length === 0) throw new ConfigError(`${command} needs the name of a system (see: perf-data list)`);
  if (command === "install") checkNames(systems, values);
  const file = findWheel({ wheel: values.wheel, folder: join(own ?? folder, "downloads"), note });
  const wheel = new Wheel(file);
  const tree = new DataTree(wheel, "aiconfigurator_core/systems");
  const entries = catalogue(tree);
  for (const system of systems) {
    if (!Object.hasOwn(entries, system)) throw new ConfigError(`the package knows no system '${system}'`);
    const versions = wantedVersions(system, entries[system].backends, values.backend, values["backend-version"]);
    for (const [backend, version] of versions) {
      const bytes = await buildSet(tree, system, backend, version);
      const path = join(folder, "perf", setFile({ system, backend, version }));
      write(path, bytes);
      note(`${system} ${backend} ${version}: ${(bytes.length / 1e6).toFixed(2)} MB → ${path}`);
    }
  }
  if (command === "build") {
    write(join(folder, "perf", "systems.json"), systemsText(entries));
    write(join(folder, "models.json"), modelTableText(modelTable(wheel)));
    note(`systems and model facts → ${folder}`);
  }
  wheel.close();
}

function systemsText(entries: Record<string, unknown>): string {
  const lines = Object.entries(entries).map(([name, entry]) => `${JSON.stringify(name)}: ${JSON.stringify(entry)}`);
  return `{\n${lines.join(",\n")}\n}\n`;
}

async function main(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({ args, options: OPTIONS, allowPositionals: true });
  const [command, ...systems] = positionals;
  if (values.help || command === undefined) {
    console.log(HELP.trimEnd());
    return values.help ? 0 : 2;
  }
  if (command === "list") list();
  else if (command === "install" || command === "build") await build(command, systems, values);
  else {
    const near = nearName(command, ["list", "install", "build"]);
    const hint = near ? `; did you mean '${near}'?` : "";
    throw new ConfigError(`unknown command '${command}'; expected list, install or build${hint}`);
  }
  return 0;
}

if (import.meta.main) {
  try {
    process.exitCode = await main(process.argv.slice(2));
  } catch (problem) {
    const usage = problem instanceof ConfigError || (problem as { code?: string }).code?.startsWith("ERR_PARSE_ARGS");
    console.error(`dynosim perf-data: error: ${(problem as Error).message}`);
    process.exitCode = usage ? 2 : 1;
  }
}
