/**
 * Fits what requests alone can tell: one scale for all passes, found by replaying until the median time per output token
 * is the measured one, and a constant that every request waits outside of the passes. Both are fitted to every other
 * request and judged by the rest. Two scales, for prefill and decode, are not told apart well enough by requests: tried
 * on measured runs, they made one of three worse.
 *
 * @module
 */
import type { CalibrationProfile, PhaseCorrection } from "../timing/calibration/profile.ts";
import type { Measured, MeasuredRequest } from "./measured.ts";
import { MOST_SCALE_REPLAYS, mostOpen, type RequestFigures, type RequestReplay } from "./simulate_requests.ts";
import { median } from "./statistics.ts";

/** Fewer requests are reported, not fitted. */
export const LEAST_REQUESTS = 20;
/** A step must take this share off the held-out error. */
const MUST_TAKE_OFF = 0.2;
/** How near (a share) the medians must come. */
const NEAR = 0.001;
/** Replays that a search for the time between passes takes at most. */
const BETWEEN_REPLAYS = 3;
const LEAST_SCALE = 0.25, MOST_SCALE = 4;

/** What requests carry of a profile. */
export type RequestFit = Pick<CalibrationProfile, "level" | "phases" | "request_overhead_ms" | "between_passes">;

/** What came of it. */
export interface FittedRequests {
  readonly fit: RequestFit;
  readonly simulated: RequestFigures;
}

/** Median absolute error of some requests, as a share; NaN when none has the figure. */
function errorShare(
  metric: keyof RequestFigures,
  simulated: RequestFigures,
  measured: RequestFigures,
  rows: readonly number[],
): number {
  const own = rows.filter((row) => measured[metric][row] > 0 && !Number.isNaN(simulated[metric][row]));
  return median(own.map((row) => Math.abs(simulated[metric][row] / measured[metric][row] - 1)));
}

/**
 * Fits a scale.
 *
 * @param profileOf the whole profile of what was fitted, for a replay
 * @returns null when it does not pay
 */
export async function fitScale(
  given: Measured,
  replay: RequestReplay,
  before: RequestFigures,
  measured: RequestFigures,
  profileOf: (fit: RequestFit) => CalibrationProfile,
): Promise<FittedRequests | null> {
  const { requests } = given, [seen, unseen] = halves(requests);
  const metric = metricOf(measured, seen);
  const middle = (figures: RequestFigures) =>
    median(
      seen.filter((row) => measured[metric][row] > 0 && !Number.isNaN(figures[metric][row]))
        .map((row) => figures[metric][row]),
    );
  const wanted = middle(measured);
  let scale = 1, best: FittedRequests | null = null, nearest = Infinity;
  for (let i = 0; i < MOST_SCALE_REPLAYS && nearest > NEAR; i++) {
    const fit = scaled(given, scale);
    const simulated = await replay.figures({ calibration: profileOf(fit), forced: true });
    const ratio = wanted / middle(simulated);
    if (!(ratio > 0)) return null;
    if (Math.abs(ratio - 1) < nearest) [best, nearest] = [{ fit, simulated }, Math.abs(ratio - 1)];
    scale = Math.min(Math.max(scale * ratio, LEAST_SCALE), MOST_SCALE);
  }
  const error = (figures: RequestFigures) => errorShare(metric, figures, measured, unseen);
  const whole = (figures: RequestFigures) => errorShare("e2e_latency_ms", figures, measured, unseen);
  const pays = best !== null && error(best.simulated) < error(before) * (1 - MUST_TAKE_OFF) &&
    !(whole(best.simulated) > whole(before));
  return pays ? best : null;
}

/**
 * Replays with the correction of passes, and finds what lies between them: recorded passes do not fill the time of a run.
 * What mixed passes cost their neighbours is left out where it is worse for the requests that are fitted to; time between
 * passes is kept only where it is better for the others.
 */
