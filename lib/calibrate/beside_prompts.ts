/**
 * What a pass with prompts costs the decode steps beside it. Engines that schedule ahead launch its kernels while the
 * step before is waited for, and fill their pipeline again in the step after; a recorder counts that time with those
 * steps. Medians by size lose it, so that simulated runs would be too short.
 *
 * @module
 */
import { PHASES } from "../timing/calibration/profile.ts";
import type { PassSamples } from "./pass_samples.ts";

/** Fewer mixed passes tell nothing of their neighbours. */
const LEAST_OF_MIXED = 20;
/** Less than this share of all time is left alone. */
const LEAST_SHARE = 0.001;

/**
 * Milliseconds that a mixed pass costs its neighbours, as a mean of all mixed passes; 0 where it is not much.
 *
 * @param correctedMs every pass as a correction gives it
 */
export function besidePromptsMs({ count, phase, measuredMs }: PassSamples, correctedMs: Float64Array): number {
  const decode = PHASES.indexOf("decode"), mixed = PHASES.indexOf("mixed");
  let beyond = 0, passes = 0, all = 0;
  for (let row = 0; row < count; row++) {
    all += measuredMs[row];
    if (phase[row] === mixed) passes++;
    if (phase[row] !== decode) continue;
    const before = row > 0 && phase[row - 1] !== decode ? correctedMs[row - 1] : 0;
    const after = row + 1 < count && phase[row + 1] !== decode ? correctedMs[row + 1] : 0;
    // a step that is longer by more than the pass beside it waited for something else: prompts of other ranks, a compiler
    if (before + after > 0) beyond += Math.min(measuredMs[row] - correctedMs[row], Math.max(before, after));
  }
  return passes >= LEAST_OF_MIXED && beyond > LEAST_SHARE * all ? beyond / passes : 0;
}
