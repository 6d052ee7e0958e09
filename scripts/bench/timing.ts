/**
 * What an estimate from measured operators costs: a cold start up to the first estimates, then warm calls the way a
 * replay makes them. Times are of the processor, because neighbours on the machine would spoil the clock's.
 *
 * Run: `deno run -A scripts/bench/timing.ts`
 */
import process from "node:process";
import type { ForwardPassModel } from "../../lib/timing/aic/forward_pass_model.ts";
import { deploy, type DeployOptions } from "../../lib/timing/aic/operator_timing.ts";
import { PerfCatalog } from "../../lib/timing/aic/catalog.ts";

const CALLS = 400_000;

/** Nanoseconds of processor time a call, after as many calls to warm up. */
function nanoseconds(call: (i: number) => number): number {
  let sum = 0;
  for (let i = 0; i < CALLS / 10; i++) sum += call(i);
  const before = process.cpuUsage().user;
  for (let i = 0; i < CALLS; i++) sum += call(i);
  if (Number.isNaN(sum)) throw new Error("an estimate is not a number");
  return (process.cpuUsage().user - before) * 1000 / CALLS;
}

const SCENARIOS: readonly (readonly [name: string, (model: ForwardPassModel, i: number) => number])[] = [
  ["decode, 64 sequences growing from 2,000 tokens", (model, i) => model.generationMs(64, 2000 + i % 20_000)],
  ["decode, 8 sequences growing from 8,000 tokens", (model, i) => model.generationMs(8, 8000 + i % 4000)],
  [
    "decode, batch and tokens drifting",
    (model, i) => model.generationMs(40 + ((i >> 6) * 7919) % 160, 1500 + (i * 13) % 1000 + (i >> 8) % 300),
  ],
  ["prefill, one prompt of up to 8,192 tokens", (model, i) => model.contextMs(1, 1 + (i * 7919) % 8192, 0)],
  ["prefill, 512 tokens after up to 50,000", (model, i) => model.contextMs(1, 512, (i * 37) % 50_000)],
  [
    "mixed, one prompt and 64 decodes",
    (model, i) => model.sumsMs(1, 1 + (i * 7919) % 2000, (i * 31) % 3000, 64, 64 * (2000 + i % 5000)),
  ],
];

const DEPLOYMENTS: readonly DeployOptions[] = [
  { model: "Qwen/Qwen3-32B", hardware: "h200_sxm", tensor: 2 },
  { model: "meta-llama/Meta-Llama-3.1-8B", hardware: "h200_sxm", backend: "sglang" },
  { model: "meta-llama/Meta-Llama-3.1-8B", hardware: "b200_sxm", backend: "trtllm" },
  { model: "Qwen/Qwen3-30B-A3B", hardware: "h200_sxm", tensor: 2, moeExpert: 2 },
  { model: "deepseek-ai/DeepSeek-V3", hardware: "h200_sxm", tensor: 8, moeExpert: 8 },
];

function coldStart(): void {
  const start = performance.now();
  const model = deploy(DEPLOYMENTS[0]).forwardPassModel();
  const loaded = performance.now();
  model.generationMs(8, 1000);
  model.contextMs(1, 1000, 0);
  const asked = performance.now();
  console.log(`loading ${(loaded - start).toFixed(1)} ms, first estimates ${(asked - loaded).toFixed(1)} ms\n`);
}

coldStart();
const catalog = new PerfCatalog();
for (const options of DEPLOYMENTS) {
  const model = deploy(options, catalog).forwardPassModel();
  console.log(Object.values(options).join(" "));
  for (const [name, call] of SCENARIOS) {
    console.log(`  ${nanoseconds((i) => call(model, i)).toFixed(0).padStart(6)} ns  ${name}`);
  }
}
