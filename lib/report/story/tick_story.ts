/**
 * What happened at a tick, in words: the rule that changed the replicas, what the Planner saw, what became of workers.
 *
 * @module
 */
import type { ExplainedReport, StoryEntry } from "./run_story.ts";
import { autoscalerFacts, autoscalerHolds, autoscalerName, autoscalerReasons } from "./autoscaler_story.ts";
import { capacityUnknown, CAPPED_BLINDLY, loadReasonText, throughputReasonText } from "./reason_texts.ts";
import type {
  FpmObservation,
  LifecycleOperation,
  PlannerSection,
  PlannerTick,
  ScalingEvent,
} from "../../report/planner_section.ts";
import { counted, number, time, whole } from "./format.ts";

/** Sentences about the ticks and lifecycle operations of one run. */
export class TickStory {
  readonly #planner: PlannerSection;
  readonly #config: Readonly<Record<string, unknown>>;
  readonly #target: "sla" | "easy";
  readonly #tickAt: Map<number, PlannerTick>;
  /** Ticks whose floors are of a throughput loop that did not know what an engine serves. */
  readonly #blindFloors = new Set<number>();

  constructor(planner: PlannerSection) {
    this.#planner = planner;
    this.#config = planner.metadata.planner_config ?? {};
    const sla = this.#config.optimization_target === "sla" ||
      (planner.metadata.bootstrap !== undefined && planner.metadata.bootstrap.status !== "not_required");
    this.#target = sla ? "sla" : "easy";
    this.#tickAt = new Map(planner.ticks.map((tick) => [tick.at_ms, tick]));
    let blind = false;
    for (const tick of planner.ticks) {
      if (tick.scheduled_tick.run_throughput_scaling) {
        blind = capacityUnknown(tick.effects.diagnostics.throughput_decision_reason);
      }
      if (blind) this.#blindFloors.add(tick.ordinal);
    }
  }

  start(summary: ExplainedReport["summary"]): StoryEntry {
    const config = this.#config;
    const { metadata, ticks } = this.#planner;
    const first = ticks[0];
    const facts: string[] = [];
    if (config.enable_load_scaling === false && config.enable_throughput_scaling === false) {
      facts.push("both scaling loops are off: the replicas stay as they are");
    } else if (config.optimization_target !== undefined) {
      const bounds = this.#target === "sla" ? ` (TTFT ${config.ttft_ms} ms, ITL ${config.itl_ms} ms)` : "";
      facts.push(`target ${config.optimization_target}${bounds}`);
      if (config.enable_load_scaling) facts.push(`load loop every ${config.load_adjustment_interval_seconds} s`);
      if (config.enable_throughput_scaling) {
        const every = config.throughput_adjustment_interval_seconds;
        facts.push(`throughput loop every ${every} s (${config.load_predictor})`);
      }
      const most = config.max_gpu_budget as number;
      facts.push(most < 0 ? "no GPU limit" : `at most ${most} GPUs`);
    }
    const details = [facts.join(", ")].filter((text) => text !== "");
    if (metadata.autoscaler_config) details.push(...autoscalerFacts(metadata.autoscaler_config));
    if (first) details.push(`starts with ${workers(first)}`);
    const bootstrap = metadata.bootstrap;
    if (this.#target === "sla" && bootstrap) {
      details.push(
        bootstrap.status === "installed"
          ? `performance model started from ${bootstrap.prefill_fpm_count} prefill and ` +
            `${bootstrap.decode_fpm_count} decode estimates`
          : `performance model starts empty (${bootstrap.status})`,
      );
    }
    if (!metadata.details_captured) details.push("ticks were not captured: changes are told without their reasons");
    const advisory = metadata.advisory
      ? "Advisory Planner: it decides, nothing changes."
      : `${metadata.autoscaler ? autoscalerName(metadata.autoscaler) : "Planner"} in the loop.`;
    const total = `${this.#planner.total_ticks} ticks, ${whole(summary.num_requests as number)} requests.`;
    return { kind: "start", fromS: 0, toS: null, text: `${advisory} ${total}`, details };
  }

