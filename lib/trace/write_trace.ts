/**
 * Writing requests to a file.
 *
 * @module
 */
import { checkOptions, ConfigError, type OptionNames } from "../errors.ts";
import { AtomicFile } from "../io/atomic.ts";
import type { PrefixIdentity } from "./format.ts";
import type { Ledger } from "./ledger.ts";
import { mooncakeRow } from "./mooncake.ts";
import type { TraceRequest } from "./request.ts";
import { Sink } from "./stage.ts";

/** Turns requests into lines, in order. */
export interface RowWriter {
  /** A line with its line feed. */
  row(request: TraceRequest): string;
  /** Tells what got lost on the way. */
  remarks?(ledger: Ledger): void;
}

/** How rows are written. */
export interface RowWriterOptions {
  /** Name of the format: `mooncake` or `dynamo`. Default `mooncake`. */
  format?: string;
  /** dynamo: tokens a block id stands for. Default 512. */
  blockTokens?: number;
  /** The same under the name it has in configurations; give one of the two. */
  blockSize?: number;
  /**
   * dynamo: added to the times, so that they are a wall clock. Default: 0 for times that are one already (from 1973 on),
   * else 2025-01-01. Files that belong together must share it.
   */
  epochMs?: number;
  /** dynamo: keep the requests' own ids instead of numbering them; equal times are then ordered by id. Default false. */
  keepIds?: boolean;
  /** How the block ids are known; what was not recorded is told in every row. Default `recorded`. */
  identity?: PrefixIdentity;
}

/** The writer of a format. */
export async function rowWriter(options: RowWriterOptions = {}): Promise<RowWriter> {
  const { format = "mooncake", blockSize, blockTokens = blockSize } = options;
  if (blockSize !== undefined && blockSize !== blockTokens) {
    throw new ConfigError(`blockSize (${blockSize}) and blockTokens (${blockTokens}) are one option, given twice`);
  }
  if (format === "mooncake") return { row: (request) => mooncakeRow(request, options.identity) };
  if (format === "dynamo") return new (await import("./dynamo_writer.ts")).DynamoRowWriter({ ...options, blockTokens });
  throw new ConfigError(`cannot write trace format '${format}': expected mooncake or dynamo`);
}

/** Options of {@linkcode writeTrace}. */
export interface WriteTraceOptions extends RowWriterOptions {
  /** Compress with gzip. Default: exactly if the name ends in `.gz`. */
  gzip?: boolean;
}

const WRITE_OPTIONS: OptionNames<WriteTraceOptions> = {
  format: true,
  blockTokens: true,
  blockSize: true,
  epochMs: true,
  keepIds: true,
  identity: true,
  gzip: true,
};

/**
 * A sink that writes a trace. The file appears under its name when all is written, and not at all when something fails;
 * `-` is standard output.
 *
 * @example
 * ```ts ignore
 * await readTrace("azure.csv").pipeTo(writeTrace("azure.jsonl.gz", { format: "dynamo" }));
 * ```
 */
export function writeTrace(path: string, options: WriteTraceOptions = {}): Sink<TraceRequest> {
  checkOptions("writeTrace()", options, WRITE_OPTIONS);
  return rowSink(path, () => rowWriter(options), options);
}

/** A sink that writes with a given writer, which other sinks may share. */
export function rowSink(
  path: string,
  writer: () => RowWriter | Promise<RowWriter>,
  options: { gzip?: boolean } = {},
): Sink<TraceRequest> {
  let file: AtomicFile | undefined, rows: RowWriter | undefined;
  const opened = async () => file ??= await AtomicFile.open(path, options);
  return new Sink<TraceRequest>({
    async write(batch) {
      rows ??= await writer();
      let text = "";
      for (const request of batch) text += rows.row(request);
      await (await opened()).write(text);
    },
    async close() {
      await (await opened()).commit();
    },
    abort() {
      file?.abort();
    },
  });
}
