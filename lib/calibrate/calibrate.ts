/**
 * Compares measurements of a real system with what is simulated of it, and fits the simplest correction that pays.
 *
 * @module
 */
import type { PredictionPlan, RolePlan } from "../config/plan.ts";
import { checkOptions, ConfigError, type OptionNames, SimulationError } from "../errors.ts";
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
  replayFit,
  type RequestFit,
  unscaled,
} from "./fit_requests.ts";
import type { Measured } from "./measured.ts";
import { type ErrorRow, passErrorRows, passMetrics, withAfter } from "./pass_report.ts";
import { type PassSamples, passSamples } from "./pass_samples.ts";
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
  /** Time between passes that recordings do not hold, as a share of the time of passes; see `CalibrationProfile`. */
  between_passes: number;
  /** Why nothing was fitted; null when something was tried. */
  refused: string | null;
  /** Every level of passes that was tried. */
  tried: readonly TriedLevel[];
  /** Errors by group, without a calibration and with it. */
  groups: readonly ErrorRow[];
  /** Rows of the files that were left out, by reason. */
  skipped: Readonly<Record<string, number>>;
  /** What the files do not say and was assumed, as sentences. */
  assumed: readonly string[];
  /**
   * Pairs of passes whose time was recorded with the first of them, as engines that schedule ahead do now and then; it was
   * shared out in proportion to their estimates.
   */
  shared_times: number;
  /** The profile; null when nothing was fitted. */
  profile: CalibrationProfile | null;
}

/** What is known of one kind of measurements. */
type Part =
  & Omit<Calibrated, "skipped" | "assumed" | "shared_times" | "profile" | "request_overhead_ms" | "between_passes">
  & { fit: RequestFit | null };

/** What `calibrate` is at. */
export interface CalibrateProgress {
  /** The step: estimating passes, fitting passes, replaying requests. Each begins at a share of 0. */
  step: "estimating passes" | "fitting passes" | "replaying requests";
  /** The share of it that is done at least. */
  share: number;
}

/** Options of {@linkcode calibrate}. */
export interface CalibrateOptions {
  /** Whose passes were measured. Default: the only role of the plan. */
  role?: RolePlan["role"];
  /** Measurements and deployments that are loaded already. Default: new ones. */
  shared?: SharedData;
  /** Hears now and then how far it is. */
  onProgress?: (progress: CalibrateProgress) => void;
}

const OPTIONS: OptionNames<CalibrateOptions> = { role: true, shared: true, onProgress: true };

/** The role whose passes were measured. */
function measuredRole({ roles }: PredictionPlan, wanted: RolePlan["role"] | undefined): RolePlan {
  const found = wanted === undefined && roles.length === 1 ? roles[0] : roles.find(({ role }) => role === wanted);
  if (found !== undefined) return found;
  const names = roles.map(({ role }) => role).join(", ");
  const what = wanted === undefined ? "name the role whose passes were measured" : `the plan has no ${wanted} role`;
  throw new ConfigError(`${what} (${names})`);
}

/**
 * Compares and fits. Passes are compared with estimates, requests with a replay of them. Passes carry the correction of
 * passes; without any, requests carry one scale; requests carry the constant of a request.
 *
 * @param measured what {@linkcode readMeasured} read, or passes and requests from anywhere
 * @param plan the deployment that was measured; its load counts where the measurements do not say when requests came
 * @throws {SimulationError} when nothing can be compared
 * @throws {ConfigError} for a role that the plan has not, and where nobody says when requests came
 *
 * @example Finds a correction that is hidden in passes
 * ```ts
 * import { calibrate, deploy, loadPrediction, Measured } from "dynosim";
 *
 * const { plan } = await loadPrediction(`
 * engine: {model: Qwen/Qwen3-32B, hardware: h200_sxm, workers: {aggregated: {parallelism: {tensor: 2}}}}
 * `);
 * const model = deploy({ model: "Qwen/Qwen3-32B", hardware: "h200_sxm", tensor: 2 }).forwardPassModel();
 * const measured = new Measured();
 * for (let i = 0; i < 200; i++) {
 *   const decodes = 1 + i % 32, decodeTokens = 1000 * decodes;
 *   const ms = 1.25 * model.sumsMs(0, 0, 0, decodes, decodeTokens);
 *   measured.passes.push({ prompts: 0, promptTokens: 0, priorTokens: 0, decodes, decodeTokens, ms });
 * }
 * const { level, before, after, profile } = await calibrate(measured, plan);
 * console.log(level, before.pass_ms.mdape!.toFixed(1), after!.pass_ms.mdape!.toFixed(1)); // scale 20.0 0.0
 * console.log(profile!.phases.decode!.ratio.toFixed(3)); // 1.250
 * ```
 */
