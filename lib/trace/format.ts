/**
 * What a trace format is: one object that says how to read a file of it. A new format is one file with such an object
 * and one line in `formats.ts`.
 *
 * @module
 */
import type { OptionNames } from "../errors.ts";
import type { ByteSource, FeedOptions } from "./feed.ts";
import type { JsonValue } from "./json_cursor.ts";
import type { Ledger } from "./ledger.ts";
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
  /** Foreign formats: keep rows without output tokens (failures, mostly). Default false. */
  keepZeroOutput?: boolean;
  /** Foreign formats: keep the sessions that rows name, so that a turn waits for the one before it. Default false. */
  sessions?: boolean;
  /** RAGPulse: the folder of the files with lengths. Default: the folder of the trace. */
  lengthsFolder?: string;
  /** Takes remarks of the reader. */
  ledger?: Ledger;
}

/** Names of the options of readers. */
export const FORMAT_OPTIONS: OptionNames<FormatOptions> = {
  blockTokens: true,
  sharedPrefixRatio: true,
  prefixGroups: true,
  keepZeroOutput: true,
  sessions: true,
  lengthsFolder: true,
  ledger: true,
};

/** The beginning of a file, by which formats recognise theirs. */
export interface Sample {
  /** The first row, when rows are JSON objects. */
  object?: { [key: string]: JsonValue };
  /** The cells of the first line, when it is no JSON. */
  columns?: readonly string[];
}

/** How the content of prompts is known. */
export type PrefixIdentity = "recorded" | "synthesised unique";

const IDENTITIES: readonly string[] = ["recorded", "synthesised unique"] satisfies PrefixIdentity[];

/** Takes what the rows of a converted trace say of their ids (`prefix_identity`); other texts are somebody else's. */
export const identityTeller = (ledger: Ledger | undefined) => (text: string): void => {
  if (ledger !== undefined && IDENTITIES.includes(text)) ledger.identity = text as PrefixIdentity;
};

/** A trace format made of lines. */
export interface TraceFormat {
  /** Name in options, e.g. `mooncake`. */
  readonly name: string;
  /** One line for people. */
  readonly title: string;
  /** What prefixes are known by. */
  readonly identity: PrefixIdentity;
  /** How rows become a load: one after the other with sessions, or as a graph of requests that wait for each other. */
  readonly shape: "rows" | "graph";
  /** Several files may be read as one trace, in any order; rows are told by time. */
  readonly shards?: boolean;
  /** Blocks are smaller than usual and are joined when larger ones are asked for. */
  readonly joinsBlocks?: boolean;
  /** What to do with rows that cannot be used, unless the caller says. Default `fail`. */
  readonly badRows?: "fail" | "drop";
  /** By what a file is one of this format, in words; undefined when it is none. */
  recognise(sample: Sample): string | undefined;
  /** Begins to read one trace, of one or several files. */
  open(options: FormatOptions): OpenTrace;
}

/** One trace being read. */
export interface OpenTrace {
  /** Tokens of a block; undefined until the file has said it. */
  readonly blockTokens: number | undefined;
  /** Where a graph's requests came from; undefined until the file has said it. */
  readonly provenance?: { format: string; digest: string } | undefined;
  /** Reads what the format keeps beside the file. Called once before {@linkcode rows}. */
  prepare?(file: string): Promise<void>;
  /** A reader for the lines of one file. `file` is its name in messages. */
  rows(file: string): RowReader;
  /** Formats with several files: all requests in the order of time. */
  byTime?(sources: readonly ByteSource[], feed: FeedOptions): AsyncGenerator<readonly TraceRequest[], void, void>;
}
