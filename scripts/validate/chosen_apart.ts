/** Errors where the part that judges chose neither the fit nor its level. */
import { chooseLevel, foldsOf } from "../../lib/calibrate/choose_level.ts";
import { correctedMs } from "../../lib/calibrate/fit_passes.ts";
import { type PassSamples, someSamples } from "../../lib/calibrate/pass_samples.ts";
import { median } from "../../lib/calibrate/statistics.ts";
import { type Phase, PHASES } from "../../lib/timing/calibration/profile.ts";

/**
 * Errors of passes with prompts when the level is chosen, too, without the part that judges it, in percent by phase. Decode
 * steps are left out: their figures are of thousands of passes.
 */
export function chosenApart(samples: PassSamples): Map<Phase, number> {
  const folds = foldsOf(samples),
    rows = Int32Array.from({ length: samples.count }, (_, row) => row)
      .filter((row) => PHASES[samples.phase[row]] !== "decode");
  const apart = new Float64Array(samples.count);
  for (const fold of new Set(folds)) {
    const { corrections } = chooseLevel(someSamples(samples, rows.filter((row) => folds[row] !== fold)));
    const unseen = rows.filter((row) => folds[row] === fold);
    correctedMs(samples, unseen, corrections).forEach((ms, i) => apart[unseen[i]] = ms);
  }
  return new Map((["prefill", "mixed"] as const).map((phase) => {
    const own = rows.filter((row) => PHASES[samples.phase[row]] === phase);
    return [phase, 100 * median(Float64Array.from(own, (row) => Math.abs(apart[row] / samples.measuredMs[row] - 1)))];
  }));
}
