/**
 * How much of which file has been read, for whoever shows it: one listener for the process, as a process has one
 * terminal.
 *
 * @module
 */

/** Told of every piece of a file that was read. */
export type ReadingListener = (path: string, bytes: number) => void;

let listener: ReadingListener | undefined;

/** Tells a listener of everything that is read from here on; undefined ends that. */
export function followReading(told: ReadingListener | undefined): void {
  listener = told;
}

/** A piece of a file was read. */
export function tellReading(path: string, bytes: number): void {
  listener?.(path, bytes);
}
