import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { compared, distinct } from "../../cli/compare.ts";
import { cellText, comparisonText } from "../../cli/comparison_texts.ts";
import type { Report } from "../../lib/report/report.ts";
import { plannerReport } from "../report/golden_reports.ts";
import { inFolder, start } from "./support.ts";

function changed(report: Pick<Report, "summary" | "planner">) {
  const other = structuredClone({ summary: report.summary, planner: report.planner });
  other.summary.gpu_hours *= 1.5;
  const tick = other.planner!.ticks.find(({ runtime_decision }) => runtime_decision.target_decode !== null)!;
  tick.runtime_decision.target_decode!++;
  return { other, tick };
}

test("compare puts runs side by side and tells where their Planners part", () =>
  inFolder(async (folder) => {
    const one = plannerReport("agg_load_x4");
    const { other, tick } = changed(one);
    const write = (name: string, report: object) => {
      mkdirSync(join(folder, "runs", name), { recursive: true });
      writeFileSync(join(folder, "runs", name, "prediction.json"), JSON.stringify(report));
    };
    write("base", one);
    write("more", other);
    write("fixed", { summary: one.summary, planner: null });
    const { code, stdout, stderr } = await start("cli/main.ts", ["compare", "runs/base", "runs/more/", "runs/fixed"], {
      cwd: folder,
    });
    assert.deepEqual([code, stderr], [0, ""]);
    const lines = stdout.split("\n");
    assert.match(lines[0], /^ +base +more +fixed$/);
    assert.match(lines[1], /^Requests within the SLA \(%\) /);
    const hours = lines.find((line) => line.startsWith("GPU hours"))!;
    assert.match(hours, /^GPU hours +[\d.]+ +[\d.]+ \(\+50\.0 %\) +[\d.]+ \(=\)$/);
    assert.match(stdout, /\nScaling events +\d+ +\d+ \(=\) +–\n/);
    assert.match(
      stdout,
      new RegExp(`The autoscalers of base and more part at tick ${tick.ordinal} \\(\\d\\d:\\d\\d\\), decision:`),
    );
    assert.doesNotMatch(stdout, /Planners of base and fixed/);
    const { stdout: text } = await start("cli/main.ts", ["compare", "--format=json", "runs/base", "runs/base"], {
      cwd: folder,
    });
    const comparison = JSON.parse(text);
    assert.deepEqual(comparison.runs, ["base", "base (2)"]);
    assert.deepEqual(comparison.divergences, [{ run: "base (2)", against: "base", divergence: null }]);
  }));

test("compare refuses what is no report", () =>
  inFolder(async (folder) => {
    writeFileSync(join(folder, "a.json"), "{}");
    writeFileSync(join(folder, "b.json"), "{");
    const problem = async (...args: string[]) => {
      const { code, stderr } = await start("cli/main.ts", ["compare", ...args], { cwd: folder });
      assert.equal(code, 2);
      return stderr;
    };
    assert.match(await problem("a.json", "b.json"), /error: a\.json is not a report: it has no summary\n$/);
    assert.match(await problem("b.json", "b.json"), /error: cannot read the report b\.json: /);
    assert.match(await problem("gone", "b.json"), /error: there is no report: gone does not exist\n$/);
    assert.match(await problem("a.json"), /required: DIR… \(at least 2, not 1\)\n$/);
  }));

test("compared keeps only figures that a run has, and text says when Planners decide alike", () => {
  const report = plannerReport("agg_load_x4");
  const comparison = compared({ a: report, b: report });
  assert.ok(comparison.figures.every(({ values }) => values.some((value) => value !== null)));
  assert.match(comparisonText(comparison, 80), /\nThe autoscalers of a and b decide alike at every tick\.\n$/);
  const plain = compared({ a: { summary: { gpu_hours: 1 }, planner: null }, b: { summary: {}, planner: null } });
  assert.deepEqual(plain.figures.map(({ key, values }) => [key, values]), [["gpu_hours", [1, null]]]);
});

test("a comparison of many runs, or of long names, has a row a run within its columns", () => {
  const report = plannerReport("agg_load_x4");
  const runs = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`replicas-${i}`, report]));
  for (const columns of [60, 80, 140]) {
    const lines = comparisonText(compared(runs), columns).split("\n");
    assert.match(lines[0], /^ +SLA % +GPU h +TTFT p95/);
    assert.match(lines[1], /^replicas-0 /);
    assert.match(lines[20], /^replicas-19 /);
    assert.match(lines[22], /^\d+ more figures: --format csv$/);
    assert.equal(lines[24], "replicas-1 decides as replicas-0 does");
    assert.ok(lines.every(({ length }) => length <= columns), lines.join("\n"));
  }
  const long = "a-name-that-says-everything-about-the-run-".repeat(2);
  const [head, first] = comparisonText(compared({ [`${long}1`]: report, [`${long}2`]: report }), 80).split("\n");
  assert.match(head, /^ +SLA %/);
  assert.match(first, /^…[a-z-]+-1 +/);
});

test("cellText shows the difference to the first run", () => {
  assert.deepEqual([0, 1, 2, 3].map((run) => cellText([2000, 1500, 2000, null], run)), [
    "2,000",
    "1,500 (−25.0 %)",
    "2,000 (=)",
    "–",
  ]);
  assert.equal(cellText([0, 0.12345], 1), "0.1235 (+0.1235)");
  assert.equal(cellText([99.9, 74.8], 1, true), "74.80 (−25.10 points)");
  assert.equal(cellText([-4, -3], 1), "-3 (+25.0 %)");
  assert.equal(cellText([12.3456, 1234567.8], 0), "12.35");
});

test("distinct leaves out what paths share", () => {
  assert.deepEqual(distinct(["a/b/x", "a/b/y/", "a/b/y/prediction.json"]), ["x", "y", "y (2)"]);
  assert.deepEqual(distinct(["x", "y"]), ["x", "y"]);
  assert.deepEqual(distinct(["runs/x", "runs/x/deep"]), ["x", "x/deep"]);
});

test("compared names the currency of costs, and judges none where there are two", () => {
  const priced = (currency: string) => ({
    summary: { gpu_hours: 2, total_output_tokens: 1e6 },
    planner: null,
    evaluation: {
      cost: {
        price_per_gpu_hour: 3,
        currency,
        total: 6,
        per_million_output_tokens: 6,
        per_thousand_good_requests: null,
      },
    },
  });
  const costOf = (...currencies: string[]) => {
    const runs = Object.fromEntries(currencies.map((currency, i) => [`run ${i}`, priced(currency)]));
    const { label, better } = compared(runs).figures.find(({ key }) => key === "cost")!;
    return [label, better];
  };
  assert.deepEqual(costOf("$", "$"), ["Cost ($)", "lower"]);
  assert.deepEqual(costOf("$", "EUR"), ["Cost ($, EUR)", null]);
});
