import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { inFolder, start } from "./support.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

const report = {
  summary: {
    num_requests: 2,
    completed_requests: 2,
    goodput_completed_requests: 1,
    duration_ms: 65_000,
    gpu_hours: 0.5,
    mean_ttft_ms: 3,
  },
  planner: {
    metadata: { details_captured: false, advisory: false },
    ticks: [],
    scaling_events: [{ at_s: 5, component: "agg", from_count: 1, to_count: 2, reason: "scale_up" }],
    recommended_scaling_events: [],
    lifecycle_operations: [],
    retune_events: null,
    total_ticks: 12,
    html_report_path: null,
  },
};

test("explain prints the story of an output folder", () =>
  inFolder(async (folder) => {
    writeFileSync(join(folder, "prediction.json"), JSON.stringify(report));
    const { code, stdout, stderr } = await start("cli/main.ts", ["explain", folder]);
    assert.equal(stderr, "");
    assert.equal(code, 0);
    assert.match(stdout, /^Planner in the loop\. 12 ticks, 2 requests\.\n/);
    assert.match(stdout, /\n0:05 {2}agg 1 → 2\n/);
    assert.match(stdout, /completed in 1:05; the SLA was met by 50 % and missed by 1 of them; 0\.5 GPU hours\.\n/);
  }));

/** What a command prints to a terminal of its own. */
function onTerminal(args: string[], cwd: string, env: Record<string, string>): string {
  const python = "import os, pty, sys\nsys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))";
  const bun = "Bun" in globalThis;
  const flags = bun ? ["run"] : ["run", "-A", "--no-check", "--quiet", "--config", join(root, "deno.json")];
  const { stdout, status } = spawnSync(
    "python3",
    ["-c", python, process.execPath, ...flags, join(root, "cli/main.ts"), ...args],
    { cwd, encoding: "utf8", env: { ...process.env, TERM: "xterm", ...env } },
  );
  assert.equal(status, 0);
  return stdout;
}

const skip = spawnSync("python3", ["--version"]).status === 0 ? false : "no python3 for a terminal on this machine";

test("explain has colours on a terminal, and none with NO_COLOR", { skip }, () =>
  inFolder((folder) => {
    writeFileSync(join(folder, "prediction.json"), JSON.stringify(report));
    const coloured = onTerminal(["explain", "."], folder, { NO_COLOR: "" });
    assert.ok(coloured.includes("\x1b[36m0:05\x1b[0m  \x1b[32magg 1 → 2\x1b[0m"), coloured);
    assert.ok(!onTerminal(["explain", "."], folder, { NO_COLOR: "1" }).includes("\x1b"));
    return Promise.resolve();
  }));

test("explain reads a report from standard input and answers in JSON", async () => {
  const stdin = JSON.stringify(report);
  const { code, stdout } = await start("cli/main.ts", ["explain", "-", "--format", "json"], { stdin });
  assert.equal(code, 0);
  assert.deepEqual(JSON.parse(stdout).map(({ kind }: { kind: string }) => kind), ["start", "change", "end"]);
});

test("explain says what is wrong with a folder that holds no report", () =>
  inFolder(async (folder) => {
    const missing = await start("cli/main.ts", ["explain", folder]);
    assert.equal(missing.code, 2);
    assert.match(missing.stderr, /explain: error: there is no report: .*prediction\.json does not exist\n$/);
    writeFileSync(join(folder, "prediction.json"), "{}");
    const empty = await start("cli/main.ts", ["explain", folder]);
    assert.equal(empty.code, 2);
    assert.match(empty.stderr, /prediction\.json is not a report: it has no summary/);
  }));
