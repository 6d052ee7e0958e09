/** Jobs for the tests of queues. */
import { appendFileSync, readFileSync } from "node:fs";
import process from "node:process";
import * as v from "valibot";
import type { JobControl } from "../../../lib/jobs/job.ts";
import type { Local, QueuedKind } from "../../../lib/jobs/queue/kind.ts";

export interface Setup {
  offset: number;
  local?: Local;
}

export interface Sample {
  value: number;
  /** A line is added to this file when the job runs. */
  note?: string;
  /** Waits so long. */
  waitMs?: number;
  /** Waits until that file has so many lines. */
  lines?: number;
  /** Ends badly. */
  end?: "throw" | "never" | "process" | "thread";
  /** Answers with the length of a file of the run. */
  file?: string;
}

const pause = (ms: number) => new Promise((resume) => setTimeout(resume, ms));

export function prepare({ offset, local }: Setup) {
  return async ({ value, note, waitMs = 0, lines = 0, end, file }: Sample, _control: JobControl): Promise<number> => {
    if (note !== undefined) {
      appendFileSync(note, `${value}\n`);
      while (readFileSync(note, "utf8").split("\n").length <= lines) await pause(5);
    }
    await pause(waitMs);
    switch (end) {
      case "throw":
        throw new Error(`${value} is no good`);
      case "never":
        for (;;);
      case "process":
        process.kill(process.pid, "SIGKILL");
        return await new Promise(() => {});
      case "thread":
        return process.exit(7);
    }
    return file === undefined ? value ** 2 + offset : readFileSync(local?.files[file] ?? file).length;
  };
}

/** The kind, as a worker knows it. */
export const SAMPLE_KIND: QueuedKind<Setup, Sample, number> = {
  name: "sample",
  module: new URL("./sample_jobs.ts", import.meta.url),
  setup: v.strictObject({ offset: v.number() }),
  data: v.strictObject({
    value: v.number(),
    note: v.optional(v.string()),
    waitMs: v.optional(v.number()),
    lines: v.optional(v.number()),
    end: v.optional(v.picklist(["throw", "never", "process", "thread"])),
    file: v.optional(v.string()),
  }) as v.GenericSchema<unknown, Sample>,
  result: v.number(),
  answers: (_data, result) => Number.isFinite(result),
  localSetup: ({ offset }, local) => ({ offset, local }),
};
