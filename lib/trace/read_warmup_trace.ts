/**
 * Opening a warm-up trace: the files that a path, folder or glob names, as one trace.
 *
 * @module
 */
import { TraceError } from "../errors.ts";
import { ByteSourceError, readBytes } from "../io/bytes.ts";
import { filesAt } from "../io/folders.ts";
import { host } from "../io/host.ts";
import { type Line, LineCutter } from "./lines.ts";
import { warmupFiles, WarmupTrace } from "./warmup_trace.ts";

/** Reads the files that a warm-up trace's path, folder or glob names. */
export async function readWarmupTrace(pattern: string): Promise<WarmupTrace> {
  const trace = new WarmupTrace();
  const found = filesAt(pattern);
  if (found.length === 0 || (found[0] === pattern && host().kind(pattern) === "missing")) {
    throw new TraceError(`No warmup trace files matched '${pattern}'`, { file: pattern });
  }
  for (const file of warmupFiles(pattern, found)) {
    const cutter = new LineCutter(file), decoder = new TextDecoder();
    const add = (lines: Iterable<Line>) => {
      for (const { bytes, start, end, number } of lines) {
        trace.add({ file, line: number, text: decoder.decode(bytes.subarray(start, end)) });
      }
    };
    try {
      for await (const piece of readBytes(file)) add(cutter.cut(piece));
      add(cutter.finish());
    } catch (cause) {
      if (!(cause instanceof ByteSourceError)) throw cause;
      const line = cutter.number + 1;
      throw new TraceError(`cannot ${cause.stage} the warmup trace ${file}:${line}: ${cause.message}`, { file, line }, {
        cause,
      });
    }
  }
  return trace;
}
