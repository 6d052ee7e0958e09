/**
 * Whether anybody is there to do a run, and what is said when nobody is.
 *
 * @module
 */
import { QueueError } from "../../errors.ts";
import { plain } from "./messages.ts";

/** How long a run waits for somebody to do it. */
export interface AttendanceOptions {
  /** Seconds without any worker after which the run is given up. Default 600. */
  patienceSeconds?: number;
  /** Hears what a person should know. */
  onNote?: (text: string) => void;
}

/** Watches over the workers of one run. */
export class Attendance {
  readonly #shown: string;
  readonly #options: AttendanceOptions;
  #aloneSince = performance.now();
  #told = 0;
  #declinedBefore = false;

  /** @param shown the address of the Redis, as messages have it */
  constructor(shown: string, options: AttendanceOptions) {
    this.#shown = shown;
    this.#options = options;
  }

  /** Patience counts from now on. */
  begin(): void {
    this.#aloneSince = performance.now();
  }

  /**
   * Says when nobody can do what is open, and gives it up when that does not change.
   *
   * @param live workers that are there
   * @param declined those of them that cannot do it, with the reason
   */
  check(live: number, declined: ReadonlyMap<string, string>): void {
    const { onNote = () => {}, patienceSeconds = 600 } = this.#options;
    if (live > declined.size) {
      this.#aloneSince = performance.now();
      this.#declinedBefore = false;
      return;
    }
    if (live > 0) {
      // one that has just come may be about to take it
      if (!this.#declinedBefore) {
        this.#declinedBefore = true;
        return;
      }
      const reasons = [...declined].slice(0, 5).map(([id, why]) => `\n  ${plain(id)}: ${plain(why)}`);
      const more = declined.size > 5 ? `\n  … and ${declined.size - 5} more` : "";
      throw new QueueError(
        `none of the ${declined.size} worker(s) at ${this.#shown} can do this:${reasons.join("")}${more}`,
      );
    }
    const seconds = (performance.now() - this.#aloneSince) / 1000;
    if (seconds > patienceSeconds) {
      throw new QueueError(
        `no worker has come to ${this.#shown} for ${patienceSeconds} s; start one: ` +
          `deno task worker ${this.#shown}`,
      );
    }
    if (seconds > 3 && seconds - this.#told > 60 || (seconds > 3 && this.#told === 0)) {
      this.#told = seconds;
      onNote(`no worker is at ${this.#shown}; start one: deno task worker ${this.#shown}`);
    }
  }
}
