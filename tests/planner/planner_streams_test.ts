/** The recorded snapshot streams: the Planner alone, fed with raw snapshots, answers as the reference does. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { RoleSnapshot, Snapshot } from "../../lib/planner/policy.ts";
import type { PlannerTick } from "../../lib/report/planner_section.ts";
import { goldenPlanner } from "./golden_planner.ts";
import { near, passRow, readGolden } from "./helpers.ts";

// deno-lint-ignore no-explicit-any
function snapshotOf(golden: any, ordinal: number): Snapshot {
  const role = (name: "prefill" | "decode"): RoleSnapshot => {
    const [active, starting, draining] = golden.topology[name];
    const passes = (golden.rows[name] ?? []).map((row: number[]) =>
      passRow({
        workerId: row[0],
        dpRank: row[1],
        wallTimeS: row[2],
        prefillRequests: row[3],
        prefillTokens: row[4],
        prefillKvTokens: row[5],
        decodeRequests: row[6],
        decodeKvTokens: row[7],
        queuedPrefillRequests: row[8],
        queuedPrefillTokens: row[9],
        queuedDecodeRequests: row[10],
        queuedDecodeKvTokens: row[11],
      })
    );
    return { active, starting, draining, passes };
  };
  const w = golden.window;
  return {
    tickOrdinal: ordinal,
    nowMs: golden.now_ms,
    prefill: role("prefill"),
    decode: role("decode"),
    traffic: {
      durationS: w[0],
      requests: w[1],
      shapeCount: w[2],
      meanInputTokens: w[3],
      meanOutputTokens: w[4],
      meanTtftMs: w[5],
      ttftCount: w[6],
      meanItlMs: w[7],
      itlCount: w[8],
      meanAcceptLength: w[9],
      acceptLengthForwards: w[10],
      meanKvHitRate: w[11],
      kvHitRateCount: w[12],
    },
  };
}

/** Numbers of the diagnostics that come out of the regression or a predictor. */
const ESTIMATES = /^(estimated|predicted|engine_rps)_/;

// deno-lint-ignore no-explicit-any
function compareTick(tick: PlannerTick, expect: any, label: string): void {
  const { scheduled_tick: s, input, effects, runtime_decision: decided } = tick;
  assert.deepEqual(
    [
      s.run_load_scaling,
      s.run_throughput_scaling,
      s.need_traffic_metrics,
      s.use_full_traffic_metrics,
      s.traffic_metrics_duration_s,
      s.need_worker_fpm,
    ],
    expect.sched,
    `${label} schedule`,
  );
  const c = input.worker_counts;
  assert.deepEqual(
    [
      c.ready_num_prefill,
      c.ready_num_decode,
      c.expected_num_prefill,
      c.expected_num_decode,
      c.prefill_scaling_in_progress,
      c.decode_scaling_in_progress,
    ],
    expect.workers,
    `${label} counts`,
  );
  if (expect.traffic === null) assert.equal(input.traffic, null, `${label} traffic`);
  else {
    const t = input.traffic!;
    const got = [t.duration_s, t.num_req, t.isl, t.osl, t.kv_hit_rate, t.accept_length];
    got.forEach((value, i) => near(value, expect.traffic[i], 1e-12, `${label} traffic ${i}`));
  }
  for (const role of ["prefill", "decode"] as const) {
    const seen = input.fpm_observations?.[role]?.map(({ worker_id, dp_rank }) => [worker_id, dp_rank]) ?? null;
    assert.deepEqual(seen, expect.fpm_workers?.[role] ?? null, `${label} rows of ${role}`);
  }
  const given = Object.entries(effects.diagnostics).filter(([, value]) =>
    value !== null && value !== "" && !(typeof value === "object" && Object.keys(value as object).length === 0)
  );
  const wanted = expect.diagnostics;
  assert.deepEqual(given.map(([key]) => key).sort(), Object.keys(wanted).sort(), `${label} diagnostics`);
  for (const [key, value] of given) {
    if (ESTIMATES.test(key)) near(value as number, wanted[key], 1e-9, `${label} ${key}`);
    else assert.deepEqual(value, wanted[key], `${label} ${key}`);
  }
  const to = effects.scale_to;
  assert.deepEqual(to && [to.num_prefill, to.num_decode], expect.scale_to, `${label} scale_to`);
  assert.deepEqual([decided.target_prefill, decided.target_decode], expect.target, `${label} targets`);
  assert.equal(decided.next_tick_ms, expect.next_tick_ms, `${label} next tick`);
}

for (const golden of readGolden("snapshot_streams.json").cases) {
  test(`Planner answers ${golden.name} (${golden.planner_config.mode}, ${golden.planner_config.optimization_target})`, () => {
    const planner = goldenPlanner(golden);
    assert.equal(planner.initialTickMs(), golden.ticks[0].now_ms);
    assert.deepEqual(planner.recorder.section().metadata.bootstrap, golden.bootstrap);
    // deno-lint-ignore no-explicit-any
    golden.ticks.forEach((tick: any, ordinal: number) => {
      planner.onTick(snapshotOf(tick, ordinal));
      compareTick(planner.recorder.section().ticks[ordinal], tick.expect, `tick ${ordinal}`);
    });
    assert.deepEqual(planner.recorder.section().scaling_events, golden.scaling_events);
  });
}
