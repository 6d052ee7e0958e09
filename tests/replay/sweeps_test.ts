import assert from "node:assert/strict";
import { test } from "node:test";
import type { BatchOptions, BatchResult } from "../../lib/jobs/batch.ts";
import type { SweepAnswer, SweepPlan, SweepTask } from "../../lib/retune/types.ts";
import { runSweepOn } from "../../lib/replay/sweeps.ts";
import { coolReplay, runTicks } from "../retune/support.ts";

/** A plan with forecasts and replays. */
function planOf(): SweepPlan {
  return runTicks({
    endS: 700,
    innerPlanner: true,
    throughputScaling: true,
    startFields: { load_predictor: "arima", load_predictor_log1p: false },
    settings: { planner: { load_scaling_down_sensitivity: null, load_predictor: ["constant_last", "arima_raw"] } },
    forecast: () => 1,
  }).plans[0];
}

/** A runner that answers at once, `secondsEach` on its own clock per batch. */
function runnerOf(secondsEach: number, answer?: (batch: number) => BatchResult<SweepAnswer> | null) {
  const batches: { kinds: string[]; timeoutSeconds?: number }[] = [];
  let nowMs = 0;
  return {
    batches,
    hostMs: () => nowMs,
    run(tasks: readonly SweepTask[], { timeoutSeconds }: BatchOptions): Promise<BatchResult<SweepAnswer>> {
      batches.push({ kinds: [...new Set(tasks.map(({ kind }) => kind))], timeoutSeconds });
      nowMs += secondsEach * 1000;
      const results = tasks.map((task): SweepAnswer =>
        task.kind === "forecast" ? { kind: "forecast", loss: 1 } : { kind: "replay", metrics: coolReplay(task) }
      );
      return Promise.resolve(answer?.(batches.length) ?? { status: "done", results });
    },
  };
}

test("runSweepOn runs the batches in turn and hands the rest of the time on", async () => {
  const runner = runnerOf(2);
  const outcome = await runSweepOn(runner, planOf(), { timeoutSeconds: 10, hostMs: runner.hostMs });
  assert.deepEqual(runner.batches, [{ kinds: ["forecast"], timeoutSeconds: 10 }, {
    kinds: ["replay"],
    timeoutSeconds: 8,
  }]);
  assert.equal(outcome.status, "done");
  assert.equal(outcome.wallSeconds, 4);
});

test("runSweepOn stops when the time is over", async () => {
  const runner = runnerOf(6);
  const outcome = await runSweepOn(runner, planOf(), { timeoutSeconds: 5, hostMs: runner.hostMs });
  assert.deepEqual(outcome, { status: "timeout", wallSeconds: 6 });
  assert.equal(runner.batches.length, 1);
});

test("runSweepOn tells why a batch failed", async () => {
  const runner = runnerOf(1, (batch) => batch === 2 ? { status: "failed", reason: "out of cheese" } : null);
  const outcome = await runSweepOn(runner, planOf(), { timeoutSeconds: 5, hostMs: runner.hostMs });
  assert.deepEqual(outcome, { status: "failed", reason: "out of cheese", wallSeconds: 2 });
});
