import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { readPlannerConfig } from "../../lib/config/planner_source.ts";
import { ConfigError } from "../../lib/errors.ts";

const refused = (source: string, message: RegExp) =>
  assert.rejects(readPlannerConfig(source), (error: unknown) => {
    assert.ok(error instanceof ConfigError, String(error));
    assert.match(error.message, message);
    return true;
  });

test("readPlannerConfig takes a mapping and JSON text", async () => {
  assert.deepEqual(await readPlannerConfig({ mode: "agg" }), { mode: "agg" });
  assert.deepEqual(await readPlannerConfig('{"mode": "disagg"}'), { mode: "disagg" });
});

test("readPlannerConfig reads JSON and YAML files by their suffix, others by what they hold", async () => {
  const folder = mkdtempSync(join(tmpdir(), "dynosim-"));
  try {
    const write = (name: string, text: string) => {
      writeFileSync(join(folder, name), text);
      return join(folder, name);
    };
    assert.deepEqual(await readPlannerConfig(write("a.json", '{"mode": "agg"}')), { mode: "agg" });
    assert.deepEqual(await readPlannerConfig(write("a.yaml", "mode: agg\nttft_ms: 700\n")), {
      mode: "agg",
      ttft_ms: 700,
    });
    assert.deepEqual(await readPlannerConfig(write("a.conf", "mode: agg\n")), { mode: "agg" });
    assert.deepEqual(await readPlannerConfig(write("b.conf", '{"mode": "agg"}')), { mode: "agg" });
    await refused(write("b.json", "mode: agg"), /^Cannot parse .*b\.json as JSON: /);
    await refused(write("c.json", "[1]"), /c\.json must be one mapping of PlannerConfig fields$/);
    await refused(write("d.yaml", "mode: agg\nmode: disagg\n"), /duplicate mapping key 'mode'/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("readPlannerConfig says that a text is neither a file nor JSON", async () => {
  await refused("no-such-file.yaml", /^--config value is neither a valid file path nor valid JSON: /);
  await refused("[1]", /^the planner configuration must be one mapping/);
});
