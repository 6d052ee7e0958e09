/** What went wrong once with commands, by the rows of the list of faults: in processes of their own. */
import assert from "node:assert/strict";
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { BASE } from "../config/support.ts";
import { type Ended, inFolder, start } from "../cli/support.ts";

const run = (folder: string, args: string[], stdin?: string) => start("cli/main.ts", args, { cwd: folder, stdin });
const clean = ({ stderr }: Ended) => assert.ok(!/mistake in dynosim|\n {4}at |MaxListeners/.test(stderr), stderr);
const row = (ms: number) => `{"timestamp": ${ms}, "input_length": 100, "output_length": 4, "hash_ids": [1]}\n`;
const linux = process.platform === "linux";

test("A3 a reader that goes away ends a command in silence", { skip: !linux }, () =>
  inFolder(async (folder) => {
    writeFileSync(join(folder, "t.jsonl"), Array.from({ length: 20_000 }, (_, i) => row(i)).join(""));
    const main = fileURLToPath(new URL("../../cli/main.ts", import.meta.url));
    const child = spawn(
      process.execPath,
      ["run", "-A", "--no-check", "--quiet", main, "convert", "t.jsonl", "-o", "-"],
      {
        cwd: folder,
      },
    );
    let stderr = "";
    child.stderr.on("data", (piece) => stderr += piece);
    child.stdout.once("data", () => child.stdout.destroy());
    const code = await new Promise((resolve) => child.on("close", resolve));
    assert.deepEqual([code, stderr], [141, ""]);
  }));

test("A4 what the system refuses is told with its path", { skip: !linux }, () =>
  inFolder(async (folder) => {
    writeFileSync(join(folder, "t.jsonl"), row(0));
    symlinkSync("b", join(folder, "a"));
    symlinkSync("a", join(folder, "b"));
    for (const args of [["convert", "t.jsonl", "-o", "a"], ["inspect", "a"], ["compare", "a", "a"]]) {
      const ended = await run(folder, args);
      assert.ok([1, 2].includes(ended.code!), ended.stderr);
      assert.match(ended.stderr, /\ba: too many levels of symbolic links/);
      clean(ended);
    }
    const full = await run(folder, ["convert", "t.jsonl", "-o", "/dev/full"]);
    assert.equal(full.code, 1);
    assert.match(full.stderr, /cannot write \/dev\/full: no space left on device\n$/);
  }));

test(
  "C1 a pipe without a writer is waited for no longer than loading may take",
  { skip: !linux },
  () =>
    inFolder(async (folder) => {
      execFileSync("mkfifo", [join(folder, "fifo")]);
      writeFileSync(join(folder, "p.yaml"), BASE);
      const sets = ["traffic.source.paths=[fifo]", "execution.resources.initialization_timeout_seconds=1"];
      const ended = await run(folder, ["predict", "-c", "p.yaml", ...sets.flatMap((text) => ["--set", text])]);
      assert.equal(ended.code, 124);
      clean(ended);
    }),
);

test("C1 the memory limit holds while a line of gigabytes is read", { skip: !linux }, () =>
  inFolder(async (folder) => {
    writeFileSync(join(folder, "p.yaml"), BASE);
    const sets = ["traffic.source.paths=[/dev/zero]", "execution.resources.memory_limit_gb=0.3"];
    const ended = await run(folder, ["predict", "-c", "p.yaml", ...sets.flatMap((text) => ["--set", text])]);
    assert.equal(ended.code, 3, ended.stderr);
    clean(ended);
  }));

