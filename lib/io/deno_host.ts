/**
 * The host on Deno.
 *
 * @module
 */
import type { Host, OpenFile, PathKind } from "./host.ts";

/** The part of Deno's own interface that is used here. */
export interface DenoLike {
  open(path: string, options: Record<string, boolean>): Promise<DenoFile>;
  openSync(path: string, options: Record<string, boolean>): DenoFile;
  statSync(path: string): DenoInfo;
  readDirSync(path: string): Iterable<{ name: string; isFile: boolean; isDirectory: boolean }>;
  mkdirSync(path: string, options: { recursive: boolean }): void;
  renameSync(from: string, to: string): void;
  removeSync(path: string): void;
  stdin: DenoFile;
  stdout: DenoFile;
  stderr: DenoFile;
  pid: number;
  errors: Record<"NotFound" | "NotADirectory" | "PermissionDenied" | "NotCapable", new () => Error>;
}

interface DenoInfo {
  isFile: boolean;
  isDirectory: boolean;
  size: number;
  ino: number | null;
}

interface DenoFile {
  read(buffer: Uint8Array): Promise<number | null>;
  write(bytes: Uint8Array): Promise<number>;
  close(): void;
  readSync(buffer: Uint8Array): number | null;
  writeSync(bytes: Uint8Array): number;
  truncateSync(size: number): void;
  tryLockSync(exclusive: boolean): boolean;
  statSync(): DenoInfo;
}

const kindOf = (entry: { isFile: boolean; isDirectory: boolean }): PathKind =>
  entry.isFile ? "file" : entry.isDirectory ? "directory" : "other";

/** What a call gives, or throws, as a promise. */
const result = <T>(call: () => T): Promise<T> => new Promise((resolve) => resolve(call()));

const CREATE = { read: true, write: true, create: true };

/** Deno's own calls. Files that are being written are locked, which the system undoes when their process ends. */
export function denoHost(deno: DenoLike): Host {
  const stream = (file: DenoFile): OpenFile => ({
    read: async (buffer) => await file.read(buffer) ?? 0,
    write: async (bytes) => {
      for (let done = 0; done < bytes.length;) done += await file.write(bytes.subarray(done));
    },
    close: () => file.close(),
  });
  // Nobody is waited for at a file: calls that return when they are done take a third of the time.
  const file = (opened: DenoFile): OpenFile => ({
    read: (buffer) => result(() => opened.readSync(buffer) ?? 0),
    write: (bytes) =>
      result(() => {
        for (let done = 0; done < bytes.length;) done += opened.writeSync(bytes.subarray(done));
      }),
    close: () => opened.close(),
  });
  const wrap = (opened: DenoFile): OpenFile => opened.statSync().isFile ? file(opened) : stream(opened);
  return {
    openForReading: async (path) => wrap(await deno.open(path, { read: true })),
    async openForWriting(path) {
      const file = await deno.open(path, { write: true, create: true, truncate: true });
      tryLock(file);
      return wrap(file);
    },
    openForAppending: async (path) => wrap(await deno.open(path, { append: true, create: true })),
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
    fileBytes(path) {
      try {
        return deno.statSync(path).size;
      } catch {
        return 0;
      }
    },
    list: (path) => [...deno.readDirSync(path)].map((entry) => ({ name: entry.name, kind: kindOf(entry) })),
    makeDirectory: (path) => deno.mkdirSync(path, { recursive: true }),
    rename: (from, to) => deno.renameSync(from, to),
    remove: (path) => deno.removeSync(path),
    lock(path) {
      // a file that its holder removes between our two calls is locked in vain, so the name must still be the file's
      for (;;) {
        const file = deno.openSync(path, CREATE);
        if (!tryLock(file)) {
          file.close();
          return null;
        }
        if (isNamed(deno, file, path)) {
          file.truncateSync(0);
          file.writeSync(new TextEncoder().encode(String(deno.pid))); // for those who cannot lock files
          return {
            release() {
              deno.removeSync(path);
              file.close();
            },
          };
        }
        file.close();
      }
    },
    abandoned(path) {
      try {
        const file = deno.openSync(path, { read: true, write: true });
        const free = tryLock(file);
        file.close();
        return free;
      } catch {
        return false;
      }
    },
    processId: deno.pid,
    standardStream: (name) => stream(deno[name]),
  };
}

/** False when somebody else holds the file; a file system without locks lets everybody. */
function tryLock(file: DenoFile): boolean {
  try {
    return file.tryLockSync(true);
  } catch {
    return true;
  }
}

function isNamed(deno: DenoLike, file: DenoFile, path: string): boolean {
  try {
    return deno.statSync(path).ino === file.statSync().ino;
  } catch {
    return false;
  }
}
