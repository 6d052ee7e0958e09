import "../without_user_cache.ts";
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import { loadPrediction } from "../../lib/config/load.ts";
import { predict } from "../../lib/replay/predict.ts";
import type { ResolvedRole } from "../../lib/replay/roles.ts";
import { detailsOf } from "../../lib/report/details.ts";
import type { OperationTotals } from "../../lib/timing/aic/operation_ledger.ts";

/** What the reference tells of an operation over all passes. */
interface Operation {
  name: string;
  latency_ms: number;
  source: string;
  /** Null where the reference has none; ours may. */
  sol: { latency_ms: number; math_ms: number; memory_ms: number } | null;
  /** Null where it tells nothing of energy, because the times of a role are not measured. */
  energy: { energy_wms: number; covered_ms: number; status: string; source_kind: string } | null;
}

interface Power {
  power_w: number | null;
  power_coverage: number | null;
  status: string;
}

interface Golden {
  name: string;
  config: unknown;
  phases: Record<"prefill" | "decode", Operation[]>;
  energy: Power & { phases: Record<string, Power & { source: string; source_kind: string }> };
  memory: Record<string, Record<string, unknown>>;
}

const file = new URL("../../fixtures/goldens/e2e/details.json.gz", import.meta.url);
const goldens: Golden[] = JSON.parse(gunzipSync(readFileSync(file)).toString());

const close = (ours: number | null, theirs: number | null, what: string) =>
  assert.ok(
    ours === theirs || Math.abs(ours! - theirs!) <= 1e-11 * Math.abs(theirs!),
    `${what}: ${ours}, in the reference ${theirs}`,
  );

for (const { name, config, phases, energy, memory } of goldens) {
  test(`details of ${name} name the operations, bounds, energies and memory of the reference`, async () => {
    const { plan } = await loadPrediction(JSON.stringify(config), { stack: "engine" });
    let roles: readonly ResolvedRole[] = [];
    const told: (OperationTotals | null)[] = [];
    const { summary } = await predict(plan, {
      onResolved: (resolved) => roles = resolved,
      onOperations: (totals) => told.push(totals),
    });
    const operations = told[0]!;
    // deno-lint-ignore no-explicit-any
    const sections: any = detailsOf(["memory", "time", "energy", "source"], { summary, roles, operations }).sections;
    const { status, diagnostics } = sections.energy;
    assert.equal(status, energy.status);
    for (const key of ["power_w", "power_coverage"] as const) {
      close(diagnostics[key], energy[key], key);
      close(summary[key], energy[key], `${key} of the summary`);
    }
    for (const phase of ["prefill", "decode"] as const) {
      const named = (section: { phases: { name: string }[] }) => section.phases.find(({ name }) => name === phase);
      // deno-lint-ignore no-explicit-any
      const [timed, drawn, from]: any[] = [sections.time.diagnostics, diagnostics, sections.source].map(named);
      assert.equal(timed.operations.length, phases[phase].length);
      phases[phase].forEach((theirs, i) => {
        const ours = timed.operations[i];
        assert.deepEqual([ours.name, ours.source, ours.fallbacks], [theirs.name, theirs.source, []]);
        assert.deepEqual(from.operations[i], {
          name: ours.name,
          latency_ms: ours.latency_ms,
          source: ours.source,
          fallbacks: [],
        });
        close(ours.latency_ms, theirs.latency_ms, ours.name);
        for (const key of ["latency_ms", "math_ms", "memory_ms"] as const) {
          if (theirs.sol !== null) close(ours.sol[key], theirs.sol[key], `bound of ${ours.name}: ${key}`);
        }
        if (theirs.energy === null) return;
        const { energy_wms = 0, covered_latency_ms, status, source_kind } = drawn.operations[i];
        assert.deepEqual([status, source_kind], [theirs.energy.status, theirs.energy.source_kind], ours.name);
        close(energy_wms, theirs.energy.energy_wms, `energy of ${ours.name}`);
        close(covered_latency_ms, theirs.energy.covered_ms, `time of ${ours.name} with a known energy`);
      });
      const theirs = energy.phases[phase];
      if (theirs === undefined) continue;
      assert.deepEqual([drawn.source, drawn.source_kind, drawn.publication_status], [
        theirs.source,
        theirs.source_kind,
        theirs.status,
      ]);
      close(drawn.power_w, theirs.power_w, `power of ${phase}`);
      close(drawn.power_coverage, theirs.power_coverage, `coverage of ${phase}`);
    }
    for (const [role, theirs] of Object.entries(memory)) {
      const ours = sections.memory.roles[role];
      assert.deepEqual(Object.fromEntries(Object.keys(theirs).map((key) => [key, ours[key]])), theirs);
    }
  });
}
