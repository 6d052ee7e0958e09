import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { inFolder, start } from "./support.ts";

const SEARCH = `
traffic: {source: {type: synthetic, input_tokens: 512, output_tokens: 16}, load: {concurrency: {choices: [2, 8]}}, stop: {requests: 400}}
engine:
  mode: aggregated
  model: Qwen/Qwen3-32B
  hardware: h200_sxm
  backend: vllm
  context_length: 8192
  workers:
    aggregated:
      parallelism: {preset: false, tensor: {choices: [1, 2]}, replicas: {choices: [1, 2]}}
      scheduler: {max_batched_tokens: {choices: [2048, 8192]}, max_sequences: 64}
      kv_cache: {block_size: 64, capacity: {type: fixed, blocks: 1000}}
      timing: {type: polynomial}
evaluation: {sla: {ttft_ms: 200, itl_ms: 20}}
optimization: {target: goodput_per_gpu, constraints: {max_candidate_gpus: 4}}
`;

/** Writes the search and runs it. */
function search(place: string, folder: string, args: readonly string[] = [], options = {}) {
  writeFileSync(join(place, "search.yaml"), SEARCH);
  return start("cli/main.ts", ["recommend", "-c", "search.yaml", "--output-dir", folder, ...args], {
    cwd: place,
    ...options,
  });
}

/** What a search wrote, without what the host did. */
const filesOf = (folder: string) =>
  [
    "recommendation.json",
    "recommendation.csv",
    "execution-events.jsonl",
    ...readdirSync(join(folder, "recommendations")).map((name) => `recommendations/${name}`),
  ]
    .map((name) => [name, readFileSync(join(folder, name), "utf8")]);

test("recommend ranks, writes its files and prints them as JSON", () =>
  inFolder(async (place) => {
    const { code, stdout, stderr } = await search(place, "out", ["--format", "json"]);
    assert.equal(code, 0, stderr);
    const printed = JSON.parse(stdout);
    const { candidates, views, counts } = JSON.parse(readFileSync(join(place, "out/recommendation.json"), "utf8"));
    assert.equal(counts.evaluated, 16);
    assert.equal(printed.length, views.top_n.length);
    const best = candidates.find((one: any) => one.candidate_id === views.top_n[0]);
    assert.deepEqual([printed[0].rank, printed[0].score], [1, best.score]);
    assert.equal(printed[0].config_path, "out/recommendations/0001.yaml");

    const again = await start("cli/main.ts", [
      "predict",
      "-c",
      printed[0].config_path,
      "--format",
      "json",
      "--output-dir",
      "again",
    ], { cwd: place });
    assert.equal(again.code, 0, again.stderr);
    const summary = JSON.parse(again.stdout);
    for (const [name, value] of Object.entries(best.metrics)) assert.equal(summary[name], value, name);

    const story = await start("cli/main.ts", ["explain", "out"], { cwd: place });
    assert.match(story.stdout, /Best: [12] × vLLM/);
    const page = await start("cli/main.ts", ["report", "out", "-o", "page.html"], { cwd: place });
    assert.equal(page.code, 0, page.stderr);
    assert.match(readFileSync(join(place, "page.html"), "utf8"), /<svg[^]*id="ledger"/);
  }));

test("recommend goes on where it was killed, and refuses a directory of another search", () =>
  inFolder(async (place) => {
    assert.equal((await search(place, "whole", ["--format", "json"])).code, 0);
    const journal = join(place, "killed/execution-events.jsonl");
    for (let kill = 1; kill <= 3; kill++) {
      let timer: ReturnType<typeof setInterval> | undefined;
      const running = search(place, "killed", [], {
        onStart: (child: { kill(signal: string): void }) => {
          timer = setInterval(() => {
            const lines = existsSync(journal) ? readFileSync(journal, "utf8").split("\n").length : 0;
            if (lines > 3 * kill) child.kill("SIGKILL");
          }, 5);
        },
      });
      await running;
      clearInterval(timer);
    }
    assert.equal((await search(place, "killed", ["--format", "json"])).code, 0);
    assert.deepEqual(filesOf(join(place, "killed")), filesOf(join(place, "whole")));
    const other = await search(place, "whole", ["--set", "optimizer.seed=7"]);
    assert.equal(other.code, 2);
    assert.match(other.stderr, /not empty; pass --overwrite/);
  }));

test("recommend begins again where it was killed before the first line of its journal was written", () =>
  inFolder(async (place) => {
    for (const written of ["", '{"event":"requested_con']) {
      const folder = join(place, `after-${written.length}`);
      mkdirSync(folder);
      writeFileSync(join(folder, "execution-events.jsonl"), written);
      const { code, stderr } = await search(place, folder, ["--format", "json"]);
      assert.equal(code, 0, stderr);
    }
  }));
