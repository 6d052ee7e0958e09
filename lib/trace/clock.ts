/**
 * Times as traces write them, without losing digits to the platform's millisecond clock. Imports the row errors.
 *
 * @module
 */
import { RefusedRow } from "./row.ts";

/**
 * Reads wall clock times like `2023-11-16 18:17:03.9799600` or `2024-05-10 00:00:00.009930+00:00` and tells them in
 * milliseconds since the first one, exact to 100 ns. Without an offset UTC is meant; digits beyond seven are dropped.
 */
export class WallClock {
  #firstSeconds = NaN;
  #firstTicks = 0;
  #day = "";
  #daySeconds = 0;

  /** @throws {RefusedRow} when the text is no time. */
  read(text: string): number {
    const match = TIME.exec(text);
    if (match === null) throw new RefusedRow("bad time", `"${text}" is no time`);
    const [, day, hours, minutes, seconds, fraction = "", sign, offsetHours, offsetMinutes = "0"] = match;
    if (day !== this.#day) {
      const ms = Date.parse(`${day}T00:00:00Z`);
      if (Number.isNaN(ms)) throw new RefusedRow("bad time", `"${text}" is no day`);
      this.#day = day;
      this.#daySeconds = ms / 1000;
    }
    if (Number(hours) > 23 || Number(minutes) > 59 || Number(seconds) > 60) {
      throw new RefusedRow("bad time", `"${text}" is no time`);
    }
    let total = this.#daySeconds + Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
    if (sign !== undefined) {
      total += (sign === "+" ? -1 : 1) * (Number(offsetHours) * 3600 + Number(offsetMinutes) * 60);
    }
    const ticks = Number(fraction.slice(0, 7).padEnd(7, "0"));
    if (Number.isNaN(this.#firstSeconds)) {
      this.#firstSeconds = total;
      this.#firstTicks = ticks;
    }
    return ((total - this.#firstSeconds) * 1e7 + (ticks - this.#firstTicks)) / 1e4;
  }
}

const TIME = /^(\d{4}-\d\d-\d\d)[ T](\d\d):(\d\d):(\d\d)(?:\.(\d+))?(?:Z| ?UTC|([+-])(\d\d):?(\d\d)?)?$/;

/**
 * Seconds, written as a decimal number, in milliseconds: the point moves, so that no digit is lost.
 *
 * @throws {RefusedRow} when the text is no number.
 */
export function secondsToMs(text: string): number {
  const match = /^(-?)(\d+)(?:\.(\d*))?$/.exec(text);
  if (match === null) {
    const seconds = text === "" ? NaN : Number(text);
    if (!Number.isFinite(seconds)) throw new RefusedRow("bad time", `"${text}" is no time`);
    return seconds * 1000;
  }
  const [, sign, whole, fraction = ""] = match;
  return Number(`${sign}${whole}${fraction.slice(0, 3).padEnd(3, "0")}.${fraction.slice(3)}`);
}