  /** Events of one tick. */
  change(kind: "change" | "recommendation", atS: number, events: readonly ScalingEvent[]): StoryEntry {
    const moves = events.map(({ component, from_count, to_count }) => `${component} ${from_count} → ${to_count}`);
    const tick = this.#tickAt.get(atS * 1000);
    const details = tick ? [...this.#because(tick, events), ...this.#observed(tick)] : [];
    if (tick && kind === "change") details.push(...this.#consequences(tick));
    const text = kind === "change" ? moves.join(", ") : `would scale ${moves.join(", ")}`;
    return { kind, fromS: atS, toS: null, text, details };
  }

  /** A stretch without changes: how often which reason was given. */
  hold(fromS: number, toS: number): StoryEntry[] {
    const ticks = this.#planner.ticks.filter(({ at_ms }) => at_ms > fromS * 1000 && at_ms < toS * 1000);
    if (ticks.length === 0) return [];
    const counts = new Map<string, number>();
    for (const tick of ticks) {
      for (const text of this.#holdReasons(tick)) counts.set(text, (counts.get(text) ?? 0) + 1);
    }
    const reasons = [...counts].sort(([, a], [, b]) => b - a);
    const details = reasons.map(([text, count]) => `${text} (${count} ${count === 1 ? "tick" : "ticks"})`);
    return [{ kind: "hold", fromS, toS, text: `holds ${workers(ticks[ticks.length - 1])}`, details }];
  }

  #holdReasons(tick: PlannerTick): string[] {
    if (tick.autoscaler) return autoscalerHolds(tick);
    const { effects: { diagnostics }, scheduled_tick } = tick;
    const { load_decision_reason: load, throughput_decision_reason: throughput } = diagnostics;
    const reasons: string[] = [];
    const { estimated_ttft_ms, estimated_itl_ms } = diagnostics;
    // an aggregated loop without estimates says no_change
    const blind = load === "no_change" && this.#target === "sla" && estimated_ttft_ms === null &&
      estimated_itl_ms === null;
    if (load && load !== "disabled") {
      reasons.push(this.#loadText(blind ? "insufficient_data" : load, tick));
    }
    if (throughput && (load === "disabled" || !load || scheduled_tick.run_throughput_scaling)) {
      reasons.push(throughputReasonText(throughput));
    }
    return reasons;
  }

  /** A reason of the load loop; "the forecast" only where it could be turned into replicas. */
  #loadText(reason: string, { ordinal }: PlannerTick): string {
    if (reason === "scale_down_capped_by_throughput" && this.#blindFloors.has(ordinal)) return CAPPED_BLINDLY;
    return loadReasonText(reason, this.#target);
  }

  /** Which rule changed the counts. */
  #because(tick: PlannerTick, events: readonly ScalingEvent[]): string[] {
    if (tick.autoscaler) return autoscalerReasons(tick);
    const d = tick.effects.diagnostics;
    const lines: string[] = [];
    const { load_decision_reason: load, throughput_decision_reason: throughput } = d;
    if (throughput === "scale" || throughput === "set_lower_bound") {
      const forecast = `forecast ${number(d.predicted_num_req)} requests of ${number(d.predicted_isl)} + ` +
        `${number(d.predicted_osl)} tokens in ${tick.input.traffic?.duration_s} s`;
      const idle = d.predicted_num_req === 0;
      const engine = idle ? ["the minimum will do"] : [
        d.load_decision_reason_prefill || d.throughput_decision_reason_prefill
          ? `a prefill engine serves ${number(d.engine_rps_prefill)}/s, a decode engine ${
            number(d.engine_rps_decode)
          }/s`
          : `an engine serves ${number(d.engine_rps_decode)}/s`,
      ];
      const floor = throughput === "set_lower_bound" ? [`floor ${floors(tick)}`] : [];
      lines.push(`throughput loop: ${[forecast, ...engine, ...floor].join("; ")}`);
    }
    if (load && load !== "disabled") {
      const roles = events.flatMap(({ component }) => {
        const reason = component === "agg" ? load : d[`load_decision_reason_${component}`];
        if (!reason || !/^scale_/.test(reason)) return [];
        const who = component === "agg" ? "" : `${component}: `;
        return [`load loop: ${who}${this.#loadText(reason, tick)}`];
      });
      lines.push(...roles);
      if (load.startsWith("gpu_budget")) lines.push(`budget: ${loadReasonText(load, this.#target)}`);
    }
    if (lines.length === 0) lines.push("repair: the deployment was outside its GPU budget or below its minimum");
    return lines;
  }

  /** What the Planner saw. */
  #observed({ input, effects: { diagnostics: d } }: PlannerTick): string[] {
    const lines: string[] = [];
    const estimates = [
      d.estimated_ttft_ms === null ? "" : `TTFT ${number(d.estimated_ttft_ms)} ms`,
      d.estimated_itl_ms === null ? "" : `ITL ${number(d.estimated_itl_ms)} ms`,
    ].filter((text) => text !== "");
    if (estimates.length > 0) lines.push(`worst rank: estimated ${estimates.join(", ")}`);
    for (const role of ["prefill", "decode"] as const) {
      const rows = input.fpm_observations?.[role];
      if (rows) lines.push(`${input.worker_counts.ready_num_prefill === null ? "" : `${role}: `}${load(rows)}`);
    }
    return lines;
  }

  /** What became of the workers. */
  #consequences(tick: PlannerTick): string[] {
    const groups = new Map<string, string[]>();
    for (const operation of this.#planner.lifecycle_operations) {
      if (operation.planner_tick_ordinal !== tick.ordinal) continue;
      for (const { worker_id, transition, reason } of operation.transitions) {
        const what = transition === "worker_ready"
          ? "ready at once"
          : transition === "worker_starting"
          ? `starting${this.#readyAt(operation, worker_id)}`
          : transition === "worker_draining"
          ? "draining"
          : reason === "startup_cancelled"
          ? "cancelled before it was ready"
          : null;
        if (what === null) continue;
        const key = `${operation.pool === "agg" ? "" : `${operation.pool} `}%: ${what}`;
        groups.set(key, [...groups.get(key) ?? [], String(worker_id)]);
      }
    }
    return [...groups].map(([text, ids]) =>
      text.replace("%", `${ids.length === 1 ? "worker" : "workers"} ${ids.join(", ")}`)
    );
  }

  #readyAt({ pool }: LifecycleOperation, worker: number): string {
    for (const operation of this.#planner.lifecycle_operations) {
      if (operation.pool !== pool) continue;
      for (const { worker_id, transition } of operation.transitions) {
        if (worker_id === worker && transition === "worker_ready") return `, ready at ${time(operation.at_ms / 1000)}`;
      }
    }
    return ", not ready before the end";
  }
}

