import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { BASE } from "../config/support.ts";
import { type Ended, inFolder, start, type StartOptions } from "./support.ts";

/** Runs the command on the small document with a trace of the given name. */
const predict = (folder: string, trace: string, args: string[] = [], options: StartOptions = {}) => {
  writeFileSync(join(folder, "p.yaml"), BASE);
  const set = ["--set", `traffic.source.paths=[${trace}]`];
  return start("tests/cli/fake_main.ts", ["-c", "p.yaml", ...set, ...args], { cwd: folder, ...options });
};
const json = (...path: string[]) => JSON.parse(readFileSync(join(...path), "utf8"));

test("predict prints the table, writes prediction.json and says where", () =>
  inFolder(async (folder) => {
    const { code, stdout, stderr } = await predict(folder, "ok", ["--stack", "dynamo"]);
    assert.equal(stderr, "");
    assert.equal(code, 0);
    const lines = stdout.split("\n");
    assert.equal(lines[0], "Requests            3 completed");
    assert.match(stdout, /\nThroughput {10}12,346 output tokens\/s/);
    assert.match(stdout, /\nPrefix cache reuse {2}25 % of the prompt tokens\n/);
    assert.ok(lines.every(({ length }) => length <= 80));
    assert.deepEqual(lines.slice(-3), [
      "Simulated in 0.00 s",
      "Saved full report to: ./aisimulate-output/prediction.json",
      "",
    ]);
    const output = join(folder, "aisimulate-output");
    assert.deepEqual(readdirSync(output).sort(), [
      "effective-config.yaml",
      "execution-events.jsonl",
      "prediction.json",
      "resource-runtime.json",
    ]);
    assert.equal(json(output, "prediction.json").summary.completed_requests, 3);
    assert.equal(json(output, "prediction.json").per_request, null);
    assert.match(readFileSync(join(output, "effective-config.yaml"), "utf8"), /paths:\n\s+- ok\n/);
  }));

test("predict notes its permission to start in execution-events.jsonl", () =>
  inFolder(async (folder) => {
    await predict(folder, "ok");
    const { event, value } = json(folder, "aisimulate-output", "execution-events.jsonl");
    assert.deepEqual([event, value.status, value.stack], ["resource_plan", "admitted", "engine"]);
  }));

test("predict --detail adds sections to table, JSON and report, and refuses what has no effect", () =>
  inFolder(async (folder) => {
    const table = await predict(folder, "ok", ["--detail", "time,energy", "--stack", "dynamo"]);
    assert.match(table.stdout, /\nDetail: time\n {2}status: available\n/);
    assert.match(table.stdout, /\nDetail: energy\n {2}power of a GPU while passes run: not told, /);
    const { details } = json(folder, "aisimulate-output", "prediction.json");
    assert.deepEqual([Object.keys(details.sections), Object.keys(details.skipped)], [["energy", "time"], []]);
    const text = await predict(folder, "ok", ["--overwrite", "--diagnostics", "power", "--format", "json"]);
    assert.deepEqual(Object.keys(JSON.parse(text.stdout).details.sections), ["energy"]);
    for (const alone of [[], ["--detail", "memory"], ["--detail", "time", "--format", "json"]]) {
      const refused = await predict(folder, "ok", ["--overwrite", "--detail-top-n", "3", ...alone]);
      assert.equal(refused.code, 2);
      assert.match(refused.stderr, /--detail-top-n has no effect/);
    }
  }));

test("predict leaves resource-runtime.json with its keys in order", () =>
  inFolder(async (folder) => {
    await predict(folder, "ok", ["--set", "execution.resources.cpu_limit=1"]);
    const runtime = json(folder, "aisimulate-output", "resource-runtime.json");
    assert.deepEqual(Object.keys(runtime), [
      "schema_version",
      "status",
      "reason",
      "exit_code",
      "budget",
      "requested_resources",
      "peak_observed_rss_bytes",
      "wall_seconds",
      "thread_limit_per_runtime",
      "termination_complete",
    ]);
    assert.deepEqual([runtime.status, runtime.reason, runtime.exit_code], ["completed", null, 0]);
    assert.equal(runtime.budget.cpu_limit, 1);
    assert.equal(Object.keys(runtime.requested_resources).length, 7);
    assert.ok(runtime.peak_observed_rss_bytes > 1e6);
  }));

