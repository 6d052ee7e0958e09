/**
 * Replays one window of a retune on one candidate setting: the same cluster, cold, put together from a description in
 * plain data, so that a worker can do it as well as the main thread.
 *
 * @module
 */
import type { PoolSpec } from "../cluster/spec.ts";
import type { EstimatorConfig } from "../config/plan.ts";
import type { WorkerSettings } from "../engine/settings.ts";
import { type JobControl, JobExpired } from "../jobs/job.ts";
import { makePlanner } from "./make_planner.ts";
import { Deployments, timingOf } from "./pools.ts";
import type { Summary } from "../report/summary.ts";
import type { ReplayMetrics, ReplayTask } from "../retune/types.ts";
import { windowTraffic } from "../retune/window.ts";
import type { KvRouterOptions } from "../router/kv_factory.ts";
import { routerByName } from "../router/registry.ts";
import type { RouterFactory } from "../router/router.ts";
import { type Pools, simulate, type Simulation } from "./simulate.ts";
import type { Timing } from "../timing/timing.ts";

/** One pool in plain data. */
export interface PoolRecipe {
  settings: WorkerSettings;
  /** Identity for the operator database; null when nothing is known of the hardware. */
  estimator: EstimatorConfig | null;
}

/** A cluster in plain data. */
export interface ClusterRecipe {
  /** Aggregated: one; disaggregated: prefill, then decode. */
  pools: readonly PoolRecipe[];
  router: {
    name: string;
    settings: Omit<KvRouterOptions, "prefillLoadMs">;
  };
  /** Configuration of the inner Planner in PlannerConfig names; null keeps the replicas fixed. */
  planner: Record<string, unknown> | null;
}

/** Replays windows on one cluster. Timing models are made once. */
export class WindowReplayer {
  readonly #recipe: ClusterRecipe;
  readonly #deployments = new Deployments();
  readonly #timings: Promise<Timing[]>;

  constructor(recipe: ClusterRecipe) {
    this.#recipe = recipe;
    this.#timings = Promise.all(
      recipe.pools.map(({ settings, estimator }) => timingOf(settings, estimator, this.#deployments)),
    );
  }

  /**
   * Replays one candidate.
   *
   * @throws {JobExpired} when its time is up
   * @throws {SimulationError} when the replay cannot go on
   */
  async replay(task: ReplayTask, control: JobControl): Promise<ReplayMetrics> {
    const simulation: Simulation = {
      traffic: windowTraffic(task.window),
      pools: await this.#pools(task),
      sla: task.sla,
    };
    if (task.planner) await this.#addPlanner(simulation, task.planner);
    const run = simulate(simulation);
    for (;;) {
      const step = run.next();
      if (step.done) return metricsOf(step.value.summary);
      if (control.expired()) throw new JobExpired();
    }
  }

  async #pools({ replicas, routerKnobs, routerSeed }: ReplayTask): Promise<Pools> {
    const timings = await this.#timings;
    const router = await this.#router(routerKnobs, routerSeed);
    const { pools } = this.#recipe;
    const spec = (i: number, count: number): PoolSpec => ({
      settings: pools[i].settings,
      replicas: count,
      timing: timings[i],
      router,
    });
    if (pools.length === 1) return { aggregated: spec(0, replicas.decode) };
    return { prefill: spec(0, replicas.prefill), decode: spec(1, replicas.decode) };
  }

  async #router(knobs: ReplayTask["routerKnobs"], seed: number): Promise<RouterFactory> {
    const { router: { name, settings }, pools } = this.#recipe;
    const estimated = settings.prefillLoadModel === "aic";
    const model = estimated ? (await this.#deployments.of(pools[0].estimator!)).forwardPassModel() : null;
    return routerByName(name, {
      ...settings,
      ...(knobs && {
        overlapScoreCredit: knobs.overlap_score_credit,
        prefillLoadScale: knobs.prefill_load_scale,
        temperature: knobs.temperature,
      }),
      seed,
      ...(model && {
        prefillLoadMs: (newTokens: number, prefixTokens: number) => model.contextMs(1, newTokens, prefixTokens),
      }),
    });
  }

  async #addPlanner(simulation: Simulation, { fields, warmup }: NonNullable<ReplayTask["planner"]>): Promise<void> {
    const { pools, planner } = this.#recipe;
    const [first, last] = [pools[0].estimator, pools[pools.length - 1].estimator];
    await makePlanner(simulation, { ...planner, ...fields, retune: null, advisory: false }, {
      knowledge: { estimators: first && last && { first, last }, deployments: this.#deployments },
      history: warmup,
      captureDetails: false,
    });
  }
}

function metricsOf(summary: Summary): ReplayMetrics {
  const sampled = (mean: number | undefined, samples: number) => samples > 0 ? mean ?? null : null;
  return {
    output_throughput_tok_s: summary.output_throughput_tok_s,
    goodput_output_throughput_tok_s: summary.goodput_output_throughput_tok_s ?? 0,
    mean_output_token_throughput_per_user: summary.mean_output_token_throughput_per_user,
    mean_ttft_ms: sampled(summary.mean_ttft_ms, summary.num_ttft_samples),
    mean_itl_ms: sampled(summary.mean_itl_ms, summary.num_tpot_samples),
    mean_e2e_latency_ms: sampled(summary.mean_e2e_latency_ms, summary.num_e2e_latency_samples),
    gpu_hours: summary.gpu_hours,
    duration_ms: summary.duration_ms,
  };
}
