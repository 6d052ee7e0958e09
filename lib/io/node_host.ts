/**
 * The host on Bun and Node, by `node:fs`.
 *
 * @module
 */
import type { FileLock, Host, OpenFile, PathKind, StandardStream } from "./host.ts";

interface ProcessLike {
  pid: number;
  kill(processId: number, signal: 0): void;
  getBuiltinModule(name: string): any;
}

const codeOf = (problem: unknown) => (problem as { code?: string }).code ?? "";

const DESCRIPTORS: Readonly<Record<StandardStream, number>> = { stdin: 0, stdout: 1, stderr: 2 };

const kindOf = (entry: { isFile(): boolean; isDirectory(): boolean }): PathKind =>
  entry.isFile() ? "file" : entry.isDirectory() ? "directory" : "other";

/**
 * The calls of `node:fs`. Bun locks files as Deno does, by the system's own call, so that the two see each other; on Node
 * there are no locks, and a file names the process that holds it.
 */
export function nodeHost(): Host {
  const process = (globalThis as unknown as { process: ProcessLike }).process;
  const fs = process.getBuiltinModule("node:fs");
  let asked: TryLock | null | undefined;
  const tryLock = (): TryLock | null => asked === undefined ? asked = systemLock() : asked;
  const call = <T>(start: (done: (problem: Error | null, value: T) => void) => void): Promise<T> =>
    new Promise((resolve, reject) => start((problem, value) => problem ? reject(problem) : resolve(value)));
  const wrap = (descriptor: number): OpenFile => ({
    read: (buffer) =>
      call<number>((done) => fs.read(descriptor, buffer, 0, buffer.length, null, done)).catch((problem) => {
        if (codeOf(problem) === "EOF") return 0;
        throw problem;
      }),
    write: async (bytes) => {
      for (let done = 0; done < bytes.length;) {
        try {
          done += await call<number>((end) => fs.write(descriptor, bytes, done, bytes.length - done, null, end));
        } catch (problem) {
          if (codeOf(problem) !== "EAGAIN") throw problem;
          await new Promise((resolve) => setTimeout(resolve, 1));
        }
      }
    },
    close: () => fs.closeSync(descriptor),
  });
  const lives = (processId: number): boolean => {
    try {
      process.kill(processId, 0);
      return true;
    } catch (problem) {
      return codeOf(problem) !== "ESRCH";
    }
  };
  const holderOf = (path: string): number => {
    try {
      return Number(fs.readFileSync(path, "utf8"));
    } catch {
      return 0;
    }
  };
  /** As on Deno: a file that its holder removes between our two calls is locked in vain, so its name is looked at again. */
  const lockedFile = (path: string, locks: TryLock): FileLock | null => {
    for (;;) {
      const descriptor: number = fs.openSync(path, "a+");
      if (!locks(descriptor)) {
        fs.closeSync(descriptor);
        return null;
      }
      if (fs.statSync(path, { throwIfNoEntry: false })?.ino === fs.fstatSync(descriptor).ino) {
        fs.ftruncateSync(descriptor);
        fs.writeSync(descriptor, String(process.pid));
        return {
          release() {
            fs.unlinkSync(path);
            fs.closeSync(descriptor);
          },
        };
      }
      fs.closeSync(descriptor);
    }
  };
  return {
    openForReading: async (path) => wrap(await call<number>((done) => fs.open(path, "r", done))),
    async openForWriting(path) {
      const descriptor = await call<number>((done) => fs.open(path, "w", done));
      tryLock()?.(descriptor);
      return wrap(descriptor);
    },
    openForAppending: async (path) => wrap(await call<number>((done) => fs.open(path, "a", done))),
    kind(path) {
      try {
        return kindOf(fs.statSync(path));
      } catch (problem) {
        if (["ENOENT", "ENOTDIR"].includes(codeOf(problem))) return "missing";
        if (["EACCES", "EPERM"].includes(codeOf(problem))) return "denied";
        throw problem;
      }
    },
    fileBytes(path) {
      try {
        return fs.statSync(path).size;
      } catch {
        return 0;
      }
    },
    list: (path) =>
      fs.readdirSync(path, { withFileTypes: true }).map((entry: any) => ({ name: entry.name, kind: kindOf(entry) })),
    makeDirectory: (path) => fs.mkdirSync(path, { recursive: true }),
    rename: (from, to) => fs.renameSync(from, to),
    remove: (path) => fs.unlinkSync(path),
    lock(path) {
      const locks = tryLock();
      if (locks !== null) return lockedFile(path, locks);
      for (let attempt = 0;; attempt++) {
        try {
          fs.writeFileSync(path, String(process.pid), { flag: "wx" });
          return { release: () => fs.unlinkSync(path) };
        } catch (problem) {
          if (codeOf(problem) !== "EEXIST") throw problem;
          const holder = holderOf(path);
          if (attempt > 3 || (holder > 0 && lives(holder))) return null;
          fs.rmSync(path, { force: true });
        }
      }
    },
    abandoned(path, processId) {
      const locks = tryLock();
      if (locks === null || lives(processId)) return !lives(processId);
      try {
        const descriptor = fs.openSync(path, "r+"), free = locks(descriptor);
        fs.closeSync(descriptor);
        return free;
      } catch {
        return false;
      }
    },
    processId: process.pid,
    standardStream: (name) => wrap(DESCRIPTORS[name]),
  };
}

/** Locks an open file for this process, without waiting; false when another one has it. */
type TryLock = (descriptor: number) => boolean;

/** `LOCK_EX | LOCK_NB` of `flock(2)`. */
const EXCLUSIVE_AT_ONCE = 6;

/** The system's `flock`, which Bun can call; null where it cannot be had. */
function systemLock(): TryLock | null {
  const { require } = import.meta as unknown as { require?: (name: string) => any };
  if (!("Bun" in globalThis) || require === undefined) return null;
  for (const library of ["libc.so.6", "libc.so", "libSystem.B.dylib"]) {
    try {
      const { symbols } = require("bun:ffi").dlopen(library, { flock: { args: ["int", "int"], returns: "int" } });
      return (descriptor) => symbols.flock(descriptor, EXCLUSIVE_AT_ONCE) === 0;
    } catch {
      // another system's name for it
    }
  }
  return null;
}
