/**
 * What a format of measurements is. A new one is a file and a line in `registry.ts`.
 *
 * @module
 */
import * as v from "valibot";
import { TraceError } from "../../errors.ts";
import { issueText } from "../../io/issue_text.ts";
import type { Measured } from "../measured.ts";

/** The first row of a file, as far as formats are told apart by it. */
export interface FirstRow {
  /** The file as JSON, or its first line; undefined for other files. */
  readonly object?: Readonly<Record<string, unknown>>;
  /** The cells of the first line. */
  readonly cells: readonly string[];
}

/** A row and where it stands, for messages. */
export interface Row {
  readonly file: string;
  /** From 1. */
  readonly line: number;
}

/** A format of measurements. */
export interface MeasuredFormat {
  readonly name: string;
  readonly title: string;
  /** Whether a file is of this format. */
  recognise(first: FirstRow): boolean;
  /** Rows of a JSON Lines file, or the whole of a JSON file; what cannot be used is skipped and counted. */
  json?(value: unknown, row: Row, into: Measured): void;
  /** Cells of a CSV file, by column. */
  csv?(cells: Readonly<Record<string, string>>, row: Row, into: Measured): void;
}

/**
 * A row in its shape.
 *
 * @throws {TraceError} with the place, what was found and what was expected
 */
export function shaped<S extends v.GenericSchema>(schema: S, value: unknown, { file, line }: Row): v.InferOutput<S> {
  const result = v.safeParse(schema, value);
  if (result.success) return result.output;
  throw new TraceError(`${file}:${line}: ${issueText(result.issues[0])}`, { file, line });
}

/** A finite number, at least 0. */
export const amount = v.pipe(v.number(), v.finite(), v.minValue(0));
/** A whole number from 0 to 4294967295, as loads of passes are. */
export const wholeNumber = v.pipe(amount, v.integer(), v.maxValue(0xffffffff));
/** A field that may be missing or null. */
export const optional = <S extends v.GenericSchema>(schema: S) => v.optional(v.nullable(schema), null);
