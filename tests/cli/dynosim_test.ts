import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { Checkout, ran, skip, unmarked } from "./checkout.ts";
import type { StartOptions } from "./support.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
let made: Checkout | undefined;
const checkout = () => made ??= new Checkout();
after(() => made?.remove());

const help = async (options?: StartOptions, command = "predict") =>
  ran(await checkout().run([command, "--help"], options));

test(
  "dynosim runs the bundle while the sources are those it was made of, and an edited source as soon as it is saved",
  {
    skip,
  },
  async () => {
    const { folder } = checkout(), remembered = join(folder, "bundle/.checked.json");
    assert.equal(await help({ flags: ["--deny-write"] }), "bundle");
    assert.ok(!existsSync(remembered), "nothing is written where that is not allowed");
    // what changed a moment ago may change again within the same instant of the clock
    await new Promise((resolve) => setTimeout(resolve, 3100));
    assert.equal(await help(), "bundle");
    assert.ok(existsSync(remembered), "what was read is remembered");
    assert.equal(await help(), "bundle");
    assert.equal(await help({ env: { DYNOSIM_SOURCES: "1" } }), "sources");

    const source = checkout().at("cli/predict.ts"), { atime, mtime } = statSync(source);
    checkout().edit("cli/predict.ts", (text) => text.replace("Replays a load", "REPLAYS A LOAD"));
    utimesSync(source, atime, mtime);
    const edited = await checkout().run(["predict", "--help"]);
    assert.equal(ran(edited), "sources");
    assert.match(edited.stdout, /REPLAYS A LOAD/);
    checkout().edit("cli/predict.ts", (text) => text.replace("REPLAYS A LOAD", "Replays a load"));
    assert.equal(await help(), "bundle", "the edit was taken back");

    checkout().edit("cli/inspect.ts", (text) => `${text}\n`);
    assert.equal(await help(), "bundle", "predict does not load what was edited");
    assert.equal(await help({}, "inspect"), "sources");
    checkout().edit("cli/inspect.ts", (text) => text.slice(0, -1));

    const sources = readFileSync(checkout().at("bundle/sources.json"), "utf8");
    for (const damaged of [`<<<<<<< ours\n${sources}`, "[]", "null", ""]) {
      writeFileSync(checkout().at("bundle/sources.json"), damaged);
      assert.equal(await help(), "sources", `the list of sources is ${damaged.slice(0, 12)}`);
    }
    writeFileSync(checkout().at("bundle/sources.json"), sources);

    const part = checkout().at("bundle/lib.replay.needs.js"), before = readFileSync(part, "utf8");
    writeFileSync(part, before.replace("import", "<<<<<<"));
    assert.equal(await help(), "sources", "a conflict was left in the bundle");
    rmSync(part);
    assert.equal(await help(), "sources", "a file of the bundle is gone");
    writeFileSync(part, before);
    assert.equal(await help(), "bundle");
  },
);

test("deno install finds the packages of all commands behind dynosim, and locks them", { skip }, () => {
  const info = execFileSync(process.execPath, ["info", "--json", "cli/dynosim.ts"], { cwd: root, maxBuffer: 2 ** 28 });
  const packages = Object.values(JSON.parse(info.toString()).npmPackages as Record<string, { name: string }>);
  for (const name of ["arquero", "bullmq", "hyparquet", "ioredis", "linkedom", "valibot"]) {
    assert.ok(packages.some((one) => one.name === name), name);
  }
});

const ROUTED = `
traffic: {source: {type: synthetic, input_tokens: 900, output_tokens: 20}, load: {concurrency: 8}, stop: {requests: 60}}
router: {policy: kv_router, policy_file: classes.yaml}
engine:
  model: Qwen/Qwen3-32B
  hardware: h200_sxm
  workers: {aggregated: {parallelism: {tensor: 2, replicas: 2}}}
`;

const CLASSES = `
policy_classes:
  - {name: a, quantum: 1, queue_policy: fcfs, policy_family: a, cache_bucket: b}
default_policy_family: a
uncached_isl_buckets: [{min_tokens: 0, bucket: b}]
`;

const SEARCH = `
traffic: {source: {type: synthetic, input_tokens: 512, output_tokens: 16}, load: {concurrency: 4}, stop: {requests: 60}}
engine:
  mode: aggregated
  model: Qwen/Qwen3-32B
  hardware: h200_sxm
  workers: {aggregated: {parallelism: {preset: false, tensor: {choices: [1, 2]}, replicas: 1}}}
evaluation: {sla: {ttft_ms: 2000, itl_ms: 50}}
optimization: {target: goodput_per_gpu, constraints: {max_candidate_gpus: 4}}
`;

