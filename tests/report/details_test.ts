import assert from "node:assert/strict";
import { test } from "node:test";
import { detailNames, detailsOf, detailsText } from "../../lib/report/details.ts";
import type { Summary } from "../../lib/report/summary.ts";

const summary = { mean_ttft_ms: 5, completed_requests: 2 } as Summary;
const role = {
  role: "aggregated",
  blocks: 10,
  blockTokens: 16,
  blocksFrom: "configured",
  assumed: null,
  capacity: null,
};
const none = { arithmeticMs: null, memoryMs: null, coveredMs: 0, energy: 0 };
const operations = {
  complete: true,
  prefill: [
    { name: "gemm", ms: 3, boundMs: 2, arithmeticMs: 2, memoryMs: 1, coveredMs: 3, energy: 2400, source: "silicon" },
  ],
  decode: [
    { ...none, name: "attention", ms: 1, boundMs: 0.5, coveredMs: 0.5, energy: 200, source: "mixed" },
    { ...none, name: "gemm", ms: 6, boundMs: 3, coveredMs: 6, energy: 3000, source: "silicon" },
    { ...none, name: "router", ms: 1, boundMs: null, source: "silicon" },
  ],
};
const sources = { summary, roles: [role], operations };

test("detailNames reads a list in any order, with blanks and repetitions", () => {
  assert.deepEqual(detailNames(" time, summary,time"), ["summary", "time"]);
  assert.deepEqual(detailNames("all"), ["summary", "memory", "time", "energy", "source"]);
});

test("detailNames refuses what is no section", () => {
  assert.throws(() => detailNames("summary,tme"), /unknown detail section 'tme'; known sections: summary, memory/);
  assert.throws(() => detailNames(" ,"), /unknown detail section no section/);
});

test("detailsOf has each section or says why not", () => {
  const { sections, skipped } = detailsOf(detailNames("all"), { ...sources, operations: null });
  assert.deepEqual(Object.keys(sections), ["summary", "memory", "time", "energy", "source"]);
  assert.deepEqual(skipped, {});
  assert.equal(sections.energy!.status, "unsupported");
  const { status, phases } = sections.source as any;
  assert.deepEqual([status, phases.map(({ operations }: any) => operations.length)], ["not_observed", [0, 0]]);
  assert.deepEqual(Object.keys(detailsOf(["memory", "time"], { ...sources, roles: [] }).skipped), ["memory"]);
  assert.deepEqual(sections.time!.serving_metrics, { mean_ttft_ms: 5 });
  assert.equal(sections.memory!.status, "partial");
});

test("detailsText names sections, their values and what was skipped", () => {
  const text = detailsText(detailsOf(["memory", "source"], { ...sources, operations: null }));
  assert.match(detailsText(detailsOf(["memory"], { ...sources, roles: [] })), /^Skipped memory: no role tells/);
  assert.match(text, /^Detail: memory\n {2}status: partial\n/);
  assert.match(
    text,
    /\n {2}roles:\n {4}aggregated:\n {6}status: unavailable\n {6}source: configured\n {6}estimated_num_gpu_blocks: 10\n/,
  );
  assert.match(
    text,
    /\nDetail: source\n {2}status: not_observed\n(.*\n)* {2}unavailable_reason: no passes were timed by/,
  );
});

test("detailsOf keeps what every operation took, and its bound where all of a phase have one", () => {
  const { sections } = detailsOf(["time", "source"], sources);
  const { phases } = sections.time!.diagnostics as { phases: { latency_ms: number; sol: unknown }[] };
  assert.deepEqual(phases.map(({ latency_ms, sol }) => [latency_ms, sol]), [[3, {
    latency_ms: 2,
    math_ms: 2,
    memory_ms: 1,
  }], [8, null]]);
  const [prefill] = sections.source!.phases as { operations: unknown[] }[];
  assert.deepEqual(prefill.operations, [{ name: "gemm", latency_ms: 3, source: "silicon", fallbacks: [] }]);
});

test("detailsText lists the operations that took most, as many as asked for", () => {
  const text = detailsText(detailsOf(["time"], sources), 2);
  assert.match(
    text,
    /decode: 8\.000 ms\n +operation +ms +share +x bound +source\n +gemm +6\.000 +75\.0 % +2\.00 +silicon\n +attention +1\.000 +12\.5 % +2\.00 +mixed\n +… 1 more in prediction\.json/,
  );
  assert.doesNotMatch(detailsText(detailsOf(["time"], sources)), /more in/);
});

test("detailsOf tells energies by phase and operator, and the power where nine tenths of the time are known", () => {
  const { diagnostics } = detailsOf(["energy"], sources).sections.energy as any;
  assert.deepEqual([diagnostics.power_coverage, diagnostics.power_w, diagnostics.publication_status], [
    9.5 / 11,
    null,
    "withheld",
  ]);
  const [prefill, decode] = diagnostics.phases;
  assert.deepEqual([prefill.power_w, prefill.source_kind, prefill.energy_wms], [800, "measured", 2400]);
  assert.deepEqual([decode.power_w, decode.source, decode.source_kind], [null, "mixed", "mixed"]);
  const [attention, gemm, router] = decode.operations;
  assert.deepEqual([attention.status, attention.power_coverage], ["partial", 0.5]);
  assert.deepEqual([gemm.status, gemm.energy_contribution], ["available", 3000 / 3200]);
  assert.deepEqual([router.status, router.source_kind, "energy_wms" in router], ["missing", "missing", false]);
});

test("detailsOf tells no energy where the times of a role are not measured, or nothing ran", () => {
  const energy = (operations: typeof sources["operations"]) =>
    detailsOf(["energy"], { ...sources, operations }).sections.energy as any;
  assert.equal(energy({ ...operations, complete: false }).status, "unsupported");
  const nothing = energy({ complete: true, prefill: [], decode: [] });
  assert.deepEqual([nothing.status, nothing.diagnostics.power_coverage], ["not_observed", 0]);
});

test("detailsText shows power, energies and the operators that took most of them", () => {
  const text = detailsText(detailsOf(["energy"], sources), 1);
  assert.match(text, /^Detail: energy\n {2}power of a GPU while passes run: not told, withheld\n/);
  assert.match(text, /known energy: 86\.4 % \(told from 90\.0 %\)\n/);
  assert.match(text, /\n {2}prefill: 0\.002 kJ, 800\.0 W, 100\.0 % known\n/);
  assert.match(text, /\n {4}gemm +3\.0 +93\.8 % +500\.0 +measured\n {4}… 1 more in prediction\.json/);
});
