/**
 * What a search has come to, in the form of the reference's ledgers: records of candidates, counts, views, and which of
 * the ranked ones get a file of their own.
 *
 * @module
 */
import { canonicalJson } from "../planner/canonical_json.ts";
import type { Document } from "./candidate_document.ts";
import { candidateText } from "./describe.ts";
import { ROLE_NAMES, type RoleKey } from "./engine_domain.ts";
import { shapeText } from "./pool.ts";
import type { Recommended } from "./recommend.ts";
import { strategyOf, workerGpus } from "./shapes.ts";
import type { Evaluated, Status } from "./trial.ts";

/** A candidate as ledgers have it. */
export interface LedgerRecord {
  candidate_id: string;
  status: Status;
  config: Record<string, unknown>;
  /** The complete prediction; null when there is none. */
  prediction_config: Document | null;
  used_gpus: number;
  score: number | null;
  metrics: Record<string, number | null> | null;
  objectives: Record<string, number> | null;
  reason_category: string | null;
  reason: string | null;
  provenance: Record<string, unknown>;
}

/** `recommendation.json`. */
export interface Ledger {
  schema_version: string;
  candidate_retention: "all";
  candidates: LedgerRecord[];
  counts: Record<string, number>;
  views: { top_n: string[]; pareto_front: string[] };
  provenance: Record<string, unknown>;
}

/** A ledger and what is written beside it. */
export interface LedgerFiles {
  ledger: Ledger;
  /** Predictions of the ranked candidates, best first. */
  documents: Document[];
  /** Ranked candidates that got no file, because another one is the same deployment to the last figure. */
  folded: number;
}

const idOf = (index: number) => `candidate-${String(index + 1).padStart(6, "0")}`;

/** Puts everything a search has come to into the form of files. */
export function ledgerOf(found: Recommended, version: string): LedgerFiles {
  const { open, evaluated, ranked, repeats } = found;
  const ids = new Map(evaluated.map((result, i) => [result, idOf(i)]));
  const { selected, folded } = unfolded(ranked);
  const view = selected.map((result) => ids.get(result)!);
  const pareto = open.goal.target === "pareto";
  const count = (status: Status) => evaluated.filter((result) => result.status === status).length;
  const counts: Record<string, number> = Object.fromEntries(
    (["feasible", "infeasible", "unsupported", "timed_out", "failed", "resource_limited"] as const)
      .map((status) => [status, count(status)]),
  );
  counts.evaluated = counts.feasible + counts.infeasible + counts.timed_out + counts.failed;
  counts.cache_hits = repeats;
  return {
    ledger: {
      schema_version: "1.1",
      candidate_retention: "all",
      candidates: evaluated.map((result) => recordOf(found, result, ids.get(result)!)),
      counts,
      views: { top_n: pareto ? [] : view, pareto_front: pareto ? view : [] },
      provenance: runProvenance(found, version),
    },
    documents: selected.map((result) => result.trial.candidate.document!),
    folded,
  };
}

/** The ranked results without repetitions: of the same deployment, and of ones that only differ in limits without effect. */
function unfolded(ranked: readonly Evaluated[]): { selected: Evaluated[]; folded: number } {
  const whole = new Set<string>(), variants = new Set<string>();
  const selected: Evaluated[] = [];
  let folded = 0;
  for (const result of ranked) {
    const document = result.trial.candidate.document!;
    const text = canonicalJson(document);
    if (whole.has(text)) continue;
    whole.add(text);
    const { score, objectives, metrics } = result;
    const variant = canonicalJson({ document: withoutLimits(document), score, objectives, metrics });
    if (variants.has(variant)) {
      folded++;
      continue;
    }
    variants.add(variant);
    selected.push(result);
  }
  return { selected, folded };
}

function withoutLimits(document: Document): Document {
  const workers = Object.entries(document.engine.workers as Record<string, Document>)
    .map(([role, { scheduler: _, ...worker }]) => [role, worker]);
  return { ...document, engine: { ...document.engine, workers: Object.fromEntries(workers) } };
}

