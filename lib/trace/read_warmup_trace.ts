/**
 * Opening a warm-up trace: the files that a path, folder or glob names, as one trace.
 *
 * @module
 */
import { readBytes } from "../io/bytes.ts";
import { filesAt } from "../io/folders.ts";
import { warmupFiles, WarmupTrace } from "./warmup_trace.ts";

/** Reads the files that a warm-up trace's path, folder or glob names. */
export async function readWarmupTrace(pattern: string): Promise<WarmupTrace> {
  const trace = new WarmupTrace();
  for (const file of warmupFiles(pattern, filesAt(pattern))) {
    let text = "";
    const decoder = new TextDecoder();
    for await (const bytes of readBytes(file)) text += decoder.decode(bytes, { stream: true });
    text.split("\n").forEach((line, i) => trace.add({ file, line: i + 1, text: line }));
  }
  return trace;
}
