/**
 * Stopping work from outside: the signal that ends it (Ctrl-C, a time limit, a memory watch), and the pauses in which the
 * process hears of it.
 *
 * @module
 */

import { pause } from "./timers.ts";

/** Host time that work may take before other events of the process are let through. */
const PAUSE_EVERY_MS = 50;

let processSignal: AbortSignal | undefined;
let pausedAt = 0;

/** The signal that ends all work of this process; a command sets it, a library call has none. */
export const stopSignal = (): AbortSignal | undefined => processSignal;

/** Makes a signal the one that ends all work of this process. */
export function stopEverythingBy(signal: AbortSignal | undefined): void {
  processSignal = signal;
}

/** Lets timers and signals of the process be heard, at most every 50 ms. */
export async function breathe(): Promise<void> {
  if (performance.now() - pausedAt < PAUSE_EVERY_MS) return;
  await pause();
  pausedAt = performance.now();
}

/**
 * A point at which work may end: lets timers and signals of the process be heard, at most every 50 ms, and throws the
 * reason when the work is to stop.
 *
 * @param signal default: the one of the process
 */
export async function stopPoint(signal: AbortSignal | undefined = processSignal): Promise<void> {
  await breathe();
  signal?.throwIfAborted();
}

/** The result of work that may wait for the outside for ever, unless the signal ends it first. */
export async function unlessStopped<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return await work;
  work.catch(() => {}); // it may fail after nobody waits for it any more
  signal.throwIfAborted();
  let stop = () => {};
  const stopped = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener("abort", stop);
  });
  try {
    return await Promise.race([work, stopped]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
