/**
 * `dynosim convert`: a trace of any known format becomes one that can be replayed, and the account of its rows is
 * printed.
 *
 * @module
 */
import { ConfigError } from "../lib/errors.ts";
import { filesAt } from "../lib/io/folders.ts";
import { host, isStandardOutput } from "../lib/io/host.ts";
import { writeText } from "../lib/io/process.ts";
import { convert, splitName } from "../lib/trace/convert.ts";
import { traceFormats } from "../lib/trace/formats.ts";
import type { Ledger } from "../lib/trace/ledger.ts";
import { choice, flag, number, text } from "./arguments.ts";
import { type Command, command } from "./command.ts";
import { jsonText } from "./output.ts";
import { grouped, moment, showReading } from "./terminal.ts";

const LINE = {
  command: "convert",
  summary:
    "Turns a trace into one that can be replayed: reads, cuts, re-times and writes in one pass, and accounts for every row.",
  options: {
    output: text("file to write, gzip when it ends in .gz; - is standard output", {
      short: "o",
      value: "OUT",
      required: true,
    }),
    from: choice("format of the input", ["auto", ...traceFormats], { fallback: "auto", value: "FORMAT" }),
    to: choice("format of the output", ["dynamo", "mooncake"], { fallback: "dynamo" }),
    slice: text("part to keep, counted from the first request: 0:20m, 90s:, :1.5h", { value: "FROM:TO" }),
    speedup: number("how many times faster requests arrive", { value: "X" }),
    sort: flag("order by time (holds the trace in memory)"),
    spread: number("put requests recorded at one time anywhere up to the next time, with this seed", {
      value: "SEED",
      integer: true,
    }),
    limit: number("keep the first N requests", { value: "N", least: 1, integer: true }),
    splitSeconds: number("write requests before S seconds to OUT-history, the rest to OUT-replay", { value: "S" }),
    blockSize: number("tokens a block id stands for; larger than the input's own: blocks are joined", {
      value: "N",
      least: 1,
      integer: true,
    }),
    epochMs: number("dynamo: wall clock of time 0, in milliseconds since 1970", {
      value: "MS",
      least: 0,
      integer: true,
    }),
    sessions: flag("keep the sessions of foreign formats: a turn then waits for the one before it"),
    keepZeroOutput: flag("keep rows without output tokens of foreign formats"),
    badRows: choice("what to do with rows that cannot be used", ["auto", "fail", "drop"], { fallback: "auto" }),
    strict: flag("the same as --bad-rows fail"),
    lengthsFolder: text("ragpulse: folder of the files with lengths", { value: "DIR" }),
    overwrite: flag("replace an existing file"),
    format: choice("the account as text to read, or as JSON", ["text", "json"], { fallback: "text" }),
  },
  operands: {
    name: "IN",
    help: "trace, shards of one, a folder or glob of shards; - is standard input",
    least: 1,
    most: Infinity,
  },
  notes: [
    `formats: ${traceFormats.join(", ")}`,
    "example: dynosim convert azure.csv --to dynamo --slice 0:2h -o azure.jsonl.gz",
  ],
} as const;

/** The command. */
export const convertCommand: Command = command(LINE, async (options, operands) => {
  const { output, from, to, speedup, sort, limit, splitSeconds, epochMs, sessions, keepZeroOutput } = options;
  const outputs = splitSeconds === undefined ? [output] : [splitName(output, "history"), splitName(output, "replay")];
  for (const path of outputs) {
    if (path !== "-" && !options.overwrite && host().kind(path) === "file") {
      throw new ConfigError(`${path} exists; pass --overwrite to replace it`);
    }
  }
  const files = inputs(operands);
  const hide = showReading(files);
  const ledger = await convert(files, output, {
    from,
    to,
    slice: options.slice === undefined ? undefined : sliceOf(options.slice),
    speedup,
    sort,
    spreadSeed: options.spread,
    limit,
    splitSeconds,
    epochMs,
    blockTokens: options.blockSize,
    sessions,
    keepZeroOutput,
    badRows: options.strict ? "fail" : options.badRows === "auto" ? undefined : options.badRows,
    lengthsFolder: options.lengthsFolder,
  }).finally(hide);
  const account = options.format === "json" ? jsonText(ledger) : ledgerText(ledger, outputs, to);
  writeText(isStandardOutput(output) ? "stderr" : "stdout", account);
});

/** The files that operands stand for. */
export function inputs(operands: readonly string[]): string[] {
  return operands.flatMap((path) => {
    const files = path === "-" ? [path] : filesAt(path);
    if (files.length === 0) throw new ConfigError(`no trace files match '${path}'`);
    return files;
  });
}

function sliceOf(text: string): { from?: string; to?: string } {
  const parts = text.split(":");
  if (parts.length !== 2 || (parts[0] === "" && parts[1] === "")) {
    throw new ConfigError(`'${text}' is no slice: write FROM:TO with spans like 90s or 20m, for example 0:20m`);
  }
  return { from: parts[0] || undefined, to: parts[1] || undefined };
}

/** The account as lines. */
export function ledgerText(ledger: Ledger, outputs: readonly string[], to: string): string {
  const lines = [
    `format    ${ledger.format}${ledger.why ? ` (${ledger.why})` : ""}`,
    `rows      ${grouped(ledger.read)} read = ${grouped(ledger.emitted)} written + ${
      grouped(ledger.droppedTotal)
    } dropped`,
  ];
  for (const [reason, count] of ledger.dropped) lines.push(`dropped   ${grouped(count)}: ${reason}`);
  for (const example of ledger.examples) lines.push(`          ${example}`);
  const times = Number.isNaN(ledger.firstMs)
    ? "none"
    : `${moment(ledger.firstMs)} to ${moment(ledger.lastMs)}, ${grouped(ledger.inversions)} inversions`;
  lines.push(`times     ${times}`);
  lines.push(`blocks    ${ledger.blockTokens ?? "no"} tokens, prefix identity: ${ledger.identity ?? "none"}`);
  for (const [remark, count] of ledger.notes) {
    lines.push(`note      ${remark}${count > 1 ? `: ${grouped(count)}` : ""}`);
  }
  for (const path of outputs) lines.push(`wrote     ${path === "-" ? "standard output" : path} (${to})`);
  return `${lines.join("\n")}\n`;
}
