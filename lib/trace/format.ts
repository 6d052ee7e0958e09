/**
 * What a trace format is: one object that says how to read a file of it. A new format is one file with such an object
 * and one line in `formats.ts`. Imports the row reader.
 *
 * @module
 */
import type { RowReader } from "./row.ts";

/** Options every reader knows. */
export interface FormatOptions {
  /** Tokens a block id stands for, where the format does not say it itself. Default: the format's own. */
  blockTokens?: number;
}

/** How the content of prompts is known. */
export type PrefixIdentity = "recorded" | "synthesised unique";

/** A trace format made of lines. */
export interface TraceFormat {
  readonly name: string;
  /** One line for people. */
  readonly title: string;
  readonly identity: PrefixIdentity;
  /** Tokens of a block when neither the file nor the options say. */
  readonly blockTokens: number;
  /** Several files may be read as one trace. */
  readonly shards?: boolean;
  /** A reader for the lines of one file. `file` is its name in messages. */
  rows(file: string, options: FormatOptions): RowReader;
}
