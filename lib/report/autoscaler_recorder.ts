/**
 * Collects what autoscalers other than the Planner report: the same section, with the verdicts of each tick.
 *
 * @module
 */
import type { AutoscalerListener, AutoscalerTick } from "../autoscaler/policy.ts";
import type { ScalingChange } from "../planner/listener.ts";
import { scalingEvent } from "./planner_recorder.ts";
import type { LifecycleOperation, PlannerSection, PlannerTick, ScalingEvent } from "./planner_section.ts";
import { TickForm } from "./planner_tick.ts";

/** Which autoscaler ran. */
export interface AutoscalerIdentity {
  /** `hpa` or `keda`. */
  kind: string;
  /** Its resolved configuration. */
  config: Readonly<Record<string, unknown>>;
  /** Whether one pool serves or two. */
  mode: "agg" | "disagg";
  /** Whether ticks and lifecycle operations are kept. */
  captureDetails: boolean;
}

/** The growing section of one run. */
export class AutoscalerRecorder implements AutoscalerListener {
  readonly #identity: AutoscalerIdentity;
  readonly #form: TickForm;
  readonly #ticks: PlannerTick[] = [];
  readonly #events: ScalingEvent[] = [];
  #total = 0;

  constructor(identity: AutoscalerIdentity) {
    this.#identity = identity;
    this.#form = new TickForm(identity);
  }

  ticked(view: AutoscalerTick): void {
    this.#total++;
    if (this.#identity.captureDetails) this.#ticks.push({ ...this.#form.of(view), autoscaler: view.verdicts });
  }

  scaled(change: ScalingChange): void {
    this.#events.push(scalingEvent(change));
  }

  /** Ticks so far. */
  get ticks(): readonly PlannerTick[] {
    return this.#ticks;
  }

  /** The section as it stands. */
  section(lifecycle: LifecycleOperation[]): PlannerSection {
    const { kind, config, mode, captureDetails } = this.#identity;
    return {
      metadata: {
        autoscaler: kind,
        autoscaler_config: config,
        mode,
        details_captured: captureDetails,
        advisory: false,
      },
      ticks: this.#ticks,
      scaling_events: this.#events,
      recommended_scaling_events: [],
      lifecycle_operations: captureDetails ? lifecycle : [],
      retune_events: null,
      total_ticks: this.#total,
      html_report_path: null,
    };
  }
}
