import { test } from "node:test";
import assert from "node:assert/strict";
import { coolReplay, indifferentReplay, KNOBS, metrics, runTicks, steadyTrace, StillPlanner } from "./support.ts";

const MINUTES = 60;

for (const [latency, decided] of [[0, 665], [5, 665], [11, 675]]) {
  test(`RetunePolicy decides window 0 at ${decided} s with a latency of ${latency} s`, () => {
    const { events } = runTicks({ endS: 700, settings: { decision_latency_seconds: latency } });
    assert.deepEqual(
      events.map((e) => [e.launched_at_s, e.decided_at_s, e.decision_latency_s]),
      [[660, decided, latency]],
    );
  });
}

test("RetunePolicy makes three decisions in 39 minutes", () => {
  const { events, launches } = runTicks({ endS: 39 * MINUTES });
  assert.deepEqual(events.map((e) => e.decided_at_s), [665, 1265, 1865]);
  assert.deepEqual(launches, [660, 1260, 1860]);
  assert.deepEqual(events.map((e) => e.window), [
    { index: 0, start_s: 0, end_s: 600, num_requests: 60 },
    { index: 1, start_s: 600, end_s: 1200, num_requests: 60 },
    { index: 2, start_s: 1200, end_s: 1800, num_requests: 60 },
  ]);
});

test("RetunePolicy records nothing in a replay shorter than window, grace and a tick", () => {
  assert.deepEqual(runTicks({ endS: 664 }).events, []);
  assert.equal(runTicks({ endS: 665 }).events.length, 1);
});

test("RetunePolicy launches at the first tick after a grace that is no multiple of the tick", () => {
  const { events } = runTicks({ endS: 700, settings: { grace_seconds: 61.5 } });
  assert.deepEqual(events.map((e) => [e.launched_at_s, e.decided_at_s]), [[665, 670]]);
});

test("RetunePolicy takes the decision before the next launch when both fall on one tick", () => {
  const { events, plans } = runTicks({ endS: 1300, settings: { decision_latency_seconds: 600 } });
  assert.deepEqual(events.map((e) => e.decided_at_s), [1260]);
  assert.equal(plans[1].current.router!.temperature, 0);
});

test("RetunePolicy waits one whole interval even when the Planner ticks finer", () => {
  const { events } = runTicks({ endS: 700, planner: new StillPlanner(1), settings: { decision_latency_seconds: 2 } });
  assert.equal(events[0].decided_at_s, 665);
});

test("RetunePolicy charges a measured sweep its wall clock times the scale", () => {
  const settings = { decision_latency_seconds: "measured", decision_latency_scale: 2, timeout_seconds: 300 } as const;
  const { events } = runTicks({ endS: 700, settings, wallSeconds: 5.5 });
  assert.deepEqual([events[0].decided_at_s, events[0].decision_latency_s, events[0].sweep_wall_s], [675, 11, 5.5]);
});

test("RetunePolicy charges a measured sweep that was killed no more than its time limit", () => {
  const { events } = runTicks({
    endS: 2000,
    settings: { decision_latency_seconds: "measured" },
    sweep: () => ({ status: "timeout", wallSeconds: 600.2 }),
  });
  assert.deepEqual(events.map((e) => [e.launched_at_s, e.decided_at_s, e.outcome]), [
    [660, 1260, "timeout"],
    [1260, 1860, "timeout"],
  ]);
});

test("RetunePolicy replays every distinct candidate once, the current point first", () => {
  const { tasks, events } = runTicks({ endS: 700, replay: indifferentReplay });
  assert.deepEqual(tasks.map((t) => [t.routerKnobs!.prefill_load_scale, t.routerKnobs!.temperature]), [
    [1, 1],
    [0.5, 0],
    [0.5, 1],
    [1, 0],
    [2, 0],
    [2, 1],
  ]);
  assert.equal(events[0].candidates.length, 6);
  assert.deepEqual(events[0].candidates[0].router, KNOBS);
});

test("RetunePolicy keeps the current point on a tie", () => {
  const { events, knobs } = runTicks({ endS: 700, replay: indifferentReplay });
  const [event] = events;
  assert.equal(event.outcome, "kept");
  assert.equal(event.reason, "no candidate is better than the current point");
  assert.deepEqual(event.chosen, { router: KNOBS, planner: null, score: 100 });
  assert.equal(event.improvement_percentage, 0);
  assert.ok(event.candidates.every((candidate) => candidate.score === event.current.score));
  assert.deepEqual(knobs, []);
});

test("RetunePolicy keeps a gain of exactly the threshold and applies one slightly above", () => {
  const gain = (factor: number) =>
    runTicks({
      endS: 700,
      replay: ({ routerKnobs }) => metrics(routerKnobs!.temperature === 0 ? 100 * factor : 100),
    }).events[0];
  assert.equal(gain(1.03).outcome, "kept");
  assert.deepEqual(gain(1.03).chosen?.router, KNOBS);
  assert.match(gain(1.03).reason!, /gains 3\.00 %, not more than the 3 % asked for/);
  assert.equal(gain(1.0300001).outcome, "applied");
});