test(
  "C2 C6 C9 a signal ends reading and writing, and leaves nothing",
  { skip: !linux },
  () =>
    inFolder(async (folder) => {
      // there is something left to do whenever the signal comes: the trace goes on for a minute
      execFileSync("mkfifo", [join(folder, "t.jsonl.gz")]);
      const main = fileURLToPath(new URL("../../cli/main.ts", import.meta.url));
      for (const [signal, code] of [["SIGINT", 130], ["SIGTERM", 143]] as const) {
        const child = spawn(process.execPath, [
          "run",
          "-A",
          "--no-check",
          "--quiet",
          main,
          "convert",
          "t.jsonl.gz",
          "-o",
          "out.gz",
        ], {
          cwd: folder,
        });
        const feed = ["60", "bash", "-c", `yes '${row(0).trim()}' | gzip -1 > t.jsonl.gz`];
        const feeder = spawn("timeout", feed, { cwd: folder, stdio: "ignore" });
        const fed = new Promise((resolve) => feeder.on("close", resolve));
        let stderr = "";
        child.stderr.on("data", (piece) => stderr += piece);
        const watch = setInterval(() => {
          if (!readdirSync(folder).some((name) => name.endsWith(".part"))) return;
          clearInterval(watch);
          process.kill(child.pid!, signal);
        }, 20);
        const ended = await new Promise((resolve) => child.on("close", resolve));
        clearInterval(watch);
        feeder.kill();
        await fed;
        assert.equal(ended, code, stderr);
        assert.equal(stderr, "dynosim convert: execution cancelled\n");
        assert.deepEqual(readdirSync(folder), ["t.jsonl.gz"]);
      }
    }),
);

test("C7 a directory whose run was killed is used again", { skip: !linux }, () =>
  inFolder(async (folder) => {
    execFileSync("mkfifo", [join(folder, "fifo")]);
    writeFileSync(join(folder, "p.yaml"), BASE);
    writeFileSync(join(folder, "t.jsonl"), row(0));
    const main = fileURLToPath(new URL("../../cli/main.ts", import.meta.url));
    const child = spawn(
      process.execPath,
      [
        "run",
        "-A",
        "--no-check",
        "--quiet",
        main,
        "predict",
        "-c",
        "p.yaml",
        "--set",
        "traffic.source.paths=[fifo]",
        "--output-dir",
        "out",
      ],
      { cwd: folder },
    );
    const watch = setInterval(() => {
      try {
        if (readdirSync(join(folder, "out")).includes("resource-runtime.json")) child.kill("SIGKILL");
      } catch {
        // not there yet
      }
    }, 20);
    await new Promise((resolve) => child.on("close", resolve));
    clearInterval(watch);
    const again = await run(folder, [
      "predict",
      "-c",
      "p.yaml",
      "--set",
      "traffic.source.paths=[t.jsonl]",
      "--output-dir",
      "out",
    ]);
    assert.equal(again.code, 0, again.stderr);
    assert.ok(!readdirSync(join(folder, "out")).some((name) => name.startsWith(".")));
  }));

test("C5 a configuration of more than a megabyte is refused by a named size", () =>
  inFolder(async (folder) => {
    writeFileSync(join(folder, "p.yaml"), `${BASE}# ${"x".repeat(2 ** 20)}\n`);
    const ended = await run(folder, ["predict", "-c", "p.yaml"]);
    assert.equal(ended.code, 2);
    assert.match(ended.stderr, /p\.yaml: it is larger than 1 MiB/);
  }));

test(
  "D3 paths of the standard streams are read and written like -",
  { skip: !linux },
  () =>
    inFolder(async (folder) => {
      const ended = await run(folder, ["convert", "/dev/stdin", "-o", "/dev/stdout", "--to", "mooncake"], row(0));
      assert.equal(ended.code, 0, ended.stderr);
      assert.equal(ended.stdout, row(0));
    }),
);

test(
  "C8 Deno and Bun see each other's hold on a directory",
  { skip: !linux || !runs("bun") || !runs("deno") },
  () =>
    inFolder((folder) => {
      const hold = fileURLToPath(new URL("./hold_folder.ts", import.meta.url));
      const commands = { deno: ["deno", "run", "-A", "--no-check", "--quiet", hold], bun: ["bun", hold] };
      for (const [first, second] of [["deno", "bun"], ["bun", "deno"]] as const) {
        const [program, ...args] = commands[first];
        // the first holds the directory while it runs the second
        const said = execFileSync(program, [...args, folder, ...commands[second]], { encoding: "utf8", cwd: folder });
        assert.match(said, /^taken\noutput directory .* is in use by another process/, `${first}, then ${second}`);
      }
      assert.deepEqual(readdirSync(folder), []);
      return Promise.resolve();
    }),
);

