import assert from "node:assert/strict";
import { test } from "node:test";
import { parseHTML } from "linkedom";
import { htmlReportSteps } from "../../lib/analysis/html_report.ts";
import { htmlReport } from "../../lib/analysis/plots.ts";
import { type Run, toRun } from "../../lib/analysis/run.ts";
import type { Evaluation } from "../../lib/report/evaluation.ts";
import type { PlannerSection, RetuneEvent } from "../../lib/report/planner_section.ts";
import type { RunMetadata } from "../../lib/report/report.ts";
import { plannerReport } from "../report/golden_reports.ts";
import { manyRuns, sampleRuns } from "./sample_runs.ts";

const textOf = (html: string) => (parseHTML(html) as any).document.body.textContent as string;

test("htmlReportSteps tells how much of the page is drawn, and makes the same page", async () => {
  for (const runs of [await sampleRuns(), await manyRuns(8)]) {
    const shares: number[] = [], steps = htmlReportSteps(runs);
    let step = steps.next();
    for (; !step.done; step = steps.next()) shares.push(step.value);
    assert.ok(shares.length > 5);
    assert.ok(shares.every((share, i) => share >= (shares[i - 1] ?? 0) && share < 1), String(shares));
    assert.equal(step.value, await htmlReport(runs));
  }
});

