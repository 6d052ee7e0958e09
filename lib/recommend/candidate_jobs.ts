/**
 * The job module of searches: replays a candidate's prediction and keeps its figures, or looks at its load and at what
 * its workers can do when idle. A trace is parsed once and measurements are loaded once in each worker.
 *
 * @module
 */
import { loadPrediction } from "../config/load.ts";
import type { PredictionPlan } from "../config/plan.ts";
import { ConfigError, SimulationError, TraceError } from "../errors.ts";
import { type JobControl, JobExpired, type JobFunction } from "../jobs/job.ts";
import type { Local } from "../jobs/queue/kind.ts";
import { located } from "../replay/located.ts";
import { planSpec } from "../replay/predict.ts";
import { closeRole, makePool } from "../replay/roles.ts";
import { run } from "../replay/run.ts";
import { SharedData } from "../replay/shared_data.ts";
import type { ReplaySpec, RoleSpec } from "../replay/spec.ts";
import type { Report } from "../report/report.ts";
import { limit } from "../trace/limit.ts";
import { readTrace } from "../trace/read_trace.ts";
import { loadRequests } from "../traffic/load_trace.ts";
import type { Traffic, Workload } from "../traffic/workload.ts";
import type { Category } from "./candidate.ts";
import type { Document } from "./candidate_document.ts";
import type { Metrics } from "./score.ts";

/** What is asked about a candidate, in plain data. */
export interface CandidateTask {
  /** A replay; the sizes of its load; or what its workers do at best, when they have nothing else to do. */
  ask: "replay" | "load" | "idle";
  document: Document;
  stack: string;
  /** Only the first requests of its load are replayed; null for all of them. */
  requests: number | null;
}

/** Sizes of a load. */
export interface LoadFacts {
  /** Requests of the load. */
  requests: number;
  /** Prompt tokens of its shortest request, and output tokens. */
  shortestPrompt: number;
  /** See `shortestPrompt`. */
  shortestOutput: number;
  /** Fewest prompt tokens that must be computed when everything that can be in the cache is. */
  leastNewTokens: number;
}

/** What a role does at best: a pass over the shortest prompt, and a decode step of one short sequence; or why it cannot. */
export type IdleRole = { prefillMs: number; decodeMs: number } | { problem: string };

/** What came of it. */
export type CandidateAnswer =
  | {
    ok: true;
    metrics: Metrics;
    /**
     * For each role, the smallest limit of sequences under which nobody would have waited for it; absent where the limit
     * counts for more than that.
     */
    sequences?: number[];
  }
  | { ok: true; load: LoadFacts }
  | { ok: true; load: LoadFacts; idle: IdleRole[] }
  | {
    ok: false;
    category: Category;
    reason: string;
    /** What is wrong with the trace, which would be the same for every candidate; absent when it is not that. */
    trace?: string;
  };

/** Figures of the host, which differ from run to run. */
const HOST_FIGURES = ["wall_time_ms", "processed_output_tokens_per_s", "processed_tokens_per_s"];

/** Formats whose traces can be cut off anywhere. */
export const PREFIX_FORMATS: readonly string[] = ["mooncake", "dynamo"];

/**
 * Makes the function that answers about candidates.
 *
 * @param local what may be used here, when candidates come from another machine; null: anything
 */
export function prepare(local: Local | null): JobFunction<CandidateTask, CandidateAnswer> {
  const worker = new CandidateWorker(local);
  return (task, control) => worker.answer(task, control);
}

class CandidateWorker {
  readonly #shared = new SharedData();
  readonly #local: Local | null;

  constructor(local: Local | null) {
    this.#local = local;
  }

