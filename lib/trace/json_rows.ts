/**
 * Rows of foreign JSON Lines formats, whose fields are read by a table.
 *
 * @module
 */
import { JsonCursor } from "./json_cursor.ts";
import type { KeySet } from "./key_set.ts";
import { JsonProblem } from "./number_cursor.ts";
import type { Line } from "./lines.ts";
import { type Emit, readingLine, RefusedRow, type RowReader, type Wording } from "./row.ts";

/** What a JSON Lines format says of itself. */
export interface JsonFormat {
  keys: KeySet;
  /** Fields that must be there and not null. */
  required: readonly number[];
  /** Called before a row. */
  start(): void;
  /** Reads the value of a field, which is not null. */
  field(field: number, cursor: JsonCursor): void;
  /** Called after a row; throws a {@linkcode RefusedRow} when it tells of no request. */
  row(line: number, emit: Emit): void;
}

/** Reads a JSON Lines file by a table of fields. */
export class JsonRows implements RowReader {
  readonly wording: Wording;
  readonly keys: KeySet;
  field = -1;
  readonly #file: string;
  readonly #format: JsonFormat;
  readonly #cursor = new JsonCursor();

  constructor(file: string, format: JsonFormat) {
    this.#file = file;
    this.#format = format;
    this.keys = format.keys;
    this.wording = {
      open: `failed to open trace file ${file}`,
      parse: (line) => `failed to parse line ${line} from ${file} as JSON`,
      read: (line) => `failed to read line ${line} from ${file}`,
    };
  }

  read(line: Line, emit: Emit): void {
    readingLine(this.#cursor, line, this.#file, this.wording, this, this.#fields);
    this.#format.row(line.number, emit);
  }

  readonly #fields = (): void => {
    const cursor = this.#cursor, format = this.#format;
    let seen = 0;
    this.field = -1;
    format.start();
    cursor.openObject();
    for (let first = true;; first = false) {
      const field = cursor.nextKey(format.keys, first);
      if (field === -2) break;
      this.field = field;
      if (field < 0) {
        cursor.skip();
      } else if (!cursor.isNull()) {
        seen |= 1 << field;
        format.field(field, cursor);
      }
    }
    this.field = -1;
    cursor.finish();
    for (const field of format.required) {
      if ((seen & 1 << field) === 0) throw new RefusedRow("missing column", `no ${format.keys.names[field]}`);
    }
  };
}

/** Milliseconds of seconds that were read as a number: to the microsecond, so that 61.114 s are 61114 ms. */
export const millis = (seconds: number): number => Math.round(seconds * 1e6) / 1e3;

/** A number that may be written as a string. */
export function looseNumber(cursor: JsonCursor): number {
  if (cursor.peek() !== 34) return cursor.number();
  const at = cursor.at, text = cursor.string();
  const value = text.trim() === "" ? NaN : Number(text);
  if (!Number.isFinite(value)) throw new JsonProblem(at, `expected a number, found "${text}"`);
  return value;
}
