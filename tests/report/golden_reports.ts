/**
 * Reports made of what golden files say about requests and workers: real runs of the reference, for tests of everything
 * that starts from a report.
 */
import { readdirSync, readFileSync } from "node:fs";
import { type Outcome, OUTCOME_NAMES, type Pool, POOL_NAMES, RequestRecords } from "../../lib/engine/records.ts";
import { GapStatistics } from "../../lib/report/gap_statistics.ts";
import type { PlannerSection, PlannerTick, RoleTopology } from "../../lib/report/planner_section.ts";
import { buildReport, type Report } from "../../lib/report/report.ts";
import { ServedRequests } from "../../lib/report/served_requests.ts";
import type { Sla } from "../../lib/report/sla.ts";
import type { Summary } from "../../lib/report/summary.ts";
import type { Workload } from "../../lib/traffic/workload.ts";

const folder = new URL("../../fixtures/goldens/replay/", import.meta.url);
/** The replay goldens by file name. */
export const goldens: readonly (readonly [string, any])[] = readdirSync(folder).filter((name) => name.endsWith(".json"))
  .map((name) => [name, JSON.parse(readFileSync(new URL(name, folder), "utf8"))]);

// Writes what a golden says about its requests into columns, as a cluster would.
function replayRecords(golden: any, served: ServedRequests): { records: RequestRecords; workload: Workload } {
  const rows: any[] = golden.expected.requests;
  const total = golden.expected.summary.num_requests;
  const records = new RequestRecords({
    capacity: 1,
    history: true,
    disaggregated: golden.prefill_engine_args !== undefined,
    listener: served,
  });
  const sessions = [...new Set(rows.map((row) => row.session_id))];
  const hasSessions = rows[0]?.session_id != null;
  const column = (value: (row: any) => number) =>
    Int32Array.from({ length: total }, (_, r) => rows[r] ? value(rows[r]) : 1);
  const workload = {
    count: total,
    inputTokens: column((row) => row.input_length),
    outputTokens: column((row) => row.requested_output_length),
    session: hasSessions ? column((row) => sessions.indexOf(row.session_id)) : null,
    turn: hasSessions ? column((row) => row.turn_index) : null,
    sessionName: (session: number) => sessions[session],
    requestIds: null,
    playIds: null,
  } as unknown as Workload;
  const or = (value: number | null) => value ?? NaN;
  for (let r = 0; r < total; r++) {
    const row = rows[r];
    records.arrive(r, row?.arrival_time_ms ?? 0, row?.input_length ?? 1);
    if (!row) continue;
    for (const at of row.admission_history) {
      records.admit(r, at.at_ms, at.reused_input_tokens, POOL_NAMES.indexOf(at.pool) as Pool);
    }
    for (const route of row.routing_history) {
      const pool = POOL_NAMES.indexOf(route.pool) as Pool;
      records.route(r, pool, 0);
      records.place(r, pool, route.scheduler_id);
      records.routing!.add({
        request: r,
        pool,
        queueEnteredMs: or(route.queue_entered_at_ms),
        releasedMs: or(route.released_at_ms),
        worker: route.logical_worker_id,
        scheduler: route.scheduler_id,
        dpRank: route.dp_rank,
        overlapTokens: route.reported_overlap_tokens,
        overlapBlocks: -1,
        bestOverlapBlocks: -1,
      });
    }
    const pools = records.disaggregated;
    if (pools !== null) {
      pools.sourceHeldMs[r] = or(row.source_held_ms);
      pools.destinationReservedMs[r] = or(row.destination_reserved_ms);
      pools.destinationActivatedMs[r] = or(row.destination_activated_ms);
      pools.sourceReleasedMs[r] = or(row.source_released_ms);
    }
    const second = row.ttst_ms === null ? NaN : row.first_token_ms + row.ttst_ms;
    records.emit(r, row.output_length, or(row.first_token_ms), second, or(row.last_token_ms));
  }
  const byEnd = rows.map((_, r) => r).sort((a, b) => rows[a].terminal_time_ms - rows[b].terminal_time_ms || a - b);
  for (const r of byEnd) {
    records.finish(r, rows[r].terminal_time_ms, OUTCOME_NAMES.indexOf(rows[r].terminal_status) as Outcome);
  }
  return { records, workload };
}

