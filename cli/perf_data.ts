/**
 * `dynosim perf-data`: the measurements that are on this machine, and getting or building others.
 *
 * @module
 */
import { fileURLToPath } from "node:url";
import { ConfigError } from "../lib/errors.ts";
import { SHIPPED_DATA, userDataFolder } from "../lib/io/data_files.ts";
import { writeText } from "../lib/io/process.ts";
import { buildShipped, installSets } from "../lib/perf_data/commands.ts";
import { findRelease, RELEASES } from "../lib/perf_data/releases.ts";
import { PerfCatalog } from "../lib/timing/aic/catalog.ts";
import { text, UsageError, type Values } from "./arguments.ts";
import { command } from "./command.ts";
import { nearName } from "../lib/errors.ts";

const ACTIONS = ["list", "install", "build"] as const;

const LINE = {
  command: "perf-data",
  summary: "Lists, installs and builds measurements of operators on GPU systems.",
  options: {
    release: text("data release", { value: "V", fallback: RELEASES[0].version }),
    backend: text("only this serving framework", { value: "NAME" }),
    backendVersion: text("current, previous, next or one of those versions", { value: "V", fallback: "current" }),
    package: text("take the release's package from this file instead of downloading it", { value: "FILE" }),
    folder: text("write here instead", { value: "DIR" }),
  },
  operands: {
    name: "ACTION [SYSTEM]…",
    help: "what to do (list, install, build), and for which systems",
    least: 1,
    most: Infinity,
  },
  notes: [
    "list      the systems of a release, with the versions that are on this machine",
    "install   builds the measurements of systems and puts them into the user's folder",
    "          ($DYNOSIM_CACHE, $XDG_CACHE_HOME/dynosim or ~/.cache/dynosim)",
    "build     builds what ships with the project: measurements of the current versions of the systems named,",
    "          the catalogue of systems and the facts of models",
    "",
    `Data releases: ${RELEASES.map((release) => `${release.version} (${release.package})`).join(", ")}.`,
  ],
} as const;

type Options = Values<typeof LINE.options>;

/** The command. */
export const perfDataCommand = command(LINE, async (options, [action, ...systems]) => {
  switch (action) {
    case "list":
      if (systems.length > 0) throw new UsageError(`list takes no systems: ${systems.join(" ")}`);
      return list(options);
    case "install":
      if (systems.length === 0) throw new UsageError("install needs the name of a system (see: perf-data list)");
      return await installSets({ ...requestOf(options), systems, folder: options.folder ?? ownFolder() });
    case "build":
      return await buildShipped({
        ...requestOf(options),
        systems,
        folder: options.folder ?? fileURLToPath(SHIPPED_DATA),
      });
    default: {
      const near = nearName(action, ACTIONS);
      throw new UsageError(
        `argument ACTION: invalid choice: '${action}' (choose from ${ACTIONS.map((name) => `'${name}'`).join(", ")})` +
          (near ? `; did you mean '${near}'?` : ""),
      );
    }
  }
});

function requestOf(options: Options) {
  return {
    release: findRelease(options.release),
    backend: options.backend,
    backendVersion: options.backendVersion,
    packageFile: options.package,
    downloads: `${userDataFolder() ?? options.folder ?? "."}/downloads`,
    note: (line: string) => writeText("stderr", `${line}\n`),
  };
}

function ownFolder(): string {
  const folder = userDataFolder();
  if (folder === undefined) throw new ConfigError("no folder to install into; set DYNOSIM_CACHE or pass --folder");
  return folder;
}

function list(options: Options): void {
  const catalog = new PerfCatalog({ release: findRelease(options.release).version });
  const rows = catalog.systemNames().flatMap((system) => {
    const { backends } = catalog.system(system);
    const here = catalog.setsOnThisMachine(system);
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
  const { package: name, release, licence } = catalog.origin;
  const lines = [
    `data release ${release} (package ${name}, ${licence})`,
    "",
    ...table.map((row) => row.map((cell, i) => cell.padEnd(widths[i])).join("  ").trimEnd()),
  ];
  writeText("stdout", `${lines.join("\n")}\n`);
}