test("htmlReport shows runs side by side: headlines, figures, decisions, configurations", async () => {
  const runs = await sampleRuns();
  const html = await htmlReport(runs);
  const { document } = parseHTML(html) as any;
  const headings = [...document.querySelectorAll("h2")].map((heading: any) => heading.textContent);
  assert.deepEqual(headings, [
    "At a glance",
    "What does it cost, and what does it bring?",
    "When did we have how many replicas, and why?",
    "Did users feel it?",
    "What came in, and where did it wait?",
    "How is latency distributed?",
    "How even were the workers?",
    "All figures",
    "How was it configured?",
  ]);
  assert.equal(document.querySelectorAll("figure.chart").length, 2 + 1 + 3 + 3 + 4);
  assert.equal(document.querySelector("h1").textContent, "scaled <1–4> against fixed");
  const events = runs[1].planner!.scaling_events;
  assert.ok(events.length > 4, "the sample scales");
  const decisions = document.querySelector("details tbody");
  assert.equal(decisions.querySelectorAll("tr").length, events.length);
  assert.match(decisions.textContent, /0:05agg1 → 2\d+ decoding with [\d.,k]+ tokens of context.*load: scale up0:30/);
  const text = document.body.textContent;
  assert.match(text, /2 workers all the time: fixed\./);
  assert.match(text, /2,000 requests over 7.56 min; good means TTFT ≤ 400 ms, TPOT ≤ 20 ms/);
  assert.match(text, /# scaled & drained/);
  const good = runs.map(({ summary }) => `${(summary.goodput_completed_requests! / 20).toFixed(1)} %`);
  for (const share of good) assert.ok(text.includes(share), share);
});

test("htmlReport loads nothing, and escapes what comes from outside", async () => {
  const [run] = await sampleRuns();
  const nasty = '<img src=x onerror="alert(1)">&';
  const html = await htmlReport([{ ...run, name: nasty, config: nasty }]);
  assert.ok(!html.includes("<img"));
  assert.ok(
    !/\b(src|href)=|url\((?!#)|@import|fetch\(|https?:\/\/(?!www\.w3\.org\/)/.test(
      html.replaceAll("&lt;img src=x", ""),
    ),
  );
  assert.match(textOf(html), /<img src=x onerror="alert\(1\)">&/);
});

test("htmlReport does without requests, a Planner or a configuration, and says what to do", async () => {
  const bare: Run = toRun(plannerReport("agg_load_x4"), { name: "bare" });
  const text = textOf(await htmlReport([bare], { title: "One run" }));
  assert.match(text, /One run/);
  assert.match(text, /--capture-per-request/);
  assert.match(text, /8 decisions/);
  assert.ok(!/How was it configured/.test(text));
  await assert.rejects(htmlReport([]), RangeError);
});

test("htmlReport names data version, precisions, KV cache and calibration of every role", async () => {
  const metadata: RunMetadata = {
    roles: [{
      role: "aggregated",
      kv_blocks: 29486,
      kv_block_tokens: 64,
      kv_blocks_from: "memory model",
      max_model_tokens: 40960,
      data_version: "0.13 <dev>",
      backend_version: "0.24.0",
      weights: "fp8_block",
      expert_weights: null,
      attention: "bfloat16",
      kv_cache: "fp8",
      communication: "bfloat16",
      kv_bytes_per_token: 65536,
      calibration: { level: "affine", passes: 1200, passes_outside: 30, request_overhead_ms: 5 },
    }],
  };
  const runs = [
    toRun({ ...plannerReport("agg_load_x4"), metadata }, { name: "first" }),
    toRun(plannerReport("agg_load_x4"), { name: "unknown" }),
  ];
  const html = await htmlReport(runs);
  assert.ok(!html.includes("<dev>"), "what comes from a file is escaped");
  const { document } = parseHTML(html) as any;
  const table = [...document.querySelectorAll("section")].find((section: any) => /rest on/.test(section.textContent));
  const rows = [...table.querySelectorAll("tr")].map((row: any) =>
    [...row.children].map((cell: any) => cell.textContent)
  );
  assert.deepEqual(rows, [
    ["", "first: aggregated"],
    ["Data version", "0.13 <dev>"],
    ["Backend version", "0.24.0"],
    ["Weights", "fp8_block"],
    ["Attention over prompts", "bfloat16"],
    ["KV cache", "fp8"],
    ["KV bytes a token and rank", "65,536"],
    ["Communication", "bfloat16"],
    ["KV blocks of a rank", "29,486 of 64 tokens (memory model)"],
    ["Longest sequence", "40,960 tokens"],
    ["Calibration", "affine: 1,200 passes corrected, 30 of them outside of what was measured"],
  ]);
  assert.ok(!/rest on/.test(textOf(await htmlReport([runs[1]]))), "nothing is told where nothing is known");
});

test("htmlReport tells retune decisions", async () => {
  const report = plannerReport("agg_load_x4");
  const event: Partial<RetuneEvent> = {
    window: { index: 0, start_s: 0, end_s: 600, num_requests: 10 },
    decided_at_s: 665,
    outcome: "applied",
    reason: null,
    current: { router: null, planner: {}, score: 100 },
    chosen: {
      router: { overlap_score_credit: 1, prefill_load_scale: 1, temperature: 0.2 },
      planner: { load_predictor: "kalman" },
      score: 125.5,
    },
    improvement_percentage: 25.5,
  };
  const planner = { ...report.planner!, retune_events: [event] } as PlannerSection;
  const text = textOf(await htmlReport([toRun({ ...report, planner }, { name: "tuned" })]));
  assert.match(
    text,
    /0:00 – 10:0011:05applied100\.00 → 125\.50 \(25\.5 %\)overlap_score_credit 1, prefill_load_scale 1, temperature 0\.2, load_predictor kalman/,
  );
});

test("htmlReport of many runs has a table, small panels of what differs, and a title of one line", async () => {
  const runs = await manyRuns(9);
  const { document } = parseHTML(await htmlReport(runs)) as any;
  assert.equal(document.querySelector("h1").textContent, "8 runs compared with fixed");
  assert.equal(document.querySelectorAll(".card").length, 0);
  assert.equal(document.querySelectorAll("table.compared tbody tr").length, 9);
  const figures = [...document.querySelectorAll("figure.chart")];
  const titled = (title: string) => figures.find((one: any) => one.querySelector("h3").textContent === title);
  const headings = [...titled("Time to first token (TTFT)").querySelectorAll("h4 .clamp")].map((one: any) =>
    one.textContent
  );
  assert.deepEqual(headings, [
    runs.filter((_, i) => i % 2 === 0).map(({ name }) => name).join(", "),
    runs.filter((_, i) => i % 2 === 1).map(({ name }) => name).join(", "),
  ]);
});

test("htmlReport says what was kept out, left unfinished, refused or failed", async () => {
  const [run] = await sampleRuns();
  const summary = {
    ...run.summary,
    cutoff_unadmitted_requests: 12,
    cutoff_unfinished_requests: 3,
    rejected_requests: 1,
    largest_prompt_tokens: 4096,
    failed_requests: 2,
  };
  const evaluation: Evaluation = { overload: { queues_growing: false, waiting: [0, 1, 2, 3], never_ran: 4 } };
  const { document } = parseHTML(await htmlReport([{ ...run, summary, evaluation }])) as any;
  const notes = [...document.querySelectorAll(".notes li")].map((note: any) => note.textContent);
  assert.deepEqual(notes, [
    "saturated: 4 requests never ran",
    "1 request rejected; the longest prompt that fits has 4,096 tokens",
    "2 requests failed",
    "the cutoff of virtual time kept 12 requests out and left 3 unfinished",
  ]);
});

test("htmlReport of a run without records shows its latencies as ranges", async () => {
  const html = await htmlReport([toRun(plannerReport("agg_load_x4"), { name: "bare" })]);
  const { document } = parseHTML(html) as any;
  const titles = [...document.querySelectorAll("figure h3")].map((title: any) => title.textContent);
  assert.deepEqual(titles, [
    "bare",
    "Latencies",
    "KV cache in use",
  ]);
});
