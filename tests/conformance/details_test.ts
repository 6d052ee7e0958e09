import "../without_user_cache.ts";
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { loadPrediction } from "../../lib/config/load.ts";
import { predict } from "../../lib/replay/predict.ts";
import type { ResolvedRole } from "../../lib/replay/roles.ts";
import { detailsOf } from "../../lib/report/details.ts";
import type { OperationTotals } from "../../lib/timing/aic/operation_ledger.ts";

const goldens: {
  name: string;
  config: unknown;
  phases: Record<string, { name: string; latency_ms: number; source: string; sol_ms: number | null }[]>;
  memory: Record<string, Record<string, unknown>>;
}[] = JSON.parse(readFileSync(new URL("../../fixtures/goldens/e2e/details.json", import.meta.url), "utf8"));

const close = (ours: number, theirs: number, what: string) =>
  assert.ok(Math.abs(ours - theirs) <= 1e-12 * Math.abs(theirs), `${what}: ${ours}, in the reference ${theirs}`);

for (const { name, config, phases, memory } of goldens) {
  test(`details of ${name} name the operations, bounds and memory of the reference`, async () => {
    const { plan } = await loadPrediction(JSON.stringify(config), { stack: "engine" });
    let roles: readonly ResolvedRole[] = [];
    const told: (OperationTotals | null)[] = [];
    const { summary } = await predict(plan, {
      onResolved: (resolved) => roles = resolved,
      onOperations: (totals) => told.push(totals),
    });
    const operations = told[0]!;
    const { sections } = detailsOf(["memory", "time", "source"], { summary, roles, operations });
    for (const phase of ["prefill", "decode"] as const) {
      const ours = operations[phase];
      for (const { name, latency_ms, source, sol_ms } of phases[phase]) {
        const one = ours.find((operation) => operation.name === name);
        assert.ok(one !== undefined, `${phase} has no ${name}`);
        close(one.ms, latency_ms, name);
        assert.equal(one.source, source, name);
        if (sol_ms !== null) close(one.boundMs!, sol_ms, `bound of ${name}`);
      }
      assert.equal(ours.length, phases[phase].length);
    }
    for (const [role, theirs] of Object.entries(memory)) {
      const ours = (sections.memory!.roles as Record<string, Record<string, unknown>>)[role];
      assert.deepEqual(Object.fromEntries(Object.keys(theirs).map((key) => [key, ours[key]])), theirs);
    }
  });
}
