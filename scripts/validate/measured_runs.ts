/** What the names and files of measured runs tell of their deployments. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Measured } from "../../lib/calibrate/measured.ts";
import { loadPrediction } from "../../lib/config/load.ts";

/** Figures of the newest reference on the same passes, in percent: bias of the time of all passes (1.7 development). */
export const REFERENCE_TOTAL: Readonly<Record<string, number>> = { qwen32_tp1_ep1: -7.8, qwen32_tp4_ep1: 7.7 };
/** Models by the first word of a run's name. */
export const MODELS: Readonly<Record<string, string>> = {
  qwen32: "Qwen/Qwen3-32B",
  // of the same architecture and sizes as the 3.6 that was measured, which does not come with facts
  qwen36: "Qwen/Qwen3.5-35B-A3B",
  dsv4: "deepseek-ai/DeepSeek-V4-Flash",
};

/** How a model is spread over GPUs. */
export interface Sizes {
  tensor: number;
  attention_data: number;
  moe_tensor: number;
  moe_expert: number;
}

/** Sizes as the names of the runs tell them: tensor-parallel ranks, expert-parallel ranks, the rest is data-parallel. */
export function sizesOf(name: string): Sizes {
  const [, tensor, expert] = name.match(/tp(\d+)_(?:tp\d+_)?ep(\d+)/)!.map(Number);
  const gpus = Math.max(tensor, expert), dense = name.startsWith("qwen32");
  return {
    tensor,
    attention_data: dense ? 1 : gpus / tensor,
    moe_tensor: dense ? 1 : gpus / expert,
    moe_expert: dense ? 1 : expert,
  };
}

/** The deployment of a run. */
export const planOf = async (model: string, hardware: string, parallelism: object, scheduler: object) =>
  (await loadPrediction(JSON.stringify({
    traffic: { source: { type: "synthetic" }, load: { type: "concurrency", concurrency: 32 }, stop: { requests: 32 } },
    engine: { model, hardware, workers: { aggregated: { parallelism, scheduler } } },
  }))).plan;

/** The requests of a run, where there is a file of them: a closed loop of 32. */
export function requestsOf(folder: string, name: string): Measured["requests"] {
  const end = name.match(/tp\d+_ep\d+/)![0], family = name.match(/^(qwen32|qwen36_dp_ep|qwen36_moe|dsv4_flash)/)![0];
  const file = readdirSync(join(folder, "b300-requests")).find((path) =>
    path.includes(family) && path.endsWith(`_${end}.csv`)
  );
  if (file === undefined || family === "dsv4_flash") return [];
  const [, ...lines] = readFileSync(join(folder, "b300-requests", file), "utf8").trim().split("\n");
  return lines.map((line) => {
    const [, inputTokens, outputTokens, seconds] = line.split(",").map(Number);
    const e2eMs = seconds * 1000;
    return { arrivalMs: null, inputTokens, outputTokens, hashIds: null, ttftMs: null, tpotMs: null, e2eMs };
  });
}
