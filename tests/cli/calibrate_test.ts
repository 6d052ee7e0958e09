import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { deploy } from "../../lib/timing/aic/operator_timing.ts";
import { hiddenPasses, loads } from "../calibrate/hidden.ts";
import { inFolder, start } from "./support.ts";

const CONFIG = `
traffic: {source: {type: synthetic}, load: {concurrency: 8}, stop: {requests: 40}}
engine: {model: Qwen/Qwen3-32B, hardware: h200_sxm, workers: {aggregated: {parallelism: {tensor: 2}}}}
`;

/** A folder with a configuration and a recording of `count` passes. */
function inDeployment<T>(count: number, use: (at: (name: string) => string) => Promise<T>): Promise<T> {
  return inFolder((folder) => {
    const at = (name: string) => join(folder, name);
    const model = deploy({ model: "Qwen/Qwen3-32B", hardware: "h200_sxm", tensor: 2 }).forwardPassModel();
    const passes = hiddenPasses(model, loads(count), { prefill: 1.3, decode: 0.9, constantMs: 2 });
    const row = ({ prompts, promptTokens, priorTokens, decodes, decodeTokens, ms }: typeof passes[number]) => ({
      metrics: {
        version: 1,
        wall_time: ms / 1000,
        scheduled_requests: {
          num_prefill_requests: prompts,
          sum_prefill_tokens: promptTokens,
          sum_prefill_kv_tokens: priorTokens,
          num_decode_requests: decodes,
          sum_decode_kv_tokens: decodeTokens,
        },
      },
    });
    writeFileSync(at("fpm.jsonl"), passes.map((pass) => JSON.stringify(row(pass))).join("\n"));
    writeFileSync(at("config.yaml"), CONFIG);
    return use(at);
  });
}

test("calibrate writes a correction that it tells as JSON, with errors before and after", async () => {
  await inDeployment(900, async (at) => {
    const args = ["calibrate", at("fpm.jsonl"), "-c", at("config.yaml"), "-o", at("out.json"), "--format", "json"];
    const { code, stdout, stderr } = await start("cli/main.ts", args);
    assert.equal(code, 0, stderr);
    const { before, after, profile } = JSON.parse(stdout);
    assert.ok(before.decode_pass_ms.mdape > 3 && after.decode_pass_ms.mdape < 0.1);
    assert.equal(before.decode_pass_ms.n, 300);
    assert.deepEqual(JSON.parse(readFileSync(at("out.json"), "utf8")), profile);
    assert.equal(profile.key.tensor, 2);
    assert.ok(Math.abs(profile.phases.decode.ratio / 0.9 - 1) < 0.02);
    const set = `engine.workers.aggregated.timing.calibration=${at("out.json")}`;
    const out = at("run"), flags = ["--set", set, "--output-dir", out];
    const predicted = await start("cli/main.ts", ["predict", "-c", at("config.yaml"), ...flags]);
    assert.equal(predicted.code, 0, predicted.stderr);
    assert.match(
      predicted.stdout.replace(/\n {2}/g, " "),
      /^Calibration \(aggregated\): .* fitted to 900 passes that were measured, [\d.]+ % off those it did not see; corrected/m,
    );
    const { metadata } = JSON.parse(readFileSync(at("run/prediction.json"), "utf8"));
    assert.deepEqual(metadata.roles[0].calibration.fitted_to, { passes: 900, requests: 0 });
  });
});

test("calibrate --figure draws the bias of every group without a correction and with it", async () => {
  await inDeployment(300, async (at) => {
    const args = ["calibrate", at("fpm.jsonl"), "-c", at("config.yaml"), "--figure", at("bias.svg"), "--format", "csv"];
    const { code, stdout, stderr } = await start("cli/main.ts", args);
    assert.equal(code, 0, stderr);
    const [head, first] = stdout.split("\n");
    assert.match(head, /after_mdape,after_bias/);
    assert.match(first, /^phase,prefill,/);
    const svg = readFileSync(at("bias.svg"), "utf8");
    for (const text of ["decode batch", "prompt tokens", "with it, held out"]) assert.ok(svg.includes(text), text);
  });
});

test("calibrate tells errors by group as tables and where in time they are largest", async () => {
  await inDeployment(300, async (at) => {
    const { code, stdout } = await start("cli/main.ts", ["calibrate", at("fpm.jsonl"), "-c", at("config.yaml")]);
    assert.equal(code, 0);
    for (const heading of [/^decode batch /m, /^prompt tokens /m, /^worst in time: passes/m, /^correction: /m]) {
      assert.match(stdout, heading);
    }
  });
});

test("calibrate refuses what the measurements cannot carry and writes nothing", async () => {
  await inDeployment(12, async (at) => {
    const args = ["calibrate", at("fpm.jsonl"), "-c", at("config.yaml"), "-o", at("out.json")];
    const { code, stderr } = await start("cli/main.ts", args);
    assert.equal(code, 2);
    assert.match(stderr, /too few passes for a correction: 12, at least 20 are needed/);
    assert.equal(existsSync(at("out.json")), false);
    const wrong = await start("cli/main.ts", [
      "calibrate",
      at("fpm.jsonl"),
      "-c",
      at("config.yaml"),
      "--role",
      "decode",
    ]);
    assert.match(wrong.stderr, /has no decode role; name one with --role \(aggregated\)/);
  });
});
