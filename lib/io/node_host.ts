/**
 * The host on Bun and Node, by `node:fs`.
 *
 * @module
 */
import type { Host, OpenFile, PathKind, StandardStream } from "./host.ts";

interface ProcessLike {
  pid: number;
  kill(processId: number, signal: 0): void;
  getBuiltinModule(name: string): any;
}

const codeOf = (problem: unknown) => (problem as { code?: string }).code ?? "";

const DESCRIPTORS: Readonly<Record<StandardStream, number>> = { stdin: 0, stdout: 1, stderr: 2 };

const kindOf = (entry: { isFile(): boolean; isDirectory(): boolean }): PathKind =>
  entry.isFile() ? "file" : entry.isDirectory() ? "directory" : "other";

/** The calls of `node:fs`. There are no locks: a file names the process that holds it. */
export function nodeHost(): Host {
  const process = (globalThis as unknown as { process: ProcessLike }).process;
  const fs = process.getBuiltinModule("node:fs");
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
  return {
    openForReading: async (path) => wrap(await call<number>((done) => fs.open(path, "r", done))),
    openForWriting: async (path) => wrap(await call<number>((done) => fs.open(path, "w", done))),
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
    abandoned: (_path, processId) => !lives(processId),
    processId: process.pid,
    standardStream: (name) => wrap(DESCRIPTORS[name]),
  };
}
