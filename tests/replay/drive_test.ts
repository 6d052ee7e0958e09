import assert from "node:assert/strict";
import { test } from "node:test";
import { type DriveOptions, Driver } from "../../lib/replay/drive.ts";
import type { Progress } from "../../lib/cluster/spec.ts";
import type { Pending } from "../../lib/planner/policy.ts";
import type { Report } from "../../lib/report/report.ts";

const report = { summary: {} } as Report;
const pause = (ms: number) => new Promise((resume) => setTimeout(resume, ms));

async function drive(run: Generator<Progress | Pending, Report>, options: DriveOptions): Promise<Report> {
  const driver = new Driver(run, options);
  for (;;) {
    const report = await driver.step();
    if (report !== null) return report;
  }
}

/** A run that leaves one piece of work to its driver, and what it got back. */
function runOf() {
  const seen: unknown[] = [];
  const pending: Pending = { work: "sweep", resume: (result) => seen.push(result) };
  function* run(): Generator<Progress | Pending, Report> {
    yield { virtualMs: 1, ended: 0 };
    yield pending;
    yield { virtualMs: 2, ended: 1 };
    return report;
  }
  return { run: run(), seen };
}

test("Driver does the work a policy leaves to it before the run goes on", async () => {
  const { run, seen } = runOf();
  const work = async (pending: Pending) => {
    await pause(1);
    pending.resume(`done ${pending.work}`);
  };
  assert.equal(await drive(run, { requestsTotal: 1, work }), report);
  assert.deepEqual(seen, ["done sweep"]);
});

test("Driver ends the work when what watches the run throws", async () => {
  const { run, seen } = runOf();
  let looks = 0;
  const onProgress = () => {
    if (++looks > 1) throw new Error("too much memory");
  };
  const work = (_: Pending, signal: AbortSignal) =>
    new Promise<void>((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  await assert.rejects(drive(run, { requestsTotal: 1, work, onProgress }), /too much memory/);
  assert.deepEqual(seen, []);
});

test("Driver ends the work with its own signal", async () => {
  const { run } = runOf();
  const control = new AbortController();
  const work = (_: Pending, signal: AbortSignal) =>
    new Promise<void>((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  setTimeout(() => control.abort(new Error("interrupted")), 20);
  await assert.rejects(drive(run, { requestsTotal: 1, work, signal: control.signal }), /interrupted/);
});
