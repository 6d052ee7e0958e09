/** docs/executors.md as its reader meets it: its recipes run. */
import "./without_user_cache.ts";
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { parse } from "@std/yaml";
import { inFolder } from "./cli/support.ts";
import { skip, TestRedis } from "./jobs/queue/redis.ts";
import { blocks, pages, root } from "./pages.ts";

const page = pages.find(({ path }) => path === "docs/executors.md")!;
const FILES = ["recommendation.json", "recommendation.csv", "execution-events.jsonl"];
const SIZING = `
traffic: {source: {type: synthetic, input_tokens: 512, output_tokens: 16}, load: {concurrency: {choices: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]}}, stop: {requests: 40}}
engine:
  {mode: aggregated, model: Qwen/Qwen3-32B, hardware: h200_sxm, backend: vllm, context_length: 8192,
   workers: {aggregated: {parallelism: {preset: false, tensor: 1, replicas: 1}, scheduler: {max_batched_tokens: 8192, max_sequences: 64},
     kv_cache: {block_size: 64, capacity: {type: fixed, blocks: 1000}}, timing: {type: polynomial}}}}
optimization: {target: throughput_per_gpu, constraints: {max_candidate_gpus: 1}}
`;

/** A folder in which `dynosim` is a command. */
function withCommand(folder: string): Record<string, string> {
  mkdirSync(join(folder, "bin"));
  const path = join(folder, "bin/dynosim");
  const run = "Bun" in globalThis ? "run" : `run -A --no-check --quiet --config ${join(root, "deno.json")}`;
  writeFileSync(path, `#!/bin/sh\nexec ${process.execPath} ${run} ${join(root, "cli/main.ts")} "$@"\n`);
  chmodSync(path, 0o755);
  writeFileSync(join(folder, "sizing.yaml"), SIZING);
  return {
    ...process.env as Record<string, string>,
    PATH: `${join(folder, "bin")}:${process.env.PATH}`,
    NO_COLOR: "1",
  };
}

const shell = (folder: string, env: Record<string, string>, script: string) => {
  const { status, stderr } = spawnSync("/bin/sh", ["-c", script], { cwd: folder, env, encoding: "utf8" });
  assert.equal(status, 0, `${script}\n${stderr}`);
};

const filesOf = (folder: string) => FILES.map((name) => readFileSync(join(folder, name), "utf8"));

test("docs/executors.md: one Redis and two workers do a search", { skip }, () =>
  inFolder(async (folder) => {
    const env = { ...withCommand(folder), DYNOSIM_CACHE: join(folder, "cache") };
    cpSync(join(root, "fixtures/configs"), join(folder, "fixtures/configs"), { recursive: true });
    cpSync(join(root, "fixtures/traces"), join(folder, "fixtures/traces"), { recursive: true });
    const recipe = blocks(page, "text").find((text) => text.startsWith("redis-server "))!;
    const lines = recipe.trim().split("\n").slice(1).map((line) => line.replaceAll("localhost:6379", "REDIS"));
    const redis = await TestRedis.start();
    const said = lines.slice(0, -1).map((line) => {
      const child = spawn("/bin/sh", ["-c", `exec ${line.replace("redis://REDIS", redis.url)}`], { cwd: folder, env });
      return { child, gone: new Promise((resolve) => child.on("close", resolve)) };
    });
    try {
      const search = lines.at(-1)!.replace("redis://REDIS", redis.url);
      const child = spawn("/bin/sh", ["-c", search], { cwd: folder, env, stdio: "ignore" });
      assert.equal(await new Promise((resolve) => child.on("close", resolve)), 0, search);
      assert.deepEqual(await redis.keys(), []);
    } finally {
      for (const { child } of said) child.kill("SIGTERM");
      await Promise.all(said.map(({ gone }) => gone));
      await redis.stop();
    }
    const ranked = JSON.parse(readFileSync(join(folder, "runs/sizing/recommendation.json"), "utf8"));
    assert.equal(ranked.counts.evaluated, 22);
  }));

test("docs/executors.md: the indexed Job and the array make shards that merge into the whole search", () =>
  inFolder((folder) => {
    const env = withCommand(folder);
    const [manifest] = blocks(page, "yml"), [array] = blocks(page, "bash");
    const { spec } = parse(manifest);
    const [{ command, args }] = spec.template.spec.containers;
    assert.deepEqual([spec.completionMode, command], ["Indexed", ["/bin/sh", "-c"]]);
    for (let index = 0; index < spec.completions; index++) {
      shell(folder, { ...env, JOB_COMPLETION_INDEX: String(index) }, args[0]);
    }
    shell(folder, env, "dynosim recommend -c sizing.yaml --output-dir whole");
    const merge = /`(dynosim recommend --merge [^`]*)`/.exec(page.text)![1];
    shell(folder, env, merge);
    assert.deepEqual(filesOf(join(folder, "runs/sizing")), filesOf(join(folder, "whole")));
    const part = readFileSync(join(folder, "runs/part3/execution-events.jsonl"), "utf8");
    shell(folder, { ...env, SLURM_ARRAY_TASK_ID: "3", SLURM_ARRAY_TASK_COUNT: "8" }, array);
    assert.equal(readFileSync(join(folder, "runs/part3/execution-events.jsonl"), "utf8"), part);
    return Promise.resolve();
  }));
