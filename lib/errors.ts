/**
 * The four ways a run can end badly. Every message stands on its own: what was tried, what was found and where,
 * what was expected, and the near name when there is one. A command prints `message` alone, never a stack trace.
 *
 * @module
 */

/** Where in a text something was found. `line` and `column` count from 1. */
export interface Place {
  file?: string;
  line?: number;
  column?: number;
}

/** A trace that cannot be opened, read or understood. A command ends with exit code 1. */
export class TraceError extends Error {
  override readonly name = "TraceError";
  constructor(message: string, readonly place: Place = {}, options?: ErrorOptions) {
    super(message, options);
  }
}

/** One thing that is wrong in a configuration. `path` is dotted (`engine.workers.aggregated`), empty for the whole. */
export interface ConfigIssue extends Place {
  path: string;
  message: string;
}

/** A configuration, command line or set of options that cannot be used. A command ends with exit code 2. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
  constructor(message: string, readonly issues: readonly ConfigIssue[] = [], options?: ErrorOptions) {
    super(message, options);
  }
}

/** A replay that cannot go on (dead end, livelock, placement without workers). A command ends with exit code 1. */
export class SimulationError extends Error {
  override readonly name = "SimulationError";
}

/** A run refused or stopped for its memory or CPU budget. A command ends with exit code 3. */
export class ResourceLimitError extends Error {
  override readonly name = "ResourceLimitError";
}
