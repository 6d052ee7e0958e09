/** Jobs for the tests of executors. */
import process from "node:process";
import { type JobControl, JobExpired } from "../../lib/jobs/job.ts";

export type Job =
  | { kind: "square"; value: number }
  | { kind: "mark"; cells: Int32Array; at: number }
  | { kind: "throw"; message: string; afterMs?: number }
  | { kind: "exit"; code: number }
  | { kind: "spin" }
  | { kind: "hoard" }
  | { kind: "visits" };

const pause = (ms: number) => new Promise((resume) => setTimeout(resume, ms));

export function prepare(setup: { offset: number; broken?: boolean }) {
  if (setup.broken) throw new Error("the setup is broken");
  let visits = 0;
  return async (job: Job, control: JobControl): Promise<number> => {
    visits++;
    switch (job.kind) {
      case "square":
        await pause(job.value % 3);
        return job.value ** 2 + setup.offset;
      case "mark":
        Atomics.add(job.cells, job.at, 1);
        return job.at;
      case "throw":
        await pause(job.afterMs ?? 0);
        throw new Error(job.message);
      case "exit":
        return process.exit(job.code);
      case "spin":
        while (!control.expired());
        throw new JobExpired();
      case "hoard":
        for (const kept: number[][] = [];;) kept.push(new Array(1000).fill(Math.random()));
      case "visits":
        return visits;
    }
  };
}
