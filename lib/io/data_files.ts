/**
 * Data that comes with the project (`data/`) and data that a user installed (the cache folder), read at once and as a
 * whole: these files are needed before anything else can start. Deno's own calls are used where they exist, because
 * loading the `node:` modules costs more than the reading.
 *
 * @module
 */
import { fileError } from "./failures.ts";
import { environment } from "./process.ts";

/** The part of Deno's interface that is used here. */
interface DenoLike {
  openSync(path: string | URL): DenoFile;
  readDirSync(path: string | URL): Iterable<{ name: string }>;
  errors: Record<"NotFound" | "NotADirectory" | "IsADirectory", new () => Error>;
}

interface DenoFile {
  statSync(): { size: number; isDirectory: boolean };
  readSync(buffer: Uint8Array): number | null;
  close(): void;
}

interface ProcessLike {
  getBuiltinModule(name: string): any;
}

const runtime = globalThis as unknown as { Deno?: DenoLike; process: ProcessLike };

/** Folder of the data that comes with the project, a `file:` URL that ends in a slash. */
export const SHIPPED_DATA: URL = new URL("../../data/", import.meta.url);

const ABSENT = new Set(["ENOENT", "ENOTDIR", "EISDIR"]);

/** Runs a call of the file system; undefined when what it names is not there (or is of another kind). */
function ifThere<T>(path: string | URL, call: () => T): T | undefined {
  try {
    return call();
  } catch (problem) {
    const deno = runtime.Deno;
    const absent = deno
      ? problem instanceof deno.errors.NotFound || problem instanceof deno.errors.NotADirectory ||
        problem instanceof deno.errors.IsADirectory
      : false;
    if (absent || ABSENT.has((problem as { code?: string }).code ?? "")) return undefined;
    throw fileError("read", pathText(path), problem);
  }
}

/** How messages name a path. */
export const pathText = (path: string | URL) => path instanceof URL ? decodeURIComponent(path.pathname) : path;

/**
 * All bytes of a file, or undefined when there is no such file.
 *
 * @throws {FileError} when it is there and cannot be read
 */
export function readFileIfThere(path: string | URL): Uint8Array | undefined {
  return ifThere(
    path,
    () =>
      runtime.Deno
        ? readWithDeno(runtime.Deno, path)
        : new Uint8Array(runtime.process.getBuiltinModule("node:fs").readFileSync(path)),
  );
}

/** Reads a file to where its bytes stay: `readFileSync` touches twice the memory, which takes as long as the reading. */
function readWithDeno(deno: DenoLike, path: string | URL): Uint8Array {
  const file = deno.openSync(path);
  try {
    const { size, isDirectory } = file.statSync();
    if (isDirectory) throw new deno.errors.IsADirectory();
    // with room for the end, and for what is added meanwhile
    let bytes = new Uint8Array(size + 1), length = 0;
    for (;;) {
      const count = file.readSync(bytes.subarray(length));
      if (count === null) return bytes.subarray(0, length);
      length += count;
      if (length < bytes.length) continue;
      const larger = new Uint8Array(2 * length);
      larger.set(bytes);
      bytes = larger;
    }
  } finally {
    file.close();
  }
}

/** Text of a file (UTF-8), or undefined when there is no such file. */
export function readTextIfThere(path: string | URL): string | undefined {
  const bytes = readFileIfThere(path);
  return bytes && new TextDecoder().decode(bytes);
}

/** Names in a folder, sorted; empty when there is no such folder. */
export function namesIn(folder: string | URL): string[] {
  const names = ifThere(
    folder,
    () =>
      runtime.Deno
        ? [...runtime.Deno.readDirSync(folder)].map((entry) => entry.name)
        : runtime.process.getBuiltinModule("node:fs").readdirSync(folder) as string[],
  );
  return names?.sort() ?? [];
}

/**
 * Folder in which a user's installed data lives: `$DYNOSIM_CACHE`, else `dynosim` in `$XDG_CACHE_HOME`, else
 * `~/.cache/dynosim`. Undefined when the environment names no home.
 */
export function userDataFolder(): string | undefined {
  const own = environment("DYNOSIM_CACHE");
  if (own) return own;
  const caches = environment("XDG_CACHE_HOME");
  if (caches) return `${caches}/dynosim`;
  const home = environment("HOME") || environment("USERPROFILE");
  return home && `${home}/.cache/dynosim`;
}
