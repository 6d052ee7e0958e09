/**
 * Collects what becomes the `planner` object of a report. It hears of ticks and
 * changes from the Planner and of decisions from retune; the cluster keeps its own log of lifecycle operations.
 *
 * @module
 */
import { Kept } from "../collections/kept.ts";
import type { PlannerListener, ScalingChange, TickView } from "../planner/listener.ts";
import { Planner, type PlannerOptions } from "../planner/planner.ts";
import { plannerMetadata } from "./planner_metadata.ts";
import type {
  LifecycleOperation,
  PlannerMetadata,
  PlannerSection,
  PlannerTick,
  RetuneEvent,
  ScalingEvent,
} from "./planner_section.ts";
import { TickForm } from "./planner_tick.ts";

/** Mean latencies in the traffic of a tick, null where there was no sample or no traffic. */
export interface ObservedLatency {
  /** Mean time to first token. */
  ttftMs: number | null;
  /** Mean time between output tokens. */
  itlMs: number | null;
}

/** The growing `planner` object of one run. */
export class PlannerRecorder implements PlannerListener {
  readonly #metadata: PlannerMetadata;
  readonly #ticks: PlannerTick[] = [];
  readonly #events: ScalingEvent[] = [];
  readonly #recommended: ScalingEvent[] = [];
  readonly #latencies: ObservedLatency[] = [];
  readonly #latency = new Kept<ObservedLatency>();
  readonly #form: TickForm;
  #retune: RetuneEvent[] | null = null;
  #total = 0;

  /**
   * An empty record.
   *
   * @param metadata with `details_captured`: whether ticks and lifecycle operations are kept
   */
  constructor(metadata: PlannerMetadata) {
    this.#metadata = metadata;
    this.#form = new TickForm(metadata);
  }

  /** Whether ticks and lifecycle operations are kept. */
  get capturesDetails(): boolean {
    return this.#metadata.details_captured;
  }

  /** Adds a tick to the report. */
  ticked(view: TickView): void {
    this.#total++;
    if (!this.capturesDetails) return;
    this.#ticks.push(this.#form.of(view));
    this.#latencies.push(
      this.#latency.keep({ ttftMs: view.traffic?.ttftMs ?? null, itlMs: view.traffic?.itlMs ?? null }),
    );
  }

  /** Latencies the ticks saw, one entry a kept tick; they are not part of the report. */
  get latencies(): readonly ObservedLatency[] {
    return this.#latencies;
  }

  scaled(change: ScalingChange): void {
    this.#events.push(scalingEvent(change));
  }

  recommended(change: ScalingChange): void {
    this.#recommended.push(scalingEvent(change));
  }

  /** Adds a retune decision. */
  retuned(event: RetuneEvent): void {
    (this.#retune ??= []).push(event);
  }

  /** Notes the resolved retune block: from here the report lists decisions, even if there are none. */
  retuning(block: Record<string, unknown>): void {
    this.#metadata.retune = block;
    this.#retune ??= [];
  }

  /**
   * The object as it stands; the recorder goes on using its lists.
   *
   * @param lifecycle what the cluster did with its workers
   */
  section(lifecycle: LifecycleOperation[] = []): PlannerSection {
    return {
      metadata: this.#metadata,
      ticks: this.#ticks,
      scaling_events: this.#events,
      recommended_scaling_events: this.#recommended,
      lifecycle_operations: this.capturesDetails ? lifecycle : [],
      retune_events: this.#retune,
      total_ticks: this.#total,
      html_report_path: null,
    };
  }
}

/** A change as reports list it. */
export function scalingEvent({ atS, component, from, to }: ScalingChange): ScalingEvent {
  return { at_s: atS, component, from_count: from, to_count: to, reason: to > from ? "scale_up" : "scale_down" };
}

/** What a recorded Planner is made of. */
export interface RecordedPlannerOptions extends Omit<PlannerOptions, "listener"> {
  /** Hexadecimal SHA-256 of a text, for the configuration's digest. */
  sha256: (text: string) => string;
  /** Whether ticks and lifecycle operations are recorded; true by default. */
  captureDetails?: boolean;
}

/**
 * A Planner whose run is recorded.
 *
 * @example
 * ```ts
 * import { createHash } from "node:crypto";
 * import { capabilitiesOf, parseLaunch, parsePlannerConfig, RecordedPlanner } from "dynosim";
 *
 * const planner = new RecordedPlanner({
 *   config: parsePlannerConfig({ mode: "agg" }),
 *   engines: { prefill: null, decode: capabilitiesOf(parseLaunch()) },
 *   sha256: (text) => createHash("sha256").update(text).digest("hex"),
 * });
 * console.log(planner.recorder.section().total_ticks); // 0
 * ```
 */
export class RecordedPlanner extends Planner {
  /** What the run reports. */
  readonly recorder: PlannerRecorder;

  /** A Planner before its first tick, and its empty record. */
  constructor({ sha256, captureDetails = true, ...options }: RecordedPlannerOptions) {
    const recorder = new PlannerRecorder(
      plannerMetadata(options.config, options.bootstrap, { sha256, captureDetails }),
    );
    super({ ...options, listener: recorder });
    this.recorder = recorder;
  }
}