export async function replayFit(
  requests: readonly MeasuredRequest[],
  replay: RequestReplay,
  fit: RequestFit,
  measured: RequestFigures,
  profileOf: (fit: RequestFit) => CalibrationProfile,
): Promise<FittedRequests> {
  const [seen, unseen] = halves(requests), { mixed } = fit.phases;
  const replayed = async (fit: RequestFit): Promise<FittedRequests> => {
    return { fit, simulated: await replay.figures({ calibration: profileOf(fit), forced: true }) };
  };
  const error = ({ simulated }: FittedRequests, rows = seen) => errorShare("e2e_latency_ms", simulated, measured, rows);
  const better = (a: FittedRequests, b: FittedRequests) => error(b) < error(a) ? b : a;
  const starts = [await replayed(fit)];
  if (mixed?.beside_ms) {
    const { beside_ms: _, ...alone } = mixed;
    starts.push(await replayed({ ...fit, phases: { ...fit.phases, mixed: alone } }));
  }
  const plain = starts.reduce(better), metric = metricOf(measured, seen);
  const spread: FittedRequests[] = [];
  for (const start of starts) {
    let best = start;
    for (let i = 0; i < BETWEEN_REPLAYS; i++) {
      const missing = median(
        seen.map((row) => measured[metric][row] / best.simulated[metric][row]).filter((ratio) => !Number.isNaN(ratio)),
      );
      const between = (1 + (best.fit.between_passes ?? 0)) * missing - 1;
      if (!(between > 0 && between < MOST_SCALE) || Math.abs(missing - 1) < NEAR) break;
      best = await replayed({ ...best.fit, between_passes: between });
    }
    if (best !== start) spread.push(best);
  }
  if (spread.length === 0) return plain;
  const best = spread.reduce(better);
  return error(best) < error(plain) && error(best, unseen) < error(plain, unseen) * (1 - MUST_TAKE_OFF) ? best : plain;
}

/** The figure that passes alone decide, where it was measured. */
const metricOf = (measured: RequestFigures, rows: readonly number[]) =>
  rows.some((row) => measured.tpot_ms[row] > 0) ? "tpot_ms" : "e2e_latency_ms";

/**
 * Fits the constant of a request, to times to first token or, where none was measured, to whole latencies.
 *
 * @param from what corrects the passes
 * @returns null when it does not pay
 */
export async function fitOverhead(
  requests: readonly MeasuredRequest[],
  replay: RequestReplay,
  { fit, simulated }: FittedRequests,
  measured: RequestFigures,
  profileOf: (fit: RequestFit) => CalibrationProfile,
): Promise<FittedRequests | null> {
  const [seen, unseen] = halves(requests);
  const metric = seen.some((row) => measured.ttft_ms[row] > 0) ? "ttft_ms" : "e2e_latency_ms";
  const left = (figures: RequestFigures) =>
    median(seen.map((row) => measured[metric][row] - figures[metric][row]).filter((ms) => !Number.isNaN(ms)));
  const first = left(simulated);
  if (!(first > 0)) return null;
  const heldBack = async (overheadMs: number): Promise<FittedRequests> => {
    const held: RequestFit = { ...fit, request_overhead_ms: overheadMs };
    return { fit: held, simulated: await replay.figures({ calibration: profileOf(held), forced: true }) };
  };
  let best = await heldBack(first);
  const error = (figures: RequestFigures, rows = unseen) => errorShare(metric, figures, measured, rows);
  // requests that are held back meet others than before
  const more = first + left(best.simulated);
  if (more > 0 && Math.abs(more / first - 1) > NEAR) {
    const other = await heldBack(more);
    if (error(other.simulated, seen) < error(best.simulated, seen)) best = other;
  }
  const whole = (figures: RequestFigures) => errorShare("e2e_latency_ms", figures, measured, unseen);
  const { simulated: later } = best;
  const pays = error(later) < error(simulated) * (1 - MUST_TAKE_OFF) && !(whole(later) > whole(simulated) * 1.05);
  return pays ? best : null;
}

/** Every other request. */
export function halves(requests: readonly unknown[]): [number[], number[]] {
  const rows = requests.map((_, row) => row);
  return [rows.filter((row) => row % 2 === 0), rows.filter((row) => row % 2 === 1)];
}

/** Passes as they are. */
export const unscaled = (given: Measured): RequestFit => ({ ...scaled(given, 1), level: "none" });

/** One ratio for everything; seen is what the requests imply of the passes that served them. */
function scaled(given: Measured, ratio: number): RequestFit {
  const inputs = given.requests.map(({ inputTokens }) => inputTokens), open = mostOpen(given);
  const longest = inputs.reduce((a, b) => Math.max(a, b)), all = inputs.reduce((a, b) => a + b);
  const tokens: [number, number] = [1, Math.min(longest * open, all)];
  const phase = (decodes: boolean, prompts: boolean): PhaseCorrection => ({
    ratio,
    constant_ms: 0,
    curve: [],
    n: 0,
    seen: { decode_requests: decodes ? [1, open] : null, prefill_tokens: prompts ? tokens : null },
  });
  const phases = { prefill: phase(false, true), decode: phase(true, false), mixed: phase(true, true) };
  return { level: "scale", phases, request_overhead_ms: 0 };
}
