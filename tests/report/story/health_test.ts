import assert from "node:assert/strict";
import { test } from "node:test";
import { plannerHealth } from "../../../lib/report/story/health.ts";
import { explainRun, storyText } from "../../../lib/report/story/run_story.ts";
import type { PlannerSection } from "../../../lib/report/planner_section.ts";
import { budgetWarnings } from "../../../lib/planner/budget_warnings.ts";

type Change = [atS: number, from: number, to: number, component?: string];

const eventsOf = (changes: readonly Change[]) =>
  changes.map(([at_s, from_count, to_count, component = "agg"]) => ({
    at_s,
    component,
    from_count,
    to_count,
    reason: to_count > from_count ? "scale_up" : "scale_down",
  }));

interface Looked {
  throughput?: string | null;
  load?: string | null;
  ttft?: number | null;
  decodes?: number;
  requests?: number;
  rps?: number | null;
}

/** A tick every five seconds, as far as the story reads them. */
const ticksOf = (looks: readonly Looked[]) =>
  looks.map(({ throughput = null, load = null, ttft = null, decodes = 1, requests = 5, rps = null }, ordinal) => ({
    ordinal,
    at_ms: (ordinal + 1) * 5000,
    scheduled_tick: { run_load_scaling: load !== null, run_throughput_scaling: throughput !== null },
    input: {
      traffic: { duration_s: 5 },
      worker_counts: { ready_num_prefill: null },
      fpm_observations: {
        prefill: null,
        decode: [{
          metrics: {
            scheduled_requests: { num_decode_requests: decodes, num_prefill_requests: 0, sum_decode_kv_tokens: 1 },
            queued_requests: { num_decode_requests: 0, num_prefill_requests: 0, sum_prefill_tokens: 0 },
          },
        }],
      },
    },
    topology: {
      prefill: { active_count: 0, starting_count: 0, draining_count: 0 },
      decode: { active_count: 2, starting_count: 0, draining_count: 0 },
    },
    effects: {
      scale_to: null,
      diagnostics: {
        estimated_ttft_ms: ttft,
        estimated_itl_ms: null,
        load_decision_reason: load,
        throughput_decision_reason: throughput,
        predicted_num_req: requests,
        predicted_isl: 10,
        predicted_osl: 20,
        engine_rps_decode: rps,
        throughput_lower_bound_decode: 2,
      },
    },
    runtime_decision: { target_prefill: null, target_decode: null },
  }));

const section = (
  { changes = [], looks = [], config = {}, metadata = {} }: {
    changes?: readonly Change[];
    looks?: readonly Looked[];
    config?: Record<string, unknown>;
    metadata?: Record<string, unknown>;
  },
) =>
  ({
    metadata: {
      details_captured: true,
      planner_config: {
        optimization_target: "sla",
        enable_load_scaling: true,
        enable_throughput_scaling: true,
        max_gpu_budget: 8,
        ...config,
      },
      ...metadata,
    },
    ticks: ticksOf(looks),
    scaling_events: eventsOf(changes),
    recommended_scaling_events: [],
    lifecycle_operations: [],
    retune_events: null,
    total_ticks: looks.length,
  }) as unknown as PlannerSection;

test("plannerHealth names changes that undo each other, and not one peak", () => {
  const peak = section({ changes: [[10, 1, 2], [20, 2, 3], [100, 3, 2], [200, 2, 1]] });
  assert.deepEqual(plannerHealth({ planner: peak }), []);
  const slow = section({ changes: [[0, 1, 2], [400, 2, 1], [800, 1, 2], [1200, 2, 1]] });
  assert.deepEqual(plannerHealth({ planner: slow }), []);
  const flapping = section({ changes: [[0, 1, 2], [35, 2, 1], [70, 1, 2], [100, 2, 1], [2000, 1, 2]] });
  assert.deepEqual(plannerHealth({ planner: flapping }), [
    "flapping: 3 of 5 changes of agg workers that the Planner made were undone by the next one within 5 minutes " +
    "(after 35 s in the middle; first 1 → 2 at 0:00, 2 → 1 at 0:35)",
  ]);
});

test("plannerHealth looks at each pool alone, and names other autoscalers", () => {
  const planner = section({
    changes: [[0, 1, 2, "prefill"], [30, 2, 1, "decode"], [60, 1, 2, "decode"], [90, 2, 1, "decode"]],
    metadata: { planner_config: undefined, autoscaler: "hpa" },
  });
  const [only, ...more] = plannerHealth({ planner });
  assert.match(only, /^flapping: 2 of 3 changes of decode workers that HorizontalPodAutoscaler made/);
  assert.deepEqual(more, []);
});

