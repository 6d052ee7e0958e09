/**
 * Kinds of jobs that may be sent: what their data look like, and what of it names files.
 *
 * @module
 */
import type { GenericSchema } from "valibot";
import type { JobKind } from "../job.ts";

/** What a run may use on a worker's machine. */
export interface Local {
  /** Local path of a file by the path that tasks name it by. */
  readonly files: Readonly<Record<string, string>>;
  /** Names of the models that are known to be the same here. */
  readonly models: readonly string[];
}

/** A kind of jobs that may be sent. A worker has a table of them; nothing that is sent names code. */
export interface QueuedKind<Setup = any, Data = any, Result = any> extends JobKind {
  /** Checks what all jobs share. */
  readonly setup: GenericSchema<unknown, Setup>;
  /** Checks a job. */
  readonly data: GenericSchema<unknown, Data>;
  /** Checks an answer. */
  readonly result: GenericSchema<unknown, Result>;
  /** Whether an answer is one to what was asked. */
  answers(data: Data, result: Result): boolean;
  /**
   * What the module of jobs is prepared with on a worker: nothing outside `local` may be opened.
   *
   * @throws {ConfigError} when the setup names anything else
   */
  localSetup(setup: Setup, local: Local): unknown;
}
