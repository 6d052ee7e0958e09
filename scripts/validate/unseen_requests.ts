/** Errors of whole latencies with a profile that did not see all of the run. */
import { calibrate, type Calibrated } from "../../lib/calibrate/calibrate.ts";
import type { Measured } from "../../lib/calibrate/measured.ts";
import { measuredFigures, RequestReplay } from "../../lib/calibrate/simulate_requests.ts";
import { errorOf } from "../../lib/calibrate/statistics.ts";
import type { PredictionPlan } from "../../lib/config/plan.ts";
import type { SharedData } from "../../lib/replay/shared_data.ts";
import { signed } from "./tables.ts";

/** Errors of whole latencies with a profile that did not see all of the run, in percent. */
export async function unseenRequests(
  measured: Measured,
  plan: PredictionPlan,
  shared: SharedData,
): Promise<{ half: string; sweep: string }> {
  const { requests, passes } = measured,
    half = requests.length >> 1,
    real = passes.filter(({ segment }) => segment === "real");
  const like = (passes: Measured["passes"], requests: Measured["requests"]): Measured =>
    Object.assign(Object.create(Object.getPrototypeOf(measured)), measured, { passes, requests });
  const sweep = passes.filter(({ segment }) => segment === "sweep");
  const replay = new RequestReplay(measured, plan, shared), whole = measuredFigures(requests).e2e_latency_ms;
  const error = async ({ profile }: Calibrated, from: number) => {
    const { e2e_latency_ms: ms } = await replay.figures({ calibration: profile!, forced: true });
    const { mdape, bias } = errorOf(ms.subarray(from), whole.subarray(from));
    return `${mdape!.toFixed(1)} (${signed(bias)})`;
  };
  const early = [...sweep, ...real.slice(0, real.length >> 1)];
  const known = requests.map((request, i) => i < half ? request : { ...request, e2eMs: null });
  return {
    half: await error(await calibrate(like(early, known), plan, { shared }), half),
    sweep: await error(await calibrate(like(sweep, []), plan, { shared }), 0),
  };
}