test("RetunePolicy applies the best point from its tick on and searches from there", () => {
  const { events, knobs, parametersAt, tasks } = runTicks({ endS: 1300 });
  assert.deepEqual(events.map((e) => e.outcome), ["applied", "kept"]);
  assert.deepEqual(knobs, [{ atS: 665, temperature: 0 }]);
  assert.deepEqual(events[0].chosen?.router, { overlap_score_credit: 1, prefill_load_scale: 0.5, temperature: 0 });
  assert.ok(Math.abs(events[0].improvement_percentage! - 10) < 1e-9);
  assert.deepEqual(parametersAt.get(660), { decode: KNOBS });
  assert.deepEqual(parametersAt.get(665), { decode: events[0].chosen!.router });
  assert.equal(events[1].current.router!.temperature, 0);
  assert.equal(tasks.length, 12);
});

test("RetunePolicy gives both routers of a disaggregated cluster the knobs", () => {
  const { parametersAt } = runTicks({ endS: 700, disaggregated: true });
  assert.deepEqual(Object.keys(parametersAt.get(5) as object), ["prefill", "decode"]);
});

test("RetunePolicy uses one router seed for all candidates of a window and another for the next window", () => {
  const { tasks } = runTicks({ endS: 1300 });
  assert.deepEqual([...new Set(tasks.slice(0, 6).map((t) => t.routerSeed))], [42]);
  assert.deepEqual([...new Set(tasks.slice(6).map((t) => t.routerSeed))], [43]);
});

test("RetunePolicy in advisory mode scores alike, changes nothing and starts every window from the start", () => {
  const active = runTicks({ endS: 39 * MINUTES });
  const advisory = runTicks({ endS: 39 * MINUTES, advisory: true });
  assert.deepEqual(advisory.events[0].candidates, active.events[0].candidates);
  assert.deepEqual(advisory.events[0].chosen, active.events[0].chosen);
  assert.deepEqual(advisory.events.map((e) => e.outcome), ["advisory", "advisory", "advisory"]);
  assert.ok(advisory.plans.every((plan) => plan.current.router!.temperature === 1));
  assert.deepEqual(advisory.knobs, []);
  assert.ok([...advisory.parametersAt.values()].every((parameters) => parameters === null));
  assert.ok(advisory.events.every((e) => e.predictor_warmup === null));
});

test("RetunePolicy in advisory mode still tells what is kept", () => {
  const { events } = runTicks({ endS: 700, advisory: true, replay: indifferentReplay });
  assert.equal(events[0].outcome, "kept");
});

for (
  const [outcome, reason] of [
    [{ status: "timeout", wallSeconds: 2 }, "the sweep took longer than timeout_seconds (2s)"],
    [
      { status: "failed", reason: "a worker ended with exit code 7", wallSeconds: 1 },
      "a worker ended with exit code 7",
    ],
  ] as const
) {
  test(`RetunePolicy changes nothing when a sweep ends with ${outcome.status}`, () => {
    const { events, knobs, parametersAt } = runTicks({
      endS: 700,
      settings: { timeout_seconds: 2 },
      sweep: () => outcome,
    });
    const [event] = events;
    assert.deepEqual([event.outcome, event.reason, event.chosen], [outcome.status, reason, null]);
    assert.deepEqual([event.candidates, event.planner_changes, event.improvement_percentage], [[], {}, null]);
    assert.equal(event.sweep_wall_s, outcome.wallSeconds);
    assert.deepEqual(knobs, []);
    assert.deepEqual(parametersAt.get(700), { decode: KNOBS });
  });
}

test("RetunePolicy decides an empty window one tick after its launch, without a sweep", () => {
  const { events, plans } = runTicks({
    endS: 1300,
    trace: steadyTrace(100),
    settings: { decision_latency_seconds: 60 },
  });
  assert.deepEqual(events.map((e) => [e.outcome, e.decided_at_s, e.decision_latency_s, e.window.num_requests]), [
    ["applied", 720, 60, 10],
    ["no_requests", 1265, 0, 0],
  ]);
  assert.equal(plans.length, 1);
});

test("RetunePolicy replays a window on the workers that were ready when it began", () => {
  const { plans } = runTicks({ endS: 1300, workersAt: (s) => s <= 600 ? 2 : 5 });
  assert.deepEqual(plans.map((plan) => plan.replicas), [{ prefill: 0, decode: 3 }, { prefill: 0, decode: 2 }]);
});

test("RetunePolicy excludes what was recorded as unfinished at the launch", () => {
  // 590 s + 70 s is not before 660 s.
  const trace = steadyTrace(700, 10, 70_000);
  assert.equal(runTicks({ endS: 700, trace }).events[0].window.num_requests, 59);
  trace.totalTimeMs!.fill(69_999);
  assert.equal(runTicks({ endS: 700, trace }).events[0].window.num_requests, 60);
});

