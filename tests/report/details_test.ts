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
const operations = {
  prefill: [{ name: "gemm", ms: 3, boundMs: 2, source: "silicon" }],
  decode: [
    { name: "attention", ms: 1, boundMs: 0.5, source: "mixed" },
    { name: "gemm", ms: 6, boundMs: 3, source: "silicon" },
    { name: "router", ms: 1, boundMs: null, source: "silicon" },
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
  assert.deepEqual(Object.keys(sections), ["summary", "memory", "time"]);
  assert.deepEqual(Object.keys(skipped), ["energy", "source"]);
  assert.deepEqual(sections.time!.serving_metrics, { mean_ttft_ms: 5 });
  assert.equal(sections.memory!.status, "partial");
});

test("detailsText names sections, their values and what was skipped", () => {
  const text = detailsText(detailsOf(["memory", "energy"], sources));
  assert.match(text, /^Detail: memory\n {2}status: partial\n/);
  assert.match(
    text,
    /\n {2}roles:\n {4}aggregated:\n {6}status: unavailable\n {6}source: configured\n {6}estimated_num_gpu_blocks: 10\n/,
  );
  assert.match(text, /\nSkipped energy: the measurements shipped here hold times only/);
});

test("detailsOf keeps what every operation took, and its bound where all of a phase have one", () => {
  const { sections } = detailsOf(["time", "source"], sources);
  const { phases } = sections.time!.diagnostics as { phases: { latency_ms: number; sol: unknown }[] };
  assert.deepEqual(phases.map(({ latency_ms, sol }) => [latency_ms, sol]), [[3, { latency_ms: 2 }], [8, null]]);
  const [prefill] = sections.source!.phases as { operations: unknown[] }[];
  assert.deepEqual(prefill.operations, [{ name: "gemm", latency_ms: 3, source: "silicon" }]);
});

test("detailsText lists the operations that took most, as many as asked for", () => {
  const text = detailsText(detailsOf(["time"], sources), 2);
  assert.match(
    text,
    /decode: 8\.000 ms\n +operation +ms +share +x bound +source\n +gemm +6\.000 +75\.0 % +2\.00 +silicon\n +attention +1\.000 +12\.5 % +2\.00 +mixed\n +… 1 more in prediction\.json/,
  );
  assert.doesNotMatch(detailsText(detailsOf(["time"], sources)), /more in/);
});
