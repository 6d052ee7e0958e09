import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { parseHTML } from "linkedom";
import { distinctNames } from "../../cli/report.ts";
import { effectiveConfig } from "../../lib/config/effective.ts";
import { predictionText, requestLines } from "../../lib/report/report.ts";
import { goldenOf, reportOf } from "../report/golden_reports.ts";
import { inFolder, start } from "./support.ts";

const SLA = { evaluation: { sla: { ttft_ms: 12, itl_ms: 3, e2e_ms: null } } };

/** Writes an output directory of the golden's run. */
function outputOf(folder: string, golden: string, config: Record<string, unknown> | null = SLA): void {
  const report = reportOf(goldenOf(golden));
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "prediction.json"), [...predictionText({ ...report, per_request: null })].join(""));
  writeFileSync(join(folder, "requests.jsonl"), [...requestLines(report)].join(""));
  if (config !== null) writeFileSync(join(folder, "effective-config.yaml"), effectiveConfig(config));
}

const textOf = (html: string) => (parseHTML(html) as any).document.body.textContent as string;

test("report writes one page about all directories, with the bounds and the text of their configurations", () =>
  inFolder(async (folder) => {
    outputOf(join(folder, "runs/one"), "08_");
    outputOf(join(folder, "runs/two"), "02_");
    const ended = await start("cli/main.ts", ["report", "runs/one", "runs/two/", "-o", "page.html"], { cwd: folder });
    assert.deepEqual(ended, { code: 0, stdout: "Saved report to: page.html\n", stderr: "" });
    const text = textOf(readFileSync(join(folder, "page.html"), "utf8"));
    assert.match(text, /two against one/);
    assert.match(text, /good means TTFT ≤ 12 ms, TPOT ≤ 3 ms/);
    assert.match(text, /ttft_ms: 12/);
  }));

test("report takes bounds and a title from its options, and writes to standard output", () =>
  inFolder(async (folder) => {
    outputOf(join(folder, "one"), "08_");
    const args = ["report", "one", "-o", "-", "--title", "Tuesday", "--sla-e2e-ms", "25"];
    const { code, stdout } = await start("cli/main.ts", args, { cwd: folder });
    assert.equal(code, 0);
    assert.match(textOf(stdout), /Tuesday[^]*good means latency ≤ 25 ms/);
  }));

test("report does without a configuration", () =>
  inFolder(async (folder) => {
    outputOf(join(folder, "one"), "08_", null);
    const { code, stdout } = await start("cli/main.ts", ["report", "one", "-o", "-"], { cwd: folder });
    assert.equal(code, 0);
    assert.ok(!/good means|How was it configured/.test(textOf(stdout)));
  }));

test("report refuses what is no output directory and leaves nothing", () =>
  inFolder(async (folder) => {
    const missing = await start("cli/main.ts", ["report", "nowhere"], { cwd: folder });
    assert.equal(missing.code, 2);
    assert.equal(
      missing.stderr,
      "dynosim report: error: nowhere is not a directory; give the output directories of predict\n",
    );
    mkdirSync(join(folder, "empty"));
    const empty = await start("cli/main.ts", ["report", "empty"], { cwd: folder });
    assert.equal(empty.code, 2);
    assert.match(empty.stderr, /report: error: there is no report: empty\/prediction\.json does not exist\n$/);
    writeFileSync(join(folder, "empty", "prediction.json"), "{");
    const broken = await start("cli/main.ts", ["report", "empty"], { cwd: folder });
    assert.equal(broken.code, 2);
    assert.match(broken.stderr, /report: error: Cannot parse empty\/prediction\.json as JSON: /);
    assert.ok(!existsSync(join(folder, "report.html")));
    const both = await start("cli/main.ts", ["report", "empty", "--sla-e2e-ms=1", "--sla-ttft-ms=1"], { cwd: folder });
    assert.equal(both.code, 2);
    assert.match(both.stderr, /mutually exclusive/);
    const none = await start("cli/main.ts", ["report"], { cwd: folder });
    assert.equal(none.code, 2);
    assert.match(none.stderr, /the following arguments are required: DIR…/);
  }));

test("report refuses reports that lack what its figures are made of", () =>
  inFolder(async (folder) => {
    outputOf(join(folder, "one"), "08_");
    const file = join(folder, "one", "prediction.json");
    const report = JSON.parse(readFileSync(file, "utf8"));
    const changes: [object, RegExp][] = [
      [{ summary: { ...report.summary, duration_ms: null } }, /summary\.duration_ms should be a number, not null\n$/],
      [{ telemetry: { samples: [{}] } }, /telemetry\.samples\.0\.sampled_at_ms should be/],
      [{ workers: [{ pool: "agg" }] }, /workers\.0\.worker_id should be/],
    ];
    for (const [change, message] of changes) {
      writeFileSync(file, JSON.stringify({ ...report, ...change }));
      const { code, stderr } = await start("cli/main.ts", ["report", "one"], { cwd: folder });
      assert.equal(code, 2);
      assert.match(stderr, message);
    }
  }));

test("distinctNames takes as many parts of the paths as it needs", () => {
  assert.deepEqual(distinctNames(["out/a", "out/b/"]), ["a", "b"]);
  assert.deepEqual(distinctNames(["x/run", "y/run"]), ["x/run", "y/run"]);
  assert.deepEqual(distinctNames(["a", "a", "./a"]), ["a", "a (2)", "a (3)"]);
  assert.deepEqual(distinctNames(["."]), ["."]);
});
