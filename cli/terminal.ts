/**
 * What a person sees beside the results: colours where they are wanted, warnings, a line of progress. All of it goes to
 * standard error.
 *
 * @module
 */
import type { RunProgress } from "../lib/replay/drive.ts";
import { host } from "../lib/io/host.ts";
import { followReading } from "../lib/io/reading.ts";
import { environment, isTerminal, type StreamName, terminalColumns, writeText } from "../lib/io/process.ts";

const CODES = { red: 31, green: 32, yellow: 33, cyan: 36, dim: 2, bold: 1 } as const;

/** Whether colours are wanted: on terminals, unless `NO_COLOR` is set to anything. */
const colourful = (stream: StreamName): boolean => !environment("NO_COLOR") && isTerminal(stream);

/** Text in a colour, for standard error unless said otherwise. */
export const paint = (colour: keyof typeof CODES, text: string, stream: StreamName = "stderr"): string =>
  colourful(stream) ? `\x1b[${CODES[colour]}m${text}\x1b[0m` : text;

/** Prints a warning of a command. */
export function warn(command: string, message: string): void {
  writeText("stderr", `dynosim ${command}: ${paint("yellow", "warning:")} ${message}\n`);
}

/** How far a replay is. */
export type Progress = RunProgress;

/** `1:02:03`, or `02:03` below an hour. */
export function clock(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  const two = (value: number) => String(value).padStart(2, "0");
  const minutes = `${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
  return seconds < 3600 ? minutes : `${Math.floor(seconds / 3600)}:${minutes}`;
}

/** A bar in front of facts, as far as `columns` allow. */
export function barLine(share: number, facts: string, columns: number): string {
  const width = Math.min(30, columns - facts.length - 3);
  if (width < 5) return facts.slice(0, columns);
  const filled = Math.round(share * width);
  return `${"█".repeat(filled)}${"░".repeat(width - filled)} ${facts}`;
}

const percentText = (share: number) => `${String(Math.floor(share * 100)).padStart(3)} %`;

/** The time left when a share of something took some time: `  3 s left`, `  2:05 left`; nothing before it can be told. */
function leftText(share: number, elapsedMs: number): string {
  if (!(share > 0 && elapsedMs >= 500)) return "";
  const leftMs = elapsedMs / share * (1 - share);
  return leftMs < 60_000 ? `  ${Math.ceil(leftMs / 1000)} s left` : `  ${clock(leftMs)} left`;
}

/** The line of a progress bar, at most `columns` wide. */
export function progressLine(progress: Progress, elapsedMs: number, columns: number): string {
  const { requestsDone, requestsTotal, virtualMs, sweep } = progress;
  const share = requestsTotal > 0 ? Math.min(1, requestsDone / requestsTotal) : 0;
  const facts = `${percentText(share)}  ${grouped(requestsDone)}/${grouped(requestsTotal)} requests` +
    `  virtual ${clock(virtualMs)}${sweep ? `  retune ${sweep.done}/${sweep.known} candidates` : ""}` +
    leftText(share, elapsedMs);
  return barLine(share, facts, columns);
}

/** The line of work of which a share is done. */
export const shareLine = (share: number, what: string, elapsedMs: number, columns: number): string =>
  barLine(share, `${percentText(share)}  ${what}${leftText(share, elapsedMs)}`, columns);

/** The line of files that are read; without their size when that is not known. */
export function readingLine(name: string, read: number, total: number, elapsedMs: number, columns: number): string {
  const megabytes = (bytes: number) => (bytes / 1e6).toFixed(1);
  if (total <= 0) return `reading ${name}  ${megabytes(read)} MB`.slice(0, columns);
  const share = Math.min(1, read / total);
  const facts = `${percentText(share)}  reading ${name}  ${megabytes(read)}/${megabytes(total)} MB` +
    leftText(share, elapsedMs);
  return barLine(share, facts, columns);
}

/** Columns of what is printed: those of the terminal, 80 for a file or a pipe. */
export const outputColumns = (): number => isTerminal("stdout") ? Math.max(40, terminalColumns()) : 80;

/** Work that is over sooner shows no bar. */
const SHOW_AFTER_MS = 300;

/** A progress bar that redraws itself at most ten times a second, on terminals only, of work that takes a while. */
export class ProgressBar {
  #started = performance.now();
  #drawn = -Infinity;
  #visible = isTerminal("stderr") && environment("TERM") !== "dumb";

  /** Shows where the replay is. */
  update(progress: Progress): void {
    this.draw((elapsedMs, columns) => progressLine(progress, elapsedMs, columns));
  }

  /** Shows a line that is made when it is shown. */
  draw(line: (elapsedMs: number, columns: number) => string): void {
    if (!this.#visible) return;
    const now = performance.now();
    if (now - this.#drawn < 100 || now - this.#started < SHOW_AFTER_MS) return;
    this.#drawn = now;
    writeText("stderr", `\r\x1b[2K${paint("cyan", line(now - this.#started, terminalColumns() - 1))}`);
  }

  /** Takes the bar away. */
  clear(): void {
    if (this.#drawn > -Infinity) writeText("stderr", "\r\x1b[2K");
    this.#drawn = -Infinity;
  }
}

/**
 * Shows how far files are read until the returned function is called.
 *
 * @param paths those that count; `-` is standard input
 */
export function showReading(paths: readonly string[]): () => void {
  const bar = new ProgressBar(), counted = new Set(paths);
  const total = counted.has("-") ? 0 : [...counted].reduce((sum, path) => sum + host().fileBytes(path), 0);
  let read = 0;
  followReading((path, bytes) => {
    if (!counted.has(path)) return;
    read += bytes;
    const name = path === "-" ? "standard input" : path.split("/").at(-1)!;
    bar.draw((elapsedMs, columns) => readingLine(name, read, total, elapsedMs, columns));
  });
  return () => {
    followReading(undefined);
    bar.clear();
  };
}

/** A number with its thousands apart: `12,031`, `1,154.7`. */
export function grouped(value: number): string {
  const [whole, fraction] = String(value).split(".");
  return whole.replace(/\B(?=(\d{3})+$)/g, ",") + (fraction === undefined ? "" : `.${fraction}`);
}

/** Milliseconds as seconds: `3,501.722 s`. */
export const seconds = (ms: number): string => `${grouped(Math.round(ms) / 1000)} s`;

/** A time of a trace: seconds of its own clock, or the date when it is a wall clock. */
export const moment = (ms: number): string => ms >= 1e11 && ms <= 8.64e15 ? new Date(ms).toISOString() : seconds(ms);

const BARS = "▁▂▃▄▅▆▇█";

/** Values as a line of bars, the largest of them full. */
export function sparkline(values: readonly number[]): string {
  const most = Math.max(...values, 0);
  return values.map((value) => most > 0 ? BARS[Math.min(7, Math.floor(value / most * 8))] : BARS[0]).join("");
}
