/**
 * Rows of CSV files, one a line, columns found by their names.
 *
 * @module
 */
import { TraceError } from "../errors.ts";
import type { Line } from "./lines.ts";
import { type Emit, RefusedRow, type RowReader, type RowRequest, type Wording } from "./row.ts";

/** What a CSV format says of itself. */
export interface CsvFormat {
  /** Columns that must be there. */
  required: readonly string[];
  /** Columns that may be there. */
  optional?: readonly string[];
  /** The request of a row; throws a {@linkcode RefusedRow} when there is none. */
  row(cells: CsvCells, line: number): RowRequest;
}

/** Cells of a row by column. A row without quotes is read where it stands; only cells asked for become text. */
export class CsvCells {
  readonly #places: readonly number[];
  /** Cells of the header. */
  readonly #due: number;
  #line: Line | undefined;
  /** Where each cell ends, by place. */
  readonly #ends = new Int32Array(256);
  #count = 0;
  #texts: readonly string[] | null = null;

  constructor(places: readonly number[], due: number) {
    this.#places = places;
    this.#due = due;
  }

  /** Takes up a line. */
  open(line: Line): void {
    this.#line = line;
    this.#texts = null;
    const { bytes, start, end } = line;
    let count = 0;
    for (let at = start; at < end; at++) {
      const byte = bytes[at];
      if (byte === 44 && count < this.#ends.length - 1) this.#ends[count++] = at;
      else if (byte === 34 || byte > 127) {
        this.#texts = splitCsv(lineText(line));
        break;
      }
    }
    this.#ends[count++] = end;
    this.#count = this.#texts?.length ?? count;
    // a writer that was killed leaves a row whose last cell may be half of a number
    if (this.#count < this.#due) {
      throw new RefusedRow("row ends early", `${this.#count} cells where ${this.#due} are due`);
    }
  }

  /** True when the file has the column. */
  has(column: number): boolean {
    return this.#places[column] >= 0;
  }

  /** The text of a cell, `column` counted in the order of `required` and `optional`. */
  text(column: number): string {
    const place = this.#places[column];
    if (place < 0) return "";
    if (this.#texts !== null) return this.#texts[place].trim();
    const { bytes, start } = this.#line!;
    const from = place === 0 ? start : this.#ends[place - 1] + 1;
    return String.fromCharCode.apply(null, bytes.subarray(from, this.#ends[place]) as unknown as number[]).trim();
  }

  /** A whole number that is not negative. `12.0` counts. */
  count(column: number): number {
    const place = this.#places[column];
    if (this.#texts === null && place >= 0) {
      const { bytes, start } = this.#line!, end = this.#ends[place];
      const from = place === 0 ? start : this.#ends[place - 1] + 1;
      let at = from, value = 0;
      for (let digit; at < end && (digit = bytes[at] - 48) >= 0 && digit <= 9; at++) value = value * 10 + digit;
      if (at === end && at > from && at - from <= 15) return value;
    }
    const text = this.text(column);
    if (!/^\d{1,15}(?:\.0*)?$/.test(text)) throw new RefusedRow("bad number", `"${text}" is no count`);
    return Number(text);
  }
}

const decoder = new TextDecoder("utf-8", { fatal: true });

/** The text of a line; throws a TypeError when it is no UTF-8. */
const lineText = ({ bytes, start, end }: Line) => decoder.decode(bytes.subarray(start, end));

/** Text short enough for a line of a terminal. */
const clipped = (text: string) => text.length > 300 ? `${text.slice(0, 300)}…` : text;

/** Cuts a line into cells: quoted ones may hold commas, and quotes when doubled. */
export function splitCsv(line: string): string[] {
  if (!line.includes('"')) return line.split(",");
  const cells: string[] = [];
  for (let at = 0; at <= line.length;) {
    if (line[at] !== '"') {
      const comma = line.indexOf(",", at);
      const end = comma < 0 ? line.length : comma;
      cells.push(line.slice(at, end));
      at = end + 1;
      continue;
    }
    let cell = "";
    for (at++;;) {
      const quote = line.indexOf('"', at);
      if (quote < 0) throw new RefusedRow("bad quoting", "a quoted cell does not end on its line");
      cell += line.slice(at, quote);
      at = quote + 1;
      if (line[at] !== '"') break;
      cell += '"';
      at++;
    }
    if (at < line.length && line[at] !== ",") throw new RefusedRow("bad quoting", "text behind a quoted cell");
    cells.push(cell);
    at++;
    if (at > line.length) break;
  }
  return cells;
}

/** What separates the cells of a header that has no comma, in words. */
export function otherSeparator(header: string): string | undefined {
  return header.includes(",")
    ? undefined
    : header.includes(";")
    ? "semicolons"
    : header.includes("\t")
    ? "tabs"
    : undefined;
}

/** Reads a CSV file with a header line. */
export class CsvRows implements RowReader {
  readonly wording: Wording;
  readonly #file: string;
  readonly #format: CsvFormat;
  #cells: CsvCells | undefined;

  constructor(file: string, format: CsvFormat) {
    this.#file = file;
    this.#format = format;
    this.wording = {
      open: `failed to open trace file ${file}`,
      parse: (line) => `failed to parse line ${line} from ${file} as CSV`,
      read: (line) => `failed to read line ${line} from ${file}`,
    };
  }

  get atHeader(): boolean {
    return this.#cells === undefined;
  }

  read(line: Line, emit: Emit): void {
    try {
      if (this.#cells === undefined) return this.#header(lineText(line), line.number);
      this.#cells.open(line);
    } catch (problem) {
      if (!(problem instanceof TypeError)) throw problem;
      const place = { file: this.#file, line: line.number };
      throw new TraceError(`${this.wording.read(line.number)}: the line is not valid UTF-8`, place);
    }
    emit(this.#format.row(this.#cells, line.number));
  }

  #header(text: string, line: number): void {
    const { required, optional = [] } = this.#format;
    const names = splitCsv(text).map((name) => name.trim());
    const places = [...required, ...optional].map((name) => names.indexOf(name));
    const missing = required.filter((_, i) => places[i] < 0);
    const separator = names.length === 1 ? otherSeparator(text) : undefined;
    if (missing.length > 0) {
      throw new TraceError(
        `${this.wording.parse(line)}: the header has no column ${missing.map((name) => `"${name}"`).join(", ")}; ` +
          (separator === undefined
            ? `it has ${clipped(names.map((name) => `"${name}"`).join(", "))}`
            : `its cells seem to be separated by ${separator}, but CSV cells are read by commas: convert it first`),
        { file: this.#file, line },
      );
    }
    this.#cells = new CsvCells(places, names.length);
  }
}