test("predict --format json prints the summary alone, on one line with sorted keys", () =>
  inFolder(async (folder) => {
    const { code, stdout } = await predict(folder, "ok", ["--format=json", "--output-dir", "out"]);
    assert.equal(code, 0);
    assert.equal(stdout.split("\n").length, 2);
    const keys = Object.keys(JSON.parse(stdout));
    assert.deepEqual(keys, keys.toSorted());
    assert.ok(existsSync(join(folder, "out", "prediction.json")));
  }));

test("predict --capture-per-request writes requests.jsonl", () =>
  inFolder(async (folder) => {
    await predict(folder, "ok", ["--capture", "--output-dir=a/b"]);
    const output = join(folder, "a", "b");
    assert.equal(readFileSync(join(output, "requests.jsonl"), "utf8").split("\n").length, 3);
    assert.equal(json(output, "prediction.json").per_request.length, 2);
  }));

test("predict refuses a directory that holds something, and replaces known files with --overwrite", () =>
  inFolder(async (folder) => {
    const output = join(folder, "out");
    mkdirSync(join(output, "recommendations"), { recursive: true });
    const files = [
      "requests.jsonl",
      "resource-plan.json",
      "mine.txt",
      "recommendations/0001.yaml",
      "recommendations/x.yaml",
    ];
    for (const name of files) writeFileSync(join(output, name), "old");
    const refused = await predict(folder, "ok", ["--output-dir", "out"]);
    assert.equal(refused.code, 2);
    assert.equal(
      refused.stderr,
      "dynosim predict: error: output directory out is not empty; " +
        "pass --overwrite to replace known AISimulate outputs\n",
    );
    assert.equal((await predict(folder, "ok", ["--output-dir", "out", "--over"])).code, 0);
    assert.deepEqual(readdirSync(output).sort(), [
      "effective-config.yaml",
      "execution-events.jsonl",
      "mine.txt",
      "prediction.json",
      "recommendations",
      "resource-runtime.json",
    ]);
    assert.deepEqual(readdirSync(join(output, "recommendations")), ["x.yaml"]);
    writeFileSync(join(folder, "file"), "");
    const file = await predict(folder, "ok", ["--output-dir", "file"]);
    assert.match(file.stderr, /output path file exists and is not a directory/);
    assert.equal(file.code, 2);
  }));

test("predict takes a directory again in which a run came to nothing, but not one in which a run goes on", () =>
  inFolder(async (folder) => {
    const out = ["--output-dir", "out"];
    for (const trace of ["dead", "missing"]) assert.equal((await predict(folder, trace, out)).code, 1);
    const limited = await predict(folder, "ok", [...out, "--set", "execution.resources.memory_limit_gb=0.01"]);
    assert.equal(limited.code, 3);
    assert.deepEqual(readdirSync(join(folder, "out")), ["resource-plan.json"]);
    let inTheWay: Promise<Ended> | undefined;
    const first = await predict(folder, "endless", out, {
      onError(text, child) {
        if (inTheWay || !text.includes("running")) return;
        assert.equal(json(folder, "out", "resource-runtime.json").status, "running");
        inTheWay = predict(folder, "ok", out);
        inTheWay.then(() => process.kill(child.pid!, "SIGINT"));
      },
    });
    assert.equal(first.code, 130);
    const second = await inTheWay!;
    assert.equal(second.code, 2);
    assert.match(second.stderr, /output directory out is in use by another process/);
    assert.equal((await predict(folder, "ok", out)).code, 0);
    assert.equal(json(folder, "out", "resource-runtime.json").status, "completed");
    writeFileSync(join(folder, "out", "prediction.json"), "");
    assert.equal((await predict(folder, "ok", out)).code, 2);
  }));

