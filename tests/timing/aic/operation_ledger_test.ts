import "../../without_user_cache.ts";
import assert from "node:assert/strict";
import { test } from "node:test";
import { OperationLedger } from "../../../lib/timing/aic/operation_ledger.ts";
import { deploy, type DeployOptions, operatorTiming } from "../../../lib/timing/aic/operator_timing.ts";
import { calibratedTiming } from "../../../lib/timing/calibration/calibrated_timing.ts";

const LLAMA = { model: "meta-llama/Meta-Llama-3.1-8B", hardware: "h200_sxm" };

/** Totals of a few passes, and the time that the timing model gave them. */
function ledger(options: DeployOptions) {
  const deployment = deploy(options);
  const timing = new OperationLedger(operatorTiming(deployment, { stack: "engine" }), deployment, "engine");
  let ms = 0;
  for (let i = 0; i < 3; i++) {
    ms += timing.prefillMs(2, 500, 64 * i);
    for (let k = 0; k < 5; k++) ms += timing.decodeMs(8, 8 * (600 + k), 1e6);
  }
  return { ms, totals: timing.totals() };
}

const sum = (rows: readonly { ms: number }[]) => rows.reduce((all, { ms }) => all + ms, 0);
const sourceOf = (rows: readonly { name: string; source: string }[], name: string) =>
  rows.find((row) => row.name === name)?.source;

test("OperationLedger divides the time of all passes among their operators, none faster than its bound", () => {
  const { ms, totals: { prefill, decode } } = ledger(LLAMA);
  assert.ok(Math.abs(sum(prefill) + sum(decode) - ms) < 1e-9 * ms);
  for (const { name, ms, boundMs } of [...prefill, ...decode]) assert.ok(boundMs !== null && ms >= boundMs, name);
  assert.equal(sourceOf(prefill, "context_qkv_gemm"), "silicon");
  assert.equal(sourceOf(prefill, "context_embedding"), "empirical");
  assert.equal(sourceOf(decode, "generation_attention"), "silicon");
  assert.equal(sourceOf(ledger({ ...LLAMA, model: "Qwen/Qwen3-8B" }).totals.decode, "generation_attention"), "mixed");
});

test("OperationLedger says what arithmetic and memory allow, of which the slower one is the bound of a product", () => {
  for (const { name, boundMs, arithmeticMs, memoryMs } of ledger(LLAMA).totals.prefill) {
    if (!name.endsWith("gemm")) continue;
    assert.ok(arithmeticMs! > 0 && memoryMs! > 0, name);
    assert.ok(Math.max(arithmeticMs!, memoryMs!) <= boundMs! * (1 + 1e-12), name);
    assert.ok(boundMs! <= arithmeticMs! + memoryMs!, name);
  }
});

test("OperationLedger adds up energies where power was measured, never more time than there is", () => {
  const { prefill, decode } = ledger({ ...LLAMA, hardware: "b200_sxm", backend: "trtllm" }).totals;
  for (const { name, ms, coveredMs, energy } of [...prefill, ...decode]) {
    assert.ok(coveredMs <= ms * (1 + 1e-12), name);
    assert.equal(energy > 0, coveredMs > 0, name);
    // no GPU of the kind draws more than 1.2 kW
    assert.ok(energy <= 1200 * coveredMs, name);
  }
  const gemm = prefill.find(({ name }) => name === "context_qkv_gemm")!,
    norm = prefill.find(({ name }) => name.includes("norm"))!;
  assert.ok(gemm.energy > 100 * gemm.ms);
  assert.equal(norm.energy, 0);
  for (const { energy } of ledger(LLAMA).totals.prefill) assert.equal(energy, 0);
});

test("OperationLedger says where times are from when they are not measured", () => {
  const names = (databaseMode: string) => {
    const { prefill, decode } = ledger({ ...LLAMA, databaseMode }).totals;
    return [...new Set([...prefill, ...decode].map(({ source }) => source))];
  };
  // one stage of a pipeline hands nothing over, which is known
  assert.deepEqual(names("SOL").sort(), ["silicon", "sol"]);
  assert.deepEqual(names("EMPIRICAL").sort(), ["empirical", "silicon"]);
  const gap = { model: "openai/gpt-oss-120b", hardware: "h200_sxm", backend: "trtllm", tensor: 2, moeTensor: 2 };
  const { totals: { prefill } } = ledger({ ...gap, databaseMode: "HYBRID" });
  assert.equal(sourceOf(prefill, "context_moe"), "empirical");
  assert.equal(sourceOf(prefill, "context_qkv_gemm"), "silicon");
});

test("OperationLedger counts a pass that does both as one", () => {
  const deployment = deploy(LLAMA);
  const fused = calibratedTiming(operatorTiming(deployment), deployment.forwardPassModel(), { mixed: "fused" });
  const timing = new OperationLedger(fused, deployment, "dynamo");
  const ms = timing.mixedMs!(1, 300, 0, 4, 4 * 700);
  const { prefill, decode } = timing.totals();
  assert.ok(Math.abs(sum(prefill) - ms) < 1e-9 * ms);
  assert.ok(prefill.some(({ name }) => name === "generation_attention"));
  assert.deepEqual(decode, []);
});