function floors({ effects: { diagnostics }, input }: PlannerTick): string {
  const { throughput_lower_bound_prefill: prefill, throughput_lower_bound_decode: decode } = diagnostics;
  return input.worker_counts.ready_num_prefill === null ? `${decode}` : `${prefill} prefill, ${decode} decode`;
}

/** Work of all ranks together, and the longest queue. */
function load(rows: readonly FpmObservation[]): string {
  let decodes = 0, kv = 0, prompts = 0, tokens = 0, waiting = 0;
  for (const { metrics: { scheduled_requests: s, queued_requests: q } } of rows) {
    decodes += s.num_decode_requests;
    kv += s.sum_decode_kv_tokens;
    prompts += q.num_prefill_requests;
    tokens += q.sum_prefill_tokens;
    waiting += q.num_decode_requests;
  }
  const parts = [
    counted(rows.length, "rank"),
    `${whole(decodes)} decoding on ${whole(kv)} KV tokens`,
    `${counted(prompts, "prompt")}${prompts > 0 ? ` (${whole(tokens)} tokens)` : ""} waiting`,
  ];
  if (waiting > 0) parts.push(`${whole(waiting)} waiting to decode`);
  return parts.join(", ");
}

function workers({ topology, input }: PlannerTick): string {
  const of = (role: "prefill" | "decode") => {
    const { active_count: active, starting_count: starting } = topology[role];
    return `${active}${starting > 0 ? ` (+${starting} starting)` : ""}`;
  };
  if (input.worker_counts.ready_num_prefill !== null) {
    return `${of("prefill")} prefill and ${of("decode")} decode workers`;
  }
  return `${of("decode")} ${topology.decode.active_count === 1 ? "worker" : "workers"}`;
}
