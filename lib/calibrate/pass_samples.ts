/**
 * Measured passes beside their estimates, in columns.
 *
 * @module
 */
import { SimulationError } from "../errors.ts";
import type { ForwardPassModel } from "../timing/aic/forward_pass_model.ts";
import { type Phase, PHASES } from "../timing/calibration/profile.ts";
import { attentionOf } from "../timing/calibration/uneven.ts";
import type { MeasuredPass } from "./measured.ts";
import { median } from "./statistics.ts";

/** Passes in columns, in the order in which they were measured. */
export interface PassSamples {
  readonly count: number;
  /** Index into `PHASES`. */
  readonly phase: Uint8Array;
  /** Estimate without a calibration; a mixed pass as one (see `sumsMs`). */
  readonly estimateMs: Float64Array;
  readonly measuredMs: Float64Array;
  /** Prompt tokens computed. */
  readonly tokens: Float64Array;
  /** Sequences decoded. */
  readonly decodes: Float64Array;
  /** Prompts computed. */
  readonly prompts: Float64Array;
  /** Tokens of them that were known before. */
  readonly priorTokens: Float64Array;
  /** Tokens that the decoded sequences knew. */
  readonly contextTokens: Float64Array;
  /** Of decode steps: estimated time of attention by the unevenness of lengths, in milliseconds; 0 where not told. */
  readonly unevenMs: Float64Array;
  /** Passes that the operator database cannot estimate, and why the first of them cannot. */
  readonly without: { count: number; reason: string | null };
  /** Pairs of passes whose time was recorded with the first of them, see {@linkcode shareSplitTimes}. */
  readonly split: number;
}

/** Which phase a pass is of. */
const phaseOf = ({ promptTokens, decodes }: Pick<MeasuredPass, "promptTokens" | "decodes">): Phase =>
  promptTokens === 0 ? "decode" : decodes === 0 ? "prefill" : "mixed";

/** Passes between two reports of how far it is. */
const TELL_EVERY = 1 << 10;

/**
 * Estimates measured passes.
 *
 * @param onShare hears now and then which share of them was estimated
 */
export function passSamples(
  passes: readonly MeasuredPass[],
  model: ForwardPassModel,
  onShare?: (share: number) => void,
): PassSamples {
  const columns = {
    phase: new Uint8Array(passes.length),
    estimateMs: new Float64Array(passes.length),
    measuredMs: new Float64Array(passes.length),
    tokens: new Float64Array(passes.length),
    decodes: new Float64Array(passes.length),
    prompts: new Float64Array(passes.length),
    priorTokens: new Float64Array(passes.length),
    contextTokens: new Float64Array(passes.length),
    unevenMs: new Float64Array(passes.length),
  };
  const width = model.nextn + 1;
  const attention = attentionOf((decodes) => model.sumsMs(0, 0, 0, decodes * width, decodes * width));
  const without: PassSamples["without"] = { count: 0, reason: null };
  let count = 0;
  for (const [row, pass] of passes.entries()) {
    if (row % TELL_EVERY === 0) onShare?.(row / passes.length);
    const { prompts, promptTokens, priorTokens, decodes, decodeTokens, decodeVariance = 0, ms } = pass;
    let estimate = 0;
    try {
      estimate = model.sumsMs(prompts, promptTokens, priorTokens, decodes * width, decodeTokens * width);
    } catch (problem) {
      if (!(problem instanceof SimulationError)) throw problem;
      without.reason ??= problem.message;
    }
    if (!(estimate > 0)) {
      without.count++;
      continue;
    }
    columns.phase[count] = PHASES.indexOf(phaseOf(pass));
    columns.estimateMs[count] = estimate;
    columns.measuredMs[count] = ms;
    columns.tokens[count] = promptTokens;
    columns.decodes[count] = decodes;
    columns.priorTokens[count] = priorTokens;
    columns.contextTokens[count] = decodeTokens;
    columns.unevenMs[count] = promptTokens === 0 && decodeVariance > 0
      ? Math.sqrt(decodeVariance) / (decodeTokens / decodes) * attention(estimate, decodes)
      : 0;
    columns.prompts[count++] = prompts;
  }
  const samples = { count, ...cut(columns, count), without };
  return { ...samples, split: shareSplitTimes(samples) };
}

/** The same passes with estimates of decode steps that know how uneven lengths are. */
export function withUneven(samples: PassSamples, uneven: number): PassSamples {
  if (uneven === 0) return samples;
  return { ...samples, estimateMs: samples.estimateMs.map((ms, row) => ms + uneven * samples.unevenMs[row]) };
}

/** A pass that takes less than this share of what is usual for its phase was not timed alone. */
const TOO_SHORT = 0.3;

/**
 * Engines that schedule ahead report the time of two chunks of prompts now and then with the first of them: the second
 * seems to compute a thousand tokens in less than a millisecond. What both took together is right, and is shared out in
 * proportion to their estimates. Returns how many pairs there were.
 */
function shareSplitTimes(
  { count, phase, estimateMs, measuredMs }: Pick<PassSamples, "count" | "phase" | "estimateMs" | "measuredMs">,
): number {
  const decode = PHASES.indexOf("decode");
  const usual = PHASES.map((_, own) => {
    const rows = Array.from({ length: count }, (_, row) => row).filter((row) => phase[row] === own);
    return median(rows.map((row) => measuredMs[row] / estimateMs[row]));
  });
  let pairs = 0;
  for (let row = 1; row < count; row++) {
    const own = phase[row], before = row - 1;
    if (own === decode || phase[before] === decode) continue;
    if (measuredMs[row] >= TOO_SHORT * usual[own] * estimateMs[row]) continue;
    const ratio = (measuredMs[before] + measuredMs[row]) / (estimateMs[before] + estimateMs[row]);
    measuredMs[before] = ratio * estimateMs[before];
    measuredMs[row] = ratio * estimateMs[row];
    pairs++;
  }
  return pairs;
}

/** Some of the passes, in the order of `rows`. */
export function someSamples(samples: PassSamples, rows: Int32Array): PassSamples {
  const of = (column: Float64Array) => Float64Array.from(rows, (row) => column[row]);
  return {
    ...samples,
    count: rows.length,
    phase: Uint8Array.from(rows, (row) => samples.phase[row]),
    estimateMs: of(samples.estimateMs),
    measuredMs: of(samples.measuredMs),
    tokens: of(samples.tokens),
    decodes: of(samples.decodes),
    prompts: of(samples.prompts),
    priorTokens: of(samples.priorTokens),
    contextTokens: of(samples.contextTokens),
    unevenMs: of(samples.unevenMs),
  };
}

function cut<T extends Record<string, Uint8Array | Float64Array>>(columns: T, count: number): T {
  return Object.fromEntries(Object.entries(columns).map(([name, column]) => [name, column.subarray(0, count)])) as T;
}
