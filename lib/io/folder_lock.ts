/**
 * A folder that one process writes to at a time. The lock is a file in it, which the system gives up when its process
 * ends, however it ends.
 *
 * @module
 */
import { ConfigError } from "../errors.ts";
import { type FileLock, host } from "./host.ts";

/** Name of the file that a process holds in a folder it writes to. */
export const LOCK_FILE = ".dynosim.lock";

const held = new Map<string, FileLock>();

/**
 * Takes a folder for this process until {@linkcode releaseFolders}.
 *
 * @throws {ConfigError} when another process that lives has it
 */
export function takeFolder(folder: string): void {
  if (held.has(folder)) return;
  const lock = host().lock(folder.endsWith("/") ? folder + LOCK_FILE : `${folder}/${LOCK_FILE}`);
  if (lock === null) {
    throw new ConfigError(`output directory ${folder} is in use by another process; wait for it or name another one`);
  }
  held.set(folder, lock);
}

/** Gives up all folders that this process took. */
export function releaseFolders(): void {
  for (const [folder, lock] of held) {
    held.delete(folder);
    try {
      lock.release();
    } catch {
      // the folder is gone
    }
  }
}
