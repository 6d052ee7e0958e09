/**
 * `dynosim perf-data`: the measurements that are on this machine, and getting or building others.
 *
 * @module
 */
import { fileURLToPath } from "node:url";
import { ConfigError } from "../lib/errors.ts";
import { SHIPPED_DATA, userDataFolder } from "../lib/io/data_files.ts";
import { writeText } from "../lib/io/process.ts";
import { stopPoint } from "../lib/io/stop.ts";
import { checkSet } from "../lib/perf_data/check.ts";
import { WORTH_TELLING } from "../lib/perf_data/findings.ts";
import { buildShipped, installSets } from "../lib/perf_data/commands.ts";
import { findRelease, RELEASES } from "../lib/perf_data/releases.ts";
import { PerfCatalog } from "../lib/timing/aic/catalog.ts";
import type { PerfSet } from "../lib/timing/aic/perf_set.ts";
import { csvText } from "../lib/report/csv.ts";
import { choice, text, UsageError, type Values } from "./arguments.ts";
import { command } from "./command.ts";
import { ProgressBar, shareLine } from "./terminal.ts";
import { alignedRows } from "../lib/report/text_table.ts";

const ACTIONS = ["list", "install", "build", "check"] as const;

const LINE = {
  command: "perf-data",
  summary: "Lists, installs and builds measurements of operators on GPU systems.",
  options: {
    release: text("data release", { value: "V", fallback: RELEASES[0].version }),
    backend: text("only this serving framework", { value: "NAME" }),
    backendVersion: text("current, previous, next or one of those versions", { value: "V", fallback: "current" }),
    package: text("take the release's package from this file instead of downloading it", { value: "FILE" }),
    folder: text("write here instead", { value: "DIR" }),
    format: choice("how list and check print their table", ["text", "csv"], { fallback: "text" }),
  },
  operands: {
    name: "ACTION [SYSTEM]…",
    help: "what to do (list, install, build, check), and for which systems",
    least: 1,
    most: Infinity,
    choices: ACTIONS,
  },
  notes: [
    "list      the systems of a release, with the versions that are on this machine",
    "install   builds the measurements of systems and puts them into the user's folder " +
    "($DYNOSIM_CACHE, $XDG_CACHE_HOME/dynosim or ~/.cache/dynosim)",
    "build     builds what ships with the project: measurements of the current versions of the systems named, " +
    "the catalogue of systems and the facts of models",
    "check     names measurements that cannot be right, in the sets that are on this machine: slower in a lower precision, " +
    "falling as work grows, below the hardware's bound, far from other backends",
    "",
    `Data releases: ${RELEASES.map((release) => `${release.version} (${release.package})`).join(", ")}.`,
  ],
} as const;

type Options = Values<typeof LINE.options>;

/** The command. */
export const perfDataCommand = command(LINE, async (options, [action, ...systems]) => {
  switch (action as typeof ACTIONS[number]) {
    case "list":
      if (systems.length > 0) throw new UsageError(`list takes no systems: ${systems.join(" ")}`);
      return print(options, listed(options));
    case "install":
      if (systems.length === 0) throw new UsageError("install needs the name of a system (see: perf-data list)");
      return await installSets({ ...requestOf(options), systems, folder: options.folder ?? ownFolder() });
    case "build":
      return await buildShipped({
        ...requestOf(options),
        systems,
        folder: options.folder ?? fileURLToPath(SHIPPED_DATA),
      });
    case "check":
      return print(options, await checked(options, systems));
  }
});

/** What an action found: lines above, and rows with a head. */
interface Found {
  above: string[];
  rows: string[][];
}

function print({ format }: Options, { above, rows }: Found): void {
  const [head, ...body] = rows;
  const text = format === "csv"
    ? csvText(body.map((row) => Object.fromEntries(head.map((name, i) => [name, row[i]]))))
    : [...above, ...alignedRows(rows, { left: head.length }), ""].join("\n");
  writeText("stdout", text);
}

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

async function checked(options: Options, wanted: readonly string[]): Promise<Found> {
  const catalog = new PerfCatalog({ release: findRelease(options.release).version });
  const systems = wanted.length > 0 ? wanted : catalog.systemNames();
  const rows: string[][] = [], bar = new ProgressBar();
  for (const [i, system] of systems.entries()) {
    const { backends } = catalog.system(system);
    const here = new Set(catalog.setsOnThisMachine(system).map(({ file }) => file));
    const sets: PerfSet[] = [];
    for (const [backend, slots] of Object.entries(backends)) {
      await stopPoint();
      if (!here.has(`${backend}-${slots!.current}.perf`)) continue;
      sets.push(catalog.load({ system, backend, version: slots!.current }));
    }
    for (const [j, set] of sets.entries()) {
      const share = (i + j / sets.length) / systems.length, what = `${system} ${set.header.backend}`;
      bar.draw((elapsedMs, columns) => shareLine(share, what, elapsedMs, columns));
      await stopPoint();
      if (options.backend !== undefined && set.header.backend !== options.backend) continue;
      const findings = (await checkSet(set, sets.filter((other) => other !== set)))
        .filter(({ points, of }) => points >= of * WORTH_TELLING);
      for (const { table, rule, points, of, worst } of findings) {
        const share = `${(100 * points / of).toFixed(1)} % of ${of}`;
        const times = `${worst.ms.toPrecision(3)} ms against ${worst.against.toPrecision(3)}`;
        rows.push([system, set.header.backend, table, rule, share, `${worst.where}: ${times}`]);
      }
    }
  }
  bar.clear();
  return { above: [], rows: [["system", "backend", "table", "what", "points", "worst"], ...rows] };
}

function listed(options: Options): Found {
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
  const { package: name, release, licence } = catalog.origin;
  return {
    above: [`data release ${release} (package ${name}, ${licence})`, ""],
    rows: [["system", "backend", "version", "measurements"], ...rows],
  };
}
