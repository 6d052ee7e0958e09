/** Estimates against the operating points of public benchmarks. */
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { errorOf } from "../../lib/calibrate/statistics.ts";
import type { SharedData } from "../../lib/replay/shared_data.ts";
import { planOf } from "./measured_runs.ts";
import { percent, signed } from "./tables.ts";

/** InferenceX draws lengths from 80 to 100 % of what is named. */
const DRAWN = 0.9;

/** One operating point of the sample that comes with the reference's data. */
type Point = Readonly<Record<string, string>>;

/** Simulated and measured milliseconds. */
type Pair = readonly [simulatedMs: number, measuredMs: number];

/** How far estimates are off at operating points. */
export interface PointErrors {
  /** A table: engine, GPU, model and precision with their errors. */
  rows: string[][];
  tpot: Pair[];
  ttft: Pair[];
  /** What has no figure, as lines of a list. */
  without: string[];
}

/** The points of a file that are of one pool of workers. */
export function readPoints(file: string): Point[] {
  const [head, ...lines] = gunzipSync(readFileSync(file)).toString("utf8").trim().split(/\r?\n/).map((line) =>
    line.split(",")
  );
  return lines.map((cells) => Object.fromEntries(head.map((name, i) => [name, cells[i]])))
    .filter(({ mode }) => mode === "agg");
}

/** A decode step, or a prompt, of one rank at each operating point, against what was measured. */
export async function pointErrors(points: readonly Point[], shared: SharedData): Promise<PointErrors> {
  const errors: PointErrors = {
    rows: [["engine", "GPU", "model", "precision", "n", "TPOT error", "bias", "n", "TTFT error", "bias"]],
    tpot: [],
    ttft: [],
    without: [],
  };
  const groups = Map.groupBy(
    points,
    ({ backend, system, model_path: model, precision }) => [backend, system, model, precision].join("|"),
  );
  const { roles: [{ estimator }] } = await planOf("Qwen/Qwen3-32B", "h200_sxm", {}, {});
  let left = 0, refused = 0;
  for (const [name, own] of [...groups].toSorted(([a], [b]) => a < b ? -1 : 1)) {
    const [backend, system, model, precision] = name.split("|");
    const tpot: Pair[] = [], ttft: Pair[] = [];
    for (const point of own) {
      const number = (key: string) => Number(point[key] || 1);
      const concurrency = Number(point.silicon_data_source.match(/silicon_concurrency=(\d+)/)?.[1] ?? NaN);
      const ranks = number("attention_dp_size"), decodes = Math.ceil(concurrency / ranks);
      const drawn = point.silicon_data_source.startsWith("db-dump") ? DRAWN : 1;
      const [input, output] = [number("isl"), number("osl")].map((length) => length * drawn);
      const decodeOnly = number("isl") <= 2048 && number("osl") >= 512 && decodes <= 64;
      if (!decodeOnly && concurrency > 4) {
        left++;
        continue;
      }
      try {
        const deployment = await shared.deployments.of({
          ...estimator,
          model: model.replace("meta-llama/Llama-3.1", "meta-llama/Meta-Llama-3.1"),
          system,
          backend: backend as typeof estimator.backend,
          tp: number("tp_size"),
          pp: number("pp_size"),
          attention_dp: ranks,
          moe_tp: number("moe_tp_size"),
          moe_ep: number("moe_ep_size"),
          gemm_quant_mode: point.gemm_quant_mode || null,
          moe_quant_mode: point.moe_quant_mode || null,
        });
        const passes = deployment.forwardPassModel();
        const step = passes.sumsMs(0, 0, 0, decodes, Math.round(decodes * (input + output / 2)));
        const prompt = passes.sumsMs(1, Math.round(input), 0, 0, 0);
        if (decodeOnly) tpot.push([step, number("silicon_tpot_ms")]);
        if (concurrency <= 4) ttft.push([prompt, number("silicon_ttft_ms")]);
      } catch {
        refused++;
      }
    }
    if (tpot.length + ttft.length === 0) continue;
    const cells = [tpot, ttft].flatMap((pairs) => {
      const error = errorOf(pairs.map(([ours]) => ours), pairs.map(([, theirs]) => theirs));
      return [`${pairs.length}`, percent(error), signed(error.bias)];
    });
    errors.rows.push([backend, system, model, precision, ...cells]);
    errors.tpot.push(...tpot);
    errors.ttft.push(...ttft);
    console.error(`validate: ${name}`);
  }
  if (refused > 0) {
    errors.without.push(`- ${refused} operating points: no measurements of their GPU, precision or operators here`);
  }
  if (left > 0) {
    errors.without.push(
      `- ${left} operating points: long prompts or many requests, whose TPOT is not that of decode steps`,
    );
  }
  return errors;
}

/** The error of all points together. */
export const overall = (pairs: readonly Pair[]) => {
  const { mdape, bias } = errorOf(pairs.map(([ours]) => ours), pairs.map(([, theirs]) => theirs));
  return `${mdape?.toFixed(1) ?? "–"} % (bias ${signed(bias)} %, ${pairs.length} points)`;
};
