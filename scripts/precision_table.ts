/**
 * Writes docs/precisions.md: how long passes take in FP8 and in bfloat16 by the same measurements.
 *
 *     deno run -A scripts/precision_table.ts
 */
import { writeFileSync } from "node:fs";
import { Deployment, findModel, PerfCatalog, precisionWarnings, SimulationError } from "../mod.ts";

const BFLOAT16 = { gemm: "bfloat16", moe: "bfloat16", kvcache: "bfloat16", fmha: "bfloat16" } as const;
const MODELS = [
  ["Qwen/Qwen3-32B-FP8", { tensor: 1 }],
  ["Qwen/Qwen3-32B-FP8", { tensor: 4 }],
  ["Qwen/Qwen3-30B-A3B-FP8", { tensor: 2, moeExpert: 2 }],
  ["Qwen/Qwen3-235B-A22B-FP8", { tensor: 8, moeExpert: 8 }],
  ["nvidia/Llama-3.1-70B-Instruct-FP8", { tensor: 4 }],
  ["Qwen/Qwen3-32B-FP8-Static-PerTensor", { tensor: 2 }],
] as const;
const PASSES = [
  { num_prefill_requests: 1, sum_prefill_tokens: 2048 },
  { num_decode_requests: 1, sum_decode_kv_tokens: 2048 },
  { num_decode_requests: 32, sum_decode_kv_tokens: 32 * 2048 },
];

/** Milliseconds and factor of a pass, marked where a warning names the tables. */
function cell(fast: Deployment, plain: Deployment, pass: typeof PASSES[number]): string {
  try {
    const [ms, plainMs] = [fast, plain].map((of) => of.forwardPassModel().passMs(pass));
    const warned = precisionWarnings(fast, [pass]).length > 0;
    return `${plainMs.toFixed(2)} → ${ms.toFixed(2)}, × ${(ms / plainMs).toFixed(2)}${warned ? " !" : ""}`;
  } catch (problem) {
    if (problem instanceof SimulationError) return "not measured";
    throw problem;
  }
}

const catalog = new PerfCatalog();
const rows: string[] = [];
for (const hardware of ["h200_sxm", "b200_sxm"]) {
  for (const backend of ["vllm", "sglang", "trtllm"]) {
    for (const [model, parallelism] of MODELS) {
      const { facts } = findModel(model)!;
      const fast = new Deployment(facts, { hardware, backend, ...parallelism }, catalog);
      const plain = fast.quantised(BFLOAT16);
      const split = Object.entries(parallelism).map(([name, size]) => `${name} ${size}`).join(", ");
      const cells = PASSES.map((pass) => cell(fast, plain, pass));
      rows.push(`| ${hardware} | ${backend} | ${model} | ${split} | ${cells.join(" | ")} |`);
    }
  }
}
writeFileSync(
  new URL("../docs/precisions.md", import.meta.url),
  `# FP8 against BF16

Made by \`scripts/precision_table.ts\` from data version ${catalog.origin.release}: milliseconds of a pass with the same
model in bfloat16 (products, experts, attention and KV cache) → as the checkpoint is quantised, and the factor. ! marks
passes for which \`estimate\` and \`predict\` warn and name the tables: the whole pass takes 2 % longer, or a tenth of it is
15 % slower. Small factors above 1 come from tables, not from GPUs: do not choose a precision by them.

| system | backend | model | split | prompt of 2048 | decode step of 1 | decode step of 32 |
| --- | --- | --- | --- | --- | --- | --- |
${rows.join("\n")}
`,
);