/** The report of a replay golden. */
export function reportOf(golden: any): Report {
  const want = golden.expected.summary;
  const { sla_ttft_ms: ttftMs, sla_itl_ms: itlMs, sla_e2e_ms: e2eMs } = golden.options;
  const sla: Sla | null = [ttftMs, itlMs, e2eMs].some((bound) => bound !== undefined) ? { ttftMs, itlMs, e2eMs } : null;
  const served = new ServedRequests(sla), { records, workload } = replayRecords(golden, served);
  const building = buildReport({
    records,
    served,
    workload,
    gaps: new GapStatistics(),
    sla,
    totals: {
      prefillWorkerSeconds: want.prefill_worker_seconds,
      decodeWorkerSeconds: want.decode_worker_seconds,
      prefillGpusPerWorker: want.prefill_gpus_per_worker,
      decodeGpusPerWorker: want.decode_gpus_per_worker,
      committedPrefillTokens: want.committed_prefill_tokens,
      wallMs: 12,
    },
  });
  let step = building.next();
  while (!step.done) step = building.next();
  return step.value;
}

/** The replay golden whose file name starts so. */
export function goldenOf(start: string): any {
  return goldens.find(([name]) => name.startsWith(start))![1];
}

/** A report as a Planner golden tells it: summary and planner section, no requests. */
export function plannerReport(name: string): Report {
  const path = new URL(`../../fixtures/goldens/planner/${name}.json`, import.meta.url);
  const { expected } = JSON.parse(readFileSync(path, "utf8"));
  const planner: PlannerSection = { ...expected, ticks: expected.ticks.map(tickOf), html_report_path: null };
  return {
    summary: { ...expected.summary, wall_time_ms: 0 } as Summary,
    per_request: null,
    coverage: { capture_per_request: false, capture_planner_details: true, per_request_records: 0 },
    planner,
  };
}

// Planner goldens keep ticks as tuples to stay small; see their `legend`.
function tickOf(tick: any): PlannerTick {
  const topology = ([active, starting, draining]: number[][]): RoleTopology => ({
    active,
    active_count: active.length,
    starting,
    starting_count: starting.length,
    draining,
    draining_count: draining.length,
  });
  const observations = (rows: any[] | null) =>
    rows?.map((row) => ({
      worker_id: row[0],
      dp_rank: row[1],
      metrics: {
        wall_time: row[2],
        scheduled_requests: { num_prefill_requests: row[3], num_decode_requests: row[6], sum_decode_kv_tokens: row[7] },
        queued_requests: {
          num_prefill_requests: row[8],
          sum_prefill_tokens: row[9],
          num_decode_requests: row[10],
          sum_decode_kv_tokens: row[11],
        },
      },
    })) ?? null;
  const pair = (values: (number | null)[] | null) => values ?? [null, null];
  return {
    ordinal: tick.ordinal,
    at_ms: tick.at_ms,
    scheduled_tick: {
      at_s: tick.at_ms / 1000,
      run_load_scaling: tick.sched[0],
      run_throughput_scaling: tick.sched[1],
    },
    input: {
      now_s: tick.at_ms / 1000,
      traffic: tick.traffic,
      worker_counts: {},
      fpm_observations: tick.fpm === null
        ? null
        : { prefill: observations(tick.fpm.prefill), decode: observations(tick.fpm.decode) },
    },
    topology: { prefill: topology(tick.topology.prefill), decode: topology(tick.topology.decode) },
    effects: {
      scale_to: tick.scale_to === null ? null : { num_prefill: tick.scale_to[0], num_decode: tick.scale_to[1] },
      next_tick: null,
      diagnostics: tick.diagnostics ?? {},
    },
    runtime_decision: {
      target_prefill: pair(tick.target)[0],
      target_decode: pair(tick.target)[1],
      next_tick_ms: tick.next_tick_ms,
    },
  } as unknown as PlannerTick;
}
