import assert from "node:assert/strict";
import { test } from "node:test";
import { detailNames, detailsOf, detailsText } from "../../lib/report/details.ts";
import type { Summary } from "../../lib/report/summary.ts";

const summary = { mean_ttft_ms: 5, completed_requests: 2 } as Summary;
const role = { role: "aggregated", blocks: 10, blockTokens: 16, blocksFrom: "configured", assumed: null };

test("detailNames reads a list in any order, with blanks and repetitions", () => {
  assert.deepEqual(detailNames(" time, summary,time"), ["summary", "time"]);
  assert.deepEqual(detailNames("all"), ["summary", "memory", "time", "energy", "source"]);
});

test("detailNames refuses what is no section", () => {
  assert.throws(() => detailNames("summary,tme"), /unknown detail section 'tme'; known sections: summary, memory/);
  assert.throws(() => detailNames(" ,"), /unknown detail section no section/);
});

test("detailsOf has each section or says why not", () => {
  const { sections, skipped } = detailsOf(detailNames("all"), summary, [role]);
  assert.deepEqual(Object.keys(sections), ["summary", "memory", "time"]);
  assert.deepEqual(Object.keys(skipped), ["energy", "source"]);
  assert.deepEqual(sections.time!.serving_metrics, { mean_ttft_ms: 5 });
  assert.equal(sections.memory!.status, "partial");
});

test("detailsText names sections, their values and what was skipped", () => {
  const text = detailsText(detailsOf(["memory", "energy"], summary, [role]));
  assert.match(text, /^Detail: memory\n {2}status: partial\n/);
  assert.match(text, /\n {2}roles:\n {4}aggregated:\n {6}blocks: 10\n/);
  assert.match(text, /\nSkipped energy: the measurements shipped here hold times only/);
});
