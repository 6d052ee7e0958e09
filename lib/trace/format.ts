/**
 * What a trace format is: one object that says how to read a file of it. A new format is one file with such an object
 * and one line in `formats.ts`. Imports types of this folder.
 *
 * @module
 */
import type { ByteSource } from "./feed.ts";
import type { TraceRequest } from "./request.ts";
import type { RowReader } from "./row.ts";

/** Options of readers. A format uses those that mean something to it. */
export interface FormatOptions {
  /** Tokens a block id stands for, where the format does not say it itself. Default: the format's own. */
  blockTokens?: number;
  /** applied_compute_agentic: share of a first prompt that its group has in common, 0 … 1. Default 0. */
  sharedPrefixRatio?: number;
  /** applied_compute_agentic: number of groups. Default 0. */
  prefixGroups?: number;
}

/** How the content of prompts is known. */
export type PrefixIdentity = "recorded" | "synthesised unique";

/** A trace format made of lines. */
export interface TraceFormat {
  readonly name: string;
  /** One line for people. */
  readonly title: string;
  readonly identity: PrefixIdentity;
  /** How rows become a load: one after the other with sessions, or as a graph of requests that wait for each other. */
  readonly shape: "rows" | "graph";
  /** Several files may be read as one trace, in any order; rows are told by time. */
  readonly shards?: boolean;
  /** Begins to read one trace, of one or several files. */
  open(options: FormatOptions): OpenTrace;
}

/** One trace being read. */
export interface OpenTrace {
  /** Tokens of a block; undefined until the file has said it. */
  readonly blockTokens: number | undefined;
  /** Where a graph's requests came from; undefined until the file has said it. */
  readonly provenance?: { format: string; digest: string } | undefined;
  /** A reader for the lines of one file. `file` is its name in messages. */
  rows(file: string): RowReader;
  /** Formats with several files: all requests in the order of time. */
  byTime?(sources: readonly ByteSource[]): AsyncGenerator<readonly TraceRequest[], void, void>;
}
