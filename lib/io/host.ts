/**
 * The file system and the standard streams of whatever runs us. On Deno its own calls are used, because loading the
 * `node:` modules costs more than reading a trace of 3 MB; elsewhere (Bun, Node) `node:fs` is taken when first needed.
 * Everything else in this folder is written against {@link Host}. What the system refuses becomes a FileError that names
 * the path.
 *
 * @module
 */
import { denoHost, type DenoLike } from "./deno_host.ts";
import { fileError, orFileError } from "./failures.ts";
import { nodeHost } from "./node_host.ts";

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

/** One of the three streams that a process starts with. */
export type StandardStream = "stdin" | "stdout" | "stderr";

/** A file that this process holds, so that no other can. */
export interface FileLock {
  /** Removes the file and gives the lock up. */
  release(): void;
}

/** The few calls that this project needs of a runtime. Paths are as the caller gave them; failures throw. */
export interface Host {
  openForReading(path: string): Promise<OpenFile>;
  /** Creates the file or empties it; until it is closed {@link Host.abandoned} is false for it. */
  openForWriting(path: string): Promise<OpenFile>;
  /** Creates the file or goes on behind what it holds. */
  openForAppending(path: string): Promise<OpenFile>;
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
  /** Makes a file that this process holds until it ends; null when another one that lives holds it. */
  lock(path: string): FileLock | null;
  /** Whether a file that the process of this number opened for writing is open no more. */
  abandoned(path: string, processId: number): boolean;
  readonly processId: number;
  standardStream(name: StandardStream): OpenFile;
}

const STREAM_PATHS: Readonly<Record<string, StandardStream>> = { "0": "stdin", "1": "stdout", "2": "stderr" };

/** The standard stream that a path such as `/dev/stdin` stands for: runtimes do not let programs open it by its name. */
function streamOf(path: string): StandardStream | undefined {
  const [, number, name] = /^(?:\/dev\/fd\/|\/proc\/self\/fd\/)([012])$|^\/dev\/(std(?:in|out|err))$/.exec(path) ?? [];
  return number === undefined ? name as StandardStream | undefined : STREAM_PATHS[number];
}

/** Whether a path stands for standard output. */
export const isStandardOutput = (path: string): boolean => path === "-" || streamOf(path) === "stdout";

/** A file whose failures name it. */
function named(path: string, file: OpenFile): OpenFile {
  const told = (action: string) => (cause: unknown): never => {
    throw fileError(action, path, cause);
  };
  return {
    read: (buffer) => file.read(buffer).catch(told("read")),
    write: (bytes) => file.write(bytes).catch(told("write")),
    close: () => orFileError("close", path, () => file.close()),
  };
}

/** A host whose failures name the path. */
function telling(inner: Host): Host {
  const standardStream = (name: StandardStream) => named(STREAM_NAMES[name], inner.standardStream(name));
  const opening = async (action: string, path: string, open: () => Promise<OpenFile>) => {
    const stream = streamOf(path);
    if (stream !== undefined) return { ...standardStream(stream), close() {} };
    try {
      return named(path, await open());
    } catch (cause) {
      throw fileError(action, path, cause);
    }
  };
  return {
    openForReading: (path) => opening("read", path, () => inner.openForReading(path)),
    openForWriting: (path) => opening("write", path, () => inner.openForWriting(path)),
    openForAppending: (path) => opening("write", path, () => inner.openForAppending(path)),
    kind: (path) => streamOf(path) ? "other" : orFileError("look at", path, () => inner.kind(path)),
    fileBytes: (path) => inner.fileBytes(path),
    list: (path) => orFileError("list the folder", path, () => inner.list(path)),
    makeDirectory: (path) => orFileError("make the folder", path, () => inner.makeDirectory(path)),
    rename: (from, to) => orFileError("write", to, () => inner.rename(from, to)),
    remove: (path) => orFileError("remove", path, () => inner.remove(path)),
    lock: (path) => orFileError("write", path, () => inner.lock(path)),
    abandoned: (path, processId) => inner.abandoned(path, processId),
    processId: inner.processId,
    standardStream,
  };
}

const STREAM_NAMES: Readonly<Record<StandardStream, string>> = {
  stdin: "standard input",
  stdout: "standard output",
  stderr: "standard error",
};

let current: Host | undefined;

/** The runtime's file system and standard streams. */
export function host(): Host {
  const deno = (globalThis as unknown as { Deno?: DenoLike }).Deno;
  return current ??= telling(deno ? denoHost(deno) : nodeHost());
}