test("predict says before the run that nothing can be written where it should", () =>
  inFolder(async (folder) => {
    const nameless = await predict(folder, "ok", ["--output-dir", ""]);
    assert.equal(nameless.stderr, "dynosim predict: error: the name of the output directory is empty\n");
    const { code, stderr } = await predict(folder, "ok", ["--output-dir", "p.yaml/out"]);
    assert.equal(code, 2);
    assert.match(stderr, /^dynosim predict: error: could not create output directory p\.yaml\/out: \w[^\n]*\n$/);
  }));

test("predict ends with 2 on configuration errors and leaves the output directory alone", () =>
  inFolder(async (folder) => {
    const wrong = await predict(folder, "ok", ["--set", "engine.hardwear=h9000", "--output-dir", "out"]);
    assert.equal(wrong.code, 2);
    assert.equal(
      wrong.stderr,
      "dynosim predict: error: p.yaml: 1 validation error\nengine.hardwear\n  Extra inputs are not permitted\n" +
        "  at --set 'engine.hardwear=h9000'; did you mean `hardware`?\n",
    );
    assert.ok(!existsSync(join(folder, "out")));
    const missing = await start("tests/cli/fake_main.ts", ["-cnope.yaml"], { cwd: folder });
    assert.match(missing.stderr, /^dynosim predict: error: could not read configuration nope\.yaml: /);
    assert.equal(missing.code, 2);
    writeFileSync(join(folder, "latin.yaml"), Uint8Array.of(0x61, 0x3a, 0x20, 0xe9));
    const latin = await start("tests/cli/fake_main.ts", ["-c", "latin.yaml"], { cwd: folder });
    assert.match(latin.stderr, /could not read configuration latin\.yaml: it is not UTF-8 text/);
  }));

test("predict reads its configuration from standard input", () =>
  inFolder(async (folder) => {
    const ended = await start("tests/cli/fake_main.ts", ["-c", "-"], { cwd: folder, stdin: BASE });
    assert.equal(ended.code, 0, ended.stderr);
  }));

test("predict prints its usage with mistakes of the command line", () =>
  inFolder(async (folder) => {
    const usage = (...args: string[]) => start("tests/cli/fake_main.ts", args, { cwd: folder });
    const none = await usage();
    assert.equal(none.code, 2);
    assert.match(none.stderr, /^usage: dynosim predict -c FILE \[--stack NAME\] \[--set PATH=YAML\]…\s/);
    assert.match(none.stderr, /\ndynosim predict: error: the following arguments are required: -c\/--config\n$/);
    const online = await usage("-cp.yaml", "--online");
    assert.match(online.stderr, /runner does not support execution mode 'online'/);
    assert.equal(online.code, 2);
    const help = await usage("--help");
    assert.equal(help.code, 0);
    assert.match(help.stdout, /-c, --config FILE +the prediction/);
  }));

test("predict ends with 1 when the replay fails, without a stack trace and without a report", () =>
  inFolder(async (folder) => {
    const dead = await predict(folder, "dead", ["--output-dir", "a", "--capture-per-request"]);
    assert.equal(dead.code, 1);
    assert.equal(
      dead.stderr,
      "dynosim predict failed: SimulationError: replay invariant violated: dead end\n",
    );
    assert.deepEqual(readdirSync(join(folder, "a")).sort(), ["execution-events.jsonl", "resource-runtime.json"]);
    const { status, reason, exit_code } = json(folder, "a", "resource-runtime.json");
    assert.deepEqual([status, reason, exit_code], ["failed", "execution process exited with status 1", 1]);
    const missing = await predict(folder, "missing.jsonl", ["--output-dir", "b"]);
    assert.deepEqual(
      [missing.code, missing.stderr],
      [1, "dynosim predict failed: TraceError: failed to open trace file missing.jsonl\n"],
    );
    const bug = await predict(folder, "bug", ["--output-dir", "c"]);
    assert.match(bug.stderr, /^dynosim predict failed: TypeError: .*DYNOSIM_DEBUG=1/);
    assert.doesNotMatch(bug.stderr, /\n\s+at /);
    const traced = await predict(folder, "bug", ["--output-dir", "d"], { env: { DYNOSIM_DEBUG: "1" } });
    assert.match(traced.stderr, /\n\s+at /);
  }));

