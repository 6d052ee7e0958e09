/**
 * The job module of capacity searches: replays a run under a load and tells how many requests kept their bounds. Loads
 * and measurements are read once in each worker.
 *
 * @module
 */
import { type JobControl, JobExpired, type JobFunction } from "../jobs/job.ts";
import type { Local } from "../jobs/queue/kind.ts";
import { located } from "../replay/located.ts";
import { run } from "../replay/run.ts";
import { SharedData } from "../replay/shared_data.ts";
import type { ReplaySpec } from "../replay/spec.ts";
import type { Saturation } from "../report/saturation.ts";
import { saturationOf } from "./saturation.ts";
import { MOST_WARNING, MOST_WARNINGS } from "./warning_limits.ts";

/** What all tasks share. */
export interface CapacitySetup {
  /** The run; each task has its own load. */
  spec: ReplaySpec;
  /** What may be used here, when tasks come from another machine. Default: anything. */
  local?: Local;
}

/** What is asked. */
export interface CapacityTask {
  /** The size of the load. */
  value: number;
  /** The load. */
  traffic: NonNullable<ReplaySpec["traffic"]>;
  /** Virtual milliseconds between samples, to find out what runs out; null where only the share is asked for. */
  telemetryIntervalMs: number | null;
}

/** A load that was tried. */
export interface CapacityPoint {
  /** The size of the load. */
  value: number;
  /** Share of the requests that kept every bound; those that were not served did not. */
  attainment: number;
  /** Requests of the load. */
  num_requests: number;
  /** Requests that ended. */
  completed_requests: number;
  /** Requests a second that were served. */
  request_throughput_rps: number;
  /** 95th percentile of the time to the first token. */
  p95_ttft_ms: number;
  /** 95th percentile of the mean time between a request's tokens. */
  p95_tpot_ms: number;
  /** Length of the run in virtual milliseconds. */
  duration_ms: number;
  /** Whether queues grew until the last request came: a longer load of this size would be served worse. */
  queues_growing: boolean;
  /** What a thousand requests within the SLA cost, null without any; only with a price. */
  cost?: { currency: string; per_thousand_good_requests: number | null };
}

/** An answer. */
export interface CapacityAnswer {
  /** The point. */
  point: CapacityPoint;
  /** What runs out; null unless it was asked for. */
  saturation: Saturation | null;
  /** What the replay warned of; only with `saturation`. */
  warnings: string[];
}

/** Makes the function that replays a run under loads. */
export function prepare({ spec, local }: CapacitySetup): JobFunction<CapacityTask, CapacityAnswer> {
  const shared = new SharedData();
  return (task, control) => {
    const { traffic, telemetryIntervalMs } = task;
    const asked: ReplaySpec = {
      ...spec,
      traffic,
      capture: {
        plannerDetails: false,
        diagnostics: false,
        perRequest: telemetryIntervalMs !== null,
        telemetryIntervalMs,
      },
    };
    return measured(local === undefined ? asked : located(asked, local), task, shared, control);
  };
}

async function measured(
  spec: ReplaySpec,
  { value, telemetryIntervalMs }: CapacityTask,
  shared: SharedData,
  control: JobControl,
): Promise<CapacityAnswer> {
  const warnings: string[] = [];
  const report = await run(spec, {
    shared,
    onWarning: (warning) => {
      if (warnings.length < MOST_WARNINGS) warnings.push(warning.slice(0, MOST_WARNING));
    },
    onProgress() {
      if (control.expired()) throw new JobExpired();
    },
  }).report;
  const { summary, evaluation } = report, { cost } = evaluation!;
  const point: CapacityPoint = {
    value,
    attainment: evaluation!.sla!.attainment,
    num_requests: evaluation!.sla!.requests,
    completed_requests: summary.completed_requests,
    request_throughput_rps: summary.request_throughput_rps,
    p95_ttft_ms: summary.p95_ttft_ms,
    p95_tpot_ms: summary.p95_tpot_ms,
    duration_ms: summary.duration_ms,
    queues_growing: evaluation!.overload?.queues_growing ?? false,
    ...(cost === undefined
      ? {}
      : { cost: { currency: cost.currency, per_thousand_good_requests: cost.per_thousand_good_requests } }),
  };
  const most = (role: "prefill" | "decode") => {
    const one = spec.roles.find((one) => one.role === role) ?? spec.roles[0];
    const { max_num_seqs: limit } = Object(one?.launch.engine) as { max_num_seqs?: unknown };
    return typeof limit === "number" ? limit : null;
  };
  const pools = { ...(spec.roles.length > 1 ? { prefill: most("prefill") } : {}), decode: most("decode") };
  if (telemetryIntervalMs === null) return { point, saturation: null, warnings: [] };
  return { point, saturation: saturationOf(value, report, spec.sla!, pools), warnings };
}
