import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { TraceError } from "../../lib/errors.ts";
import { warmupFiles, warmupIntervals, type WarmupLine } from "../../lib/trace/warmup_trace.ts";
import { readGolden } from "../planner/helpers.ts";

const lines = (rows: (object | string)[], file = "a.jsonl"): WarmupLine[] =>
  rows.map((row, i) => ({ file, line: i + 1, text: typeof row === "string" ? row : JSON.stringify(row) }));

const refusal = (rows: (object | string)[]): string => {
  try {
    warmupIntervals(lines(rows), 180);
  } catch (error) {
    assert.ok(error instanceof TraceError);
    return error.message;
  }
  return assert.fail("accepted");
};

const dynamo = (atMs: number, input: number, output: number, extra: object = {}) => ({
  schema: "dynamo.request.trace.v1",
  event_type: "request_end",
  event_time_unix_ms: atMs,
  request: { output_tokens: output, replay: { input_length: input } },
  ...extra,
});

test("warmupIntervals puts Dynamo rows into intervals from the earliest row", () => {
  const start = 1_700_000_000_000;
  const rows = [
    dynamo(start + 600_000, 50, 5),
    { event: dynamo(start, 100, 10) },
    { ...dynamo(start + 5, 9, 9), event_type: "request_start" },
    "",
    dynamo(start + 999_999, 200, 20, {
      request: { request_received_ms: start + 179_999, output_tokens: 20, replay: { input_length: 200 } },
    }),
    dynamo(start + 180_000, 300, 30),
  ];
  const got = warmupIntervals(lines(rows), 180);
  assert.deepEqual(got.map((i) => [i.startS, i.requests, i.inputTokens, i.outputTokens]), [
    [0, 2, 150, 15],
    [180, 1, 300, 30],
    [360, 0, 0, 0],
    [540, 1, 50, 5],
  ]);
});

test("warmupIntervals counts Mooncake times from 0", () => {
  const rows = [50_000, 200_000].map((timestamp) => ({ timestamp, input_length: 10, output_length: 1 }));
  assert.deepEqual(warmupIntervals(lines(rows), 180).map(({ startS }) => startS), [0, 180]);
  const late = [{ timestamp: 400_000, input_length: 10, output_length: 1 }];
  assert.deepEqual(warmupIntervals(lines(late), 180).map(({ startS }) => startS), [360]);
  assert.deepEqual(warmupIntervals([], 180), []);
});

const trace = new URL("../../../shared/traces/conversation_trace.jsonl", import.meta.url);
test("warmupIntervals agrees with the reference on the conversation trace", {
  skip: existsSync(trace) ? false : "the trace is not here",
}, () => {
  const rows = readFileSync(trace, "utf8").split("\n").slice(0, 2000);
  for (const [key, interval] of [["warmup_conv2000_60s", 60], ["warmup_conv2000_180s", 180]] as const) {
    const wanted = readGolden("unit_budget_capacity_bootstrap.json")[key];
    const got = warmupIntervals(lines(rows), interval);
    assert.deepEqual(
      got.map((i) => [i.startS, i.requests, i.inputTokens, i.outputTokens]),
      // deno-lint-ignore no-explicit-any
      wanted.map((w: any) => [w.interval_start, w.request_count, w.avg_isl, w.avg_osl]),
    );
  }
});

const row = { timestamp: 1, input_length: 2, output_length: 3 };
const refused: [rows: (object | string)[], message: RegExp | string][] = [
  [["{"], /^Invalid JSON at a\.jsonl:1: /],
  [["[]"], "Trace row at a.jsonl:1 must be a JSON object"],
  [[{ a: 1 }], "Unsupported warmup trace format at a.jsonl:1"],
  [[row, dynamo(1, 1, 1)], "Mixed or unsupported warmup trace format at a.jsonl:2: expected mooncake, found dynamo"],
  [[row, { a: 1 }], "Mixed or unsupported warmup trace format at a.jsonl:2: expected mooncake, found unknown"],
  [[{ ...row, timestamp: true }], "timestamp must be numeric at a.jsonl:1"],
  [['{"timestamp":1e999,"input_length":1,"output_length":1}'], "timestamp must be finite at a.jsonl:1"],
  [[{ ...row, input_length: 1.5 }], "input_length must be a non-negative integer at a.jsonl:1"],
  [[{ ...row, output_length: -1 }], "output_length must be a non-negative integer at a.jsonl:1"],
  [[{ ...dynamo(1, 1, 1), request: null }], "request_end is missing request payload at a.jsonl:1"],
  [[{ ...dynamo(1, 1, 1), request: {} }], "request payload is missing replay metrics at a.jsonl:1"],
];
for (const [rows, message] of refused) {
  test(`warmupIntervals refuses ${JSON.stringify(rows)}`, () => {
    const got = refusal(rows);
    if (typeof message === "string") assert.equal(got, message);
    else assert.match(got, message);
  });
}

test("warmupIntervals skips other events while it looks for the format", () => {
  const rows = [{ event_type: "tool_call" }, row];
  assert.equal(warmupIntervals(lines(rows), 180).length, 1);
});

test("warmupIntervals refuses times of different origins", () => {
  assert.throws(() => warmupIntervals(lines([row, { ...row, timestamp: 1.7e12 }]), 1), /spans 1700000001 intervals/);
});

test("warmupFiles sorts, and refuses nothing at all and a shard in two representations", () => {
  assert.deepEqual(warmupFiles("d", ["d/b.jsonl", "d/a.jsonl.gz"]), ["d/a.jsonl.gz", "d/b.jsonl"]);
  assert.throws(() => warmupFiles("x*", []), { message: "No warmup trace files matched 'x*'" });
  assert.throws(() => warmupFiles("d", ["d/a.jsonl.gz", "d/a.jsonl"]), {
    message: "Both compressed and uncompressed warmup trace copies matched: d/a.jsonl and d/a.jsonl.gz. " +
      "Select one representation with a glob.",
  });
});