function runs(program: string): boolean {
  try {
    execFileSync(program, ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

test("A4 a file that may grow no further leaves nothing unfinished", { skip: !linux }, () =>
  inFolder((folder) => {
    writeFileSync(join(folder, "t.jsonl"), Array.from({ length: 20_000 }, (_, i) => row(i)).join(""));
    const main = fileURLToPath(new URL("../../cli/main.ts", import.meta.url));
    const command =
      `ulimit -f 64; '${process.execPath}' run -A --no-check --quiet '${main}' convert t.jsonl -o out.jsonl`;
    const { status, stderr } = spawnSync("bash", ["-c", command], { cwd: folder, encoding: "utf8" });
    assert.equal(status, 1, stderr);
    assert.match(stderr, /cannot write out\.jsonl: file too large/i);
    assert.deepEqual(readdirSync(folder), ["t.jsonl"]);
    return Promise.resolve();
  }));

test("E8 a command called through a task takes relative paths for its caller's", () =>
  inFolder(async (folder) => {
    writeFileSync(join(folder, "t.jsonl"), row(0));
    const root = fileURLToPath(new URL("../../", import.meta.url));
    const ended = await start("cli/main.ts", ["inspect", "t.jsonl"], { cwd: root, env: { INIT_CWD: folder } });
    assert.equal(ended.code, 0, ended.stderr);
    const elsewhere = await start("cli/main.ts", ["inspect", "t.jsonl"], { cwd: tmpdir(), env: { INIT_CWD: folder } });
    assert.notEqual(elsewhere.code, 0); // only the folder that deno task itself goes to is left
  }));

test("C3 ten thousand workers start and serve", () =>
  inFolder(async (folder) => {
    writeFileSync(join(folder, "t.jsonl"), row(0) + row(5));
    writeFileSync(join(folder, "p.yaml"), BASE.replace("chat.jsonl", "t.jsonl"));
    const replicas = (count: number) => `engine.workers.aggregated.parallelism.replicas=${count}`;
    const small = "engine.workers.aggregated.kv_cache.capacity.blocks=64";
    const many = await run(folder, [
      "predict",
      "-c",
      "p.yaml",
      "--set",
      replicas(10_000),
      "--set",
      small,
      "--output-dir",
      "o",
    ]);
    assert.equal(many.code, 0, many.stderr);
    const more = await run(folder, ["predict", "-c", "p.yaml", "--set", replicas(1_000_000), "--output-dir", "m"]);
    assert.equal(more.code, 2);
    assert.match(more.stderr, /1000000 ranks .*at most 20000 are simulated/);
    clean(more);
  }));

test("E9 a cutoff lets admitted requests finish unless it is hard, and counts what it kept out", () =>
  inFolder(async (folder) => {
    const long = (ms: number) => row(ms).replace('"output_length": 4', '"output_length": 1000');
    writeFileSync(join(folder, "t.jsonl"), row(0) + [500, 900, 1100, 5000].map(long).join(""));
    writeFileSync(join(folder, "p.yaml"), BASE.replace("chat.jsonl", "t.jsonl"));
    const ends = async (output: string, ...sets: string[]) => {
      const set = ["traffic.stop.max_virtual_time_seconds=1", ...sets].flatMap((text) => ["--set", text]);
      const ended = await run(folder, ["predict", "-c", "p.yaml", ...set, "--output-dir", output]);
      assert.equal(ended.code, 0, ended.stderr);
      const told = ended.stdout.split("\n").filter((line) => line.startsWith("the cutoff"));
      const { summary = undefined, ...flat } = JSON.parse(
        readFileSync(join(folder, output, "prediction.json"), "utf8"),
      );
      const figures = summary ?? flat;
      return { told, figures };
    };
    const soft = await ends("soft");
    assert.deepEqual(soft.told, ["the cutoff kept out 2 requests and left 0 unfinished"]);
    assert.equal(soft.figures.completed_requests, 3);
    assert.equal(soft.figures.total_output_tokens, 2004);
    assert.equal(soft.figures.cutoff_unadmitted_requests, 2);
    assert.equal(soft.figures.cutoff_unfinished_requests, 0);
    assert.ok(soft.figures.duration_ms > 1000);
    const hard = await ends("hard", "traffic.stop.cutoff=hard");
    assert.deepEqual(hard.told, ["the cutoff kept out 2 requests and left 2 unfinished"]);
    assert.equal(hard.figures.completed_requests, 1);
    assert.equal(hard.figures.cutoff_unadmitted_requests, 2);
    assert.equal(hard.figures.cutoff_unfinished_requests, 2);
  }));
