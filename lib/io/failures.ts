/**
 * What the system says when it refuses something, as errors of this project: each names the path.
 *
 * @module
 */
import { FileError } from "../errors.ts";

/** The text of a failure without the runtime's decoration (error numbers, the call and the path, which is told anyway). */
export function reason(problem: unknown): string {
  const { name, cause } = (problem ?? {}) as { name?: string; cause?: unknown };
  if (problem instanceof FileError && cause !== undefined) return reason(cause);
  if (name === "NotCapable") return "Deno opens it only with --allow-all";
  const text = problem instanceof Error ? problem.message : String(problem);
  const plain = text.replace(/^\w+: /, "").replace(/ \(os error \d+\).*$/s, "").replace(/, \w+( '[^']*'.*)?$/s, "");
  return plain.charAt(0).toLowerCase() + plain.slice(1);
}

/** Whether somebody who read what we write went away (`| head`). */
export function isClosedPipe(problem: unknown): boolean {
  const { name, code, cause } = (problem ?? {}) as { name?: string; code?: string; cause?: unknown };
  return code === "EPIPE" || name === "BrokenPipe" || (cause !== undefined && isClosedPipe(cause));
}

/** The error for a path that the system did not let us use. */
export function fileError(action: string, path: string, cause: unknown): FileError {
  if (cause instanceof FileError) return cause;
  return new FileError(`cannot ${action} ${path}: ${reason(cause)}`, { file: path }, { cause });
}

/** Runs a call of the system; what it refuses is told with the path. */
export function orFileError<T>(action: string, path: string, call: () => T): T {
  try {
    return call();
  } catch (cause) {
    throw fileError(action, path, cause);
  }
}
