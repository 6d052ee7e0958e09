/**
 * What coordinators and workers write for each other. Neither trusts it: both sides check everything they read.
 *
 * @module
 */
import * as v from "valibot";
import { sha256 as digest } from "../../io/digest.ts";
import { issueText } from "../../io/issue_text.ts";
import type { Outcome } from "../job.ts";
import { fromPlainText } from "./plain_text.ts";

/** Tasks of a job at most. */
export const MOST_TASKS = 25;
/** Longest text of one message. */
const MOST_TEXT = 64 * 2 ** 20;
/** Longest reason of a failure: what a worker quotes may be of any length. */
export const MOST_REASON = 10_000;
/** Hexadecimal digits of a seal. */
const SEAL = 64;

const short = v.pipe(v.string(), v.maxLength(1000));
const sha256 = v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/, "expected a SHA-256"));
const seconds = v.pipe(v.number(), v.finite(), v.minValue(0));

/** What must be the same on a worker as on the coordinator. */
export interface Need {
  /** What kind of thing it is: `measurements`, `model`. */
  type: string;
  /** Its name. */
  name: string;
  /** Its digest; null: it is absent. */
  sha256: string | null;
}

/** A file that the tasks of a run read. */
export interface RunFile {
  /** Path that they name it by. */
  path: string;
  /** Its digest. */
  sha256: string;
  /** Its size. */
  bytes: number;
}

/** What a run is. */
export interface RunCard {
  /** Version of these messages. */
  protocol: 2;
  /** Tells two runs apart that have the rest in common. */
  name: string;
  /** Kind of its jobs. */
  kind: string;
  /** Version of dynosim. */
  version: string;
  /** What all its jobs share. */
  setup?: unknown;
  /** What its workers must have. */
  needs: Need[];
  /** Files that they read. */
  files: RunFile[];
}

/** One task of a job. */
export interface Task {
  /** Its name: the digest of all that its outcome depends on. */
  id: string;
  /** Its data, as {@linkcode plainText} writes them, {@linkcode sealed} with {@linkcode taskSeal}. */
  data: string;
  /** Limit of one attempt; null for none. */
  timeoutSeconds: number | null;
}

/** What a worker says of itself. */
export interface WorkerCard {
  /** Its machine. */
  host: string;
  /** Version of dynosim. */
  version: string;
  /** Tasks at once. */
  concurrency: number;
}

const need: v.GenericSchema<unknown, Need> = v.strictObject({ type: short, name: short, sha256: v.nullable(sha256) });
const file: v.GenericSchema<unknown, RunFile> = v.strictObject({
  path: short,
  sha256,
  bytes: v.pipe(v.number(), v.safeInteger(), v.minValue(0)),
});
const card: v.GenericSchema<unknown, RunCard> = v.strictObject({
  protocol: v.literal(2, "it speaks another version of the protocol"),
  name: short,
  kind: short,
  version: short,
  setup: v.unknown(),
  needs: v.pipe(v.array(need), v.maxLength(1000)),
  files: v.pipe(v.array(file), v.maxLength(1000)),
});
const batch: v.GenericSchema<unknown, { tasks: Task[] }> = v.strictObject({
  tasks: v.pipe(
    v.array(v.strictObject({ id: sha256, data: v.string(), timeoutSeconds: v.nullable(seconds) })),
    v.minLength(1),
    v.maxLength(MOST_TASKS),
  ),
});
const worker: v.GenericSchema<unknown, WorkerCard> = v.strictObject({
  host: short,
  version: short,
  concurrency: v.pipe(v.number(), v.safeInteger(), v.minValue(1), v.maxValue(10_000)),
});
const starts = v.pipe(v.array(short), v.maxLength(100));

function read<T>(schema: v.GenericSchema<unknown, T>, text: string): T | string {
  if (text.length > MOST_TEXT) return "it is too long";
  let value: unknown;
  try {
    value = fromPlainText(text);
  } catch {
    return "it is no JSON";
  }
  const result = v.safeParse(schema, value);
  return result.success ? result.output : issueText(result.issues[0]);
}

/**
 * A text with a digest of itself and its name in front. Whoever finds it under another name, or changed on the way,
 * notices; it does not keep anybody from writing another one.
 */
export const sealed = (name: string, text: string): string => digest(`${name}\n${text}`) + text;

/** What was sealed under a name; null for anything else. */
function opened(name: string, text: string): string | null {
  const inner = text.slice(SEAL);
  return text.length <= MOST_TEXT && text === sealed(name, inner) ? inner : null;
}

/** Name under which the data of a task are sealed. */
export const taskSeal = ({ id, timeoutSeconds }: Omit<Task, "data">): string => `task ${id} ${timeoutSeconds}`;
/** Name under which the outcome of a task is sealed. */
export const outcomeSeal = (task: string): string => `outcome ${task}`;

/** Name of the run that a card announces: its digest. */
export const runOf = (card: string): string => `run-${digest(card).slice(0, 24)}`;

/** Reads the card of a run; a text says why it is none. */
export function readCard(run: string, text: string): RunCard | string {
  const found = read(card, text);
  return typeof found === "string" || runOf(text) === run ? found : "it was damaged, or is that of another run";
}
/** Reads a worker's card; a text says why it is none. */
export const readWorker = (text: string): WorkerCard | string => read(worker, text);
/** Reads the tasks of a job, with their data as they were before they were sealed; a text says why they are none. */
export function readBatch(value: unknown): Task[] | string {
  const result = v.safeParse(batch, value);
  if (!result.success) return issueText(result.issues[0]);
  const tasks = result.output.tasks.map((task) => ({ ...task, data: opened(taskSeal(task), task.data) }));
  const damaged = tasks.find(({ data }) => data === null);
  return damaged === undefined ? tasks as Task[] : `task ${damaged.id.slice(0, 8)} was damaged`;
}
/** Reads the workers that began a task; whoever wrote something else is not believed. */
export function readStarts(text: string | null): string[] {
  const found = text === null ? [] : read(starts, text);
  return typeof found === "string" ? [] : found;
}

/** Reads the outcome of a task, whose result is of a schema; a text says why it is none. */
export function readOutcome<R>(
  task: string,
  text: string,
  result: v.GenericSchema<unknown, R>,
): Outcome<R> | string {
  const inner = opened(outcomeSeal(task), text);
  if (inner === null) return "it was damaged, or is that of another task";
  const outcome = v.variant("status", [
    v.strictObject({ status: v.literal("done"), result }),
    v.strictObject({
      status: v.literal("failed"),
      reason: v.pipe(v.string(), v.maxLength(MOST_REASON), v.transform(plain)),
    }),
    v.strictObject({ status: v.literal("timeout") }),
  ]);
  return read(outcome as unknown as v.GenericSchema<unknown, Outcome<R>>, inner);
}

/** A text from outside without what a terminal would obey. */
// deno-lint-ignore no-control-regex
export const plain = (text: string): string => text.replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/g, "");
