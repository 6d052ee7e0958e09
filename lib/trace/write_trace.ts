/**
 * Writing requests to a file. Imports io, the row writers and the sink.
 *
 * @module
 */
import { AtomicFile } from "../io/atomic.ts";
import { mooncakeRow } from "./mooncake.ts";
import type { TraceRequest } from "./request.ts";
import { Sink } from "./stage.ts";

/** Options of {@linkcode writeTrace}. */
export interface WriteTraceOptions {
  /** Name of the format. Default `mooncake`. */
  format?: "mooncake";
  /** Compress with gzip. Default: exactly if the name ends in `.gz`. */
  gzip?: boolean;
}

/**
 * A sink that writes a trace. The file appears under its name when all is written, and not at all when something fails.
 *
 * @example
 * ```ts ignore
 * await readTrace("in.jsonl").pipeTo(writeTrace("out.jsonl.gz"));
 * ```
 */
export function writeTrace(path: string, options: WriteTraceOptions = {}): Sink<TraceRequest> {
  let file: AtomicFile | undefined;
  const opened = async () => file ??= await AtomicFile.open(path, { gzip: options.gzip });
  return new Sink<TraceRequest>({
    async write(batch) {
      let text = "";
      for (const request of batch) text += mooncakeRow(request);
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
