/** Inputs that go wrong in practice, with the figures that the reference gives for them. */
import "../without_user_cache.ts";
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { runTraceReplay, type TraceReplayOptions } from "../../mod.ts";
import { folder, lines } from "../trace/support.ts";

const SLA = { slaTtftMs: 1500, slaItlMs: 50 };

async function replayed(text: string | Uint8Array, options: TraceReplayOptions = {}) {
  const path = join(folder(), "trace.jsonl");
  writeFileSync(path, text);
  const { summary, per_request } = await runTraceReplay([path], { ...SLA, capturePerRequest: true, ...options });
  return { summary: summary as Record<string, unknown>, records: Array.from(per_request!) };
}

/** A row of a trace; ids and times are text, because numbers would not hold them all. */
const row = (time: string | number, input = 1000, output = 4, ids = "1,2") =>
  `{"timestamp":${time},"input_length":${input},"output_length":${output},"hash_ids":[${ids}]}`;
const A = row(0), B = row(500, 600, 3, "1,7");

/** What the reference makes of A and B, however they are written. */
const PLAIN = {
  num_requests: 2,
  completed_requests: 2,
  total_input_tokens: 1600,
  total_output_tokens: 7,
  duration_ms: 529.3827699999999,
  prefix_cache_reused_ratio: 0.32,
  goodput_completed_requests: 2,
};
const session = (more: object, rest: object) => JSON.stringify({ session_id: "s", ...more, ...rest });
const FIRST = { input_length: 1000, output_length: 4, hash_ids: [1, 2] };
const SECOND = { input_length: 600, output_length: 3, hash_ids: [1, 7] };
const aliases = '{"created_time":0,"input_tokens":1000,"output_tokens":4,"hash_ids":[1,2]}';
const HUGE = row(0, 2_000_000, 4, Array.from({ length: 3907 }, (_, i) => i).join());

const CASES: [string, string, Record<string, unknown>][] = [
  ["two rows", `${A}\n${B}\n`, PLAIN],
  ["CRLF", `${A}\r\n${B}\r\n`, PLAIN],
  ["a byte order mark, blank lines, no final line feed", `\ufeff${A}\n\n \n${B}`, PLAIN],
  ["rows out of order", `${B}\n${A}`, PLAIN],
  ["aliases", `${aliases}\n${B}`, PLAIN],
  ["an unknown key", `${A.replace("{", '{"x":[{}],')}\n${B}`, PLAIN],
  ["an epoch clock", [row(1757476916095), row(1757476916595, 600, 3, "1,7")].join("\n"), PLAIN],
  ["a negative time", [row(-5), B].join("\n"), { duration_ms: 534.3827699999999 }],
  ["fractions of a millisecond", [row(0.25), row(1.5, 600, 3, "1,7")].join("\n"), { duration_ms: 67.383335 }],
  ["an exponent", [row("1e3"), B].join("\n"), { duration_ms: 541.3859590000001 }],
  ["more ids than the prompt needs", [row(0, 20, 4, "0,1"), B].join("\n"), {
    total_input_tokens: 620,
    prefix_cache_reused_ratio: 0,
  }],
  ["a block size too large", row(0, 32, 4, "10,11"), { duration_ms: 34.212975 }],
  ["ids that agree in 32 bits", [row(0, 1000, 4, "1,4294967297"), row(500, 1000, 3, "1,8589934593")].join("\n"), {
    prefix_cache_reused_ratio: 0.256,
  }],
  [
    "ids that agree as doubles",
    [row(0, 1000, 4, "9007199254740992,2"), row(500, 600, 3, "9007199254740993,7")].join("\n"),
    {
      prefix_cache_reused_ratio: 0,
    },
  ],
  [
    "equal ids beyond 2^53",
    [row(0, 1000, 4, "9007199254740993,2"), row(500, 600, 3, "9007199254740993,7")].join("\n"),
    {
      prefix_cache_reused_ratio: 0.32,
    },
  ],
  ["a request without output", [row(0, 1000, 0), B].join("\n"), {
    completed_requests: 2,
    goodput_completed_requests: 1,
    total_output_tokens: 3,
    mean_ttft_ms: 17.840823,
  }],
  ["one token of output", row(0, 1000, 1), { mean_itl_ms: 0, goodput_completed_requests: 1 }],
  ["a turn with a delay", [session({ timestamp: 0 }, FIRST), session({ delay: 100 }, SECOND)].join("\n"), {
    duration_ms: 178.86339099999998,
    prefix_cache_reused_ratio: 0.32,
  }],
  ["a prompt larger than the cache", `${HUGE}\n${B}`, {
    num_requests: 2,
    completed_requests: 1,
    rejected_requests: 1,
    total_input_tokens: 600,
    duration_ms: 537.304991,
  }],
];

for (const [name, text, expected] of CASES) {
  test(`runTraceReplay equals the reference on ${name}`, async () => {
    const { summary } = await replayed(text);
    const found = Object.fromEntries(Object.keys(expected).map((key) => [key, summary[key]]));
    for (const key of Object.keys(expected).filter((key) => key.startsWith("mean_"))) {
      assert.ok(Math.abs(Number(found[key]) - Number(expected[key])) <= 1e-9 * Number(expected[key]), key);
      found[key] = expected[key];
    }
    assert.deepEqual(found, expected);
  });
}

test("runTraceReplay: a later turn starts at the end of the first plus the gap of the times", async () => {
  const text = [session({ timestamp: 0 }, FIRST), session({ timestamp: 500 }, SECOND)].join("\n");
  const { records } = await replayed(text);
  assert.deepEqual(records.map((record) => record.arrival_time_ms), [0, 549.480621]);
  assert.deepEqual(records.map((record) => record.reused_input_tokens), [0, 512]);
});

test("runTraceReplay sends equal times to workers in the order of the file", async () => {
  const workers = async (times: number[]) => {
    const rows = times.map((timestamp, i) => ({
      timestamp,
      input_length: 10 * (i + 1),
      output_length: 1,
      hash_ids: [i],
    }));
    const { records } = await replayed(lines(rows), { numWorkers: 3 });
    return records.map((record) => [record.input_length, record.decode_worker_idx]);
  };
  assert.deepEqual(await workers([0, 0, 0, 0, 0]), [[10, 0], [20, 1], [30, 2], [40, 0], [50, 1]]);
  const expected = [[20, 0], [40, 1], [60, 2], [10, 0], [30, 1], [50, 2]];
  assert.deepEqual(await workers([5, 0, 5, 0, 5, 0]), expected);
});
