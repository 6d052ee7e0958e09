/**
 * The ways a run can end badly. Every message stands on its own: what was tried, what was found and where,
 * what was expected, and the near name when there is one. A command prints `message` alone, never a stack trace.
 *
 * @module
 */

/** Where in a text something was found. `line` and `column` count from 1. */
export interface Place {
  /** Path, or `-`. */
  file?: string;
  /** Line, from 1. */
  line?: number;
  /** Column in UTF-16 units, from 1. */
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
  /** The class by name. */
  override readonly name = "TraceError";
  /** An error about a place in a trace. */
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
  /** The class by name. */
  override readonly name = "ConfigError";
  /** An error with one issue for each option that is wrong. */
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
  /** The class by name. */
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
  /** The class by name. */
  override readonly name = "ResourceLimitError";
}

/**
 * A file, folder, pipe or standard stream that the system did not let us use: a full disk, a missing permission, a
 * device that is gone. The message names the path and the system's reason. A command ends with exit code 1.
 *
 * @example
 * ```ts
 * import { FileError } from "dynosim";
 *
 * const full = new FileError("cannot write trace.jsonl: no space left on device", { file: "trace.jsonl" });
 * console.log(full.place.file); // trace.jsonl
 * ```
 */
export class FileError extends Error {
  /** The class by name. */
  override readonly name = "FileError";
  /** An error about a file. */
  constructor(message: string, readonly place: Place = {}, options?: ErrorOptions) {
    super(message, options);
  }
}

/**
 * A queue of jobs that cannot be used, or that no worker does. A command ends with exit code 1.
 *
 * @example
 * ```ts
 * import { QueueError } from "dynosim";
 *
 * console.log(new QueueError("cannot use the Redis at redis://queue:6379: there is no such host").name); // QueueError
 * ```
 */
export class QueueError extends Error {
  /** The class by name. */
  override readonly name = "QueueError";
}

/** The names that a function takes as options: one entry a field of their type. */
export type OptionNames<Options extends object> = Readonly<Record<keyof Required<Options>, true>>;

/**
 * Refuses options that a function does not have: scripts are not type-checked when they run, and an option that is not
 * looked at would be silence.
 *
 * @param of how messages call the function, `replay()`
 * @throws {ConfigError} for a value that is no object of options, and for a name that is not known, with the near one
 */
export function checkOptions<Options extends object>(of: string, given: Options, known: OptionNames<Options>): void {
  if (typeof given !== "object" || given === null || Array.isArray(given)) {
    const message = `the options of ${of} must be an object, got ${given === null ? "null" : typeof given}`;
    throw new ConfigError(message, [{ path: "", message }]);
  }
  for (const name of Object.keys(given)) {
    if (Object.hasOwn(known, name)) continue;
    const near = nearName(name, Object.keys(known));
    const message = `unknown option '${name}' of ${of}`;
    const hint = near === undefined ? undefined : `did you mean '${near}'?`;
    throw new ConfigError(hint === undefined ? message : `${message}, ${hint}`, [{ path: name, message, hint }]);
  }
}

/** What a number may be. */
export interface NumberBounds {
  /** Smallest value. */
  least?: number;
  /** It must be larger. */
  above?: number;
  /** Largest value. */
  most?: number;
  /** No fractions. */
  whole?: boolean;
}

/**
 * Refuses a value that is not the number it must be; undefined is left to its default.
 *
 * @param name how messages call it, `threads(): heapMegabytes`
 */
export function checkNumber(
  name: string,
  value: unknown,
  { least, above, most, whole = false }: NumberBounds = {},
): void {
  if (value === undefined) return;
  const fits = typeof value === "number" && (whole ? Number.isSafeInteger(value) : Number.isFinite(value)) &&
    !(value < least! || value <= above! || value > most!);
  if (fits) return;
  const bounds = [
    ...least === undefined ? [] : [`at least ${least}`],
    ...above === undefined ? [] : [`above ${above}`],
    ...most === undefined ? [] : [`at most ${most}`],
  ];
  const what = `a ${whole ? "whole" : "finite"} number${bounds.length > 0 ? `, ${bounds.join(" and ")}` : ""}`;
  const got = typeof value === "number" ? String(value) : typeof value === "string" ? `'${value}'` : typeof value;
  const message = `${name} must be ${what}, got ${got}`;
  throw new ConfigError(message, [{ path: name, message }]);
}

/**
 * The candidate a misspelt name most likely stands for, or undefined when none is close. Capitals, `-`, `_`, spaces and
 * a leading `--` are not counted. Asked in this order: the same name; a name that begins with what was written, or holds
 * it as a whole word; the fewest edits (insertion, deletion, replacement, swap of neighbours), at most one for every
 * three characters; a name with more letters in between (`outdir`), or with half of it in common from the start. Among
 * several the shortest counts.
 *
 * @example
 * ```ts
 * import { nearName } from "dynosim";
 *
 * console.log(nearName("block_sise", ["blocks", "block_size", "backend"])); // "block_size"
 * console.log(nearName("H100", ["gb200", "h100_pcie", "h100_sxm"])); // "h100_sxm"
 * console.log(nearName("b200", ["gb200", "b200_sxm"])); // "b200_sxm"
 * ```
 */
export function nearName(name: string, candidates: Iterable<string>): string | undefined {
  const wanted = plain(name).slice(0, 100);
  const known = Array.from(candidates, (candidate) => ({ candidate, text: plain(candidate) }));
  const same = known.find(({ text }) => text === wanted);
  if (same || wanted === "") return same?.candidate;
  const shortest = (fits: (text: string) => boolean) =>
    known.filter(({ text }) => wanted.length >= 3 && fits(text))
      .sort((a, b) => a.text.length - b.text.length)[0]?.candidate;
  return shortest((text) => text.startsWith(wanted) || `_${text}_`.includes(`_${wanted}_`)) ??
    fewestEdits(wanted, known) ??
    shortest((text) => 2 * wanted.length >= text.length && isSpreadIn(wanted, text)) ??
    shortest((text) => 2 * commonStart(wanted, text) >= Math.max(wanted.length, text.length));
}

const plain = (name: string) => name.toLowerCase().replace(/^--?/, "").replace(/[-. ]/g, "_");

function fewestEdits(wanted: string, known: readonly { candidate: string; text: string }[]): string | undefined {
  let best: string | undefined;
  let bestEdits = Math.max(1, Math.floor(wanted.length / 3)) + 1;
  for (const { candidate, text } of known) {
    if (Math.abs(text.length - wanted.length) >= bestEdits) continue;
    const edits = editDistance(wanted, text);
    if (edits < bestEdits) [best, bestEdits] = [candidate, edits];
  }
  return best;
}

/** Whether all letters of `part` stand in `whole` in the same order. */
function isSpreadIn(part: string, whole: string): boolean {
  let at = 0;
  for (const letter of whole) if (letter === part[at]) at++;
  return at === part.length;
}

function commonStart(a: string, b: string): number {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  return at;
}

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
