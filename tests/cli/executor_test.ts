import assert from "node:assert/strict";
import type { ChildProcess } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { skip, TestRedis } from "../jobs/queue/redis.ts";
import { type Ended, inFolder, start } from "./support.ts";

const SEARCH = `
traffic: {source: {type: trace, paths: [trace.jsonl]}, load: {type: trace_timestamps, speedup: {choices: [1, 2]}}}
engine:
  mode: aggregated
  model: Qwen/Qwen3-32B
  hardware: h200_sxm
  backend: vllm
  context_length: 8192
  workers:
    aggregated:
      parallelism: {preset: false, tensor: {choices: [1, 2]}, replicas: {choices: [1, 2]}}
      scheduler: {max_batched_tokens: {choices: [2048, 4096, 8192]}, max_sequences: {choices: [4, 64]}}
      kv_cache: {block_size: 64, capacity: {type: fixed, blocks: 1000}}
      timing: {type: polynomial}
evaluation: {sla: {ttft_ms: 200, itl_ms: 20}}
optimization: {target: goodput_per_gpu, constraints: {max_candidate_gpus: 4}}
`;
const CAPACITY = `
traffic: {source: {type: trace, paths: [trace.jsonl]}, load: {type: trace_timestamps}}
engine: {model: Qwen/Qwen3-32B, hardware: h200_sxm, backend: vllm, workers: {aggregated: {parallelism: {tensor: 2}, timing: {type: polynomial}}}}
evaluation: {sla: {ttft_ms: 400, itl_ms: 20}}
`;

/** A folder with a trace, a search and a capacity; commands in it. */
class Desk {
  constructor(readonly folder: string) {
    const rows = Array.from(
      { length: 60 },
      (_, i) =>
        JSON.stringify({ timestamp: 150 * i, input_length: 700, output_length: 20, hash_ids: [i % 7, 100 + i] }),
    );
    writeFileSync(join(folder, "trace.jsonl"), `${rows.join("\n")}\n`);
    writeFileSync(join(folder, "search.yaml"), SEARCH);
    writeFileSync(join(folder, "capacity.yaml"), CAPACITY);
  }

  run(
    args: readonly string[],
    env: Record<string, string> = {},
    onStart?: (child: ChildProcess) => void,
  ): Promise<Ended> {
    return start("cli/main.ts", args, {
      cwd: this.folder,
      env: { DYNOSIM_CACHE: join(this.folder, "cache"), ...env },
      onStart,
    });
  }

  search(out: string, args: readonly string[] = [], env: Record<string, string> = {}): Promise<Ended> {
    return this.run(["recommend", "-c", "search.yaml", "--output-dir", out, "--format", "json", ...args], env);
  }

  /** What a search wrote, without what the host did. */
  files(out: string): [string, string][] {
    return [
      "recommendation.json",
      "recommendation.csv",
      "execution-events.jsonl",
      ...readdirSync(join(this.folder, out, "recommendations")).map((name) => `recommendations/${name}`),
    ].map((name) => [name, readFileSync(join(this.folder, out, name), "utf8")]);
  }
}

/** Calls `use` with workers that are told to stop afterwards; answers what they said. */
async function withWorkers(
  desk: Desk,
  count: number,
  url: string,
  use: () => Promise<void>,
  env = {},
): Promise<Ended[]> {
  const children: ChildProcess[] = [];
  const ready: Promise<void>[] = [];
  const ends = Array.from({ length: count }, () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    ready.push(promise);
    return desk.run(["worker", url, "--concurrency", "1", "--lease", "10", "--finish", "1"], env, (child) => {
      children.push(child);
      child.stderr!.on("data", (piece) => String(piece).includes(" is at ") && resolve());
      child.on("close", () => resolve());
    });
  });
  try {
    await Promise.all(ready);
    await use();
  } finally {
    for (const child of children) child.kill("SIGTERM");
  }
  return await Promise.all(ends);
}

