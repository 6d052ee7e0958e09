/**
 * Table columns that grow row by row and stay small: numbers in typed arrays with null where there is none, texts as
 * codes into the distinct ones. Both satisfy arquero's column interface.
 *
 * @module
 */

import { reaching } from "../collections/growing.ts";

const INITIAL_ROWS = 1024;
const NO_TEXT = -1;

/** A column of numbers or null. Nothing is allocated while all values are null. */
export class NumberColumn implements Iterable<number | null> {
  length = 0;
  #values: Float64Array | null = null;

  /** Appends a value; anything but a number is null. */
  push(value: unknown): void {
    const row = this.length++;
    if (typeof value !== "number" || Number.isNaN(value)) {
      if (this.#values !== null) this.#room(row)[row] = NaN;
    } else {
      this.#room(row)[row] = value;
    }
  }

  /** The value of a row, null when it has none. */
  at(row: number): number | null {
    const value = this.#values?.[row] ?? NaN;
    return Number.isNaN(value) ? null : value;
  }

  *[Symbol.iterator](): Iterator<number | null> {
    for (let row = 0; row < this.length; row++) yield this.at(row);
  }

  #room(row: number): Float64Array {
    const values = this.#values ??= new Float64Array(INITIAL_ROWS).fill(NaN);
    return this.#values = reaching(values, row, NaN);
  }
}

/** A column of texts, truth values or null, each distinct value kept once. */
export class TextColumn implements Iterable<string | boolean | null> {
  length = 0;
  #codes: Int32Array | null = null;
  readonly #texts: (string | boolean)[] = [];
  readonly #codeOf = new Map<string | boolean, number>();

  /** Appends a value; anything but a text or a truth value is null. */
  push(value: unknown): void {
    const row = this.length++;
    if (typeof value !== "string" && typeof value !== "boolean") {
      if (this.#codes !== null) this.#room(row)[row] = NO_TEXT;
      return;
    }
    let code = this.#codeOf.get(value);
    if (code === undefined) {
      code = this.#texts.length;
      this.#texts.push(value);
      this.#codeOf.set(value, code);
    }
    this.#room(row)[row] = code;
  }

  /** The value of a row, null when it has none. */
  at(row: number): string | boolean | null {
    const code = this.#codes?.[row] ?? NO_TEXT;
    return code === NO_TEXT ? null : this.#texts[code];
  }

  *[Symbol.iterator](): Iterator<string | boolean | null> {
    for (let row = 0; row < this.length; row++) yield this.at(row);
  }

  #room(row: number): Int32Array {
    const codes = this.#codes ??= new Int32Array(INITIAL_ROWS).fill(NO_TEXT);
    return this.#codes = reaching(codes, row, NO_TEXT);
  }
}

/** A column under construction. */
export type Column = NumberColumn | TextColumn;

/** Columns by name, in the order of the kinds given. */
export function makeColumns(kinds: Readonly<Record<string, "number" | "text">>): Record<string, Column> {
  return Object.fromEntries(
    Object.entries(kinds).map(([name, kind]) => [name, kind === "number" ? new NumberColumn() : new TextColumn()]),
  );
}

/** Appends one row: the values of an object under the names of the columns. */
export function pushRow(columns: Record<string, Column>, row: object): void {
  for (const name in columns) columns[name].push((row as Record<string, unknown>)[name]);
}
