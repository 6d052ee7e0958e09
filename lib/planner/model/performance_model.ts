/**
 * The performance model of one role: what its passes usually look like, how long they take, and the questions both
 * scaling loops ask.
 *
 * @module
 */
import { orderedByWorker } from "../observations.ts";
import type { PassRow } from "../policy.ts";
import { type Capacity, type CapacityLimits, type CapacityQuestion, engineCapacity } from "./capacity.ts";
import { decodeIterationSeconds, type QueryContext, queuedPrefillSeconds } from "./load_queries.ts";
import { MovingAverage } from "./moving_average.ts";
import type { EngineLimits, ModelRole } from "./pass.ts";
import { PassRegression, type RegressionSettings } from "./regression.ts";

const DEFAULT_LIMITS: CapacityLimits = { maxBatchedTokens: 8192, maxSequences: 512, maxKvTokens: 2_000_000 };

/** Role, limits and settings of a model; `random` decides ties of the sample store. */
export interface PerformanceModelOptions {
  role: ModelRole;
  limits: EngineLimits;
  settings: RegressionSettings;
  random?: () => number;
}

/** Learns from the passes of a role and answers for it. */
export class PerformanceModel {
  readonly #role: ModelRole;
  readonly #limits: CapacityLimits;
  readonly #regression: PassRegression;
  readonly #inputTokens: MovingAverage;
  readonly #decodeTokens: MovingAverage;
  readonly #prefillRequests: MovingAverage;
  readonly #prefillTokens: MovingAverage;

  private constructor(limits: CapacityLimits, { role, settings, random }: PerformanceModelOptions) {
    this.#role = role;
    this.#limits = limits;
    this.#regression = new PassRegression(role, settings, { random });
    const average = () => new MovingAverage(settings.max_num_fpm_samples);
    this.#inputTokens = average();
    this.#decodeTokens = average();
    this.#prefillRequests = average();
    this.#prefillTokens = average();
  }

  /** A model without experience; null when a limit of the engine leaves nothing to model. */
  static create(options: PerformanceModelOptions): PerformanceModel | null {
    const limits = {
      maxBatchedTokens: options.limits.maxBatchedTokens ?? DEFAULT_LIMITS.maxBatchedTokens,
      maxSequences: options.limits.maxSequences ?? DEFAULT_LIMITS.maxSequences,
      maxKvTokens: options.limits.maxKvTokens ?? DEFAULT_LIMITS.maxKvTokens,
    };
    if (limits.maxBatchedTokens <= 0 || limits.maxSequences <= 0 || limits.maxKvTokens <= 0) return null;
    return new PerformanceModel(limits, options);
  }

  /** Whether any kind of pass can be estimated. */
  get ready(): boolean {
    return this.#regression.ready;
  }

  /**
   * Learns the rows of a tick, in the order their ranks first appeared.
   *
   * @returns why a row was refused (the rows before it are kept), or null
   */
  observe(rows: readonly PassRow[]): string | null {
    for (const row of rows) {
      this.#inputTokens.add(row.prefillRequests > 0 ? row.prefillTokens / row.prefillRequests : 0);
      if (row.decodeRequests > 0) this.#decodeTokens.add(row.decodeKvTokens / row.decodeRequests);
    }
    const ordered = orderedByWorker(rows);
    for (const row of ordered) {
      const problem = this.#regression.observe(row, row.wallTimeS);
      if (problem) return problem;
    }
    for (const row of ordered) {
      this.#prefillRequests.add(row.prefillRequests);
      this.#prefillTokens.add(row.prefillTokens);
    }
    return null;
  }

  /** Milliseconds a prompt would wait at a rank; see `queuedPrefillSeconds`. */
  ttftMs(row: PassRow, options: Parameters<typeof queuedPrefillSeconds>[2]): number | null {
    const seconds = queuedPrefillSeconds(this.#context(), row, options);
    return seconds === null ? null : seconds * 1000;
  }

  /** Milliseconds of a decode iteration at a rank; see `decodeIterationSeconds`. */
  decodeMs(row: PassRow, options: Parameters<typeof decodeIterationSeconds>[2]): number | null {
    const seconds = decodeIterationSeconds(this.#context(), row, options);
    return seconds === null ? null : seconds * 1000;
  }

  /** Requests a second one engine serves; null while the model cannot tell. */
  capacity(question: CapacityQuestion): Capacity | null {
    return engineCapacity(this.#role, this.#regression, this.#limits, question);
  }

  #context(): QueryContext {
    const tokens = Math.ceil(this.#prefillTokens.mean);
    return {
      role: this.#role,
      estimator: this.#regression,
      maxBatchedTokens: this.#limits.maxBatchedTokens,
      meanInputTokens: this.#inputTokens.mean,
      meanDecodeTokens: this.#decodeTokens.mean,
      typicalPrefill: { requests: Math.max(Math.ceil(this.#prefillRequests.mean), tokens > 0 ? 1 : 0), tokens },
    };
  }
}
