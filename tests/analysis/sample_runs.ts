/**
 * Two replays of the chat fixture, made once: two workers all the time, and one to four workers scaled by a small
 * policy on running requests, with everything a Planner run reports.
 */
import { type Run, toRun } from "../../lib/analysis/run.ts";
import { parseLaunch } from "../../lib/engine/launch.ts";
import type { Decision, ScalingPolicy, Snapshot } from "../../lib/planner/policy.ts";
import type { PlannerTick, RoleTopology, ScalingEvent } from "../../lib/report/planner_section.ts";
import type { Report } from "../../lib/report/report.ts";
import type { RoleSnapshot } from "../../lib/planner/policy.ts";
import { RoundRobinRouter } from "../../lib/router/round_robin.ts";
import { simulate } from "../../lib/simulate.ts";
import { polynomial } from "../../lib/timing/polynomial.ts";
import { loadTrace } from "../../lib/traffic/load_trace.ts";
import type { Traffic } from "../../lib/traffic/workload.ts";

const SLA = { ttftMs: 400, itlMs: 20 };
const TICK_MS = 5000;

let made: Promise<Run[]> | undefined;

/** The two runs, `fixed` and `scaled`. */
export function sampleRuns(): Promise<Run[]> {
  return made ??= makeRuns();
}

async function makeRuns(): Promise<Run[]> {
  const path = new URL("../../fixtures/traces/chat.jsonl", import.meta.url).pathname;
  const traffic = await loadTrace(path, { format: "mooncake" });
  const scaling = new QueuePolicy();
  const config = "traffic:\n  source: {type: trace, format: mooncake, paths: [fixtures/traces/chat.jsonl]}\n";
  return [
    toRun(replay(traffic, 2), { name: "fixed", sla: SLA, config }),
    toRun(replay(traffic, 1, scaling), { name: "scaled <1–4>", sla: SLA, config: config + "# scaled & drained\n" }),
  ];
}

function replay(traffic: Traffic, replicas: number, policy: QueuePolicy | null = null): Report {
  const engine = {
    engine: { backend: "vllm", num_gpu_blocks: 2048, timing_model: { type: "polynomial" } },
    startup_time: 20,
  };
  const run = simulate({
    traffic,
    pools: {
      aggregated: {
        settings: parseLaunch(engine),
        replicas,
        timing: polynomial(),
        router: (context) => new RoundRobinRouter(context),
      },
    },
    policy,
    plannerSection: policy && (({ lifecycle, ticks }) => ({
      metadata: { mode: "agg" },
      ticks: policy.ticks,
      scaling_events: policy.events,
      lifecycle_operations: lifecycle,
      total_ticks: ticks,
      html_report_path: null,
    })),
    sla: SLA,
    capturePerRequest: true,
  });
  let step = run.next();
  while (!step.done) step = run.next();
  return step.value;
}

/** One worker more when many requests run on each, one less when few do. */
class QueuePolicy implements ScalingPolicy {
  readonly ticks: PlannerTick[] = [];
  readonly events: ScalingEvent[] = [];

  initialTickMs(): number {
    return TICK_MS;
  }

  onTick(snapshot: Snapshot): Decision {
    const { decode, nowMs } = snapshot;
    const count = decode.active.length + decode.starting.length;
    const running = decode.passes.reduce((sum, pass) => sum + pass.decodeRequests, 0);
    const target = running > 14 * count ? Math.min(count + 1, 4) : running < 5 * count ? Math.max(count - 1, 1) : count;
    const reason = target > count ? "scale_up" : target < count ? "scale_down" : null;
    if (reason !== null) {
      this.events.push({ at_s: nowMs / 1000, component: "agg", from_count: count, to_count: target, reason });
    }
    this.ticks.push(tickEntry(snapshot, target, reason));
    return { targetPrefill: null, targetDecode: reason === null ? null : target, nextTickMs: nowMs + TICK_MS };
  }
}

function tickEntry(snapshot: Snapshot, target: number, reason: ScalingEvent["reason"] | null): PlannerTick {
  const { nowMs, traffic, decode, prefill } = snapshot;
  return {
    ordinal: snapshot.tickOrdinal,
    at_ms: nowMs,
    scheduled_tick: { at_s: nowMs / 1000, run_load_scaling: true, run_throughput_scaling: false },
    input: {
      now_s: nowMs / 1000,
      traffic: {
        duration_s: traffic.durationS,
        num_req: traffic.requests,
        isl: traffic.meanInputTokens,
        osl: traffic.meanOutputTokens,
      },
      worker_counts: {},
      fpm_observations: {
        prefill: null,
        decode: decode.passes.map((pass) => ({
          worker_id: pass.workerId,
          dp_rank: pass.dpRank,
          metrics: {
            scheduled_requests: { sum_decode_kv_tokens: pass.decodeKvTokens },
            queued_requests: { num_prefill_requests: pass.queuedPrefillRequests },
          },
        })),
      },
    },
    topology: { prefill: topology(prefill), decode: topology(decode) },
    effects: {
      scale_to: reason === null ? null : { num_prefill: null, num_decode: target },
      next_tick: null,
      diagnostics: { load_decision_reason: reason ?? "no_change" },
    },
    runtime_decision: {
      target_prefill: null,
      target_decode: reason === null ? null : target,
      next_tick_ms: nowMs + TICK_MS,
    },
  };
}

function topology({ active, starting, draining }: RoleSnapshot): RoleTopology {
  return {
    active: [...active],
    active_count: active.length,
    starting: [...starting],
    starting_count: starting.length,
    draining: [...draining],
    draining_count: draining.length,
  };
}
