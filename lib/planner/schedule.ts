/**
 * When the Planner looks, and at what: the tick schedule with its two loops and what each tick consumes.
 *
 * @module
 */
import type { PlannerConfig } from "./config.ts";

/** One tick: its time in seconds, which loops run, which observations they take. */
export interface ScheduledTick {
  /** Seconds of virtual time. */
  atS: number;
  /** Whether the load loop is due. */
  runLoadScaling: boolean;
  /** Whether the throughput loop is due. */
  runThroughputScaling: boolean;
  /** Whether a loop reads traffic. */
  needTraffic: boolean;
  /** Whether the traffic goes to the predictors (and not just to the load loop's averages). */
  useFullTraffic: boolean;
  /** Length of the traffic it reads, in seconds. */
  trafficDurationS: number;
  /** Whether a loop reads passes. */
  needPasses: boolean;
}

/** What became of a tick's prediction: not due, failed, or good for a proposal. */
export type PredictionOutcome = "none" | "failed" | "used";

/** Differences of tick times are compared with this slack. */
const SLACK = 1e-9;

/** Plans tick after tick. Every time starts at 0. */
export class TickSchedule {
  readonly #config: PlannerConfig;
  #lastLoad = 0;
  #lastThroughput = 0;
  #lastLoadCall = 0;
  #lastPrediction = 0;
  #lastThroughputCall = 0;

  constructor(config: PlannerConfig) {
    this.#config = config;
  }

  /** The tick that follows a moment. */
  after(nowS: number): ScheduledTick {
    const config = this.#config;
    const atS = nowS + config.scheduling.scale_interval_seconds;
    const loadEvery = config.load_adjustment_interval_seconds;
    const throughputEvery = config.throughput_adjustment_interval_seconds;
    const sla = config.optimization_target === "sla";
    const throughputOn = config.enable_throughput_scaling;
    const runLoadScaling = atS - this.#lastLoad >= loadEvery - SLACK;
    const loadDue = config.enable_load_scaling && atS - this.#lastLoadCall >= loadEvery;
    const fullDue = throughputOn &&
      (atS - this.#lastPrediction >= throughputEvery || atS - this.#lastThroughputCall >= throughputEvery);
    const loadReadsTraffic = loadDue && sla && !throughputOn;
    return {
      atS,
      runLoadScaling,
      runThroughputScaling: throughputOn && atS - this.#lastThroughput >= throughputEvery - SLACK,
      needTraffic: fullDue || loadReadsTraffic,
      useFullTraffic: fullDue,
      trafficDurationS: fullDue ? throughputEvery : loadReadsTraffic ? loadEvery : 0,
      needPasses: loadDue || (sla && runLoadScaling),
    };
  }

  /** Whether the load loop takes part in a tick. */
  loadDue({ atS }: ScheduledTick): boolean {
    const { enable_load_scaling: on, load_adjustment_interval_seconds: every } = this.#config;
    return on && atS - this.#lastLoadCall >= every;
  }

  /** Whether the predictors take part in a tick. */
  predictionDue({ atS }: ScheduledTick): boolean {
    const { enable_throughput_scaling: on, throughput_adjustment_interval_seconds: every } = this.#config;
    return on && atS - this.#lastPrediction >= every;
  }

  /** Notes that a tick was handled, and whether a prediction was tried and could be used. */
  handled(tick: ScheduledTick, prediction: PredictionOutcome): void {
    if (this.loadDue(tick)) this.#lastLoadCall = tick.atS;
    if (tick.runLoadScaling) this.#lastLoad = tick.atS;
    if (tick.runThroughputScaling) this.#lastThroughput = tick.atS;
    if (prediction !== "none") this.#lastPrediction = tick.atS;
    // After a failed prediction the proposal stays due and drains the traffic of every tick until one succeeds.
    if (prediction === "used") this.#lastThroughputCall = tick.atS;
  }
}
