/**
 * The job module of searches: replays a candidate's prediction and keeps its figures.
 *
 * @module
 */
import { loadPrediction } from "../config/load.ts";
import type { PredictionPlan } from "../config/plan.ts";
import { ConfigError, SimulationError, TraceError } from "../errors.ts";
import { type JobControl, JobExpired, type JobFunction } from "../jobs/job.ts";
import { predict } from "../replay/predict.ts";
import type { Report } from "../report/report.ts";
import type { Category, Document } from "./candidate.ts";
import type { Metrics } from "./score.ts";

/** A candidate to be replayed, in plain data. */
export interface CandidateTask {
  document: Document;
  stack: string;
  /** Only the first requests of its load are replayed; null for all of them. */
  requests: number | null;
}

/** What came of it. */
export type CandidateAnswer =
  | { ok: true; metrics: Metrics }
  | { ok: false; category: Category; reason: string };

/** Figures of the host, which differ from run to run. */
const HOST_FIGURES = ["wall_time_ms", "processed_output_tokens_per_s", "processed_tokens_per_s"];

/** Makes the function that replays candidates. */
export function prepare(_setup: null): JobFunction<CandidateTask, CandidateAnswer> {
  return async ({ document, stack, requests }, control) => {
    let plan: PredictionPlan;
    try {
      ({ plan } = await loadPrediction(JSON.stringify(document), { name: "candidate", stack }));
    } catch (problem) {
      if (!(problem instanceof ConfigError)) throw problem;
      const what = problem.issues.map(({ path, message }) => path === "" ? message : `${path}: ${message}`).join("; ");
      return {
        ok: false,
        category: "adapter_constraint",
        reason: `candidate adapter selection infeasible: generated prediction config is infeasible: ${
          what || problem.message
        }`,
      };
    }
    try {
      return { ok: true, metrics: metricsOf(await replayed(plan, requests, control)) };
    } catch (problem) {
      if (problem instanceof ConfigError) {
        return {
          ok: false,
          category: "candidate_materialization",
          reason: `candidate build failed: ${problem.message}`,
        };
      }
      if (!(problem instanceof SimulationError || problem instanceof TraceError)) throw problem;
      return { ok: false, category: "replay_runtime", reason: `replay failed: ${problem.name}: ${problem.message}` };
    }
  };
}

async function replayed(plan: PredictionPlan, _requests: number | null, control: JobControl): Promise<Report> {
  return await predict(plan, {
    onProgress() {
      if (control.expired()) throw new JobExpired();
    },
  });
}

/** Every figure of a report that does not depend on the host. */
function metricsOf({ summary, planner }: Report): Metrics {
  const metrics: Record<string, number | null> = {};
  for (const [name, value] of Object.entries(summary)) {
    if (!HOST_FIGURES.includes(name) && (typeof value === "number" || value === null)) metrics[name] = value;
  }
  if (planner) metrics.planner_total_ticks = planner.total_ticks;
  return metrics;
}
