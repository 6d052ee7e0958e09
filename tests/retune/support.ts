/** A trace, a Planner and a replay to retune with, and a run that ticks. */
import type { TrafficInterval } from "../../lib/forecast/history.ts";
import type { Decision, RoleSnapshot, RouterKnobs, Snapshot } from "../../lib/planner/policy.ts";
import type { RetuneConfig } from "../../lib/retune/config.ts";
import { RetunePolicy, type RetunePolicyOptions } from "../../lib/retune/retune_policy.ts";
import { answerWith, runSweep } from "../../lib/retune/sweep.ts";
import type {
  PlannerFields,
  ReplayMetrics,
  ReplayTask,
  ReplayWindow,
  SweepOutcome,
  SweepPlan,
  TunablePlanner,
} from "../../lib/retune/types.ts";
import type { ReplayedTrace } from "../../lib/retune/window.ts";
import type { Workload } from "../../lib/traffic/workload.ts";

export const SETTINGS: RetuneConfig = {
  interval_seconds: 600,
  grace_seconds: 60,
  router: { overlap_score_credit: [1], prefill_load_scale: [0.5, 1, 2], temperature: [0, 1] },
  planner: null,
  objective: "goodput_per_gpu",
  sla_ttft_ms: 1500,
  sla_itl_ms: 50,
  min_improvement_percentage: 3,
  decision_latency_seconds: 0,
  decision_latency_scale: 1,
  timeout_seconds: 600,
  max_parallel: 4,
  history_seconds: 9000,
};

export const KNOBS: RouterKnobs = { overlap_score_credit: 1, prefill_load_scale: 1, temperature: 1 };

/** One request every so many seconds; requests `2 i` and `2 i + 1` share the blocks `10 i` and `10 i + 1`. */
export function steadyTrace(seconds: number, everySeconds = 10, totalTimeMs: number | null = null): ReplayedTrace {
  const count = Math.ceil(seconds / everySeconds);
  const column = (value: (i: number) => number, length = count) => Int32Array.from({ length }, (_, i) => value(i));
  const workload: Workload = {
    count,
    blockTokens: 16,
    inputTokens: column((i) => 17 + i % 10),
    outputTokens: column((i) => 5 + i % 3),
    blockStart: column((i) => 2 * i, count + 1),
    blockIds: column((at) => 10 * (at >> 2) + (at & 1), 2 * count),
    outputTokenIds: new Map(),
    priority: null,
    strictPriority: null,
    policyClass: null,
    session: null,
    turn: null,
    sessionName: () => "",
    sessionMadeUp: null,
    requestIds: null,
    playIds: null,
  };
  return {
    workload,
    arrivalMs: Float64Array.from({ length: count }, (_, i) => i * everySeconds * 1000),
    totalTimeMs: totalTimeMs === null ? null : new Float64Array(count).fill(totalTimeMs),
  };
}

/** Metrics of a replay on so many GPUs over ten minutes. */
export function metrics(goodput: number, gpus = 1): ReplayMetrics {
  return {
    output_throughput_tok_s: goodput * 2,
    goodput_output_throughput_tok_s: goodput,
    mean_output_token_throughput_per_user: goodput / 10,
    mean_ttft_ms: 1000 / goodput,
    mean_itl_ms: 10,
    mean_e2e_latency_ms: 10_000 / goodput,
    gpu_hours: gpus / 6,
    duration_ms: 600_000,
  };
}

/** Lower temperatures are better, everything else changes nothing. */
export const coolReplay: ReplayWindow = ({ routerKnobs }) => metrics(100 + 10 * (1 - (routerKnobs?.temperature ?? 0)));
export const indifferentReplay: ReplayWindow = () => metrics(100);

