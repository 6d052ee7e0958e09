/**
 * Compares simulated figures with those of real GPUs and writes `docs/validation.md`: errors without a calibration and
 * with one, of measurements that the fit did not see. Bad figures stand there as they are.
 *
 * Run: `deno task validate [MEASURED]`; MEASURED is the folder of measurements (default `../shared/goldens/measured`).
 * Measurements of systems that do not ship are taken from the user's folder (`perf-data install b300_sxm`).
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { calibrate, type Calibrated } from "../../lib/calibrate/calibrate.ts";
import { chooseLevel } from "../../lib/calibrate/choose_level.ts";
import { correctedMs } from "../../lib/calibrate/fit_passes.ts";
import { passMetrics } from "../../lib/calibrate/pass_report.ts";
import { passSamples } from "../../lib/calibrate/pass_samples.ts";
import { readMeasured } from "../../lib/calibrate/read_measured.ts";
import { SharedData } from "../../lib/replay/shared_data.ts";
import { type Phase, PHASES } from "../../lib/timing/calibration/profile.ts";
import { chosenApart } from "./chosen_apart.ts";
import { MODELS, planOf, REFERENCE_TOTAL, requestsOf, sizesOf } from "./measured_runs.ts";
import { pointErrors, readPoints } from "./operating_points.ts";
import { page } from "./page.ts";
import { percent, signed } from "./tables.ts";
import { twinsDiffer } from "./twins.ts";
import { addUneven } from "./unevenness.ts";
import { unseenRequests } from "./unseen_requests.ts";

const folder = process.argv[2] ?? "../shared/goldens/measured";
if (!existsSync(folder)) {
  console.error(`validate: no measurements in ${folder}`);
  process.exit(0);
}

const shared = new SharedData();
const passes = [[
  "run",
  "phase",
  "n",
  "error",
  "bias",
  "held out: error",
  "bias",
  "level",
  "chosen apart",
  "twins differ by",
]];
const sweeps = [["run", "passes of the sweep", "real passes", "error", "error after"]];
const totals = [["run", "ours", "ours, calibrated", "reference 1.7"]];
const requests = [[
  "run",
  "metric",
  "n",
  "error",
  "bias",
  "with a calibration: error",
  "bias",
  "level",
  "first half → second",
  "sweep → run",
]];
const without: string[] = [];

function addRequests(run: string, { before, after, level }: Calibrated, half = "–", sweep = "–"): void {
  for (const metric of ["ttft_ms", "tpot_ms", "e2e_latency_ms"]) {
    const old = before[metric], now = after?.[metric];
    if (old === undefined) continue;
    requests.push([
      run,
      metric,
      `${old.n}`,
      percent(old),
      signed(old.bias),
      percent(now),
      signed(now?.bias),
      level,
      half,
      sweep,
    ]);
  }
}

for (const file of readdirSync(join(folder, "b300-passes")).toSorted()) {
  const run = file.replace(".csv.gz", ""), model = MODELS[run.split("_")[0]];
  try {
    const plan = await planOf(model, "b300_sxm", sizesOf(run), {});
    const [role] = plan.roles, measured = await readMeasured([join(folder, "b300-passes", file)]);
    measured.requests.push(...requestsOf(folder, run));
    if (measured.requests.length > 0) measured.concurrency = 32;
    const result = await calibrate(measured, plan, { shared });
    const estimates = (await shared.deployments.of(role.estimator)).forwardPassModel();
    const samples = passSamples(measured.passes, estimates), apart = chosenApart(samples);
    for (const [metric, old] of Object.entries(result.before)) {
      const phase = metric.match(/^(\w+)_pass_ms$/)?.[1], now = result.after?.[metric];
      if (phase === undefined || phase === "total") continue;
      passes.push([
        run,
        phase,
        `${old.n}`,
        percent(old),
        signed(old.bias),
        percent(now),
        signed(now?.bias),
        result.tried.findLast(({ phase: of, accepted }) => of === phase && accepted)?.level ?? "none",
        apart.get(phase as Phase)?.toFixed(1) ?? "–",
        twinsDiffer(samples, PHASES.indexOf(phase as Phase)),
      ]);
    }
    const { total_pass_ms: total } = result.before;
    const reference = signed(Object.hasOwn(REFERENCE_TOTAL, run) ? REFERENCE_TOTAL[run] : null);
    totals.push([run, signed(total.bias), signed(result.after?.total_pass_ms.bias), reference]);
    const unseen = measured.requests.length > 0 ? await unseenRequests(measured, plan, shared) : undefined;
    addRequests(run, result, unseen?.half, unseen?.sweep);
    const [sweep, real] = ["sweep", "real"].map((name) =>
      passSamples(measured.passes.filter(({ segment }) => segment === name), estimates)
    );
    if (sweep.count < 20 || real.count === 0) continue;
    const all = Int32Array.from({ length: real.count }, (_, row) => row);
    const after = passMetrics(real, correctedMs(real, all, chooseLevel(sweep).corrections)).pass_ms;
    const before = passMetrics(real, real.estimateMs).pass_ms;
    addUneven(run.split("_")[0], sweep, real);
    sweeps.push([run, `${sweep.count}`, `${real.count}`, percent(before), percent(after)]);
  } catch (problem) {
    without.push(`- ${run}: ${(problem as Error).message.split("\n").join(" ")}`);
  }
  console.error(`validate: ${run}`);
}

for (const run of readdirSync(join(folder, "rtxpro6000-requests")).toSorted()) {
  const meta = JSON.parse(readFileSync(join(folder, "rtxpro6000-requests", run, "meta.json"), "utf8"));
  const { model, tensor_parallel_size: tensor, max_num_seqs, max_num_batched_tokens } = meta.engine_kwargs;
  try {
    if (!run.startsWith("RTXPRO6000")) throw new Error("there are no measurements of operators on this GPU");
    const name = model === "meta-llama/Llama-3.1-8B" ? "meta-llama/Meta-Llama-3.1-8B" : model;
    const scheduler = { max_sequences: max_num_seqs, max_batched_tokens: max_num_batched_tokens };
    const plan = await planOf(name, "rtx_pro_6000_server", { tensor }, scheduler);
    const measured = await readMeasured([join(folder, "rtxpro6000-requests", run, "requests.jsonl")]);
    addRequests(run, await calibrate(measured, plan, { shared }));
  } catch (problem) {
    without.push(`- ${run}: ${(problem as Error).message.split("\n").join(" ")}`);
  }
  console.error(`validate: ${run}`);
}

const sample = join(folder, "silicon_sample-half.csv.gz");
const points = await pointErrors(existsSync(sample) ? readPoints(sample) : [], shared);
without.push(...points.without);
mkdirSync("docs", { recursive: true });
writeFileSync("docs/validation.md", page({ passes, sweeps, totals, requests, points, without }));