test("RetunePolicy without inner Planner asks for fixed replicas", () => {
  assert.ok(runTicks({ endS: 700 }).tasks.every((task) => task.planner === null));
});

const joint = () => ({
  endS: 1300,
  innerPlanner: true,
  throughputScaling: true,
  startFields: {
    load_scaling_down_sensitivity: 80,
    load_predictor: "arima" as const,
    load_predictor_log1p: false,
    prophet_window_size: 50,
    kalman_q_level: 1,
    kalman_q_trend: 0.1,
    kalman_r: 10,
    kalman_min_points: 5,
  },
  settings: {
    router: { overlap_score_credit: [1], prefill_load_scale: [1], temperature: [0, 1] },
    planner: {
      load_scaling_down_sensitivity: [70, 80, 90],
      load_predictor: ["constant_last", "arima_raw", "kalman_reactive_log1p"],
    },
  },
});

test("RetunePolicy keeps the grid at temperatures times sensitivities while the predictor is kept", () => {
  const { events, tasks, planner } = runTicks({
    ...joint(),
    forecast: (preset) => preset === "arima_raw" ? 1 : 2,
    replay: indifferentReplay,
  });
  assert.equal(events[0].candidates.length, 6);
  assert.deepEqual(events[0].predictor, {
    winner: "arima_raw",
    losses: { constant_last: 2, arima_raw: 1, kalman_reactive_log1p: 2 },
  });
  assert.deepEqual(tasks[0].planner!.fields, {
    load_scaling_down_sensitivity: 80,
    load_predictor: "arima",
    load_predictor_log1p: false,
  });
  assert.deepEqual((planner as StillPlanner).tuned, []);
});

test("RetunePolicy adds the current point to the grid when another predictor wins", () => {
  const { events, planner, plans } = runTicks({
    ...joint(),
    forecast: (preset) => preset === "kalman_reactive_log1p" ? 1 : Infinity,
    replay: (task) =>
      metrics(task.planner!.fields.load_predictor === "kalman" && task.routerKnobs!.temperature === 1 ? 200 : 100),
  });
  const kalman = {
    load_predictor: "kalman",
    load_predictor_log1p: true,
    kalman_q_level: 10,
    kalman_q_trend: 1,
    kalman_r: 5,
    kalman_min_points: 3,
  };
  assert.equal(events[0].candidates.length, 7);
  assert.equal(events[0].outcome, "applied");
  assert.deepEqual(events[0].planner_changes, { load_scaling_down_sensitivity: 70, ...kalman });
  assert.deepEqual(events[0].chosen!.planner, { load_scaling_down_sensitivity: 70, ...kalman });
  assert.deepEqual(events[0].predictor!.losses, { constant_last: null, arima_raw: null, kalman_reactive_log1p: 1 });
  assert.deepEqual(events[0].predictor_warmup, { observations: 3, start_s: 0, end_s: 540 });
  const [tuning] = (planner as StillPlanner).tuned;
  assert.deepEqual(tuning.fields, events[0].planner_changes);
  assert.deepEqual(tuning.history!.map((bucket) => bucket.startS), [0, 180, 360]);
  // Decided at the tick of 665 s (the 133rd), before the Planner's own work.
  assert.equal(tuning.atTick, 132);
  assert.deepEqual(plans[1].current.planner, { load_scaling_down_sensitivity: 70, ...kalman });
  assert.equal(plans[1].presweep!.buckets.length, 6);
  assert.equal(events[1].candidates.length, 6);
});

test("RetunePolicy tunes a field alone without touching the predictor", () => {
  const { events, planner } = runTicks({
    ...joint(),
    endS: 700,
    forecast: () => Infinity,
    replay: (task) => metrics(task.planner!.fields.load_scaling_down_sensitivity === 90 ? 200 : 100),
  });
  assert.equal(events[0].predictor!.winner, null);
  assert.deepEqual(events[0].planner_changes, { load_scaling_down_sensitivity: 90 });
  assert.equal(events[0].predictor_warmup, null);
  assert.deepEqual((planner as StillPlanner).tuned, [
    { fields: { load_scaling_down_sensitivity: 90 }, history: null, atTick: 132 },
  ]);
});

test("RetunePolicy warms inner Planners with the history before the window, not with the window itself", () => {
  const { plans } = runTicks({
    ...joint(),
    endS: 700,
    forecast: () => 1,
    history: {
      arrivalS: Float64Array.of(-900, -200, -20),
      inputTokens: Int32Array.of(10, 20, 30),
      outputTokens: Int32Array.of(1, 2, 3),
    },
  });
  assert.deepEqual(plans[0].warmup!.map((bucket) => [bucket.startS, bucket.requests]), [
    [-900, 1],
    [-720, 0],
    [-540, 0],
    [-360, 1],
    [-180, 1],
  ]);
  assert.equal(plans[0].presweep!.buckets.length, 8);
});

test("RetunePolicy is deterministic", () => {
  const run = () => runTicks({ endS: 39 * MINUTES, replay: coolReplay }).events;
  assert.deepEqual(run(), run());
});
