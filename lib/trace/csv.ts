/**
 * Rows of CSV files, one a line, columns found by their names. Imports the row reading of this folder.
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

/** Cells of a row by column. */
export class CsvCells {
  readonly #places: readonly number[];
  cells: readonly string[] = [];

  constructor(places: readonly number[]) {
    this.#places = places;
  }

  /** True when the file has the column. */
  has(column: number): boolean {
    return this.#places[column] >= 0;
  }

  /** The text of a cell, `column` counted in the order of `required` and `optional`. */
  text(column: number): string {
    const place = this.#places[column];
    return place < 0 ? "" : this.cells[place].trim();
  }

  /** A whole number that is not negative. `12.0` counts. */
  count(column: number): number {
    const text = this.text(column);
    if (!/^\d{1,15}(?:\.0*)?$/.test(text)) throw new RefusedRow("bad number", `"${text}" is no count`);
    return Number(text);
  }
}

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

/** Reads a CSV file with a header line. */
export class CsvRows implements RowReader {
  readonly wording: Wording;
  readonly #file: string;
  readonly #format: CsvFormat;
  readonly #decoder = new TextDecoder("utf-8", { fatal: true });
  #cells: CsvCells | undefined;
  #width = 0;

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
    let text: string;
    try {
      text = this.#decoder.decode(line.bytes.subarray(line.start, line.end));
    } catch {
      const place = { file: this.#file, line: line.number };
      throw new TraceError(`${this.wording.read(line.number)}: the line is not valid UTF-8`, place);
    }
    if (this.#cells === undefined) return this.#header(text, line.number);
    const cells = splitCsv(text);
    if (cells.length < this.#width) {
      throw new RefusedRow("missing column", `${cells.length} cells where ${this.#width} are needed`);
    }
    this.#cells.cells = cells;
    emit(this.#format.row(this.#cells, line.number));
  }

  #header(text: string, line: number): void {
    const { required, optional = [] } = this.#format;
    const names = splitCsv(text).map((name) => name.trim());
    const places = [...required, ...optional].map((name) => names.indexOf(name));
    const missing = required.filter((_, i) => places[i] < 0);
    if (missing.length > 0) {
      throw new TraceError(
        `${this.wording.parse(line)}: the header has no column ${missing.map((name) => `"${name}"`).join(", ")}; ` +
          `it has ${names.map((name) => `"${name}"`).join(", ")}`,
        { file: this.#file, line },
      );
    }
    this.#cells = new CsvCells(places);
    this.#width = Math.max(...places) + 1;
  }
}
