/**
 * The kinds of autoscalers a run can have. A new one is a file with a `makeAutoscaler` and a line here.
 *
 * @module
 */
import type { ClusterOutcome, PoolSpec } from "../cluster/spec.ts";
import type { EstimatorConfig } from "../config/plan.ts";
import { ConfigError, nearName } from "../errors.ts";
import type { TrafficObservation } from "../forecast/history.ts";
import type { RecordedPlanner } from "../report/planner_recorder.ts";
import type { ScalingPolicy } from "../planner/policy.ts";
import type { PlannerSection, PlannerTick } from "../report/planner_section.ts";
import type { Report } from "../report/report.ts";
import type { RouterFactory } from "../router/router.ts";
import type { CalibrationProfile } from "../timing/calibration/profile.ts";
import type { Deployments } from "../timing/deployments.ts";
import type { Traffic } from "../traffic/workload.ts";
import type { AutoscalerSpec, CaptureSpec } from "./spec.ts";

/** What an autoscaler may know of its run. */
export interface AutoscalerContext {
  traffic: Traffic;
  /** Aggregated: one pool; disaggregated: prefill, then decode. */
  pools: readonly PoolSpec[];
  /** Identity of each pool in the operator database; null where it is unknown. */
  estimators: readonly (EstimatorConfig | null)[];
  /** Calibration of each pool; null without one. */
  calibrations: readonly (CalibrationProfile | null)[];
  /** Where the models of those identities come from. */
  deployments: Deployments;
  /** What the report is to keep. */
  capture: CaptureSpec;
  /** Past traffic, where the run is given some that its configuration does not name. */
  history?: readonly TrafficObservation[];
  /** Told what is in vain. */
  onWarning?: (message: string) => void;
}

/** An autoscaler of one run. */
export interface Autoscaler {
  /** Asked by the cluster. */
  readonly policy: ScalingPolicy;
  /** The Planner that a retune can be put around; null for other kinds. */
  readonly planner: RecordedPlanner | null;
  /** Ticks so far, for whoever watches the run. */
  ticks(): readonly PlannerTick[];
  /** The report's section. */
  section(outcome: ClusterOutcome): PlannerSection | null;
  /** What stands in front of a pool's router: where requests wait while a pool has no workers. Default nothing. */
  before?(router: RouterFactory, pool: number): RouterFactory;
  /** Writes files once the report stands. */
  finish(report: Report): Promise<void>;
}

/** Makes the autoscaler of a run. */
export type MakeAutoscaler = (spec: AutoscalerSpec, context: AutoscalerContext) => Promise<Autoscaler>;

/** A module by its place beside this one; see `cli/main.ts`. */
const part = <M>(file: string): Promise<M> => import(import.meta.resolve(file));

/** Each kind is loaded when a run asks for it. */
const AUTOSCALERS: Readonly<Record<string, () => Promise<{ makeAutoscaler: MakeAutoscaler }>>> = {
  planner: () => part<typeof import("./planner_autoscaler.ts")>("./planner_autoscaler.ts"),
  hpa: () => part<typeof import("./hpa_autoscaler.ts")>("./hpa_autoscaler.ts"),
  keda: () => part<typeof import("./keda_autoscaler.ts")>("./keda_autoscaler.ts"),
};

/** Names of all kinds. */
export const AUTOSCALER_KINDS: readonly string[] = Object.keys(AUTOSCALERS);

/**
 * Makes an autoscaler.
 *
 * @throws {ConfigError} for a kind that is not known, and a configuration that does not fit
 */
export async function autoscalerFrom(spec: AutoscalerSpec, context: AutoscalerContext): Promise<Autoscaler> {
  if (!Object.hasOwn(AUTOSCALERS, spec.kind)) {
    const near = nearName(spec.kind, AUTOSCALER_KINDS);
    const message =
      `autoscaler ${JSON.stringify(spec.kind)} is not known; known kinds: ${AUTOSCALER_KINDS.join(", ")}` +
      (near ? ` (did you mean '${near}'?)` : "");
    throw new ConfigError(message, [{ path: "autoscaler.kind", message }]);
  }
  const { makeAutoscaler } = await AUTOSCALERS[spec.kind]();
  return await makeAutoscaler(spec, context);
}

/** A scaling policy of a script's own as the autoscaler of a run; the report has no section of it. */
export function scriptedAutoscaler(policy: ScalingPolicy): Autoscaler {
  return { policy, planner: null, ticks: () => [], section: () => null, finish: () => Promise.resolve() };
}
