import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { inFolder, start } from "./support.ts";

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
    assert.match(stdout, /completed in 1:05; the SLA was missed by 1 of them \(met by 50 %\); 0\.5 GPU hours\.\n/);
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
