import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { Measured } from "../../lib/calibrate/measured.ts";
import { readMeasured } from "../../lib/calibrate/read_measured.ts";
import { TraceError } from "../../lib/errors.ts";

async function read(...texts: string[]): Promise<Measured> {
  const folder = mkdtempSync(join(tmpdir(), "dynosim-measured-"));
  try {
    const paths = texts.map((text, i) => {
      const path = join(folder, `part${i}`);
      writeFileSync(path, text);
      return path;
    });
    return await readMeasured(paths);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const lines = (...rows: unknown[]) => rows.map((row) => JSON.stringify(row)).join("\n") + "\n";
const refuses = (text: string, message: RegExp) =>
  assert.rejects(read(text), (error) => error instanceof TraceError && message.test(error.message));

const pass = (wall_time: number, scheduled_requests: object) => ({
  received_at_ns: 1,
  metrics: { version: 1, worker_id: "w", wall_time, scheduled_requests, queued_requests: {} },
});

test("readMeasured reads Dynamo's recordings of passes in milliseconds and leaves out idle ranks", async () => {
  const { passes, skipped, formats } = await read(lines(
    pass(0.02, { num_decode_requests: 4, sum_decode_kv_tokens: 4000, var_decode_kv_tokens: 2.5 }),
    pass(0, {}),
    pass(0.1, { num_prefill_requests: 1, sum_prefill_tokens: 900, sum_prefill_kv_tokens: 100 }),
  ));
  assert.deepEqual([...formats], ["fpm"]);
  assert.deepEqual([...skipped], [["idle", 1]]);
  assert.deepEqual(passes, [
    { prompts: 0, promptTokens: 0, priorTokens: 0, decodes: 4, decodeTokens: 4000, decodeVariance: 2.5, ms: 20 },
    { prompts: 1, promptTokens: 900, priorTokens: 100, decodes: 0, decodeTokens: 0, ms: 100 },
  ]);
});

test("readMeasured reads tables of passes and joins several files", async () => {
  const header = "phase,num_prefill_requests,sum_prefill_tokens,sum_prefill_kv_tokens,num_decode_requests," +
    "sum_decode_kv_tokens,latency_ms\n";
  const { passes } = await read(`${header}decode,0,0,0,2,300,5.5\n`, `${header}context,1,128,0,0,0,17.111\r\n`);
  assert.deepEqual(passes.map(({ ms, decodes, promptTokens }) => [ms, decodes, promptTokens]), [
    [5.5, 2, 0],
    [17.111, 0, 128],
  ]);
  const varied = await read(`${header.trim()},var_decode_kv_tokens\ndecode,0,0,0,2,300,5.5,12.5\n`);
  assert.equal(varied.passes[0].decodeVariance, 12.5);
  await refuses(`${header}decode,0,0,0,two,300,5.5\n`, /part0:2: num_decode_requests: not a number/);
  await refuses(`${header}decode,0,0\n`, /part0:2: the header has 7 cells/);
});

test("readMeasured reads measured times of Dynamo request traces", async () => {
  const record = (request: object, event_type = "request_end") => ({
    schema: "dynamo.request.trace.v1",
    event_type,
    request: { request_id: "r", ...request },
  });
  const { requests, skipped, blockTokens } = await read(lines(
    record({
      request_received_ms: 1000,
      output_tokens: 11,
      ttft_ms: 100,
      total_time_ms: 300,
      replay: { trace_block_size: 16, input_length: 20, input_sequence_hashes: [1, 2] },
    }),
    record({ output_tokens: 11, input_tokens: 20 }),
    record({}, "request_start"),
  ));
  assert.equal(blockTokens, 16);
  assert.deepEqual(requests, [
    { arrivalMs: 1000, inputTokens: 20, outputTokens: 11, hashIds: [1, 2], ttftMs: 100, tpotMs: 20, e2eMs: 300 },
  ]);
  assert.deepEqual([...skipped], [["requests without times", 1], ["records of something else", 1]]);
});

test("readMeasured reads AIPerf's units and leaves out warm-up, failures and cancelled requests", async () => {
  const metrics = (unit = "ms") => ({
    input_sequence_length: { value: 100, unit: "tokens" },
    output_sequence_length: { value: 5, unit: "tokens" },
    time_to_first_token: { value: 0.25, unit: "s" },
    inter_token_latency: { value: 20, unit },
    request_latency: { value: 330, unit: "ms" },
  });
  const row = (metadata: object, error: unknown = null) => ({ metadata, metrics: metrics(), error });
  const { requests, skipped } = await read(lines(
    row({ benchmark_phase: "profiling", request_start_ns: 5e6 }),
    row({ benchmark_phase: "warmup" }),
    row({ was_cancelled: true }),
    row({}, { code: 500 }),
  ));
  assert.deepEqual(requests, [
    { arrivalMs: 5, inputTokens: 100, outputTokens: 5, hashIds: null, ttftMs: 250, tpotMs: 20, e2eMs: 330 },
  ]);
  assert.deepEqual([...skipped.keys()], ["warm-up", "cancelled requests", "failed requests"]);
  await refuses(lines({ metadata: {}, metrics: metrics("parsecs") }), /inter_token_latency is in 'parsecs'/);
});

test("readMeasured reads detailed benchmark results of vLLM and SGLang and says what aggregates lack", async () => {
  const columns = {
    mean_ttft_ms: 1,
    input_lens: [10, 20],
    output_lens: [3, 4],
    ttfts: [0.1, 0.2],
    itls: [[0.01, 0.03], []],
    errors: ["", "refused"],
    max_concurrency: 8,
  };
  for (
    const [text, name] of [
      [JSON.stringify({ ...columns, start_times: [7, 8] }, null, 2), "vllm-bench"],
      [lines({ ...columns, sharegpt_output_len: null }), "sglang-bench"],
    ]
  ) {
    const { requests, concurrency, skipped, formats } = await read(text);
    assert.deepEqual([...formats], [name]);
    assert.equal(concurrency, 8);
    assert.deepEqual([...skipped], [["failed requests", 1]]);
    assert.equal(requests.length, 1);
    const { arrivalMs, ttftMs, tpotMs, e2eMs } = requests[0];
    assert.deepEqual([arrivalMs, ttftMs, tpotMs, e2eMs], [name === "vllm-bench" ? 7000 : null, 100, 20, 140]);
  }
  await refuses(lines({ mean_ttft_ms: 5 }), /--save-detailed/);
  await refuses(lines({ ...columns, ttfts: [1] }), /ttfts has 1 entries, but input_lens has 2/);
});

test("readMeasured reads benchmark results as Python writes them, with bare Infinity and NaN", async () => {
  const text = '{"backend": "sglang", "request_rate": Infinity, "max_concurrency": 4, "sharegpt_output_len": null, ' +
    '"mean_ttft_ms": 1.0, "std_tpot_ms": NaN, "input_lens": [10], "output_lens": [3], "ttfts": [0.1], ' +
    '"itls": [[0.01, 0.03]], "errors": [""]}';
  for (const written of [text, text.replaceAll(", ", ",\n ")]) {
    const { requests, concurrency, formats } = await read(written);
    assert.deepEqual([...formats], ["sglang-bench"]);
    assert.equal(concurrency, 4);
    assert.equal(requests[0].e2eMs, 140);
  }
});

test("readMeasured takes from a benchmark's rate and its limit how requests came", async () => {
  const columns = {
    mean_ttft_ms: 1,
    input_lens: [10, 20, 30],
    output_lens: [3, 4, 5],
    ttfts: [0.1, 0.2, 0.3],
    itls: [[0.01, 0.03], [], []],
  };
  const came = async (...more: object[]) => {
    const { requests, concurrency, assumed } = await read(lines(...more.map((each) => ({ ...columns, ...each }))));
    return { arrivals: requests.map(({ arrivalMs }) => arrivalMs), concurrency, assumed: [...assumed] };
  };
  const start_times = [7, 8, 9], recorded = [7000, 8000, 9000], none = [null, null, null];
  // sent as fast as a limit lets them, or all at once
  assert.deepEqual(await came({ request_rate: "inf", max_concurrency: 2 }), {
    arrivals: none,
    concurrency: 2,
    assumed: [],
  });
  assert.deepEqual(await came({ request_rate: "inf" }), { arrivals: none, concurrency: 3, assumed: [] });
  assert.equal((await came({ request_rate: "inf", start_times })).concurrency, null);
  // a limit above a rate's load holds nothing open
  const timed = await came({ request_rate: 1, max_concurrency: 64, start_times });
  assert.deepEqual(timed, { arrivals: recorded, concurrency: null, assumed: [] });
  const drawn = await came({ request_rate: 2, max_concurrency: 64 }, { request_rate: 2 });
  assert.equal(drawn.concurrency, null);
  assert.ok(drawn.arrivals.every((ms, i) => i === 0 ? ms === 0 : ms! > drawn.arrivals[i - 1]!));
  assert.match(drawn.assumed[0], /at random, 2 a second/);
  // times of a trace that is not in the file
  assert.deepEqual(await came({ request_rate: "trace" }), { arrivals: none, concurrency: null, assumed: [] });
  await assert.rejects(
    came({ max_concurrency: 2 }, { max_concurrency: 8 }),
    /part0:2: .* 8 open at a time, those before/,
  );
});

test("readMeasured tells a file that is cut off, or empty, from one of another format", async () => {
  await refuses('{"ttfts": [0.1, 0.', /neither one JSON object nor one a line: /);
  await refuses(" \n\n", /part0: the file is empty/);
  await refuses(
    lines({ mean_ttft_ms: 1, input_lens: [2 ** 53], output_lens: [1], ttfts: [1], itls: [[]] }),
    /input_lens/,
  );
});

test("readMeasured names the formats it knows for a file that is none of them", async () => {
  await refuses("hello\n", /no known format of measurements \(known: Dynamo forward-pass metrics/);
  await refuses(`${lines(pass(0.1, { num_decode_requests: 1 }))}{"metrics": \n`, /part0:2: the line is no JSON/);
  await refuses(lines(pass(-1, {})), /part0:1: wall_time/);
});