test("predict tells how many requests were rejected and which prompt would fit", () =>
  inFolder(async (folder) => {
    const some = await predict(folder, "some", ["--output-dir", "a"]);
    assert.match(some.stdout, /1 rejected \(the largest prompt that fits:\n +640 tokens\)\n/);
    assert.equal(some.stderr, "");
    const all = await predict(folder, "rejected", ["--output-dir", "b"]);
    assert.equal(all.code, 0);
    assert.equal(
      all.stderr,
      "dynosim predict: warning: none of the 3 requests completed: 3 rejected; " +
        "the largest prompt that fits has 1,048,576 tokens\n",
    );
  }));

test("predict tells its warnings after the table, also when it fails", () =>
  inFolder(async (folder) => {
    const set = ["--set", "engine.workers.aggregated.startup_seconds=9"];
    const warning = /^dynosim predict: warning: engine\.workers\.aggregated\.startup_seconds has no effect/;
    assert.match((await predict(folder, "ok", set)).stderr, warning);
    const failed = await predict(folder, "dead", [...set, "--output-dir", "b"]);
    assert.match(failed.stderr, warning);
    assert.match(failed.stderr, /\ndynosim predict failed: [^\n]*\n$/);
  }));

test("predict ends with 130 on Ctrl-C and leaves no report", () =>
  inFolder(async (folder) => {
    let sent = false;
    const { code, stderr } = await predict(folder, "endless", [], {
      onError(text, child) {
        if (sent || !text.includes("running")) return;
        sent = true;
        process.kill(child.pid!, "SIGINT"); // `child.kill` would make Deno forget the exit code
      },
    });
    assert.equal(code, 130);
    assert.match(stderr, /dynosim predict: execution cancelled\n$/);
    const output = join(folder, "aisimulate-output");
    assert.deepEqual(readdirSync(output).sort(), ["execution-events.jsonl", "resource-runtime.json"]);
    const { status, reason } = json(output, "resource-runtime.json");
    assert.deepEqual([status, reason], ["cancelled", "execution cancelled"]);
  }));

test("predict ends with 124 when loading takes longer than it may", () =>
  inFolder(async (folder) => {
    const set = ["--set", "execution.resources.initialization_timeout_seconds=0.3"];
    const { code, stderr } = await predict(folder, "slow", set);
    assert.equal(code, 124);
    assert.equal(stderr, "dynosim predict: execution initialization timed out\n");
    assert.equal(json(folder, "aisimulate-output", "resource-runtime.json").status, "timed_out");
  }));

test("predict ends with 3 when memory passes the budget", () =>
  inFolder(async (folder) => {
    const { code, stderr } = await predict(folder, "greedy", ["--set", "execution.resources.memory_limit_gb=0.3"]);
    assert.equal(code, 3);
    const said = "owned process tree exceeded the memory budget";
    assert.match(
      stderr,
      new RegExp(`^dynosim predict: resource_limited: ${said} \\(0\\.\\d\\d GB of 0\\.30 GB\\)\\n$`),
    );
    const runtime = json(folder, "aisimulate-output", "resource-runtime.json");
    assert.equal(runtime.status, "resource_limited");
    assert.ok(runtime.peak_observed_rss_bytes > 3e8);
  }));

test("predict refuses a load that cannot fit before it starts", () =>
  inFolder(async (folder) => {
    const { code, stderr } = await predict(folder, "ok", ["--set", "execution.resources.memory_limit_gb=0.01"]);
    assert.equal(code, 3);
    assert.match(stderr, /resource_limited: the workload needs more memory than the budget; allocation model=/);
    const output = join(folder, "aisimulate-output");
    assert.deepEqual(readdirSync(output), ["resource-plan.json"]);
    const plan = json(output, "resource-plan.json");
    assert.deepEqual([plan.status, plan.budget.memory_limit_bytes], ["resource_limited", 1e7]);
  }));