async function onRedis(options: readonly string[], use: (redis: TestRedis) => Promise<void>): Promise<void> {
  const redis = await TestRedis.start(options);
  try {
    await use(redis);
  } finally {
    await redis.stop();
  }
}

test(
  "recommend and capacity come to the same on workers as here, and leave nothing in Redis",
  { skip },
  () =>
    inFolder((folder) =>
      onRedis([], async (redis) => {
        const desk = new Desk(folder);
        const here = await desk.search("here");
        assert.equal(here.code, 0, here.stderr);
        const ends = await withWorkers(desk, 2, redis.url, async () => {
          const there = await desk.search("there", ["--executor", redis.url]);
          assert.equal(there.code, 0, there.stderr);
          assert.equal(there.stdout.replaceAll("there/", "here/"), here.stdout);
          assert.deepEqual(desk.files("there"), desk.files("here"));
          const capacity = ["capacity", "-c", "capacity.yaml", "--format", "json"];
          const [one, other] = await Promise.all([
            desk.run(capacity),
            desk.run([...capacity, "--executor", redis.url]),
          ]);
          assert.equal(one.code, 0, one.stderr);
          assert.equal(other.code, 0, other.stderr);
          assert.equal(other.stdout, one.stdout);
          assert.deepEqual(await redis.keys(), []);
        });
        for (const { stderr } of ends) assert.match(stderr, /worker \S+ ends after/);
        // nothing is left to do, so nobody is needed
        const again = await desk.search("there", ["--executor", redis.url]);
        assert.equal(again.stdout.replaceAll("there/", "here/"), here.stdout, again.stderr);
        assert.deepEqual(await redis.use((connection) => connection.keys("*")), []);
      })
    ),
);

test(
  "the sweeps of a retune come to the same on workers as here",
  { skip },
  () =>
    inFolder((folder) =>
      onRedis([], async (redis) => {
        const desk = new Desk(folder);
        const fixture = (name: string) => fileURLToPath(new URL(`../../fixtures/${name}`, import.meta.url));
        const split = ["--to", "dynamo", "--split-seconds", "300", "-o", "traces/chat.jsonl"];
        await desk.run(["convert", fixture("traces/chat.jsonl"), ...split]);
        const predict = (out: string, args: string[] = []) =>
          desk.run([
            "predict",
            "-c",
            fixture("configs/retune-chat.yaml"),
            "--format",
            "json",
            "--output-dir",
            out,
            ...args,
          ]);
        const here = await predict("here");
        assert.equal(here.code, 0, here.stderr);
        await withWorkers(desk, 2, redis.url, async () => {
          const there = await predict("there", ["--executor", redis.url]);
          assert.equal(there.code, 0, there.stderr);
          const events = (out: string) => {
            const { planner: { retune_events } } = JSON.parse(
              readFileSync(join(folder, out, "prediction.json"), "utf8"),
            );
            return retune_events.map(({ sweep_wall_s: _, ...event }: Record<string, unknown>) => event);
          };
          assert.ok(events("here").length > 0);
          assert.deepEqual(events("there"), events("here"));
        });
        assert.deepEqual(await redis.keys(), []);
        const vain = await desk.run(["predict", "-c", "capacity.yaml", "--executor", redis.url]);
        assert.equal(vain.code, 2);
        assert.match(vain.stderr, /--executor has no effect/);
      })
    ),
);

test(
  "recommend goes on where a coordinator was killed",
  { skip },
  () =>
    inFolder((folder) =>
      onRedis([], async (redis) => {
        const desk = new Desk(folder);
        await desk.search("here");
        await withWorkers(desk, 1, redis.url, async () => {
          const args = ["recommend", "-c", "search.yaml", "--output-dir", "there", "--executor", redis.url];
          await desk.run(args, {}, (child) => {
            const timer = setInterval(async () => {
              if ((await redis.keys()).some((key) => key.endsWith(":results"))) child.kill("SIGKILL");
            }, 20);
            child.on("close", () => clearInterval(timer));
          });
          const again = await desk.search("there", ["--executor", redis.url]);
          assert.equal(again.code, 0, again.stderr);
          assert.deepEqual(desk.files("there"), desk.files("here"));
        });
        assert.deepEqual(await redis.keys(), []);
      })
    ),
);