test(
  "what the bundle prints and writes is what the sources do: router, Planner, retune and searches in threads, errors",
  {
    skip,
  },
  async () => {
    const { folder } = checkout();
    writeFileSync(join(folder, "routed.yaml"), ROUTED);
    writeFileSync(join(folder, "classes.yaml"), CLASSES);
    writeFileSync(join(folder, "search.yaml"), SEARCH);
    const lines: [number, string[]][] = [
      [0, ["predict", "-c", "routed.yaml", "--detail", "time", "--output-dir", "OUT"]],
      [0, ["predict", "-c", "fixtures/configs/planner-chat.yaml", "--output-dir", "OUT"]],
      [0, [
        "convert",
        "fixtures/traces/chat.jsonl",
        "--to",
        "dynamo",
        "--split-seconds",
        "300",
        "-o",
        "traces/OUT.jsonl",
      ]],
      [0, [
        ...["predict", "-c", "fixtures/configs/retune-chat.yaml", "--output-dir", "OUT"],
        ...["--set", "traffic.source.paths=[traces/out-2-main-replay.jsonl]"],
      ]],
      [0, ["recommend", "-c", "search.yaml", "--output-dir", "OUT"]],
      [0, ["inspect", "fixtures/traces/chat.jsonl"]],
      [0, ["estimate", "--model", "Qwen/Qwen3-32B", "--hardware", "h200_sxm", "--capacity"]],
      [0, ["completion", "bash"]],
      [2, ["predict", "-c", "routed.yaml", "--set", "engine.hardware=h201_sxm", "--output-dir", "OUT"]],
      [2, ["predict", "-c", "routed.yaml", "--set", "router.policy_file=none.yaml", "--output-dir", "OUT"]],
      [2, ["predict", "-c", "routed.yaml", "--no-such"]],
      [1, ["inspect", "none.jsonl"]],
    ];
    const plain = (text: string, out: string) =>
      unmarked(text).replaceAll(out, "OUT").replace(/[\d.]+ s\b/g, "")
        .replace(/"(wall_time_ms|processed_(output_)?tokens_per_s|seconds|.*_seconds|.*wall.*)": [\d.e-]+/g, "");
    for (const [i, [code, line]] of lines.entries()) {
      const results = [];
      for (const script of ["cli/main.ts", "cli/dynosim.ts"]) {
        const out = `out-${i}-${script.slice(4, -3)}`;
        const ended = await checkout().run(line.map((word) => word.replace("OUT", out)), { script });
        assert.equal(ended.code, code, `${line.join(" ")}: ${ended.stderr}`);
        assert.equal(ran(ended), script === "cli/main.ts" ? "sources" : "bundle");
        const report = [join(folder, out, "prediction.json"), join(folder, out, "recommendation.json")].find(
          existsSync,
        );
        results.push(
          [ended.stdout, ended.stderr, report ? readFileSync(report, "utf8") : ""].map((text) => plain(text, out)),
        );
      }
      assert.deepEqual(results[1], results[0], line.join(" "));
    }
  },
);

test("dynosim says which of its sources is gone or damaged, and how to get it back", { skip }, async () => {
  const config = join(root, "fixtures/configs/quickstart.yaml");
  const told = async (name: string, by: (path: string) => void) => {
    const path = checkout().at(name), text = readFileSync(path, "utf8");
    by(path);
    const { code, stderr } = await checkout().run(["predict", "--config", config, "--format", "json"]);
    writeFileSync(path, text);
    assert.equal(code, 1);
    return stderr;
  };
  const remedy = "'git status' in the folder of dynosim tells what differs and 'git restore FILE' gets it back, " +
    "or install dynosim anew\n";
  const gone = (path: string) => rmSync(path), cut = (path: string) => writeFileSync(path, "export interface {");
  assert.equal(await told("lib/errors.ts", gone), `dynosim failed: lib/errors.ts is missing: ${remedy}`);
  const late = "lib/replay/simulate.ts"; // loaded when the command runs
  assert.equal(await told(late, gone), `dynosim predict failed: ${late} is missing: ${remedy}`);
  const damaged = await told(late, cut);
  assert.match(damaged, /^dynosim predict failed: lib\/replay\/simulate\.ts:1:\d+ cannot be loaded: Expected .*; 'git/);
  assert.equal(damaged.split("\n").length, 2);
});
