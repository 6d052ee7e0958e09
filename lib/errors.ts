/**
 * The four ways a run can end badly. Every message stands on its own: what was tried, what was found and where,
 * what was expected, and the near name when there is one. A command prints `message` alone, never a stack trace.
 *
 * @module
 */

/** Where in a text something was found. `line` and `column` count from 1. */
export interface Place {
  /** Path, or `-`. */
  file?: string;
  line?: number;
  column?: number;
}

/**
 * A trace that cannot be opened, read or understood. A command ends with exit code 1.
 *
 * @example
 * ```ts
 * import { readTrace, TraceError } from "dynosim";
 *
 * try {
 *   for await (const _ of readTrace("nowhere.jsonl"));
 * } catch (error) {
 *   console.log(error instanceof TraceError, (error as Error).message);
 *   // true "failed to open trace file nowhere.jsonl: no such file or directory"
 * }
 * ```
 */
export class TraceError extends Error {
  override readonly name = "TraceError";
  constructor(message: string, readonly place: Place = {}, options?: ErrorOptions) {
    super(message, options);
  }
}

/** One thing that is wrong in a configuration. `path` is dotted (`engine.workers.aggregated`), empty for the whole. */
export interface ConfigIssue extends Place {
  /** Where in the document. */
  path: string;
  /** What is wrong. */
  message: string;
  /** What may have been meant (`did you mean \`block_size\`?`), or why the text was read as it was. */
  hint?: string;
}

/**
 * A configuration, command line or set of options that cannot be used. A command ends with exit code 2.
 *
 * @example
 * ```ts
 * import { ConfigError, loadPrediction } from "dynosim";
 *
 * try {
 *   await loadPrediction("engine: {modle: Qwen/Qwen3-32B, hardware: h200_sxm}");
 * } catch (error) {
 *   if (!(error instanceof ConfigError)) throw error;
 *   console.log(error.issues.map(({ path, line, hint }) => [path, line, hint]));
 * }
 * ```
 */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
  constructor(message: string, readonly issues: readonly ConfigIssue[] = [], options?: ErrorOptions) {
    super(message, options);
  }
}

/**
 * A replay that cannot go on (dead end, livelock, placement without workers). A command ends with exit code 1.
 *
 * @example
 * ```ts
 * import { replay, SimpleRouter, SimulationError, syntheticTraffic } from "dynosim";
 *
 * class Lost extends SimpleRouter {
 *   override join(): void {}
 *   override leave(): void {}
 *   override place(): number {
 *     throw new SimulationError("placement policy error: nobody is good enough");
 *   }
 * }
 * const traffic = syntheticTraffic({ count: 1, inputTokens: 64, outputTokens: 8, concurrency: 1 });
 * await replay(traffic, { router: () => new Lost() }).report.catch((error) => console.log(error.name)); // "SimulationError"
 * ```
 */
export class SimulationError extends Error {
  override readonly name = "SimulationError";
}

/**
 * A run refused or stopped for its memory or CPU budget. A command ends with exit code 3.
 *
 * @example
 * ```ts
 * import { ResourceLimitError } from "dynosim";
 *
 * const stop = (usedBytes: number, mostBytes: number) => {
 *   if (usedBytes > mostBytes) throw new ResourceLimitError("the replay passed its memory budget");
 * };
 * stop(1e8, 2e8);
 * ```
 */
export class ResourceLimitError extends Error {
  override readonly name = "ResourceLimitError";
}

/**
 * The candidate a misspelt name most likely stands for, or undefined when none is close: at most one edit (insertion,
 * deletion, replacement, swap of neighbours) for every three characters, capitals and `-`/`_` not counted.
 *
 * @example
 * ```ts
 * import { nearName } from "dynosim";
 *
 * console.log(nearName("block_sise", ["blocks", "block_size", "backend"])); // "block_size"
 * ```
 */
export function nearName(name: string, candidates: Iterable<string>): string | undefined {
  const wanted = plain(name);
  let best: string | undefined;
  let bestEdits = Math.max(1, Math.floor(wanted.length / 3)) + 1;
  for (const candidate of candidates) {
    const edits = editDistance(wanted, plain(candidate));
    if (edits < bestEdits) [best, bestEdits] = [candidate, edits];
  }
  return best;
}

const plain = (name: string) => name.toLowerCase().replaceAll("-", "_");

/** Edits between two texts, a swap of neighbours being one. */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      row[j] = Math.min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        row[j] = Math.min(row[j], beforeLast[j - 2] + 1);
      }
    }
    [beforeLast, last] = [last, row];
  }
  return last[b.length];
}