/** A Planner that never scales and writes down how it is tuned. */
export class StillPlanner implements TunablePlanner {
  readonly tuned: { fields: PlannerFields; history: readonly TrafficInterval[] | null; atTick: number }[] = [];
  knobs: Decision["routerKnobs"] = null;
  #ticks = 0;
  constructor(readonly tickSeconds = 5) {}
  initialTickMs(): number {
    return this.tickSeconds * 1000;
  }
  onTick({ nowMs }: Snapshot): Decision {
    this.#ticks++;
    const nextTickMs = nowMs + this.tickSeconds * 1000;
    return { targetPrefill: null, targetDecode: null, nextTickMs, routerKnobs: this.knobs };
  }
  setRouterKnobs(knobs: Decision["routerKnobs"] | null): void {
    this.knobs = knobs;
  }
  retune(fields: PlannerFields, history: { intervals: readonly TrafficInterval[] } | null): void {
    this.tuned.push({ fields, history: history && history.intervals, atTick: this.#ticks });
  }
}

const role = (active: readonly number[]): RoleSnapshot => ({ active, starting: [], draining: [], passes: [] });

export function snapshot(tickOrdinal: number, nowMs: number, workers: number): Snapshot {
  return {
    tickOrdinal,
    nowMs,
    prefill: role([]),
    decode: role(Array.from({ length: workers }, (_, i) => i)),
    traffic: {
      durationS: 5,
      requests: 0,
      shapeCount: 0,
      meanInputTokens: 0,
      meanOutputTokens: 0,
      meanTtftMs: 0,
      ttftCount: 0,
      meanItlMs: 0,
      itlCount: 0,
      meanAcceptLength: null,
      acceptLengthForwards: 0,
      meanKvHitRate: 0,
      kvHitRateCount: 0,
    },
  };
}

/** Options of {@link runTicks}. */
export interface RunOptions extends Partial<Omit<RetunePolicyOptions, "settings">> {
  settings?: Partial<RetuneConfig>;
  /** No ticks later than this. */
  endS: number;
  replay?: ReplayWindow;
  wallSeconds?: number;
  /** Replaces the sweep as a whole. */
  sweep?: (plan: SweepPlan) => SweepOutcome;
  forecast?: (preset: string) => number;
  /** Ready workers by time. */
  workersAt?: (seconds: number) => number;
}

/** Ticks through a replay and tells everything that happened. */
export function runTicks(options: RunOptions) {
  const { endS, replay: given = coolReplay, wallSeconds = 0, sweep: whole, forecast, workersAt, ...rest } = options;
  const planner = options.planner ?? new StillPlanner();
  const policy = new RetunePolicy({
    planner,
    innerPlanner: false,
    tickSeconds: 5,
    throughputIntervalSeconds: 180,
    throughputScaling: false,
    trace: steadyTrace(endS),
    history: null,
    startReplicas: { prefill: 0, decode: 3 },
    startKnobs: KNOBS,
    startFields: {},
    ...rest,
    settings: { ...SETTINGS, ...options.settings },
  });
  const plans: SweepPlan[] = [];
  const tasks: ReplayTask[] = [];
  const knobs: { atS: number; temperature?: number }[] = [];
  let before = JSON.stringify(KNOBS);
  const launches: number[] = [];
  const parametersAt = new Map<number, unknown>();
  const replay: ReplayWindow = (task) => {
    tasks.push(task);
    return given(task);
  };
  const sweep = whole ?? ((plan: SweepPlan): SweepOutcome => ({
    status: "done",
    findings: runSweep(plan, answerWith(replay, (task) => forecast!(task.preset))),
    wallSeconds,
  }));
  let nowMs: number | null = policy.initialTickMs();
  for (let tick = 0; nowMs !== null && nowMs <= endS * 1000; tick++) {
    const decision: Decision = policy.onTick(snapshot(tick, nowMs, workersAt?.(nowMs / 1000) ?? 3));
    const wanted = decision.routerKnobs?.decode;
    if (wanted && JSON.stringify(wanted) !== before) {
      knobs.push({ atS: nowMs / 1000, temperature: wanted.temperature });
      before = JSON.stringify(wanted);
    }
    if (decision.pending) {
      const plan = decision.pending.work as SweepPlan;
      launches.push(nowMs / 1000);
      plans.push(plan);
      decision.pending.resume(sweep(plan));
    }
    parametersAt.set(nowMs / 1000, decision.routerKnobs);
    nowMs = decision.nextTickMs;
  }
  return { policy, planner, events: policy.events, plans, tasks, knobs, launches, parametersAt };
}
