/**
 * Times as traces write them, without losing digits to the platform's millisecond clock.
 *
 * @module
 */
import { RefusedRow } from "./row.ts";

/** The last moment that a date can name, in milliseconds: times beyond are mistakes. */
export const MOST_TIME_MS = 8.64e15;

/**
 * Reads wall clock times like `2023-11-16 18:17:03.9799600` or `2024-05-10 00:00:00.009930+00:00` and tells them in
 * milliseconds since the first one, exact to 100 ns. Without an offset UTC is meant; digits beyond seven are dropped.
 */
export class WallClock {
  #firstSeconds = NaN;
  #firstTicks = 0;
  /** The last time up to its seconds, and what it means: neighbours often share it. */
  #text = "";
  #seconds = 0;

  /** @throws {RefusedRow} when the text is no time. */
  read(text: string): number {
    const whole = text.slice(0, 19);
    if (whole !== this.#text) {
      this.#seconds = wholeSeconds(whole);
      this.#text = whole;
    }
    let ticks = 0, at = 19;
    if (text.charCodeAt(at) === 46) {
      const from = ++at;
      for (let digit; (digit = text.charCodeAt(at) - 48) >= 0 && digit <= 9; at++) {
        if (at - from < 7) ticks = ticks * 10 + digit;
      }
      if (at === from) refuse(text);
      for (let digits = at - from; digits < 7; digits++) ticks *= 10;
    }
    const seconds = at === text.length ? this.#seconds : this.#seconds - offsetSeconds(text.slice(at));
    if (Number.isNaN(this.#firstSeconds)) {
      this.#firstSeconds = seconds;
      this.#firstTicks = ticks;
    }
    return ((seconds - this.#firstSeconds) * 1e7 + (ticks - this.#firstTicks)) / 1e4;
  }
}

function wholeSeconds(text: string): number {
  const match = /^(\d{4}-\d\d-\d\d)[ T](\d\d):(\d\d):(\d\d)$/.exec(text);
  const day = match === null ? NaN : Date.parse(`${match[1]}T00:00:00Z`);
  if (match === null || Number.isNaN(day)) return refuse(text);
  const [hours, minutes, seconds] = [match[2], match[3], match[4]].map(Number);
  if (hours > 23 || minutes > 59 || seconds > 60) refuse(text);
  return day / 1000 + hours * 3600 + minutes * 60 + seconds;
}

function offsetSeconds(text: string): number {
  if (text === "+00:00" || text === "Z") return 0;
  const match = /^(?:Z| ?UTC|([+-])(\d\d)(?::?(\d\d))?)$/.exec(text);
  if (match === null) return refuse(text);
  const [, sign, hours = "0", minutes = "0"] = match;
  return (sign === "-" ? -1 : 1) * (Number(hours) * 3600 + Number(minutes) * 60);
}

function refuse(text: string): never {
  throw new RefusedRow("bad time", `"${text}" is no time`);
}

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
