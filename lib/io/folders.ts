/**
 * Folders: preparing one for a command's output, and finding the files that a path, a folder or a glob stands for.
 *
 * @module
 */
import { ConfigError } from "../errors.ts";
import { reason } from "./failures.ts";
import { host } from "./host.ts";

/** Joins a folder and a name. */
export function joinPath(folder: string, name: string): string {
  return folder === "" || folder.endsWith("/") ? folder + name : `${folder}/${name}`;
}

/** Options of {@linkcode prepareOutputFolder}. */
export interface OutputFolderOptions {
  /** Remove the known files of an earlier run instead of refusing a folder that holds something. Default false. */
  overwrite?: boolean;
  /** Paths inside the folder that an earlier run may have left; a function judges the names of a sub-folder. */
  known: readonly (string | { folder: string; matches: (name: string) => boolean })[];
  /** Names that do not count. */
  ignored?: readonly string[];
}

/**
 * Makes a folder (with its parents) ready to take a command's output. A folder that holds anything is refused unless
 * `overwrite`; then only known plain files and links are removed, the rest stays.
 *
 * @throws {ConfigError} when the path is no folder, cannot be made one, or is not empty without `overwrite`.
 */
export function prepareOutputFolder(folder: string, options: OutputFolderOptions): void {
  if (folder === "") throw new ConfigError("the name of the output directory is empty");
  const kind = orRefuse(`could not use output directory ${folder}`, () => host().kind(folder));
  if (kind === "file" || kind === "other") {
    throw new ConfigError(`output path ${folder} exists and is not a directory`);
  }
  if (kind === "missing" || kind === "denied") {
    orRefuse(`could not create output directory ${folder}`, () => host().makeDirectory(folder));
    return;
  }
  const entries = orRefuse(`could not read output directory ${folder}`, () => host().list(folder))
    .filter(({ name }) => !options.ignored?.includes(name));
  if (entries.length === 0) return;
  if (!options.overwrite) {
    throw new ConfigError(
      `output directory ${folder} is not empty; pass --overwrite to replace known AISimulate outputs`,
    );
  }
  for (const known of options.known) {
    const inside = typeof known === "string" ? folder : joinPath(folder, known.folder);
    const matches = typeof known === "string" ? (name: string) => name === known : known.matches;
    if (typeof known !== "string" && host().kind(inside) !== "directory") continue;
    for (const { name, kind } of host().list(inside)) {
      const path = joinPath(inside, name);
      if (kind !== "directory" && matches(name)) orRefuse(`could not remove ${path}`, () => host().remove(path));
    }
  }
}

function orRefuse<T>(what: string, attempt: () => T): T {
  try {
    return attempt();
  } catch (cause) {
    throw new ConfigError(`${what}: ${reason(cause)}`, [], { cause });
  }
}

const GLOB = /[*?[]/;

/**
 * The files that a path stands for, sorted: of a folder every file below it whose name ends in one of `suffixes`; of a
 * text with glob characters (`*`, `?`, `[…]`, and `**` for any number of folders) the matching files; else the path
 * itself, which need not exist.
 *
 * @throws {FileError} when a folder cannot be listed
 * @throws {ConfigError} when more than 100,000 names would have to be looked at
 */
export function filesAt(path: string, suffixes: readonly string[] = [".jsonl", ".jsonl.gz"]): string[] {
  if (host().kind(path) === "directory") {
    return [...walk(path, Infinity)].filter((found) => suffixes.some((end) => found.endsWith(end))).sort(byteOrder);
  }
  if (!GLOB.test(path) || host().kind(path) === "file") return [path];
  const parts = path.split("/");
  const fixed = parts.findIndex((part) => GLOB.test(part));
  const root = parts.slice(0, fixed).join("/") || (path.startsWith("/") ? "/" : "");
  if (host().kind(root || ".") !== "directory") return [];
  const depth = parts.includes("**") ? Infinity : parts.length - fixed;
  const pattern = globPattern(parts.slice(fixed));
  const prefix = root === "" || root.endsWith("/") ? root.length : root.length + 1;
  return [...walk(root, depth)].filter((found) => pattern.test(found.slice(prefix))).sort(byteOrder);
}

/** Names below one folder that are looked at; a tree with more is not a trace. */
const MOST_NAMES = 100_000;

function* walk(root: string, levels: number): Generator<string> {
  let names = 0;
  const count = () => {
    if (++names <= MOST_NAMES) return;
    const most = MOST_NAMES.toLocaleString("en");
    throw new ConfigError(
      `there are more than ${most} files below '${root || "."}': name the files, or a smaller folder`,
    );
  };
  yield* walkFolder(root, levels, count);
}

function* walkFolder(folder: string, depth: number, count: () => void): Generator<string> {
  for (const { name, kind } of host().list(folder || ".")) {
    count();
    const path = joinPath(folder, name);
    const resolved = kind === "other" ? host().kind(path) : kind;
    if (resolved === "file") yield path;
    else if (kind === "directory" && depth > 1) yield* walkFolder(path, depth - 1, count);
  }
}

function globPattern(parts: readonly string[]): RegExp {
  const text = parts.map((part, i) => {
    if (part === "**") return i === parts.length - 1 ? ".*" : "(?:[^/]+/)*";
    const one = part.replace(/\[!/g, "[^").replace(/[.+^${}()|\\]/g, (c, at) => part[at - 1] === "[" ? c : `\\${c}`)
      .replace(/\*/g, "[^/]*").replace(/\?/g, "[^/]");
    return i === parts.length - 1 ? one : `${one}/`;
  }).join("");
  return new RegExp(`^${text}$`);
}

const byteOrder = (a: string, b: string) => a < b ? -1 : a > b ? 1 : 0;