function recordOf(found: Recommended, result: Evaluated, id: string): LedgerRecord {
  const { trial: { candidate }, status, score, objectives, metrics, category, reason } = result;
  return {
    candidate_id: id,
    status,
    config: candidate.config,
    prediction_config: candidate.document,
    used_gpus: candidate.usedGpus,
    score,
    metrics: metrics && { ...metrics },
    objectives: objectives && { ...objectives },
    reason_category: category,
    reason,
    provenance: provenanceOf(found, result),
  };
}

function provenanceOf(
  { open: { search, goal } }: Recommended,
  { trial: { candidate } }: Evaluated,
): Record<string, unknown> {
  const { config, suggestion: { mode, backend, roles } } = candidate;
  const keys: readonly RoleKey[] = mode === "agg" ? ["agg"] : ["prefill", "decode"];
  const prefix = (key: RoleKey) => key === "agg" ? "" : `${key}_`;
  return {
    model: search.engine.model,
    hardware: search.engine.hardware,
    backend,
    backend_version: config.backend_version,
    performance_data: keys.map((key, i) => ({
      role: ROLE_NAMES[key],
      source: "backend_deployment",
      provider: "dynosim",
      config: {
        system: search.engine.roles[key]!.hardware,
        backend,
        backend_version: config.backend_version,
        model_path: search.engine.model,
        tp_size: roles[i].tensor,
        attention_dp_size: roles[i].attentionData,
        moe_tp_size: roles[i].moeTensor,
        moe_ep_size: roles[i].moeExpert,
      },
    })),
    topology: {
      deployment_mode: mode,
      ...Object.fromEntries(keys.flatMap((key, i) => [
        [`${prefix(key)}tp`, roles[i].tensor],
        [`${prefix(key)}pp`, roles[i].pipeline],
        [`${prefix(key)}attention_dp`, roles[i].attentionData],
        [`${prefix(key)}moe_tp`, roles[i].moeTensor],
        [`${prefix(key)}moe_ep`, roles[i].moeExpert],
        [`${prefix(key)}replicas`, roles[i].replicas],
        [`${prefix(key)}strategy`, strategyOf(roles[i])],
      ])),
    },
    objective: {
      target: goal.target,
      strict_sla: goal.strictSla,
      min_goodput_rps: goal.minGoodputRps,
      ...goal.minAttainment === null ? {} : { min_attainment: goal.minAttainment },
    },
    sla: goal.sla,
    power: { power_w: null, power_coverage: null, source: "runner_reported", unavailable_reason: "no energy provider" },
    operations: [],
    runner_metadata: {},
    description: candidateText(candidate),
  };
}

/** What was not looked at and why, beside what was searched and how. */
function runProvenance({ open, screened, interrupted }: Recommended, version: string): Record<string, unknown> {
  const { search, space, plan, id } = open;
  return {
    search_strategy: plan.algorithm,
    implementation: "dynosim.recommend",
    implementation_version: version,
    // named by what was searched instead of by the moment, so that the same search writes the same files
    run_id: id.slice(0, 32),
    created_at: null,
    input_fingerprint: `sha256:${id}`,
    config: search.written,
    stack: search.stack,
    space: {
      configurations: Number.isFinite(plan.size) ? plan.size : null,
      most_replays: plan.most,
      interrupted,
      ruled_out: space.ruledOut.map(({ mode, backend, role, shape, why, reason, combinations }) => ({
        deployment_mode: mode,
        backend,
        role: ROLE_NAMES[role],
        shape: shape && shapeText(shape),
        gpus_per_worker: shape && workerGpus(shape),
        why,
        reason,
        combinations,
      })),
      load_predictors: space.predictors,
      screened: screened.map(({ trial: { candidate, requests }, status, score, reason }) => ({
        config: candidate.config,
        requests,
        status,
        score,
        reason,
      })),
    },
  };
}
