/**
 * What every command is, and how its end becomes a message and an exit code.
 *
 * @module
 */
import { ConfigError, ResourceLimitError, SimulationError, TraceError } from "../lib/errors.ts";
import { removeUnfinishedFiles } from "../lib/io/atomic.ts";
import { environment, writeText } from "../lib/io/process.ts";
import { type CommandLine, helpText, parseArguments, UsageError, usageText, type Values } from "./arguments.ts";
import { paint } from "./terminal.ts";

/** Exit codes of all commands. */
export const EXIT = { ok: 0, failed: 1, usage: 2, resources: 3, timeout: 124, interrupted: 130 } as const;

/** A command as `main.ts` runs it. */
export interface Command {
  readonly line: CommandLine;
  /** Runs with the arguments after the command's name; returns the exit code. */
  run(args: readonly string[]): Promise<number>;
}

/** Ctrl-C. */
export class Interrupted extends Error {
  override readonly name = "Interrupted";
  override readonly message = "execution cancelled";
}

/** A phase of a run that took longer than it may. */
export class TimedOut extends Error {
  override readonly name = "TimedOut";
}

/** A command made of its table and a body that returns the exit code (nothing: 0). */
export function command<L extends CommandLine>(
  line: L,
  body: (options: Values<L["options"]>, operands: string[]) => Promise<number | void>,
): Command {
  return {
    line,
    async run(args) {
      try {
        const parsed = parseArguments<L["options"]>(line as CommandLine<L["options"]>, args);
        if (parsed === undefined) {
          writeText("stdout", helpText(line));
          return EXIT.ok;
        }
        return await body(parsed.options, parsed.operands) ?? EXIT.ok;
      } catch (error) {
        removeUnfinishedFiles();
        if (error instanceof UsageError) writeText("stderr", `${usageText(line)}\n`);
        writeText("stderr", `${failureText(line.command, error)}\n`);
        return exitCode(error);
      }
    },
  };
}

/** The exit code an error stands for. */
export function exitCode(error: unknown): number {
  if (error instanceof UsageError || error instanceof ConfigError) return EXIT.usage;
  if (error instanceof ResourceLimitError) return EXIT.resources;
  if (error instanceof Interrupted) return EXIT.interrupted;
  if (error instanceof TimedOut) return EXIT.timeout;
  return EXIT.failed;
}

/** What a command says when it ends badly: never a stack trace, unless `DYNOSIM_DEBUG` asks for it. */
export function failureText(name: string, error: unknown): string {
  const { message: whole, name: type, stack } = error instanceof Error ? error : new Error(String(error));
  const message = whole.trimEnd();
  const trace = environment("DYNOSIM_DEBUG") && stack ? `\n${stack}` : "";
  const line = (kind: string, text: string) => `dynosim ${name}${paint("red", kind)} ${text}${trace}`;
  if (error instanceof UsageError || error instanceof ConfigError) return line(": error:", message);
  if (error instanceof ResourceLimitError) return line(": resource_limited:", message);
  if (error instanceof Interrupted || error instanceof TimedOut) return line(":", message);
  if (error instanceof TraceError || error instanceof SimulationError) return line(" failed:", `${type}: ${message}`);
  const advice = trace ? "" : "; set DYNOSIM_DEBUG=1 to see where";
  return line(" failed:", `${type}: ${message} (this is a mistake in dynosim or in a file system${advice})`);
}
