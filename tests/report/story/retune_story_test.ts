import assert from "node:assert/strict";
import { test } from "node:test";
import { retuneStories } from "../../../lib/report/story/retune_story.ts";
import type { PlannerSection } from "../../../lib/report/planner_section.ts";
import { indifferentReplay, metrics, type RunOptions, runTicks } from "../../retune/support.ts";

function told(options: RunOptions): string[] {
  const { events } = runTicks(options);
  const stories = retuneStories({ retune_events: events } as unknown as PlannerSection);
  return stories.flatMap(({ fromS, text, details }) => [`${fromS}: ${text}`, ...details]);
}

test("retuneStories tell what was tried and why it switched", () => {
  assert.deepEqual(told({ endS: 700, wallSeconds: 1.5 }), [
    "665: retune switched prefill_load_scale 1 → 0.5, temperature 1 → 0 (goodput_per_gpu 100 → 110, better by 10 %)",
    "window 0 (0:00–10:00, 60 requests), launched at 11:00, sweep 1.5 s, latency 0 s",
    "the best candidate gains 10.00 %, more than the 3 % asked for",
    "tried (goodput_per_gpu):",
    "  prefill_load_scale 1, temperature 1    100  (current)",
    "  prefill_load_scale 0.5, temperature 0  110  (chosen)",
    "  prefill_load_scale 0.5, temperature 1  100",
    "  prefill_load_scale 1, temperature 0    110",
    "  prefill_load_scale 2, temperature 0    110",
    "  prefill_load_scale 2, temperature 1    100",
  ]);
});

test("retuneStories tell why the current point was kept", () => {
  const lines = told({ endS: 700, replay: indifferentReplay });
  assert.equal(lines[0], "665: retune kept overlap_score_credit 1, prefill_load_scale 1, temperature 1");
  assert.equal(lines[2], "no candidate is better than the current point");
  assert.match(lines[4], /\(current, chosen\)$/);
});

test("retuneStories tell what an advisory run would do", () => {
  assert.match(told({ endS: 700, advisory: true })[0], /^665: retune would switch prefill_load_scale 1 → 0\.5/);
});

test("retuneStories tell why a sweep came to nothing", () => {
  const failed = { status: "failed", reason: "a worker ended with exit code 7", wallSeconds: 1 } as const;
  assert.deepEqual(told({ endS: 700, sweep: () => failed }), [
    "665: retune changed nothing: a worker ended with exit code 7",
    "window 0 (0:00–10:00, 60 requests), launched at 11:00, sweep 1 s, latency 0 s",
  ]);
});

test("retuneStories tell which load predictor won", () => {
  const lines = told({
    endS: 700,
    innerPlanner: true,
    throughputScaling: true,
    startFields: { load_predictor: "arima", load_predictor_log1p: false },
    settings: {
      router: null,
      planner: { load_scaling_down_sensitivity: null, load_predictor: ["constant_last", "arima_raw"] },
    },
    forecast: (preset) => preset === "constant_last" ? 0.5 : 0.75,
    replay: (task) => metrics(task.planner!.fields.load_predictor === "constant" ? 200 : 100),
  });
  assert.match(lines[0], /^665: retune switched load_predictor arima → constant/);
  assert.deepEqual(lines.slice(-2), [
    "best load predictor constant_last (loss: constant_last 0.5, arima_raw 0.75)",
    "it starts with 3 recorded intervals",
  ]);
});
