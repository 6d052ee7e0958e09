/**
 * Compares measurements of a real system with what is simulated of it, and fits the simplest correction that pays.
 *
 * @module
 */
import { SimulationError } from "../errors.ts";
import type { Deployment } from "../timing/aic/deployment.ts";
import { calibrationKey } from "../timing/calibration/key.ts";
import type { CalibrationError, CalibrationLevel, CalibrationProfile } from "../timing/calibration/profile.ts";
import { chooseLevel, LEAST_PASSES, type TriedLevel } from "./choose_level.ts";
import type { Measured } from "./measured.ts";
import { type ErrorRow, passErrorRows, passMetrics } from "./pass_report.ts";
import { passSamples } from "./pass_samples.ts";

/** Errors by metric: `decode_pass_ms`, `ttft_ms`, … in percent. */
export type MetricErrors = Record<string, CalibrationError>;

/** What `calibrate` says, as JSON has it. */
export interface Calibrated {
  /** Errors without a calibration. */
  before: MetricErrors;
  /** Errors with it, of measurements that the fit did not see. Absent when nothing could be fitted. */
  after: MetricErrors | null;
  /** What was fitted; `none` when nothing pays. */
  level: CalibrationLevel;
  /** Why nothing was fitted; null when something was tried. */
  refused: string | null;
  /** Every level that was tried. */
  tried: readonly TriedLevel[];
  /** Errors without a calibration by group. */
  groups: readonly ErrorRow[];
  /** Rows of the files that were left out, by reason. */
  skipped: Readonly<Record<string, number>>;
  /** The profile; null when nothing was fitted. */
  profile: CalibrationProfile | null;
}

/**
 * Compares and fits forward passes.
 *
 * @param model name of the model, for the profile's key
 */
export function calibratePasses(measured: Measured, model: string, deployment: Deployment): Calibrated {
  const samples = passSamples(measured.passes, deployment.forwardPassModel());
  const skipped = Object.fromEntries(measured.skipped);
  if (samples.without.count > 0) skipped["passes that cannot be estimated"] = samples.without.count;
  if (samples.count === 0) {
    throw new SimulationError(
      `no pass of the measurements can be estimated: ${samples.without.reason ?? "none is given"}`,
    );
  }
  const before = passMetrics(samples, samples.estimateMs), groups = passErrorRows(samples, samples.estimateMs);
  const report = { before, groups, skipped };
  if (samples.count < LEAST_PASSES) {
    const refused = `${samples.count} passes carry no correction; ${LEAST_PASSES} or more do`;
    return { ...report, after: null, level: "none", refused, tried: [], profile: null };
  }
  const { level, corrections, tried, heldOutMs } = chooseLevel(samples);
  const after = passMetrics(samples, heldOutMs);
  const profile: CalibrationProfile = {
    format: "dynosim.calibration.v1",
    key: calibrationKey(model, deployment),
    level,
    ...corrections,
    request_overhead_ms: 0,
    n: { passes: samples.count, requests: 0 },
    error: { before, after },
  };
  return { ...report, after, level, refused: null, tried, profile };
}
