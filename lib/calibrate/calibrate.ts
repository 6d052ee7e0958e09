/**
 * Compares measurements of a real system with what is simulated of it, and fits the simplest correction that pays.
 *
 * @module
 */
import type { PredictionPlan, RolePlan } from "../config/plan.ts";
import { SimulationError } from "../errors.ts";
import { SharedData } from "../replay/shared_data.ts";
import { calibrationKey } from "../timing/calibration/key.ts";
import type {
  CalibrationError,
  CalibrationKey,
  CalibrationLevel,
  CalibrationProfile,
} from "../timing/calibration/profile.ts";
import { chooseLevel, LEAST_PASSES, type TriedLevel } from "./choose_level.ts";
import {
  fitOverhead,
  fitScale,
  type FittedRequests,
  halves,
  LEAST_REQUESTS,
  type RequestFit,
  unscaled,
} from "./fit_requests.ts";
import type { Measured } from "./measured.ts";
import { type ErrorRow, passErrorRows, passMetrics } from "./pass_report.ts";
import { passSamples } from "./pass_samples.ts";
import { requestErrorRows, requestMetrics } from "./request_report.ts";
import { measuredFigures, RequestReplay } from "./simulate_requests.ts";

/** Errors by metric: `decode_pass_ms`, `ttft_ms`, … in percent. */
export type MetricErrors = Record<string, CalibrationError>;

/** What `calibrate` says, as JSON has it. */
export interface Calibrated {
  /** Errors without a calibration. */
  before: MetricErrors;
  /** Errors with it, of measurements that the fit did not see. Null when nothing was fitted. */
  after: MetricErrors | null;
  /** What was fitted; `none` when nothing pays. */
  level: CalibrationLevel;
  /** Milliseconds that every request waits outside of the passes. */
  request_overhead_ms: number;
  /** Why nothing was fitted; null when something was tried. */
  refused: string | null;
  /** Every level of passes that was tried. */
  tried: readonly TriedLevel[];
  /** Errors without a calibration by group. */
  groups: readonly ErrorRow[];
  /** Rows of the files that were left out, by reason. */
  skipped: Readonly<Record<string, number>>;
  /** The profile; null when nothing was fitted. */
  profile: CalibrationProfile | null;
}

/** What is known of one kind of measurements. */
type Part = Omit<Calibrated, "skipped" | "profile" | "request_overhead_ms"> & { fit: RequestFit | null };

/** Options of {@linkcode calibrate}. */
export interface CalibrateOptions {
  /** Measurements and deployments that are loaded already. Default: new ones. */
  shared?: SharedData;
}

/**
 * Compares and fits. Passes are compared with estimates, requests with a replay of them. Passes carry the correction of
 * passes; without any, requests carry one scale; requests carry the constant of a request.
 *
 * @param plan the deployment that was measured; its load counts where the measurements do not say when requests came
 * @param role whose passes were measured
 * @throws {SimulationError} when nothing can be compared
 */
export async function calibrate(
  measured: Measured,
  plan: PredictionPlan,
  role: RolePlan,
  { shared = new SharedData() }: CalibrateOptions = {},
): Promise<Calibrated> {
  const deployment = await shared.deployments.of(role.estimator);
  const key = calibrationKey(role.estimator.model, deployment);
  const skipped = Object.fromEntries(measured.skipped);
  const parts: Part[] = [];
  if (measured.passes.length > 0) {
    const samples = passSamples(measured.passes, deployment.forwardPassModel());
    if (samples.without.count > 0) skipped["passes that cannot be estimated"] = samples.without.count;
    if (samples.count > 0) parts.push(calibratePasses(samples));
    else if (measured.requests.length === 0) {
      throw new SimulationError(`no pass that was measured can be estimated: ${samples.without.reason ?? "no time"}`);
    }
  }
  if (measured.requests.length > 0) {
    parts.push(await calibrateRequests(measured, plan, key, parts[0]?.fit ?? null, shared));
  }
  if (parts.length === 0) throw new SimulationError("nothing that can be compared was measured");
  const fit = parts.at(-1)!.fit ?? parts[0].fit;
  const before = merged(parts.map((part) => part.before)), after = merged(parts.map((part) => part.after));
  const refused = parts.every((part) => part.refused !== null) ? parts[0].refused : null;
  return {
    before,
    after: fit === null ? null : after,
    level: fit?.level ?? "none",
    request_overhead_ms: fit?.request_overhead_ms ?? 0,
    refused,
    tried: parts.flatMap(({ tried }) => tried),
    groups: parts.flatMap(({ groups }) => groups),
    skipped,
    profile: fit && {
      ...profileOf(fit, key),
      n: { passes: measured.passes.length, requests: measured.requests.length },
      error: { before, after },
    },
  };
}

const merged = (errors: readonly (MetricErrors | null)[]): MetricErrors => Object.assign({}, ...errors);

const profileOf = (fit: RequestFit, key: CalibrationKey): CalibrationProfile => ({
  format: "dynosim.calibration.v1",
  key,
  ...fit,
  n: { passes: 0, requests: 0 },
  error: { before: {}, after: {} },
});

function calibratePasses(samples: ReturnType<typeof passSamples>): Part {
  const before = passMetrics(samples, samples.estimateMs), groups = passErrorRows(samples, samples.estimateMs);
  if (samples.count < LEAST_PASSES) {
    const refused = `${samples.count} passes carry no correction; ${LEAST_PASSES} or more do`;
    return { before, after: null, level: "none", refused, tried: [], groups, fit: null };
  }
  const { level, corrections, tried, heldOutMs } = chooseLevel(samples);
  const fit = { level, ...corrections, request_overhead_ms: 0 };
  return { before, after: passMetrics(samples, heldOutMs), level, refused: null, tried, groups, fit };
}

async function calibrateRequests(
  given: Measured,
  plan: PredictionPlan,
  key: CalibrationKey,
  ofPasses: RequestFit | null,
  shared: SharedData,
): Promise<Part> {
  const { requests } = given, measured = measuredFigures(requests);
  const replay = new RequestReplay(given, plan, shared);
  const simulated = await replay.figures(null), all = requests.map((_, row) => row);
  const before = requestMetrics(simulated, measured, all), groups = requestErrorRows(given, simulated, measured);
  if (requests.length < LEAST_REQUESTS) {
    const refused = `${requests.length} requests carry no correction; ${LEAST_REQUESTS} or more do`;
    return { before, after: null, level: "none", refused, tried: [], groups, fit: null };
  }
  const whole = (fit: RequestFit) => profileOf(fit, key);
  const corrected = ofPasses === null
    ? await fitScale(given, replay, simulated, measured, whole)
    : { fit: ofPasses, simulated: await replay.figures({ calibration: whole(ofPasses), forced: true }) };
  const start: FittedRequests = corrected ?? { fit: unscaled(given), simulated };
  const best = await fitOverhead(requests, replay, start, measured, whole) ?? corrected;
  const after = requestMetrics(best?.simulated ?? simulated, measured, halves(requests)[1]);
  return { before, after, level: best?.fit.level ?? "none", refused: null, tried: [], groups, fit: best?.fit ?? null };
}
