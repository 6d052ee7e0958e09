/** What uneven lengths of a decode batch cost, as far as runs tell it that sweeps of even ones came before. */
import { correctedMs, fitPasses } from "../../lib/calibrate/fit_passes.ts";
import type { PassSamples } from "../../lib/calibrate/pass_samples.ts";
import { median } from "../../lib/calibrate/statistics.ts";
import { PHASES } from "../../lib/timing/calibration/profile.ts";
import { mean } from "./tables.ts";

/** What is tried as the cost of unevenness. */
const UNEVEN = [0, 0.35, 0.7, 1.05, 1.4, 1.75, 2.1, 2.8];
/** By model: errors of the decode steps of its runs, in percent, one for each of {@linkcode UNEVEN}. */
const unevenErrors = new Map<string, number[][]>();

/** How far a curve fitted to the decode steps of a sweep is off those of the run, by what unevenness costs. */
export function addUneven(family: string, sweep: PassSamples, real: PassSamples): void {
  const all = (samples: PassSamples) => Int32Array.from({ length: samples.count }, (_, row) => row);
  const steps = all(real).filter((row) => PHASES[real.phase[row]] === "decode");
  const errors = UNEVEN.map((uneven) => {
    const ms = correctedMs(real, steps, fitPasses(sweep, all(sweep), { level: "curves", of: "decode", uneven }));
    return 100 * median(Float64Array.from(steps, (row, i) => Math.abs(ms[i] / real.measuredMs[row] - 1)));
  });
  unevenErrors.set(family, [...unevenErrors.get(family) ?? [], errors]);
}

/** Mean error of the runs of some models with one of {@linkcode UNEVEN}. */
const unevenError = (families: readonly string[], at: number) => {
  const errors = families.flatMap((family) => unevenErrors.get(family)!.map((own) => own[at]));
  return errors.reduce((sum, error) => sum + error, 0) / errors.length;
};
const bestUneven = (families: readonly string[]) =>
  UNEVEN.keys().reduce((a, b) => unevenError(families, b) < unevenError(families, a) ? b : a);

/** What is left when the cost of unevenness is chosen on runs of all other models. */
export function unevenText(): string {
  const families = [...unevenErrors.keys()], together = bestUneven(families);
  const apart = families.map((family) => {
    const best = bestUneven(families.filter((other) => other !== family));
    return { family, best, errors: unevenErrors.get(family)!.map((own) => own[best]) };
  });
  const left = apart.flatMap(({ errors }) => errors), usual = UNEVEN.indexOf(1.4);
  return `with 1.4, which was chosen on these runs, a curve is ${
    unevenError(families, usual).toFixed(1)
  } % off their decode
steps, without it ${unevenError(families, 0).toFixed(1)} %. Best of what was tried on all of them is ${
    UNEVEN[together]
  }; chosen
on runs of the other models alone (${
    apart.map(({ family, best }) => `${UNEVEN[best]} for ${family}`).join(", ")
  }) it leaves ${mean(left)} %`;
}
