/** Inputs that go wrong in practice, as a replay sees them. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { loadTrace, type LoadTraceOptions } from "../../lib/traffic/load_trace.ts";
import { folder, lines, pieces } from "../trace/support.ts";

const A = { timestamp: 0, input_length: 1000, output_length: 4, hash_ids: [1, 2] };
const B = { timestamp: 500, input_length: 600, output_length: 3, hash_ids: [1, 7] };

const load = (rows: readonly (object | string)[], options: LoadTraceOptions = {}) =>
  loadTrace(pieces(lines(rows)), options);
const total = async (rows: readonly (object | string)[], options?: LoadTraceOptions) =>
  (await load(rows, options)).workload.inputTokens.reduce((sum, tokens) => sum + tokens, 0);
const refused = (rows: readonly (object | string)[], message: string | RegExp, options?: LoadTraceOptions) =>
  assert.rejects(load(rows, options), { name: "TraceError", message });

test("hash_ids that do not fit: too few are refused, surplus ones are left out and counted", async () => {
  await refused([{ ...A, input_length: 3000 }], "trace line 1 input_length 3000 exceeds hash_ids capacity 1024");
  await refused([{ ...A, input_length: 1025 }], "trace line 1 input_length 1025 exceeds hash_ids capacity 1024");
  await refused([{ ...A, hash_ids: [] }], "trace line 1 input_length 1000 exceeds hash_ids capacity 0");
  await refused([{ ...A, hash_ids: undefined }], "trace line 1 is missing hash_ids");
  for (const input of [1024, 513, 512]) assert.equal(await total([{ ...A, input_length: input }]), input);
  assert.equal(await total([{ ...A, input_length: 20, hash_ids: [0, 1] }, B]), 620);
  const { warnings, workload } = await load([{ ...A, input_length: 20, hash_ids: [0, 1] }, B]);
  assert.deepEqual(warnings, ["<stream>: 1 surplus block ids in 1 of 2 rows"]);
  assert.equal(workload.blockStart[1], 1);
});

test("a wrong block size is named", async () => {
  const rows = Array.from({ length: 9 }, (_, i) => ({
    timestamp: i,
    input_length: 160,
    output_length: 4,
    hash_ids: Array.from({ length: 10 }, (_, k) => k),
  }));
  const [warning] = (await load(rows)).warnings!;
  assert.equal(warning, "<stream>: 81 surplus block ids in 9 of 9 rows: blocks of 16 tokens fit, blocks of 512 do not");
  assert.deepEqual((await load(rows, { blockTokens: 16 })).warnings, []);
});

test("64-bit ids are not cut to 32 bits or rounded to doubles", async () => {
  const different = async (...ids: string[][]) => {
    const rows = ids.map((list) => `{"timestamp":0,"input_length":1000,"output_length":4,"hash_ids":[${list}]}`);
    return new Set((await load(rows)).workload.blockIds).size;
  };
  assert.equal(await different(["1", "4294967297"], ["1", "8589934593"]), 3);
  assert.equal(await different(["9007199254740992", "2"], ["9007199254740993", "7"]), 4);
  assert.equal(await different(["9007199254740993", "2"], ["9007199254740993", "7"]), 3);
  assert.equal(await different(["18446744073709551615", "2"], ["18446744073709551614", "2"]), 3);
});

test("zero lengths: no output is a request, no input is none", async () => {
  assert.equal((await load([{ ...A, output_length: 0 }, B])).workload.count, 2);
  await refused(
    [{ ...A, input_length: 0, hash_ids: [] }],
    "session request_1 turn 0 must have a positive input_length",
  );
  await refused([{ ...A, output_length: null }], "trace line 1 is missing output_length");
});

test("an empty trace and one that is not there", async () => {
  await refused([""], "trace file <stream> did not contain any requests");
  const none = join(folder(), "none.jsonl");
  await assert.rejects(loadTrace(none), { message: `failed to open trace file ${none}: no such file or directory` });
});

test("every order of rows arrives in the order of time, ties in file order", async () => {
  const at = async (stamps: number[]) => {
    const { start } = await load(stamps.map((timestamp, i) => ({ ...A, timestamp, input_length: 10 * (i + 1) })));
    const source = start(), order: number[] = [];
    for (let now; (now = source.nextReadyMs()) < Infinity;) order.push(10 * (source.admit(now) + 1));
    return order;
  };
  assert.deepEqual(await at([0, 0, 0, 0, 0]), [10, 20, 30, 40, 50]);
  assert.deepEqual(await at([5, 0, 5, 0, 5, 0]), [20, 40, 60, 10, 30, 50]);
});

test("clocks: epoch, negative, fractional, beyond 2^53, exponents, none", async () => {
  const gap = async (...stamps: string[]) => {
    const rows = stamps.map((t) => `{"timestamp":${t},"input_length":10,"output_length":1,"hash_ids":[1]}`);
    const source = (await load(rows)).start();
    source.admit(source.nextReadyMs());
    return source.nextReadyMs();
  };
  assert.equal(await gap("1757476916095", "1757476916595"), 500);
  assert.equal(await gap("-5", "500"), 505);
  assert.equal(await gap("0.25", "1.5"), 1.25);
  assert.equal(await gap("9007199254740993", "9007199254740995"), 4);
  assert.equal(await gap("1e3", "500"), 500);
  await refused(
    [{ ...A, timestamp: "0" }],
    /^failed to parse line 1 from <stream> as JSON: timestamp: expected a number/,
  );
  await refused(
    [{ ...A, timestamp: undefined }],
    "trace mode requires first_arrival_timestamp_ms for session request_1",
  );
});

const row = (id: string, more: object = {}, request: object = {}) => ({
  schema: "dynamo.request.trace.v1",
  event_type: "request_end",
  event_time_unix_ms: 1010,
  request: {
    request_id: id,
    request_received_ms: 1000,
    total_time_ms: 10,
    output_tokens: 2,
    replay: { trace_block_size: 4, input_length: 4, input_sequence_hashes: [1] },
    ...request,
  },
  ...more,
});

test("dynamo shards: packed or not, whatever the name, several members, any order", async () => {
  const at = folder();
  const shard = (name: string, bytes: string | Uint8Array) => {
    const path = join(at, name);
    writeFileSync(path, bytes);
    return path;
  };
  const packed = gzipSync(lines([row("a")])), both = Buffer.concat([packed, gzipSync(lines([row("b")]))]);
  const count = async (...paths: string[]) => (await loadTrace(paths, { format: "dynamo" })).workload.count;
  const one = shard("t.000000.jsonl.gz", packed), two = shard("t.000001.jsonl.gz", gzipSync(lines([row("c")])));
  assert.equal(await count(one), 1);
  assert.equal(await count(shard("both.jsonl.gz", both)), 2);
  assert.equal(await count(shard("named.jsonl", packed)), 1);
  assert.equal(await count(one, two), 2);
  assert.equal(await count(two, one), 2);
  const fails = (message: string | RegExp, ...paths: string[]) => assert.rejects(count(...paths), { message });
  await fails(
    /^failed to read .*cut\.gz:1: the gzip data is damaged: unexpected end of file$/,
    shard("cut.gz", packed.subarray(0, -20)),
  );
  await fails('duplicate request_id "a"', one, one);
  assert.equal((await loadTrace(shard("m.gz", gzipSync(lines([A]))))).workload.count, 1);
  await assert.rejects(loadTrace([one, two]), {
    name: "ConfigError",
    message: "trace_format='mooncake' requires exactly one trace file, got 2",
  });
});

test("dynamo rows: what is refused, skipped and accepted", async () => {
  const dynamo = (rows: readonly (object | string)[]) => load(rows, { format: "dynamo" });
  const failed = (rows: readonly (object | string)[], message: string | RegExp) =>
    assert.rejects(dynamo(rows), { name: "TraceError", message });
  const eight = { replay: { trace_block_size: 8, input_length: 4, input_sequence_hashes: [1] } };
  await failed([row("a"), row("b", {}, eight)], "mixed replay trace_block_size values are not supported");
  await failed(
    [row("a", { schema: "dynamo.request.trace.v2" })],
    /^failed to parse <stream>:1: schema: expected "dynamo/,
  );
  await failed(
    [row("a"), row("b", { event_type: "other" })],
    /^failed to parse <stream>:2: event_type: expected "request_end"/,
  );
  await failed([row("a"), A], /^failed to parse <stream>:2: /);
  await failed([{ event_type: "request_payload" }], "Dynamo trace contains no request_end records");
  await failed([row("a", {}, { replay: undefined })], /^failed to parse <stream>:1: .*expected the field replay/);
  assert.equal((await dynamo([{ event_type: "request_payload", request: "?" }, row("a")])).workload.count, 1);
  for (const missing of [{ request_received_ms: undefined }, { total_time_ms: undefined }, { output_tokens: 0 }]) {
    assert.equal((await dynamo([row("a", {}, missing)])).workload.count, 1);
  }
});

test("requests with agents from anywhere make a graph", async () => {
  const header = {
    schema: "dynamo.agentic_mooncake",
    version: 2,
    block_size: 4,
    hash_id_scope: "local",
    source: { format: "f", digest: "d" },
  };
  const node = (id: string, dependencies: object[] = []) => ({
    request_id: id,
    play_id: "p",
    session_id: "s",
    model: "m",
    not_before_ms: 0,
    input_length: 4,
    output_length: 1,
    hash_ids: [1],
    dependencies,
  });
  const text = lines([
    header,
    node("a"),
    node("b", [{ request_id: "a", trigger: "completion", delay_ms: 7, relation: "join" }]),
  ]);
  const { readTrace } = await import("../../lib/trace/read_trace.ts");
  const { loadRequests } = await import("../../lib/traffic/load_trace.ts");
  const traffic = await loadRequests(readTrace(pieces(text)), { blockTokens: 4, model: "m" });
  const source = traffic.start();
  assert.equal(source.admit(0), 0);
  assert.equal(source.nextReadyMs(), Infinity);
  source.ended(0, 12, "completed", 1);
  assert.equal(source.nextReadyMs(), 19);
});
