/**
 * What speaks against the measurements that a run's times come from: before it by passes that stand for its load, after
 * it by the passes that took its time.
 *
 * @module
 */
import type { PoolSpec } from "../cluster/spec.ts";
import type { WorkerSettings } from "../engine/settings.ts";
import type { Deployment } from "../timing/aic/deployment.ts";
import { Evidence } from "../timing/aic/evidence_check.ts";
import type { PassLoad } from "../timing/aic/forward_pass_model.ts";
import { precisionWarnings } from "../timing/aic/precision_check.ts";
import { type ExpectedLoad, probes } from "../timing/aic/probes.ts";
import { PassSampler, type TimedPass } from "../timing/pass_sampler.ts";
import type { Timing } from "../timing/timing.ts";
import type { Workload } from "../traffic/workload.ts";
import type { ClosedRole } from "./roles.ts";

/** One role whose times are measured. */
interface JudgedRole {
  readonly deployment: Deployment;
  readonly settings: WorkerSettings;
  readonly replicas: number;
  readonly evidence: Evidence;
  sampler: PassSampler | null;
}

/** Judges the measurements behind the roles of one run. */
export class RunEvidence {
  /** By role; null where times are not measured, or not by the role's own deployment. */
  readonly #roles: readonly (JudgedRole | null)[];

  /** @param ready timing models that replace a role's own */
  constructor(roles: readonly ClosedRole[], ready: readonly (Timing | undefined)[] = []) {
    this.#roles = roles.map(({ measured, settings, spec }, i) =>
      measured === null || ready[i] !== undefined ? null : {
        deployment: measured,
        settings,
        replicas: spec.replicas,
        evidence: new Evidence(measured),
        sampler: null,
      }
    );
  }

  /**
   * Warnings by a usual prompt and usual decode steps of a load, each once.
   *
   * @param concurrency sessions that are open at once, where the load says so
   */
  expected(workload: Workload, concurrency?: number): string[] {
    const warnings = this.#roles.flatMap((role) => {
      if (role === null) return [];
      const passes = probes(expectedLoad(workload, role, concurrency)).filter(of(role.settings.rank.role));
      return [...precisionWarnings(role.deployment, passes), ...role.evidence.ofEach(passes)];
    });
    return [...new Set(warnings)];
  }

  /** The pools, their passes looked at. */
  watched(pools: readonly PoolSpec[]): PoolSpec[] {
    return pools.map((pool, i) => {
      const role = this.#roles[i];
      return role === null ? pool : { ...pool, timing: role.sampler = new PassSampler(pool.timing) };
    });
  }

  /** Warnings by the passes that took the run's time, about what was not told before it. */
  played(): string[] {
    return this.#roles.flatMap((role) => {
      if (role === null || role.sampler === null) return [];
      const { settings: { rank }, deployment: { nextn }, evidence, sampler } = role;
      const passes = sampler.passes().map((pass) => ({ share: pass.share, load: loadOf(pass, nextn + 1) }));
      return evidence.ofAll(`the time of ${rank.role} passes`, passes);
    });
  }
}

/** Whether workers of a role run a pass. */
const of = (role: WorkerSettings["rank"]["role"]) => ({ num_decode_requests: decodes = 0 }: PassLoad) =>
  role === "aggregated" || (role === "decode") === decodes > 0;

/** @param width tokens that a sequence adds to the batch of a decode step: itself and its drafts */
function loadOf({ prompts, newTokens, priorTokens, decodes, contextTokens }: TimedPass, width: number): PassLoad {
  return {
    num_prefill_requests: prompts,
    sum_prefill_tokens: newTokens,
    sum_prefill_kv_tokens: priorTokens,
    num_decode_requests: decodes * width,
    sum_decode_kv_tokens: contextTokens * width,
  };
}

/** Sequences of a full decode step where nothing says how many are open at once. */
const USUAL_BATCH = 32;

/** What is known of a role's passes before a run; undefined of an empty load. */
function expectedLoad(
  { inputTokens, outputTokens, count }: Workload,
  { settings: { rank, dpSize }, replicas }: JudgedRole,
  concurrency: number | undefined,
): ExpectedLoad | undefined {
  if (count === 0) return undefined;
  const mean = (tokens: Int32Array) => tokens.reduce((sum, value) => sum + value, 0) / count;
  const promptTokens = Math.max(Math.round(mean(inputTokens)), 1);
  const open = concurrency === undefined ? USUAL_BATCH : Math.ceil(concurrency / (replicas * dpSize));
  return {
    promptTokens,
    contextTokens: promptTokens + Math.round(mean(outputTokens) / 2),
    batch: Math.min(open, rank.maxSequences),
    passTokens: rank.maxBatchedTokens,
  };
}