test("plannerHealth judges an advisory Planner by what it recommends", () => {
  const planner = section({ metadata: { advisory: true } });
  planner.recommended_scaling_events = eventsOf([[0, 1, 2], [30, 2, 1], [60, 1, 2]]) as typeof planner.scaling_events;
  assert.match(plannerHealth({ planner })[0], /2 of 3 changes of agg workers that the Planner recommends/);
});

test("plannerHealth says that a loop never could decide, and counts when it mostly could not", () => {
  const never = section({ looks: Array.from({ length: 4 }, () => ({ throughput: "model_not_ready" })) });
  assert.deepEqual(plannerHealth({ planner: never }), [
    "the throughput loop could not decide in any of its 4 ticks: the capacity of an engine was unknown (the " +
    "performance model cannot tell the capacity of an engine yet), so it asked for what there was",
  ]);
  const mostly = [{ throughput: "model_not_ready" }, { throughput: "model_not_ready" }, { throughput: "no_change" }];
  assert.match(plannerHealth({ planner: section({ looks: mostly }) })[0], /in 2 of its 3 ticks/);
  assert.deepEqual(plannerHealth({ planner: section({ looks: mostly.slice(1) }) }), []);
  const blind = section({ looks: [{ load: "no_change" }, { load: "insufficient_data", decodes: 0 }] });
  assert.match(plannerHealth({ planner: blind })[0], /^the load loop could not decide in its only tick with work/);
  const seeing = section({ looks: [{ load: "no_change", ttft: 40 }] });
  assert.deepEqual(plannerHealth({ planner: seeing }), []);
});

test("explainRun never says that the forecast needs replicas while the capacity is unknown", () => {
  const looks: Looked[] = [
    { throughput: "model_not_ready", load: "no_change", ttft: 5 },
    ...Array.from({ length: 20 }, () => ({ load: "scale_down_capped_by_throughput", ttft: 5 })),
  ];
  const summary = { num_requests: 1, completed_requests: 1, duration_ms: 105_000, gpu_hours: 1 };
  const told = storyText(explainRun({ summary, planner: section({ looks }) }));
  assert.match(told, /the throughput loop does not know what an engine serves and keeps what there is \(19 ticks\)/);
  assert.doesNotMatch(told, /for the forecast/);
  const known = looks.map((look) => ({ ...look, ...look.throughput ? { throughput: "set_lower_bound", rps: 2 } : {} }));
  assert.match(
    storyText(explainRun({ summary, planner: section({ looks: known }) })),
    /but not for the forecast \(19 ticks\)/,
  );
});

test("explainRun says that the minimum will do where no request is forecast", () => {
  const looks = [{ throughput: "scale", requests: 0 }];
  const summary = { num_requests: 1, completed_requests: 1, duration_ms: 10_000, gpu_hours: 1 };
  const told = storyText(explainRun({ summary, planner: section({ looks, changes: [[5, 2, 1]] }) }));
  assert.match(told, /forecast 0 requests .*; the minimum will do/);
  assert.doesNotMatch(told, /\?\/s/);
});

test("budgetWarnings names a budget that whole engines cannot use up", () => {
  const ask = (maxGpus: number, gpus: { prefill: number; decode: number }) => [
    ...budgetWarnings({
      maxGpus,
      minGpus: -1,
      gpus,
      starting: { prefill: gpus.prefill > 0 ? 1 : 0, decode: 1 },
      minimum: { prefill: gpus.prefill > 0 ? 1 : 0, decode: 1 },
      names: { max: "max", min: "min" },
    }),
  ];
  assert.deepEqual(ask(16, { prefill: 0, decode: 4 }), []);
  assert.deepEqual(ask(18, { prefill: 0, decode: 4 }), [
    "max (18) cannot be used up: an engine takes 4 GPUs, so at most 16 will run",
  ]);
  assert.deepEqual(ask(18, { prefill: 2, decode: 4 }), []);
  assert.deepEqual(ask(19, { prefill: 2, decode: 4 }), [
    "max (19) cannot be used up: a prefill engine takes 2 GPUs and a decode engine 4, so at most 18 will run",
  ]);
  assert.deepEqual(ask(-1, { prefill: 0, decode: 4 }), []);
});