  async answer({ ask, document, stack, requests }: CandidateTask, control: JobControl): Promise<CandidateAnswer> {
    let plan: PredictionPlan;
    try {
      const cut = requests === null ? document : shortened(document, requests);
      ({ plan } = await loadPrediction(JSON.stringify(cut), { name: "candidate", stack }));
    } catch (problem) {
      if (!(problem instanceof ConfigError)) throw problem;
      const what = problem.issues.map(({ path, message }) => path === "" ? message : `${path}: ${message}`).join("; ");
      const reason = "candidate adapter selection infeasible: generated prediction config is infeasible: ";
      return { ok: false, category: "adapter_constraint", reason: reason + (what || problem.message) };
    }
    try {
      const spec = this.#located(planSpec(plan, { plannerDetails: false, diagnostics: false }));
      if (ask === "load") return { ok: true, load: await this.#load(spec) };
      if (ask === "idle") {
        const load = await this.#load(spec);
        return { ok: true, load, idle: await Promise.all(spec.roles.map((role) => this.#idle(role, load))) };
      }
      return { ok: true, ...await this.#replay(spec, requests, control) };
    } catch (problem) {
      if (problem instanceof ConfigError) {
        return {
          ok: false,
          category: "candidate_materialization",
          reason: `candidate build failed: ${problem.message}`,
        };
      }
      if (!(problem instanceof SimulationError || problem instanceof TraceError)) throw problem;
      return {
        ok: false,
        category: "replay_runtime",
        reason: `replay failed: ${problem.name}: ${problem.message}`,
        ...(problem instanceof TraceError && { trace: problem.message }),
      };
    }
  }

  #located(spec: ReplaySpec): ReplaySpec {
    return this.#local === null ? spec : located(spec, this.#local);
  }

  async #replay(spec: ReplaySpec, requests: number | null, control: JobControl) {
    const { traffic } = spec;
    const part = requests !== null && traffic?.type === "trace" ? () => this.#part(traffic, requests) : undefined;
    let sequences: number[] | undefined;
    const report = await run(spec, {
      shared: this.#shared,
      ready: part && { traffic: part },
      onSequences(needed) {
        // a Planner works with the limit itself
        if (!spec.autoscaler) sequences = [...needed];
      },
      onProgress() {
        if (control.expired()) throw new JobExpired();
      },
    }).report;
    return { metrics: metricsOf(report), ...(sequences && { sequences }) };
  }

  /** The first requests of a trace. */
  #part(traffic: Extract<ReplaySpec["traffic"], { type: "trace" }>, requests: number): Promise<Traffic> {
    const { paths, format, blockTokens, speedup, concurrency } = traffic;
    const name = JSON.stringify({ requests, paths, format, blockTokens });
    return this.#shared.recorded(name, { speedup, concurrency }, () => {
      const rows = readTrace(paths[0], { format }).pipeThrough(limit(requests));
      return loadRequests(rows, { blockTokens, speedup, concurrency });
    });
  }

  async #load({ traffic, roles }: ReplaySpec): Promise<LoadFacts> {
    const blockTokens = async () => (await closeRole(roles[0], this.#shared.deployments)).settings.rank.blockTokens;
    const { workload } = await this.#shared.traffic(traffic!, blockTokens);
    return factsOf(workload, traffic!.type === "trace");
  }

  async #idle(role: RoleSpec, { shortestPrompt, leastNewTokens }: LoadFacts): Promise<IdleRole> {
    const { deployments } = this.#shared;
    try {
      const closed = await closeRole(role, deployments);
      const { settings: { rank } } = closed;
      const { timing } = await makePool(closed, nowhere, deployments);
      const computed = rank.prefixCaching ? leastNewTokens : shortestPrompt;
      return {
        prefillMs: role.role === "decode" ? 0 : timing.prefillMs(1, computed, shortestPrompt - computed),
        decodeMs: role.role === "prefill" ? 0 : timing.decodeMs(1, shortestPrompt, rank.blocks * rank.blockTokens),
      };
    } catch (problem) {
      if (!(problem instanceof ConfigError || problem instanceof SimulationError)) throw problem;
      return { problem: problem.message };
    }
  }
}

const nowhere = () => {
  throw new SimulationError("nothing is placed here");
};

/** A synthetic load ends after so many requests; a trace is cut when it is read. */
function shortened(document: Document, requests: number): Document {
  if (document.traffic.source.type === "trace") return document;
  return { ...document, traffic: { ...document.traffic, stop: { requests } } };
}

function factsOf({ count, inputTokens, outputTokens, blockTokens }: Workload, shares: boolean): LoadFacts {
  let prompt = Infinity, output = Infinity;
  for (let request = 0; request < count; request++) {
    prompt = Math.min(prompt, inputTokens[request]);
    output = Math.min(output, outputTokens[request]);
  }
  // of a prompt that was seen before, everything but its last block may be in the cache
  return {
    requests: count,
    shortestPrompt: prompt,
    shortestOutput: output,
    leastNewTokens: shares ? Math.min(prompt, (prompt - 1) % blockTokens + 1) : prompt,
  };
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