test(
  "no password is printed, by whatever is said",
  { skip },
  () =>
    inFolder((folder) =>
      onRedis(["--requirepass", "hush%1"], async (redis) => {
        const desk = new Desk(folder);
        const url = redis.url.replace("//", "//:hush%251@");
        const said: string[] = [];
        const ends = await withWorkers(desk, 1, redis.url, async () => {
          const there = await desk.search("there", ["--executor", url]);
          assert.equal(there.code, 0, there.stderr);
          said.push(there.stdout, there.stderr);
        }, { DYNOSIM_REDIS_PASSWORD: "hush%1" });
        for (
          const wrong of [
            redis.url.replace("//", "//:hush%252@"),
            url.replace(/\d+$/, "1"),
            url.replace(/\d+$/, "port"),
            url.replace("redis:", "rediss:"),
          ]
        ) {
          for (
            const args of [["recommend", "-c", "search.yaml", "--output-dir", "x", "--executor", wrong], [
              "worker",
              wrong,
            ]]
          ) {
            const { code, stdout, stderr } = await desk.run(args);
            assert.ok(code === 1 || code === 2, stderr);
            assert.doesNotMatch(stderr, /mistake in dynosim/);
            said.push(stdout, stderr);
          }
        }
        for (const { stdout, stderr } of ends) said.push(stdout, stderr);
        assert.doesNotMatch(said.join("\n"), /hush/);
      })
    ),
);

test("shards of a search merge into the files of the whole one", () =>
  inFolder(async (folder) => {
    const desk = new Desk(folder);
    const whole = await desk.search("whole");
    assert.equal(whole.code, 0, whole.stderr);
    for (const shard of ["1/3", "2/3", "3/3"]) {
      const { code, stderr } = await desk.search(`part${shard[0]}`, ["--shard", shard]);
      assert.equal(code, 0, stderr);
    }
    const merge = (...folders: string[]) =>
      desk.run(["recommend", "--merge", ...folders, "--output-dir", "merged", "--format", "json"]);
    const lacking = await merge("part1", "part3");
    assert.equal(lacking.code, 2);
    assert.match(lacking.stderr, /shard 2\/3 of the search is missing/);
    const merged = await merge("part2", "part3", "part1");
    assert.equal(merged.code, 0, merged.stderr);
    assert.equal(merged.stdout.replaceAll("merged/", "whole/"), whole.stdout);
    assert.deepEqual(desk.files("merged"), desk.files("whole"));

    // a part that was cut off is told, and goes on
    const journal = join(folder, "part2/execution-events.jsonl"), text = readFileSync(journal, "utf8");
    writeFileSync(journal, text.slice(0, text.length / 2));
    const unfinished = await desk.run(["recommend", "--merge", "part1", "part2", "part3", "--output-dir", "again"]);
    assert.match(unfinished.stderr, /part2: shard 2\/3 is not finished/);
    await desk.search("part2", ["--shard", "2/3"]);
    assert.equal(readFileSync(journal, "utf8"), text);
  }));

test("shards are refused where candidates depend on what came of others", () =>
  inFolder(async (folder) => {
    const desk = new Desk(folder);
    for (const algorithm of ["random", "halving"]) {
      const halves = ["--shard", "1/2", "--set", `optimizer.algorithm=${algorithm}`];
      const { code, stderr } = await desk.search("out", halves);
      assert.equal(code, 2);
      assert.match(
        stderr,
        new RegExp(`can only be done in shards when it tries every configuration, and ${algorithm}`),
      );
    }
    for (const shard of ["0/2", "3/2", "1", "1/0", "a/b", "1/9999999"]) {
      assert.match((await desk.search("out", ["--shard", shard])).stderr, /argument --shard: '.*' is no part/);
    }
  }));