export async function calibrate(
  measured: Measured,
  plan: PredictionPlan,
  options: CalibrateOptions = {},
): Promise<Calibrated> {
  checkOptions("calibrate()", options, OPTIONS);
  const { shared = new SharedData(), onProgress } = options, role = measuredRole(plan, options.role);
  const at = (step: CalibrateProgress["step"]) => (share: number) => onProgress?.({ step, share });
  let sharedTimes = 0;
  const deployment = await shared.deployments.of(role.estimator);
  const key = calibrationKey(role.estimator.model, deployment);
  const skipped = Object.fromEntries(measured.skipped);
  const parts: Part[] = [];
  if (measured.passes.length > 0) {
    const samples = passSamples(measured.passes, deployment.forwardPassModel(), at("estimating passes"));
    sharedTimes = samples.split;
    if (samples.without.count > 0) skipped["passes that cannot be estimated"] = samples.without.count;
    if (samples.count > 0) parts.push(calibratePasses(samples, at("fitting passes")));
    else if (measured.requests.length === 0) {
      throw new SimulationError(`no pass that was measured can be estimated: ${samples.without.reason ?? "no time"}`);
    }
  }
  if (measured.requests.length > 0) {
    const replay = new RequestReplay(measured, plan, shared, at("replaying requests"));
    parts.push(await calibrateRequests(measured, replay, key, parts[0]?.fit ?? null));
  }
  if (parts.length === 0) {
    const left = Object.entries(skipped).map(([reason, count]) => `${count} × ${reason}`).join(", ");
    throw new SimulationError(`nothing that can be compared was measured${left && ` (left out: ${left})`}`);
  }
  const fit = parts.at(-1)!.fit ?? parts[0].fit;
  // Decode steps of one of several ranks wait for prompts of the others. Only requests tell how much of that a replay has not.
  if (key.attention_data > 1 && measured.requests.length === 0) delete fit?.phases.mixed?.beside_ms;
  const before = merged(parts.map((part) => part.before)), after = merged(parts.map((part) => part.after));
  const refused = parts.every((part) => part.refused !== null) ? parts[0].refused : null;
  return {
    before,
    after: fit === null ? null : after,
    level: fit?.level ?? "none",
    request_overhead_ms: fit?.request_overhead_ms ?? 0,
    between_passes: fit?.between_passes ?? 0,
    refused,
    tried: parts.flatMap(({ tried }) => tried),
    groups: parts.flatMap(({ groups }) => groups),
    skipped,
    assumed: assumedOf(measured),
    shared_times: sharedTimes,
    profile: fit && {
      ...profileOf(fit, key),
      n: { passes: measured.passes.length, requests: measured.requests.length },
      error: { before, after },
    },
  };
}

/** What the measurements leave open. */
function assumedOf({ requests, assumed }: Measured): string[] {
  const unlike = requests.filter(({ hashIds }) => hashIds === null).length;
  if (unlike === 0) return [...assumed];
  const which = unlike === requests.length ? "prompts" : `${unlike} of ${requests.length} prompts`;
  return [
    ...assumed,
    `${which} share no prefix: the files do not hold their content (Dynamo request traces do). If the engine reused ` +
    "prefixes, first tokens are simulated too late here",
  ];
}

const merged = (errors: readonly (MetricErrors | null)[]): MetricErrors => Object.assign({}, ...errors);

const profileOf = (fit: RequestFit, key: CalibrationKey): CalibrationProfile => ({
  format: "dynosim.calibration.v1",
  key,
  ...fit,
  n: { passes: 0, requests: 0 },
  error: { before: {}, after: {} },
});

function calibratePasses(samples: PassSamples, onShare: (share: number) => void): Part {
  const before = passMetrics(samples, samples.estimateMs), groups = passErrorRows(samples, samples.estimateMs);
  if (samples.count < LEAST_PASSES) {
    const refused = `too few passes for a correction: ${samples.count}, at least ${LEAST_PASSES} are needed`;
    return { before, after: null, level: "none", refused, tried: [], groups, fit: null };
  }
  const { level, corrections, tried, heldOutMs } = chooseLevel(samples, onShare);
  const fit = { level, ...corrections, request_overhead_ms: 0 };
  return {
    before,
    after: passMetrics(samples, heldOutMs, corrections.phases.mixed?.beside_ms),
    level,
    refused: null,
    tried,
    groups: withAfter(groups, passErrorRows(samples, heldOutMs)),
    fit,
  };
}

async function calibrateRequests(
  given: Measured,
  replay: RequestReplay,
  key: CalibrationKey,
  ofPasses: RequestFit | null,
): Promise<Part> {
  const { requests } = given, measured = measuredFigures(requests);
  const simulated = await replay.figures(null), all = requests.map((_, row) => row);
  const before = requestMetrics(simulated, measured, all), groups = requestErrorRows(given, simulated, measured);
  if (requests.length < LEAST_REQUESTS) {
    const refused = `too few requests for a correction: ${requests.length}, at least ${LEAST_REQUESTS} are needed`;
    return { before, after: null, level: "none", refused, tried: [], groups, fit: null };
  }
  const whole = (fit: RequestFit) => profileOf(fit, key);
  const corrected = ofPasses === null
    ? await fitScale(given, replay, simulated, measured, whole)
    : await replayFit(requests, replay, ofPasses, measured, whole);
  const start: FittedRequests = corrected ?? { fit: unscaled(given), simulated };
  const best = await fitOverhead(requests, replay, start, measured, whole) ?? corrected;
  const after = requestMetrics(best?.simulated ?? simulated, measured, halves(requests)[1]);
  return { before, after, level: best?.fit.level ?? "none", refused: null, tried: [], groups, fit: best?.fit ?? null };
}
