/**
 * The file system and the standard streams of whatever runs us. On Deno its own calls are used, because loading the
 * `node:` modules costs more than reading a trace of 3 MB; elsewhere (Bun, Node) `node:fs` is taken when first needed.
 * Everything else in this folder is written against {@link Host}.
 *
 * @module
 */

/** A file that is open for reading or writing. */
export interface OpenFile {
  /** Fills the buffer from the start and returns the number of bytes, 0 at the end of the file. */
  read(buffer: Uint8Array): Promise<number>;
  /** Writes all bytes. */
  write(bytes: Uint8Array): Promise<void>;
  close(): void;
}

/** What a path names; "denied" when that may not be known. */
export type PathKind = "file" | "directory" | "other" | "missing" | "denied";

/** The few calls that this project needs of a runtime. Paths are as the caller gave them; failures throw. */
export interface Host {
  openForReading(path: string): Promise<OpenFile>;
  /** Creates the file or empties it. */
  openForWriting(path: string): Promise<OpenFile>;
  /** What `path` names, links followed. */
  kind(path: string): PathKind;
  /** Size of a file in bytes; 0 when there is none. */
  fileBytes(path: string): number;
  /** Names in a directory with their kind (links not followed are "other"), in no particular order. */
  list(path: string): { name: string; kind: PathKind }[];
  makeDirectory(path: string): void;
  rename(from: string, to: string): void;
  /** Removes a file or an empty directory. */
  remove(path: string): void;
  standardInput(): OpenFile;
  standardOutput(): OpenFile;
}

/** The part of Deno's own interface that is used here. */
interface DenoLike {
  open(path: string, options: Record<string, boolean>): Promise<DenoFile>;
  statSync(path: string): { isFile: boolean; isDirectory: boolean; size: number };
  readDirSync(path: string): Iterable<{ name: string; isFile: boolean; isDirectory: boolean }>;
  mkdirSync(path: string, options: { recursive: boolean }): void;
  renameSync(from: string, to: string): void;
  removeSync(path: string): void;
  stdin: DenoFile;
  stdout: DenoFile;
  errors: Record<"NotFound" | "NotADirectory" | "PermissionDenied" | "NotCapable", new () => Error>;
}

interface DenoFile {
  read(buffer: Uint8Array): Promise<number | null>;
  write(bytes: Uint8Array): Promise<number>;
  close(): void;
}

const kindOf = (entry: { isFile: boolean; isDirectory: boolean }): PathKind =>
  entry.isFile ? "file" : entry.isDirectory ? "directory" : "other";

function sizeOr0(size: () => number): number {
  try {
    return size();
  } catch {
    return 0;
  }
}

function denoHost(deno: DenoLike): Host {
  const wrap = (file: DenoFile): OpenFile => ({
    read: async (buffer) => await file.read(buffer) ?? 0,
    write: async (bytes) => {
      for (let done = 0; done < bytes.length;) done += await file.write(bytes.subarray(done));
    },
    close: () => file.close(),
  });
  return {
    openForReading: async (path) => wrap(await deno.open(path, { read: true })),
    openForWriting: async (path) => wrap(await deno.open(path, { write: true, create: true, truncate: true })),
    kind(path) {
      try {
        return kindOf(deno.statSync(path));
      } catch (problem) {
        const { NotFound, NotADirectory, PermissionDenied, NotCapable } = deno.errors;
        if (problem instanceof NotFound || problem instanceof NotADirectory) return "missing";
        if (problem instanceof PermissionDenied || problem instanceof NotCapable) return "denied";
        throw problem;
      }
    },
    fileBytes: (path) => sizeOr0(() => deno.statSync(path).size),
    list: (path) => [...deno.readDirSync(path)].map((entry) => ({ name: entry.name, kind: kindOf(entry) })),
    makeDirectory: (path) => deno.mkdirSync(path, { recursive: true }),
    rename: (from, to) => deno.renameSync(from, to),
    remove: (path) => deno.removeSync(path),
    standardInput: () => wrap(deno.stdin),
    standardOutput: () => wrap(deno.stdout),
  };
}

function nodeHost(): Host {
  const fs = (globalThis as unknown as { process: { getBuiltinModule(name: string): any } }).process
    .getBuiltinModule("node:fs");
  const call = <T>(start: (done: (problem: Error | null, value: T) => void) => void): Promise<T> =>
    new Promise((resolve, reject) => start((problem, value) => problem ? reject(problem) : resolve(value)));
  const wrap = (descriptor: number): OpenFile => ({
    read: (buffer) =>
      call<number>((done) => fs.read(descriptor, buffer, 0, buffer.length, null, done)).catch((problem) => {
        if (problem.code === "EOF") return 0;
        throw problem;
      }),
    write: async (bytes) => {
      for (let done = 0; done < bytes.length;) {
        done += await call<number>((end) => fs.write(descriptor, bytes, done, bytes.length - done, null, end));
      }
    },
    close: () => fs.closeSync(descriptor),
  });
  const entryKind = (entry: { isFile(): boolean; isDirectory(): boolean }): PathKind =>
    kindOf({ isFile: entry.isFile(), isDirectory: entry.isDirectory() });
  return {
    openForReading: async (path) => wrap(await call<number>((done) => fs.open(path, "r", done))),
    openForWriting: async (path) => wrap(await call<number>((done) => fs.open(path, "w", done))),
    kind(path) {
      try {
        return entryKind(fs.statSync(path));
      } catch (problem) {
        const { code } = problem as { code: string };
        if (["ENOENT", "ENOTDIR"].includes(code)) return "missing";
        if (["EACCES", "EPERM"].includes(code)) return "denied";
        throw problem;
      }
    },
    fileBytes: (path) => sizeOr0(() => fs.statSync(path).size),
    list: (path) =>
      fs.readdirSync(path, { withFileTypes: true }).map((entry: any) => ({ name: entry.name, kind: entryKind(entry) })),
    makeDirectory: (path) => fs.mkdirSync(path, { recursive: true }),
    rename: (from, to) => fs.renameSync(from, to),
    remove: (path) => fs.unlinkSync(path),
    standardInput: () => wrap(0),
    standardOutput: () => wrap(1),
  };
}

let current: Host | undefined;

/** The runtime's file system and standard streams. */
export function host(): Host {
  const deno = (globalThis as unknown as { Deno?: DenoLike }).Deno;
  return current ??= deno ? denoHost(deno) : nodeHost();
}
