/**
 * The host's time: alarms, regular looks, and pauses in which other events of the process are let through. On Deno they
 * are made of time limits (`AbortSignal.timeout`), because the first `setTimeout` there loads the timers of Node and what
 * those need, which costs every command and every thread more than its configuration does.
 *
 * @module
 */

const onDeno = "Deno" in globalThis;

/** Longest time that every runtime keeps, in milliseconds: nearly 25 days. */
export const LONGEST_ALARM_MS = 2 ** 31 - 1;

/**
 * Calls once after some time.
 *
 * @param ms at most {@linkcode LONGEST_ALARM_MS} count
 * @returns a function that takes the alarm back
 */
export function after(ms: number, call: () => void): () => void {
  const delay = Math.min(ms, LONGEST_ALARM_MS);
  if (!onDeno) {
    const timer = setTimeout(call, delay);
    return () => clearTimeout(timer);
  }
  const alarm = AbortSignal.timeout(delay);
  alarm.addEventListener("abort", call);
  return () => alarm.removeEventListener("abort", call);
}

/**
 * Calls again and again, with this time between a call's end and the next one.
 *
 * @returns a function that ends it
 */
export function every(ms: number, call: () => void): () => void {
  let cancel = () => {}, ended = false;
  const next = () => {
    cancel = after(ms, () => {
      try {
        call();
      } finally {
        if (!ended) next();
      }
    });
  };
  next();
  return () => {
    ended = true;
    cancel();
  };
}

/** Lets other events of the process through: timers, signals, messages. */
export const pause = (ms = 0): Promise<void> => new Promise((resume) => void after(ms, resume));
