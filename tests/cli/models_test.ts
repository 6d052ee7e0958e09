import assert from "node:assert/strict";
import { test } from "node:test";
import { SupportTable } from "../../cli/models.ts";
import { start } from "./support.ts";

const models = (...args: string[]) => start("cli/main.ts", ["models", ...args]);

test("models tells as JSON rows what can be timed where, and why not", async () => {
  const { code, stdout } = await models(
    ...[
      "Qwen/Qwen3-32B",
      "stepfun-ai/Step-3.7-Flash",
      "--hardware",
      "h200_sxm",
      "--backend",
      "vllm",
      "--format",
      "json",
    ],
  );
  assert.equal(code, 0);
  const [dense, experts, ...others] = JSON.parse(stdout);
  assert.deepEqual(others, []);
  assert.deepEqual(dense, {
    model: "Qwen/Qwen3-32B",
    architecture: "Qwen3ForCausalLM",
    hardware: "h200_sxm",
    backend: "vllm",
    status: "timed",
    reason: null,
    shape: { tensor: 1, attentionData: 1, moeTensor: 1, moeExpert: 1 },
  });
  assert.equal(experts.status, "refused");
  assert.match(experts.reason, /MoE data missing/);
});

test("models answers a name that is not known", async () => {
  const { code, stderr } = await models("Qwen/Qwen3-32", "--hardware", "h200_sxm");
  assert.equal(code, 2);
  assert.match(stderr, /did you mean 'Qwen\/Qwen3-32B'/);
});

test("SupportTable counts what is timed and tells a reason once", () => {
  const about = { architecture: "X", hardware: "h200_sxm", backend: "vllm" };
  const missing = (topk: number) =>
    `perf database error: MoE data missing for MoeKey { quant: "fp8", distribution: "uniform", topk: ${topk} }`;
  const table = new SupportTable(["a", "b", "c"], ["h200_sxm vllm"]);
  const rows = [
    {
      ...about,
      model: "a",
      status: "timed",
      reason: null,
      shape: { tensor: 4, attentionData: 1, moeTensor: 1, moeExpert: 4 },
    },
    { ...about, model: "b", status: "refused", reason: missing(1), shape: null },
    { ...about, model: "c", status: "refused", reason: missing(2), shape: null },
  ] as const;
  assert.equal(
    [table.head(), ...rows.map((row) => table.line([row])), table.end()].join(""),
    [
      "model  h200_sxm vllm",
      "a      tp4 ep4",
      "b      (1)",
      "c      (1)",
      "",
      "h200_sxm vllm: 1 of 3 models are timed",
      "",
      '(1) MoE data missing for MoeKey { quant: "fp8", distribution: "uniform", … }',
      "",
    ].join("\n"),
  );
});
