/**
 * What every command is, and how its end becomes a message and an exit code.
 *
 * @module
 */
import { ConfigError, FileError, QueueError, ResourceLimitError, SimulationError, TraceError } from "../lib/errors.ts";
import { removeUnfinishedFiles } from "../lib/io/atomic.ts";
import { isClosedPipe } from "../lib/io/failures.ts";
import { releaseFolders } from "../lib/io/folder_lock.ts";
import { environment, exit, onStopRequest, type StopSignal, writeText } from "../lib/io/process.ts";
import { stopEverythingBy } from "../lib/io/stop.ts";
import { type CommandLine, helpText, parseArguments, UsageError, usageText, type Values } from "./arguments.ts";
import { moduleProblem } from "./module_problem.ts";
import { outputColumns, paint } from "./terminal.ts";

/** Exit codes of all commands. */
export const EXIT = {
  ok: 0,
  failed: 1,
  usage: 2,
  resources: 3,
  timeout: 124,
  interrupted: 130,
  closedPipe: 141,
} as const;

/** What exit codes mean of every command. */
const MEANINGS: Readonly<Record<number, string>> = {
  [EXIT.ok]: "done",
  [EXIT.failed]: "failed",
  [EXIT.usage]: "command line or configuration",
  [EXIT.resources]: "not enough memory",
  [EXIT.interrupted]: "Ctrl-C",
};

/** The exit codes of a command, as its help tells them. */
const exitLine = ({ exits }: CommandLine): string =>
  `Exit codes: ${Object.entries({ ...MEANINGS, ...exits }).map((entry) => entry.join(" ")).join(", ")}.`;

/** A command as `main.ts` runs it. */
export interface Command {
  readonly line: CommandLine;
  /** Runs with the arguments after the command's name; returns the exit code. */
  run(args: readonly string[]): Promise<number>;
}

/** Ctrl-C, or another request to end. */
export class Interrupted extends Error {
  override readonly name = "Interrupted";
  override readonly message = "execution cancelled";
  constructor(readonly signal: StopSignal = "SIGINT") {
    super();
  }
}

/** What a shell reports of a process that a signal ended. */
const SIGNAL_CODES: Readonly<Record<StopSignal, number>> = { SIGHUP: 129, SIGINT: EXIT.interrupted, SIGTERM: 143 };

/** Time in which a command that was told to stop may end by itself. */
const STOP_WITHIN_MS = 350;

/** Options of {@linkcode command}. */
export interface CommandOptions {
  /** How long the command may take to end by itself when it is told to stop, in milliseconds. Default 350. */
  stopWithinMs?: number;
}

/** A phase of a run that took longer than it may. */
export class TimedOut extends Error {
  override readonly name = "TimedOut";
}

/**
 * A command made of its table and a body that returns the exit code (nothing: 0). Whatever is read and written meanwhile
 * ends when the controller is aborted, which requests to end do; nothing unfinished stays behind.
 */
export function command<L extends CommandLine>(
  line: L,
  body: (options: Values<L["options"]>, operands: string[], control: AbortController) => Promise<number | void>,
  { stopWithinMs = STOP_WITHIN_MS }: CommandOptions = {},
): Command {
  return {
    line,
    async run(args) {
      const control = new AbortController();
      const stopListening = endOnRequest(line.command, control, stopWithinMs);
      stopEverythingBy(control.signal);
      try {
        const parsed = parseArguments<L["options"]>(line as CommandLine<L["options"]>, args);
        if (parsed === undefined) {
          writeText("stdout", helpText({ ...line, notes: [...line.notes ?? [], exitLine(line)] }, outputColumns()));
          return EXIT.ok;
        }
        return await body(parsed.options, parsed.operands, control) ?? EXIT.ok;
      } catch (problem) {
        const error = control.signal.aborted ? control.signal.reason : problem;
        cleanUp();
        if (error instanceof UsageError) writeText("stderr", `${usageText(line)}\n`);
        tell(line.command, error);
        return exitCode(error);
      } finally {
        cleanUp();
        if (!control.signal.aborted) stopListening(); // a second Ctrl-C must not change the exit code
        stopEverythingBy(undefined);
      }
    },
  };
}

function cleanUp(): void {
  removeUnfinishedFiles();
  releaseFolders();
}

/** Says why a command ends; a reader that went away is no reason to say anything. */
function tell(command: string, error: unknown): void {
  if (!isClosedPipe(error)) writeText("stderr", `${failureText(command, error)}\n`);
}

/** Aborts on a request to end. A command that does not end by itself soon is ended. */
function endOnRequest(command: string, control: AbortController, stopWithinMs: number): () => void {
  let askedAt = Infinity;
  return onStopRequest((signal) => {
    const interrupted = new Interrupted(signal);
    const end = () => {
      cleanUp();
      tell(command, interrupted);
      exit(exitCode(interrupted));
    };
    if (control.signal.aborted) {
      // a task runner passes on the same Ctrl-C that the terminal sent us; one that comes later is meant
      if (performance.now() > askedAt + STOP_WITHIN_MS) end();
      return;
    }
    askedAt = performance.now();
    control.abort(interrupted);
    setTimeout(end, stopWithinMs);
  });
}

/** The exit code an error stands for. */
export function exitCode(error: unknown): number {
  if (error instanceof UsageError || error instanceof ConfigError) return EXIT.usage;
  if (error instanceof ResourceLimitError || isOutOfMemory(error)) return EXIT.resources;
  if (error instanceof Interrupted) return SIGNAL_CODES[error.signal];
  if (isClosedPipe(error)) return EXIT.closedPipe;
  if (error instanceof TimedOut) return EXIT.timeout;
  return EXIT.failed;
}

/** Whether the runtime could not have a piece of memory. */
const isOutOfMemory = (error: unknown): boolean =>
  error instanceof RangeError &&
  /allocation|Invalid (typed )?array (buffer )?length|Invalid string length|Out of memory/i
    .test(error.message);

/** What a command says when it ends badly: never a stack trace, unless `DYNOSIM_DEBUG` asks for it. */
export function failureText(name: string, error: unknown): string {
  const { message: whole, name: type, stack } = error instanceof Error ? error : new Error(String(error));
  const message = whole.trimEnd();
  const trace = environment("DYNOSIM_DEBUG") && stack ? `\n${stack}` : "";
  const line = (kind: string, text: string) => `dynosim${name && ` ${name}`}${paint("red", kind)} ${text}${trace}`;
  if (error instanceof UsageError || error instanceof ConfigError) return line(": error:", message);
  if (error instanceof ResourceLimitError) return line(": resource_limited:", message);
  if (isOutOfMemory(error)) return line(": resource_limited:", `the runtime has no more memory to give (${message})`);
  if (error instanceof Interrupted || error instanceof TimedOut) return line(":", message);
  if (error instanceof FileError || error instanceof QueueError) return line(" failed:", message);
  if (error instanceof TraceError || error instanceof SimulationError) return line(" failed:", `${type}: ${message}`);
  const missing = moduleProblem(error);
  if (missing !== null) return line(" failed:", missing);
  const advice = trace ? "" : "; set DYNOSIM_DEBUG=1 to see where";
  return line(" failed:", `${type}: ${message} (this is a mistake in dynosim${advice})`);
}
